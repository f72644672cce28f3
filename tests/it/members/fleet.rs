//! Machines of one list as seen from any of them: what they pass on, and what is made of it.

use super::joined::cloned;
use super::project;
use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use overnight_run::event::{Door, DriverStarted, Event, Finished, RunStarted};
use overnight_run::fleet::{self, Joined};
use overnight_run::journal::{Record, Stamp};
use overnight_run::members::event::{Answer, Assigned, End, MemberEnded};
use overnight_run::task::TaskSpec;
use overnight_run::{Config, Reason};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

const AGENT: &str = "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'";
const HOUR_S: u64 = 3_600;

fn spec(id: &str) -> TaskSpec {
    TaskSpec {
        gates: vec![format!("test -s out/{id}")],
        ..TaskSpec::named(id, &format!("Write out/{id}"))
    }
}

fn assigned() -> Assigned {
    Assigned {
        task: "a".to_owned(),
        member: 1,
        round: 0,
        share: overnight_run::budget::Limits::default(),
        answer: Answer::Granted {
            token: 1,
            branch: "auto/x".to_owned(),
            work_tree: String::new(),
            base: String::new(),
        },
    }
}

/// What a machine of this name passes on that spent this on a task and works on, or ended.
fn words(run: &str, name: &str, usd: f64, end: Option<Reason>) -> String {
    let events: Vec<Event> = vec![
        RunStarted {
            run: run.to_owned(),
            door: Door::Driver,
            goal: "\u{1b}[31mred".to_owned(),
            top: String::new(),
            head: Some("--output=x".to_owned()),
            branch: None,
            config: None,
        }
        .into(),
        Joined {
            list: String::new(),
            machine: name.to_owned(),
        }
        .into(),
        DriverStarted {
            epoch: 1,
            pid: 0,
            pid_start: 0,
            session: None,
            config: Config {
                members: 1,
                ..Config::default()
            },
            tasks: vec![spec("a"), spec("b")],
        }
        .into(),
        assigned().into(),
        MemberEnded {
            task: "a".to_owned(),
            member: 1,
            end: End::Stopped(Reason::BudgetSpent),
            spent: overnight_run::budget::Amount { usd, tokens: 1 },
            iterations: 1,
            said: String::new(),
            verdict: None,
            tip: None,
            changed: None,
        }
        .into(),
    ];
    let end = end.map(|reason| Event::from(Finished { reason }));
    let events = events.into_iter().chain(end).enumerate();
    let record = |(at, event): (usize, Event)| Record {
        seq: at as u64 + 1,
        stamp: Stamp::default(),
        event,
    };
    events
        .map(record)
        .filter_map(|record| fleet::word(&record))
        .collect()
}

/// Puts a journal on the remote, as its machine did at this Unix time.
fn put(project: &Project, remote: &str, run: &str, (words, at): (&str, u64)) {
    let list = fleet::list("auto/trunk", &[spec("a"), spec("b")]);
    let file = project.path("../words");
    std::fs::write(&file, words).unwrap();
    let mut git = project.command("git");
    git.args([
        "-C",
        remote,
        "commit-tree",
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    ])
    .args(["-F", file.to_str().unwrap(), "--no-gpg-sign"])
    .env("GIT_COMMITTER_DATE", format!("{at} +0000"))
    .stdin(Stdio::null());
    let commit = String::from_utf8(git.output().unwrap().stdout).unwrap();
    let name = format!("{}/{list}/{run}", fleet::JOURNALS);
    let git_dir = format!("--git-dir={remote}");
    project.git(&[&git_dir, "update-ref", &name, commit.trim()]);
}

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs()
}

/// The night as a clone tells it.
pub(super) fn night(project: &Project, folder: &Path) -> Value {
    let mut status = project.command(cargo_bin!("overnight"));
    status.args(["status", "--json"]).current_dir(folder);
    let out = status.output().unwrap();
    let told: Value = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)));
    told["night"].clone()
}

#[test]
fn a_budget_is_spent_by_all_machines_together_and_those_that_are_gone_are_told_of() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let (remote, other) = cloned(&project);
    let [old, ended, bad] = [
        "20261120-200000-aaaa",
        "20261120-210000-bbbb",
        "20261120-220000-cccc",
    ];
    put(
        &project,
        &remote,
        old,
        (&words(old, "gone-1", 3.0, None), now() - 3 * HOUR_S),
    );
    put(
        &project,
        &remote,
        ended,
        (
            &words(ended, "ended-1", 2.0, Some(Reason::BudgetSpent)),
            now(),
        ),
    );
    put(
        &project,
        &remote,
        bad,
        ("{\"v\":1}\n\u{1b}]0;x\u{7}\n", now()),
    );

    project
        .overnight(&["join", "--no-pr", "--agent", AGENT, "--budget-usd", "5"])
        .code(4);
    assert!(!project.path("out").exists());
    let told = night(&project, &project.path(""));
    assert!(
        (told["cost"]["usd"].as_f64().unwrap() - 5.0).abs() < 1e-9,
        "{told}"
    );
    let standing = |run: &str| {
        let all = told["machines"].as_array().unwrap();
        all.iter().find(|one| one["run"] == run).unwrap()["standing"].clone()
    };
    assert_eq!(
        [standing(old), standing(ended), standing(bad)],
        ["gone", "ended", "not understood"]
    );

    told_in_every_form(&project, &other);

    // With more to spend it goes on.
    project
        .overnight(&["join", "--no-pr", "--agent", AGENT, "--budget-usd", "9"])
        .success();
    let told = night(&project, &other);
    assert_eq!(told["ending"], "done", "{told}");

    // A lease is longer than a person waits to hear that nothing is heard.
    let quiet = "20261120-230000-dddd";
    let silent = (&*words(quiet, "quiet-1", 0.0, None), now() - HOUR_S / 4);
    put(&project, &remote, quiet, silent);
    project
        .overnight_in(&other, &["status"])
        .stdout(contains("quiet-1: at work, last heard of 15 min"));
}

/// A clone that never joined tells the same, and shows no bytes of others as they are.
fn told_in_every_form(project: &Project, other: &Path) {
    project.overnight_in(other, &["status"]).stdout(
        contains("gone-1: gone, last heard of 3 h")
            .and(contains("$5.00"))
            .and(contains('\u{1b}').not()),
    );
    for form in ["md", "text"] {
        project
            .overnight_in(other, &["report", "--format", form])
            .success()
            .stdout(
                contains("gone-1: gone")
                    .and(contains("ended-1: ended"))
                    .and(contains('\u{1b}').not()),
            );
    }
    project
        .overnight_in(other, &["watch", "--plain"])
        .success()
        .stdout(contains("on ended-1").and(contains('\u{1b}').not()));
}
