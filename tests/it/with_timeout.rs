use rustix::process::{Pid, Signal};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

fn with_timeout(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("with-timeout"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    with_timeout(arguments).output().unwrap()
}

#[test]
fn a_command_in_time_keeps_its_output_and_status() {
    let done = output(&["1m", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    assert_eq!(done.status.code(), Some(7));
    assert_eq!(
        (&*done.stdout, &*done.stderr),
        (&b"out\n"[..], &b"err\n"[..])
    );
}

#[test]
fn a_command_that_dies_by_a_signal_is_seen_to_do_so() {
    let done = output(&["1m", "sh", "-c", "kill -KILL $$"]);
    assert_eq!(done.status.signal(), Some(9));
    let done = output(&["1m", "sh", "-c", "kill -SEGV $$"]);
    assert_eq!(done.status.signal(), Some(11));
}

#[test]
fn the_deadline_ends_the_whole_group_and_keeps_what_it_printed() {
    let script = "trap 'echo bye; exit 3' TERM; sleep 600 & echo $!; wait";
    let done = output(&["0.3", "sh", "-c", script]);
    assert_eq!(done.status.code(), Some(124));
    let text = String::from_utf8(done.stdout).unwrap();
    let (grandchild, bye) = text.trim().split_once('\n').unwrap();
    assert_eq!(bye, "bye");
    assert!(gone(grandchild.parse().unwrap()), "{grandchild} lives");
    let message = String::from_utf8(done.stderr).unwrap();
    assert!(
        message.starts_with("ERROR [E1004]: command time-out: \"sh\" ran longer than 300ms"),
        "{message}"
    );
}

#[test]
fn a_group_that_ignores_term_is_killed_after_the_grace() {
    let script = "trap '' TERM; sh -c 'echo $$; while :; do sleep 600; done' & wait; sleep 600";
    let done = output(&["--grace", "0.2s", "0.2", "sh", "-c", script]);
    assert_eq!(done.status.code(), Some(124));
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(gone(text.trim().parse().unwrap()), "{text} lives");
}

#[test]
fn a_stopped_command_is_ended_too() {
    let done = output(&["0.2", "sh", "-c", "kill -STOP $$"]);
    assert_eq!(done.status.code(), Some(124));
}

#[test]
fn term_and_interrupt_reach_the_command_and_its_answer_is_kept() {
    for (signal, name) in [(Signal::TERM, "TERM"), (Signal::INT, "INT")] {
        if is_ignored(signal) {
            continue;
        }
        // A shell may miss a signal that comes right before `wait`; between two short commands never.
        let script =
            format!("trap 'echo got; exit 5' {name}; echo ready; while :; do sleep 0.05; done");
        let mut child = with_timeout(&["1m", "sh", "-c", &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut ready = String::new();
        lines.read_line(&mut ready).unwrap();
        rustix::process::kill_process(Pid::from_child(&child), signal).unwrap();
        let mut got = String::new();
        lines.read_to_string(&mut got).unwrap();
        assert_eq!((ready.as_str(), got.as_str()), ("ready\n", "got\n"));
        assert_eq!(child.wait().unwrap().code(), Some(5));
    }
}

#[test]
fn what_cannot_be_started_and_what_is_mistyped_have_their_own_statuses() {
    assert_eq!(output(&["5", "/nowhere/at/all"]).status.code(), Some(127));
    assert_eq!(output(&["5", "/etc"]).status.code(), Some(126));
    for arguments in [
        &["5"][..],
        &["soon", "true"],
        &["--grace", "-1s", "5", "true"],
        &["5 s", "true"],
    ] {
        assert_eq!(output(arguments).status.code(), Some(64), "{arguments:?}");
    }
}

#[test]
fn options_of_the_command_are_its_own() {
    let done = output(&["5", "printf", "%s,", "--grace", "--help"]);
    assert_eq!(done.stdout, b"--grace,--help,");
    assert_eq!(output(&["0", "true"]).status.code(), Some(0));
}

/// Was this process started to ignore the signal? A shell cannot trap it then: so it is with the
/// interrupt where the tests run in the background of a script.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// A process that was killed may stay a zombie until init reaps it.
fn gone(process: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{process}/stat"))
        .map_or(true, |stat| stat.contains(") Z "))
}
