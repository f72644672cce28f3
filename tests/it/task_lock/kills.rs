//! `kill -9` at every step of a lease: a `git` in front of the real one ends `task-lock`, or itself,
//! at the nth call. Afterwards nobody else got in early, tokens grew, and the same command goes on.

use super::remotes::{Daemon, http};
use super::*;
use std::process::{Command as Process, Stdio};

/// Who is killed, and when.
#[derive(Debug, Clone, Copy)]
enum How {
    /// `task-lock`, before git does anything.
    Before,
    /// `task-lock`, after git has done it: nobody has read the answer.
    After,
    /// git itself, before it does anything.
    Git,
}

const OPERATIONS: [&str; 4] = ["acquire", "renew", "release", "publish"];
/// More git processes than any operation starts.
const CALLS_MAX: usize = 30;

const WRAPPER: &str = r#"#!/bin/sh
n=$(($(cat "$CALLS") + 1)); echo $n > "$CALLS"
[ "$n" = "$FATAL" ] || exec "$REAL" "$@"
case "$HOW" in
    Before) kill -9 $PPID;;
    After) "$REAL" "$@"; kill -9 $PPID;;
    Git) kill -9 $$;;
esac
exit 1
"#;

/// One clone in which operations are killed, and another agent's view.
struct Stage<'f> {
    field: &'f Field,
    one: PathBuf,
    /// Where the rival works, and what names the remote.
    two: PathBuf,
    remote: &'static str,
}

impl Stage<'_> {
    /// Runs an operation that is killed at its nth git process; its status, and whether it had one.
    fn killed(&self, (how, n): (How, usize), words: &[&str]) -> (Option<i32>, bool) {
        let name = format!("{how:?}-{n}-{}-{}", words[1], self.remote);
        let (calls, bin) = (
            self.field.path(&format!("calls-{name}")),
            self.field.path("bin"),
        );
        std::fs::write(&calls, "0\n").unwrap();
        let output = Process::new(assert_cmd::cargo::cargo_bin!("task-lock"))
            .args(words)
            .args(["--remote", self.remote])
            .current_dir(&self.one)
            .env(
                "PATH",
                format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()),
            )
            .env("REAL", real_git())
            .env("CALLS", &calls)
            .env("FATAL", n.to_string())
            .env("HOW", format!("{how:?}"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let count = std::fs::read_to_string(&calls).unwrap();
        (
            output.status.code(),
            count.trim().parse::<usize>().unwrap() >= n,
        )
    }

    fn status(&self, clone: &Path, words: &[&str]) -> i32 {
        status(clone, &[words, &["--remote", self.remote]].concat())
    }

    /// The record on the ref: state, agent and token.
    fn record(&self, task: &str) -> Option<(String, String, u64)> {
        let place = match self.remote {
            "none" => self.one.clone(),
            _ => self.field.path("remote.git"),
        };
        let name = format!("refs/overnight/leases/{task}");
        let said = git(&place, &["for-each-ref", "--format=%(contents)", &name]);
        let record: Value = serde_json::from_str(said.trim()).ok()?;
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        Some((
            text("state"),
            text("agent"),
            record["token"].as_u64().unwrap(),
        ))
    }

    /// One kill; `false` when the operation starts fewer processes.
    fn case(&self, operation: &str, at: (How, usize)) -> bool {
        let task = format!("{operation}-{:?}-{}", at.0, at.1).to_lowercase();
        let acquire = ["acquire", &task, "--agent", "a"];
        let held = (operation != "acquire").then(|| {
            acquired(
                &self.one,
                &[&acquire[1..], &["--remote", self.remote]].concat(),
            )
        });
        let token = held.clone().unwrap_or_default();
        let work = format!("HEAD:refs/heads/auto/{task}");
        let words: Vec<&str> = match operation {
            "acquire" => acquire.to_vec(),
            "publish" => vec!["publish", &task, "--token", &token, "--refspec", &work],
            other => vec![other, &task, "--token", &token],
        };
        let before = self.record(&task);
        let (code, reached) = self.killed(at, &words);
        let after = self.record(&task);
        let about = format!("{task} {}: {code:?} {before:?} {after:?}", self.remote);
        assert!(matches!(code, None | Some(0 | 69)), "{about}");
        let token_of = |record: &Option<(String, String, u64)>| record.as_ref().map_or(0, |r| r.2);
        assert!(token_of(&after) >= token_of(&before), "{about}");
        // Another agent gets it only when nobody holds it.
        let free = after.as_ref().is_none_or(|(state, ..)| state == "free");
        let rival = self.status(&self.two, &["acquire", &task, "--agent", "b"]);
        assert_eq!(rival, i32::from(!free), "{about}");
        // Nothing that is told as done may be undone, and the same words go on.
        if code == Some(0) {
            assert_eq!(free, operation == "release", "{about}");
        }
        let expected = match (operation, free) {
            // The rival has it now; a release that had arrived is one all the same.
            ("acquire" | "renew" | "publish", true) => 1,
            ("release", true) => i32::from(self.knows_no_better(&task, &token)),
            _ => 0,
        };
        assert_eq!(self.status(&self.one, &words), expected, "{about}, again");
        if free {
            let (state, agent, newer) = self.record(&task).unwrap();
            assert_eq!((state.as_str(), agent.as_str()), ("held", "b"), "{about}");
            assert!(newer > token_of(&after), "{about}: {newer}");
        }
        reached
    }

    /// Did the clone not learn that its release had arrived? Then the rival's record is what it
    /// finds, and its token is no longer any good.
    fn knows_no_better(&self, task: &str, token: &str) -> bool {
        let kept = self.one.join(".git/overnight/leases");
        let side = if self.remote == "none" {
            "local"
        } else {
            "at-origin"
        };
        let text = std::fs::read_to_string(kept.join(side).join(format!("{task}.json"))).unwrap();
        let state: Value = serde_json::from_str(&text).unwrap();
        let record = &state["standing"]["Record"]["record"];
        record["state"] != "free" || record["token"].as_u64() != token.parse().ok()
    }
}

fn real_git() -> String {
    let found = Process::new("sh").args(["-c", "command -v git"]).output();
    String::from_utf8(found.unwrap().stdout)
        .unwrap()
        .trim()
        .to_owned()
}

fn run(field: &Field, remote: &'static str, url: &str) {
    let bin = field.path("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("git"), WRAPPER).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("git"), mode).unwrap();
    let one = field.clone("one", url);
    let two = match remote {
        "none" => one.clone(),
        _ => field.clone("two", url),
    };
    let person = || {
        let of = |words: &[&str]| git(&one, words);
        (
            of(&["rev-parse", "HEAD"]),
            of(&["status", "--porcelain"]),
            of(&["branch", "--list", "work"]),
        )
    };
    let stage = Stage {
        field,
        one: one.clone(),
        two,
        remote,
    };
    let before = person();
    std::thread::scope(|scope| {
        for operation in OPERATIONS {
            let stage = &stage;
            scope.spawn(move || {
                for how in [How::Before, How::After, How::Git] {
                    let steps = (1..CALLS_MAX).take_while(|n| stage.case(operation, (how, *n)));
                    assert!(steps.count() >= 1, "{operation} starts no git");
                }
            });
        }
    });
    assert_eq!(
        person(),
        before,
        "HEAD, index, files and branches are the person's"
    );
}

#[test]
fn at_every_step_of_a_lease_on_a_remote() {
    let field = Field::new();
    run(&field, "origin", &field.file_url());
}

#[test]
fn at_every_step_of_a_lease_over_git_daemon() {
    let field = Field::new();
    let daemon = Daemon::start(&field);
    run(&field, "origin", &daemon.url);
}

#[test]
fn at_every_step_of_a_lease_over_http() {
    let field = Field::new();
    let url = http(&field, 0);
    run(&field, "origin", &url);
}

#[test]
fn at_every_step_of_a_lease_of_this_clone() {
    let field = Field::new();
    run(&field, "none", &field.file_url());
}
