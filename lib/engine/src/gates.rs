//! Runs the commands that prove a task done: under a deadline, in a process group of their own,
//! with a bounded memory of what they print.

use crate::cell::{Cells, Watch};
use crate::files::{self, Content};
use crate::relocate;
use crate::{process, random};
use overnight_base::vars;
use overnight_judge::GateOutcome;
use overnight_judge::gates::{count, rerun, settle};
use overnight_run::cell::met;
use overnight_views::summary::failing;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Output in which tests are counted: its end, where runners print their summaries.
const COUNTED_BYTES_MAX: usize = 1 << 20;
/// The tail that the next iteration is shown.
const TAIL_BYTES_MAX: usize = 4 << 10;
/// Scripts larger than this are programs, which are not pinned.
const SCRIPT_BYTES_MAX: u64 = 1 << 20;
/// The least and the most time between two looks at whether a command ended.
const LOOK: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));
/// How long a group may take to end after TERM.
const GRACE: Duration = Duration::from_secs(2);

/// Where gates run.
#[derive(Debug, Clone, Copy)]
pub struct Room<'a> {
    /// The work tree.
    pub top: &'a Path,
    /// The project that it stands for: what the environment says of paths below it means `top`.
    pub from: Option<&'a Path>,
    /// The cells that they run in, if they do.
    pub cells: Option<&'a Cells>,
    /// Variables that hold whatever else sets them.
    pub own: &'a [(OsString, OsString)],
}

impl<'a> Room<'a> {
    /// The project itself.
    pub fn place(top: &'a Path) -> Self {
        Self {
            top,
            from: None,
            cells: None,
            own: &[],
        }
    }

    /// The same within walls, if there are any.
    #[must_use]
    pub fn within(self, cells: Option<&'a Cells>) -> Self {
        Self { cells, ..self }
    }
}

/// Runs each command in the work tree.
pub fn run_all(room: Room<'_>, commands: &[String], limit: Duration) -> Vec<GateOutcome> {
    let run = |command: &String| run(room, command, limit);
    commands.iter().map(run).collect()
}

/// Runs each command, and once more those whose result flipped since `before` (true: passed).
pub fn run_all_guarded(
    room: Room<'_>,
    commands: &[String],
    limit: Duration,
    before: &BTreeMap<String, bool>,
) -> Vec<GateOutcome> {
    let guarded = |first: GateOutcome| {
        if rerun(before.get(&first.command).copied(), &first) {
            let second = run(room, &first.command, limit);
            settle(first, second)
        } else {
            first
        }
    };
    let outcomes = run_all(room, commands, limit);
    outcomes.into_iter().map(guarded).collect()
}

/// Runs one command with `sh -c`.
pub fn run(room: Room<'_>, command: &str, limit: Duration) -> GateOutcome {
    run_with_output(room, command, limit).0
}

/// The same with the end of what it printed.
pub(crate) fn run_with_output(
    room: Room<'_>,
    command: &str,
    limit: Duration,
) -> (GateOutcome, String) {
    let mut printed = String::new();
    let began = Instant::now();
    let mut outcome = GateOutcome {
        command: command.to_owned(),
        ..GateOutcome::default()
    };
    let mark = mark();
    match start(room, (command, &mark)) {
        Ok((mut child, watch, output)) => {
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
            // What left the group still carries the mark, and must neither go on nor hold the output.
            let keeps = |process| watch.as_ref().is_some_and(|watch| watch.keeps(process));
            let left = process::left_by((vars::GATE.name, &mark), keeps);
            process::end_all(&left, GRACE);
            outcome.held = !output.ends_within(GRACE);
            let text = output.take();
            let mut text = String::from_utf8_lossy(&text).into_owned();
            let passed = watch.as_ref().and_then(|watch| watch.passed(status));
            let told = || watch.as_ref().and_then(|watch| watch.told(&text));
            if let Some(limit) =
                passed.or_else(|| told().filter(|_| status.is_none_or(|status| !status.success())))
            {
                text.push_str("\nerror: it ");
                text.push_str(met(&limit));
                text.push_str(" of the cell: ");
                text.push_str(&limit);
                text.push('\n');
            }
            outcome.tests = count::count(&text, outcome.exit);
            outcome.tail = tail(&text);
            if !outcome.passed() {
                outcome.lines = failing::lines(&text, outcome.exit);
            }
            printed = text;
        }
        Err(error) => outcome.tail = format!("cannot start sh: {error}"),
    }
    outcome.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    (outcome, printed)
}

/// Tells what one gate started from everything else.
fn mark() -> String {
    random::hex::<8>()
        .unwrap_or_else(|_| format!("{}-{}", std::process::id(), crate::clock::mono_ms()))
}

/// What a command prints, as far as it was read.
#[derive(Debug, Clone, Default)]
struct Output(Arc<Mutex<(Vec<u8>, bool)>>);

impl Output {
    fn add(&self, chunk: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0.extend_from_slice(chunk);
        if kept.0.len() > 2 * COUNTED_BYTES_MAX {
            let more = kept.0.len() - COUNTED_BYTES_MAX;
            kept.0.drain(..more);
        }
    }

    fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
    }

    /// Was it read to its end, now or soon?
    fn ends_within(&self, wait_max: Duration) -> bool {
        let began = Instant::now();
        loop {
            if self.0.lock().unwrap_or_else(PoisonError::into_inner).1 {
                return true;
            }
            if began.elapsed() > wait_max {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).0)
    }
}

/// The environment with the project's paths turned into the room's, where they differ.
fn environment(room: Room<'_>) -> Vec<(OsString, OsString)> {
    let Some(from) = room.from.filter(|from| *from != room.top) else {
        return Vec::new();
    };
    let (from, to) = (from.as_os_str().as_bytes(), room.top.as_os_str().as_bytes());
    let moved = |(name, value): (OsString, OsString)| {
        let value = relocate::text(value.as_bytes(), from, to)?;
        Some((name, OsString::from_vec(value)))
    };
    std::env::vars_os().filter_map(moved).collect()
}

/// Starts the command with one pipe for both outputs, which a thread empties.
fn start(
    room: Room<'_>,
    (command, mark): (&str, &str),
) -> std::io::Result<(Child, Option<Watch>, Output)> {
    let (mut reader, writer) = std::io::pipe()?;
    let mut shell = Command::new("/bin/sh");
    shell
        .current_dir(room.top)
        .envs(environment(room))
        .env(vars::GATE.name, mark);
    let second = writer.try_clone()?;
    // Our ends of the pipe would keep it open: they go with the command.
    let finish = |shell: &mut Command| {
        shell
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(second)
            .process_group(0);
    };
    let (child, watch) = if let Some(cells) = room.cells {
        let cell = cells.gate(room.top, room.own);
        cell.map_err(std::io::Error::other)?
            .spawn_line((shell, command), room.own, finish)
    } else {
        let own = room.own.iter().map(|(name, value)| (name, value));
        shell.args(["-c", command]).envs(own);
        finish(&mut shell);
        let child = shell.spawn();
        drop(shell);
        child.map(|child| (child, None))
    }?;
    let output = Output::default();
    let shared = output.clone();
    std::thread::spawn(move || {
        let mut chunk = [0; 1 << 14];
        while let Ok(read @ 1..) = reader.read(&mut chunk) {
            shared.add(&chunk[..read]);
        }
        shared.end();
    });
    Ok((child, watch, output))
}

/// The status, or `None` at the deadline.
fn wait(child: &mut Child, began: Instant, limit: Duration) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        let gone = began.elapsed();
        let left = limit.checked_sub(gone)?;
        // Looked at so often that no gate is found to have ended more than a fiftieth of its time too late.
        let look = (gone / 50).clamp(LOOK.0, LOOK.1);
        std::thread::sleep(look.min(left));
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
                let hash = overnight_run::classify::fingerprint::hash(&bytes);
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
            Room::place(folder.path()),
            "echo '2 failed, 3 passed in 0.1s'; echo bad >&2; exit 7",
            Duration::from_secs(10),
        );
        assert_eq!((outcome.exit, outcome.passed()), (Some(7), false));
        assert_eq!(outcome.tests.and_then(|tests| tests.passed), Some(3));
        assert_eq!(outcome.tail, "2 failed, 3 passed in 0.1s\nbad");
    }

    #[test]
    fn a_gate_that_hangs_ends_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let began = Instant::now();
        let outcome = run(
            Room::place(folder.path()),
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
        let outcome = run(
            Room::place(folder.path()),
            "sleep 60 & echo ok",
            Duration::from_secs(20),
        );
        assert_eq!((outcome.exit, outcome.tail.as_str()), (Some(0), "ok"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_left_the_group_and_holds_the_output_is_ended_and_all_of_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = run(
            Room::place(folder.path()),
            "setsid sleep 60 & echo '3 failed, 1 passed in 0.1s'",
            Duration::from_secs(20),
        );
        assert_eq!(outcome.tests.and_then(|tests| tests.failed), Some(3));
        assert!(!outcome.held);
    }

    #[test]
    fn an_output_that_nobody_can_end_is_no_pass() {
        let folder = tempfile::tempdir().unwrap();
        let outcome = run(
            Room::place(folder.path()),
            // Only what has left the group before the command ends is out of reach.
            "env -i setsid sh -c 'echo > left; sleep 9' & \
             until [ -e left ]; do :; done; echo '3 failed, 1 passed in 0.1s'",
            Duration::from_secs(20),
        );
        assert!(outcome.held && !outcome.passed());
        assert_eq!(outcome.tests.and_then(|tests| tests.failed), Some(3));
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
