//! What a night costs before its agent begins, and what a snapshot costs, in a repository of 100,000 files,
//! each beside what git itself takes for the like in the same run: `cargo bench --bench dusk`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark that cannot go on stops; it prints for a person"
)]

use assert_cmd::cargo::cargo_bin;
use overnight_host::state::Place;
use overnight_host::{snapshot, state};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const FOLDERS: u32 = 1_000;
const FILES_EACH: u32 = 100;
/// Files that are changed before a snapshot.
const CHANGED: u32 = 10;
const ROUNDS: u32 = 7;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (top, home) = (root.join("project"), root.join("home"));
    std::fs::create_dir_all(home.join(".cache")).unwrap();
    repository(&top, &home);
    println!(
        "a repository of {} files, medians of {ROUNDS} pairs",
        FOLDERS * FILES_EACH
    );
    compared(
        ("git worktree add", |round| tree(&top, &home, round)),
        ("overnight run, to the first prompt", |_| start(&top, &home)),
    );
    let place = state::locate(&top).unwrap();
    compared(
        ("git status", |round| status(&top, &home, round)),
        ("a snapshot of what was changed", |round| {
            kept(&place, round)
        }),
    );
}

/// Times two things by turns, each of them as often first as second, and prints their medians.
fn compared(
    (one, mut of_one): (&str, impl FnMut(u32) -> Duration),
    (other, mut of_other): (&str, impl FnMut(u32) -> Duration),
) {
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            ones.push(of_one(round));
            others.push(of_other(round));
        } else {
            others.push(of_other(round));
            ones.push(of_one(round));
        }
    }
    let beside = median(&ones);
    for (what, times) in [(one, ones), (other, others)] {
        let middle = median(&times);
        let [least, most] = [times.iter().min(), times.iter().max()].map(|time| *time.unwrap());
        println!(
            "{what:<36} {:>6} ms ({} to {}) {:>5.2}",
            middle.as_millis(),
            least.as_millis(),
            most.as_millis(),
            middle.as_secs_f64() / beside.as_secs_f64()
        );
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
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

/// A work tree made by git alone. None is removed before the end: a file system that was just told to forget
/// so many files makes new ones many times slower, whoever asks for them.
fn tree(top: &Path, home: &Path, round: u32) -> Duration {
    let tree = home.join(format!("tree-{round}"));
    settled();
    time(|| {
        let add = ["worktree", "add", "-q", "--detach", tree.to_str().unwrap()];
        git(top, home, &add);
    })
}

/// A night until its agent begins; as it is not done, its tree stays, too.
fn start(top: &Path, home: &Path) -> Duration {
    let began = home.join(".cache/began");
    let agent = format!("command:date +%s%N > {}", began.display());
    settled();
    let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let mut night = command(cargo_bin!("overnight").as_os_str(), top, home);
    night.args(["run", "Look at it", "--no-pr", "--max-iterations", "1"]);
    night.args(["--agent", &agent]);
    assert_eq!(night.status().unwrap().code(), Some(1));
    let nanos = std::fs::read_to_string(&began).unwrap();
    let began = Duration::from_nanos(nanos.trim().parse().unwrap());
    began.checked_sub(start).unwrap()
}

/// What was written before is on the disk: who is measured next does not wait for it.
fn settled() {
    rustix::fs::sync();
}

fn change(top: &Path, round: u32, who: &str) {
    for file in 0..CHANGED {
        let path = top.join(format!("d0/e{file}/f0.txt"));
        std::fs::write(path, format!("changed in round {round} before {who}\n")).unwrap();
    }
}

/// As git's index stays what it was, both find the same files changed.
fn status(top: &Path, home: &Path, round: u32) -> Duration {
    change(top, round, "status");
    time(|| git(top, home, &["--no-optional-locks", "status"]))
}

fn kept(place: &Place, round: u32) -> Duration {
    change(&place.top, round, "a snapshot");
    let name = format!("refs/overnight/snapshots/bench/{round}");
    time(|| drop(snapshot::keep(place, &name, "a snapshot").unwrap()))
}

fn time(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
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
