//! Runs the commands that prove a task done: under a deadline, in a process group of their own,
//! with a bounded memory of what they print.

use crate::files::{self, Content};
use crate::process;
use overnight_core::judge::GateOutcome;
use overnight_core::judge::gates::{count, rerun, settle};
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Output in which tests are counted: its end, where runners print their summaries.
const COUNTED_BYTES_MAX: usize = 1 << 20;
/// The tail that the next iteration is shown.
const TAIL_BYTES_MAX: usize = 4 << 10;
/// Scripts larger than this are programs, which are not pinned.
const SCRIPT_BYTES_MAX: u64 = 1 << 20;
/// How long a group may take to end after TERM.
const GRACE: Duration = Duration::from_secs(2);

/// Runs each command in the work tree.
pub fn run_all(top: &Path, commands: &[String], limit: Duration) -> Vec<GateOutcome> {
    let run = |command: &String| run(top, command, limit);
    commands.iter().map(run).collect()
}

/// Runs each command, and once more those whose result flipped since `before` (true: passed).
pub fn run_all_guarded(
    top: &Path,
    commands: &[String],
    limit: Duration,
    before: &BTreeMap<String, bool>,
) -> Vec<GateOutcome> {
    let guarded = |first: GateOutcome| {
        if rerun(before.get(&first.command).copied(), &first) {
            let second = run(top, &first.command, limit);
            settle(first, second)
        } else {
            first
        }
    };
    let outcomes = run_all(top, commands, limit);
    outcomes.into_iter().map(guarded).collect()
}

/// Runs one command with `sh -c`.
pub fn run(top: &Path, command: &str, limit: Duration) -> GateOutcome {
    let began = Instant::now();
    let mut outcome = GateOutcome {
        command: command.to_owned(),
        ..GateOutcome::default()
    };
    match start(top, command) {
        Ok((mut child, output)) => {
            let status = wait(&mut child, began, limit);
            outcome.timed_out = status.is_none();
            outcome.exit = status.and_then(|status| status.code());
            // What the command left running would keep its output open.
            process::end_group(
                child.id(),
                if outcome.timed_out {
                    GRACE
                } else {
                    Duration::ZERO
                },
            );
            let _ = child.wait();
            let text = output.recv_timeout(GRACE).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            outcome.tests = count::count(&text);
            outcome.tail = tail(&text);
        }
        Err(error) => outcome.tail = format!("cannot start sh: {error}"),
    }
    outcome.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    outcome
}

/// Starts the command with one pipe for both outputs, which a thread empties.
fn start(top: &Path, command: &str) -> std::io::Result<(Child, Receiver<Vec<u8>>)> {
    let (mut reader, writer) = std::io::pipe()?;
    let child = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(top)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    let (send, receive) = channel();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut chunk = [0; 1 << 14];
        while let Ok(read @ 1..) = reader.read(&mut chunk) {
            kept.extend_from_slice(&chunk[..read]);
            if kept.len() > 2 * COUNTED_BYTES_MAX {
                kept.drain(..kept.len() - COUNTED_BYTES_MAX);
            }
        }
        // Nobody waits any more when the command was given up.
        let _ = send.send(kept);
    });
    Ok((child, receive))
}

/// The status, or `None` at the deadline.
fn wait(child: &mut Child, began: Instant, limit: Duration) -> Option<ExitStatus> {
    let mut look = Duration::from_millis(1);
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let left = limit.checked_sub(began.elapsed())?;
        std::thread::sleep(look.min(left));
        look = (look * 2).min(Duration::from_millis(20));
    }
}

fn tail(text: &str) -> String {
    let text = text.trim_end();
    let mut from = text.len().saturating_sub(TAIL_BYTES_MAX);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].to_owned()
}

/// No pins, for a judgement without a run's start to compare with.
pub fn no_pins() -> BTreeMap<String, String> {
    BTreeMap::new()
}

/// Content hashes of the scripts that the commands start: a gate that changes during a run proves
/// nothing any more. Test files given as arguments are no scripts: they may change.
pub fn pins(top: &Path, commands: &[String]) -> BTreeMap<String, String> {
    let mut pins = BTreeMap::new();
    for command in commands {
        for name in scripts(command) {
            if let Ok(Content::Bytes(bytes)) =
                files::read_bounded(&top.join(&name), SCRIPT_BYTES_MAX)
            {
                let hash = overnight_core::classify::fingerprint::hash(&bytes);
                pins.insert(name, hash);
            }
        }
    }
    pins
}

/// The files that a command starts: its first words with a path, what an interpreter is given, and
/// the recipe of `make` and `just`.
fn scripts(command: &str) -> Vec<String> {
    const INTERPRETERS: &[&str] = &[
        "sh", "bash", "zsh", "dash", "python", "python3", "node", "ruby", "perl", "deno", "bun",
        "source", ".",
    ];
    let mut found = Vec::new();
    for part in command.split(['&', '|', ';', '\n', '(', ')']) {
        let words: Vec<&str> = part
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'']))
            .collect();
        let first = words.iter().position(|word| {
            !word.contains('=')
                && !matches!(
                    *word,
                    "env" | "exec" | "time" | "nice" | "timeout" | "command"
                )
        });
        let Some(first) = first else { continue };
        let program = words[first];
        if program.contains('/') {
            found.push(program.to_owned());
        }
        let name = program.rsplit('/').next().unwrap_or(program);
        if INTERPRETERS.contains(&name) {
            found.extend(
                words[first + 1..]
                    .iter()
                    .find(|word| !word.starts_with('-'))
                    .map(|word| (*word).to_owned()),
            );
        }
        let recipes: &[&str] = match name {
            "make" | "gmake" => &["Makefile", "makefile", "GNUmakefile"],
            "just" => &["justfile", "Justfile"],
            _ => &[],
        };
        found.extend(recipes.iter().map(|recipe| (*recipe).to_owned()));
    }
    found.retain(|name| !name.starts_with('/') && !name.contains(".."));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_tells_its_status_its_tests_and_its_tail() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = run(
            folder.path(),
            "echo '3 passed in 0.1s'; echo bad >&2; exit 7",
            Duration::from_secs(10),
        );
        assert_eq!((outcome.exit, outcome.passed()), (Some(7), false));
        assert_eq!(outcome.tests.map(|tests| tests.passed), Some(3));
        assert_eq!(outcome.tail, "3 passed in 0.1s\nbad");
    }

    #[test]
    fn a_gate_that_hangs_ends_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let began = Instant::now();
        let outcome = run(
            folder.path(),
            "sleep 60 & echo $! > pid; sleep 60",
            Duration::from_millis(300),
        );
        assert!(outcome.timed_out && !outcome.passed());
        assert!(began.elapsed() < Duration::from_secs(30));
        let pid: u32 = std::fs::read_to_string(folder.path().join("pid"))
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        assert!(!process::Identity::of(pid).is_alive() || process::Identity::of(pid).start == 0);
    }

    #[test]
    fn a_gate_that_leaves_a_child_behind_does_not_hold_us() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = run(folder.path(), "sleep 60 & echo ok", Duration::from_secs(20));
        assert_eq!((outcome.exit, outcome.tail.as_str()), (Some(0), "ok"));
    }

    #[test]
    fn the_scripts_of_a_command_are_pinned_but_not_its_test_files() {
        let scripts = |command: &str| scripts(command);
        assert_eq!(scripts("./check.sh --all"), ["./check.sh"]);
        assert_eq!(
            scripts("CI=1 bash -e ci/run.sh && python3 t.py"),
            ["ci/run.sh", "t.py"]
        );
        assert_eq!(scripts("pytest tests/test_a.py"), Vec::<String>::new());
        assert_eq!(scripts("/usr/bin/true; sh ../x.sh"), Vec::<String>::new());
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("c.sh"), "a").unwrap();
        let before = pins(folder.path(), &["sh c.sh".into()]);
        std::fs::write(folder.path().join("c.sh"), "b").unwrap();
        assert_ne!(before, pins(folder.path(), &["sh c.sh".into()]));
        assert_eq!(before.len(), 1);
    }
}
