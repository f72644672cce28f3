mod hook;
mod hostile;
mod json;
mod long;
mod plain;
mod process;

use overnight_filter::reexec::env_guard;
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A command whose 200 lines end in a failing test.
const LONG: &str = "i=0; while [ $i -lt 200 ]; do echo \"line $i\"; i=$((i+1)); done";

pub(crate) fn filter() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("output-filter"));
    for name in [
        "OUTPUT_FILTER_ENABLED",
        "MAX_OUTPUT_LINES",
        "ERROR_FORMAT",
        "OUTPUT_FILTER",
        "OVERNIGHT_FILTER_ACTIVE",
    ] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn project() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join(".git/info")).unwrap();
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    folder
}

fn wrapped(folder: &Path, script: &str) -> Output {
    filter()
        .current_dir(folder)
        .args(["--", "sh", "-c", script])
        .output()
        .unwrap()
}

fn piped(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    // A hook shortens what a run's agent gets.
    let mut child = filter()
        .current_dir(folder)
        .env("OVERNIGHT_RUN", "20261121-000000-0000")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    output
}

/// The command as the client's shell runs it, with the env file in front.
fn in_shell(shell: &str, folder: &Path, command: &str) -> Command {
    let guard = env_guard(
        assert_cmd::cargo::cargo_bin!("output-filter")
            .to_str()
            .unwrap(),
    );
    let mut line = Command::new(shell);
    line.current_dir(folder)
        .env("SHELL", shell)
        .env_remove("OUTPUT_FILTER_ENABLED")
        .env_remove("OUTPUT_FILTER")
        .args(["-c", &format!("{guard}\n{command}")]);
    line
}

/// `line 0` and so on.
fn numbered(lines: usize) -> String {
    let lines: Vec<String> = (0..lines)
        .map(|number| format!("line {number}\n"))
        .collect();
    lines.concat()
}

fn logs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join("logs")) else {
        return Vec::new();
    };
    let mut logs: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "log"))
        .collect();
    logs.sort();
    logs
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn small_output_is_unchanged_on_both_streams() {
    let folder = project();
    let done = wrapped(
        folder.path(),
        "printf 'out \\033[1mx'; printf 'err\\r\\n' >&2; exit 3",
    );
    assert_eq!(done.status.code(), Some(3));
    assert_eq!(
        (&*done.stdout, &*done.stderr),
        (&b"out \x1b[1mx"[..], &b"err\r\n"[..])
    );
    let small = b"a\xff\0b\n\nno end";
    assert_eq!(piped(folder.path(), &[], small).stdout, small);
    assert!(logs(folder.path()).is_empty());
}

#[test]
fn long_output_becomes_a_digest_and_an_exact_private_log() {
    let folder = project();
    let done = wrapped(folder.path(), &format!("{LONG}; echo last >&2; exit 101"));
    assert_eq!(done.status.code(), Some(101));
    let shown = text(&done.stdout);
    assert!(
        shown.lines().count() <= 50 && shown.contains("FAILED (exit 101)"),
        "{shown}"
    );
    assert!(shown.contains("ERROR: "), "{shown}");
    let log = logs(folder.path()).pop().unwrap();
    assert!(shown.contains(&format!(
        "logs/{}",
        log.file_name().unwrap().to_str().unwrap()
    )));
    let expected = numbered(200);
    assert_eq!(
        fs::read_to_string(&log).unwrap(),
        format!("{expected}last\n")
    );
    assert_eq!(
        fs::metadata(&log).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        fs::metadata(folder.path().join("logs"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
    let exclude = fs::read_to_string(folder.path().join(".git/info/exclude")).unwrap();
    for entry in [
        "/logs/",
        "/agent_logs/",
        "/current_tasks/",
        "/.claude/worktrees/",
    ] {
        assert_eq!(exclude.lines().filter(|line| *line == entry).count(), 1);
    }
}

#[test]
fn secrets_are_in_neither_log_nor_digest() {
    let folder = project();
    let secret = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbcde");
    let done = wrapped(
        folder.path(),
        &format!("echo error: {secret}; {LONG}; exit 1"),
    );
    let log = fs::read_to_string(logs(folder.path()).pop().unwrap()).unwrap();
    for place in [text(&done.stdout), log] {
        assert!(
            !place.contains(&secret) && place.contains("[REDACTED:github-token:"),
            "{place}"
        );
    }
    assert!(text(&done.stdout).contains("1 secret redacted"));
}

#[test]
fn json_has_the_figures_and_the_last_run_is_kept() {
    let folder = project();
    let output = "running 2 tests\ntest a::good ... ok\ntest a::bad ... FAILED\n\nfailures:\n\n---- a::bad stdout ----\nthread 'a::bad' panicked at src/lib.rs:5:9:\nboom\n\n\nfailures:\n    a::bad\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    let done = piped(folder.path(), &["--json"], output.as_bytes());
    let value: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(
        (
            &value["failed"],
            &value["passed"],
            &value["failures"][0]["name"]
        ),
        (&json!(1), &json!(1), &json!("a::bad"))
    );
    assert_eq!(value["exit"], Value::Null);
    let log = folder.path().join(value["log"].as_str().unwrap());
    assert_eq!(fs::read_to_string(log).unwrap(), output);
    let last = fs::read(folder.path().join("logs/last-run.json")).unwrap();
    let last: Value = serde_json::from_slice(&last).unwrap();
    assert_eq!(last["failing"], json!(["a::bad"]));
    assert_eq!(last["failing_hash"].as_str().unwrap().len(), 16);
}

#[test]
fn parts_of_a_log_come_back() {
    let folder = project();
    wrapped(folder.path(), LONG);
    let log = logs(folder.path()).pop().unwrap();
    let show = |arguments: &[&str]| {
        let done = filter()
            .current_dir(folder.path())
            .arg("show")
            .arg(&log)
            .args(arguments)
            .output()
            .unwrap();
        (done.status.code(), text(&done.stdout))
    };
    assert_eq!(
        show(&["--lines", "3-4"]),
        (Some(0), "3: line 2\n4: line 3\n".to_owned())
    );
    assert_eq!(show(&["--grep", "line 19"]).1.lines().count(), 11);
    assert_eq!(show(&["--grep", "nowhere"]).0, Some(1));
    assert_eq!(show(&["--failure", "1"]).0, Some(1));
    assert!(show(&[]).1.contains("200 lines"));
    assert_eq!(
        filter()
            .args(["show", "/nowhere/x.log"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(66)
    );
    let stats = filter()
        .current_dir(folder.path())
        .args(["stats", "--json"])
        .output()
        .unwrap();
    let stats: Value = serde_json::from_slice(&stats.stdout).unwrap();
    assert_eq!(
        (&stats["runs"], &stats["lines_in"]),
        (&json!(1), &json!(200))
    );
}

#[test]
fn all_is_noted_when_the_call_is_over() {
    let folder = project();
    let records = folder.path().join(".git/overnight/filter-stats.jsonl");
    for run in 1..=20 {
        let done = filter()
            .current_dir(folder.path())
            .args(["--", "seq", "200"])
            .output()
            .unwrap();
        assert!(done.status.success());
        let records = fs::read_to_string(&records).unwrap_or_default();
        assert_eq!(records.lines().count(), run);
    }
}

fn keeper_of(parent: u32) -> Pid {
    let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap();
    let keeper = children.split_whitespace().find(|child| {
        fs::read_to_string(format!("/proc/{child}/cmdline"))
            .is_ok_and(|line| line.contains("\0keep\0"))
    });
    Pid::from_raw(keeper.unwrap().parse().unwrap()).unwrap()
}

/// Waits for something that another process does; gives up loudly.
fn eventually(mut done: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    while !done() {
        assert!(started.elapsed().as_secs() < 20, "it does not happen");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
