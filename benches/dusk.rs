//! What a night costs before its agent begins, and what a snapshot costs, in a repository of 100,000 files,
//! each beside what git itself takes for the like in the same run: `cargo bench --bench dusk`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark that cannot go on stops; it prints for a person"
)]

use assert_cmd::cargo::cargo_bin;
use overnight_host::{snapshot, state};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const FOLDERS: u32 = 1_000;
const FILES_EACH: u32 = 100;
/// Files that are changed before a snapshot.
const CHANGED: u32 = 10;
const ROUNDS: usize = 3;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (top, home) = (root.join("project"), root.join("home"));
    std::fs::create_dir_all(&home).unwrap();
    repository(&top, &home);
    println!("a repository of {} files", FOLDERS * FILES_EACH);
    let (add, start) = starts(&top, &home);
    told("git worktree add", add, add);
    told("overnight run, to the first prompt", start, add);
    let (status, kept) = snapshots(&top, &home);
    told("git status", status, status);
    told("a snapshot", kept, status);
}

fn told(what: &str, time: Duration, beside: Duration) {
    let times = time.as_secs_f64() / beside.as_secs_f64();
    println!(
        "{what:<36} {:>7.0} ms {times:>6.2}",
        time.as_secs_f64() * 1e3
    );
}

fn repository(top: &Path, home: &Path) {
    for folder in 0..FOLDERS {
        let path = top.join(format!("d{}/e{}", folder / 50, folder % 50));
        std::fs::create_dir_all(&path).unwrap();
        for file in 0..FILES_EACH {
            let text = format!("file {file} of folder {folder}\n");
            std::fs::write(path.join(format!("f{file}.txt")), text).unwrap();
        }
    }
    git(top, home, &["init", "-q", "-b", "main"]);
    git(top, home, &["add", "-A"]);
    git(top, home, &["commit", "-q", "-m", "all"]);
}

/// Work trees made by git alone and nights begun, by turns; the least of each, because whatever else the
/// machine does can only add to it. Both end up with a tree of their own, which goes before the next.
fn starts(top: &Path, home: &Path) -> (Duration, Duration) {
    let (mut adds, mut nights) = (Vec::new(), Vec::new());
    let began = home.join(".cache/began");
    std::fs::create_dir_all(home.join(".cache")).unwrap();
    let agent = format!(
        "command:date +%s%N > {}; echo '<DONE>ok</DONE>'",
        began.display()
    );
    for round in 0..ROUNDS {
        let tree = home.join(format!("tree-{round}"));
        let tree = tree.to_str().unwrap();
        settled();
        adds.push(time(|| {
            git(top, home, &["worktree", "add", "-q", "--detach", tree]);
        }));
        git(top, home, &["worktree", "remove", "--force", tree]);
        let _ = std::fs::remove_file(&began);
        settled();
        let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let mut night = command(cargo_bin!("overnight").as_os_str(), top, home);
        night.args(["run", "Look at it", "--no-pr", "--agent", &agent]);
        assert!(night.status().unwrap().success());
        let nanos: u64 = std::fs::read_to_string(&began)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        nights.push(Duration::from_nanos(nanos).checked_sub(start).unwrap());
    }
    (least(adds), least(nights))
}

/// What was written before is on the disk: who is measured next does not wait for it.
fn settled() {
    rustix::fs::sync();
}

/// `git status` and snapshots of a tree with some changed files, by turns; the least of each.
fn snapshots(top: &Path, home: &Path) -> (Duration, Duration) {
    let place = state::locate(top).unwrap();
    let (mut looks, mut kept) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        for file in 0..CHANGED {
            let path = top.join(format!("d0/e{file}/f0.txt"));
            std::fs::write(path, format!("changed in round {round}\n")).unwrap();
        }
        looks.push(time(|| git(top, home, &["--no-optional-locks", "status"])));
        let name = format!("refs/overnight/snapshots/bench/{round}");
        kept.push(time(|| {
            drop(snapshot::keep(&place, &name, "a snapshot").unwrap());
        }));
    }
    (least(looks), least(kept))
}

fn time(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap()
}

fn git(top: &Path, home: &Path, arguments: &[&str]) {
    let done = command("git".as_ref(), top, home).args(arguments).status();
    assert!(done.unwrap().success());
}

fn command(program: &std::ffi::OsStr, top: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(top)
        .env("HOME", home)
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Bench")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "b@example.invalid")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}
