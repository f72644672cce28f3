//! What the session's hooks cost with a journal of 1,000 iterations, beside a program that does
//! nothing, measured in turns in one run: `cargo bench --bench hooks`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark that cannot go on stops; it prints for a person"
)]

use overnight_run::event::Event;
use overnight_run::journal::{self, Record};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ITERATIONS: u32 = 1_000;
const ROUNDS: usize = 40;

fn main() {
    // `cargo bench` passes `--bench`; a folder of other binaries may be named for comparison.
    let named = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let own = assert_cmd::cargo::cargo_bin!("stop-gate")
        .parent()
        .unwrap()
        .to_owned();
    let bin = named.map_or(own, PathBuf::from);
    let folder = tempfile::tempdir().unwrap();
    let git = Command::new("git")
        .args(["init", "-q"])
        .current_dir(folder.path())
        .status();
    assert!(git.unwrap().success());
    let stage = Stage {
        bin,
        folder: folder.path().to_owned(),
    };
    stage.prepare();
    let stop = |session: &str| {
        stage.event(
            session,
            "Stop",
            &json!({"last_assistant_message": "INCOMPLETE: more"}),
        )
    };
    let start = stage.event("armed", "SessionStart", &json!({"source": "resume"}));
    let cases: [(&str, PathBuf, Value); 5] = [
        (
            "a program that does nothing",
            PathBuf::from("/bin/true"),
            json!({}),
        ),
        (
            "stop-gate --version",
            stage.bin.join("stop-gate"),
            json!({}),
        ),
        (
            "stop-gate, no run armed",
            stage.bin.join("stop-gate"),
            stop("other"),
        ),
        (
            "stop-gate, next iteration",
            stage.bin.join("stop-gate"),
            stop("armed"),
        ),
        ("session-start", stage.bin.join("session-start"), start),
    ];
    let mut times = vec![Vec::new(); cases.len()];
    for round in 0..ROUNDS {
        stage.change(&format!("round {round}"));
        for (case, (name, program, event)) in cases.iter().enumerate() {
            let version = name.ends_with("--version");
            times[case].push(stage.time(program, event, version).0);
        }
    }
    report(&cases.map(|(name, _, _)| name), &mut times);
}

struct Stage {
    bin: PathBuf,
    folder: PathBuf,
}

impl Stage {
    /// A run that has all but its last iterations behind it: two real ones, the second repeated a
    /// minute apart.
    fn prepare(&self) {
        let typed = json!({"command_name": "overnight:flow", "command_args": format!("measure --autonomous --max-iterations {ITERATIONS}")});
        let armed = self.event("armed", "UserPromptExpansion", &typed);
        self.time(&self.bin.join("flow-start"), &armed, false);
        let stop = self.event(
            "armed",
            "Stop",
            &json!({"last_assistant_message": "INCOMPLETE: more"}),
        );
        for iteration in 0..2 {
            self.change(&iteration.to_string());
            let (_, answer) = self.time(&self.bin.join("stop-gate"), &stop, false);
            assert!(answer.contains("additionalContext"), "{answer}");
        }
        let run = std::fs::read_dir(self.folder.join(".git/overnight/runs"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let path = run.path().join("journal.jsonl");
        let records = journal::decode(&std::fs::read(&path).unwrap())
            .unwrap()
            .records;
        let text = multiplied(&records);
        println!("journal: {} KiB", text.len() / 1024);
        std::fs::write(path, text).unwrap();
    }

    fn change(&self, text: &str) {
        std::fs::write(self.folder.join("work.txt"), text).unwrap();
    }

    fn event(&self, session: &str, name: &str, more: &Value) -> Value {
        let mut event = json!({"session_id": session, "cwd": self.folder, "hook_event_name": name});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        event
    }

    fn time(&self, program: &Path, event: &Value, version: bool) -> (Duration, String) {
        let event = event.to_string();
        let began = Instant::now();
        let mut child = Command::new(program)
            .args(version.then_some("--version"))
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does nothing does not read.
        let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
        let output = child.wait_with_output().unwrap();
        (began.elapsed(), String::from_utf8(output.stdout).unwrap())
    }
}

/// The journal of two iterations and an open third as one of nearly a thousand and an open next.
fn multiplied(records: &[Record]) -> String {
    const MINUTE_MS: u64 = 60_000;
    let intents: Vec<usize> = (0..records.len())
        .filter(|at| matches!(records[*at].event, Event::Intent(_)))
        .collect();
    let (head, one, open) = (
        &records[..intents[0]],
        &records[intents[1]..intents[2]],
        &records[intents[2]],
    );
    let last = ITERATIONS - u32::try_from(ROUNDS).unwrap() - 10;
    let begin = open.stamp.t - u64::from(last + 1) * MINUTE_MS;
    let mut all: Vec<Record> = head.to_vec();
    for iteration in 1..=last {
        all.extend(
            one.iter()
                .cloned()
                .map(|record| numbered(record, iteration)),
        );
    }
    all.push(numbered(open.clone(), last + 1));
    let mut iteration = 0;
    for (seq, record) in (1..).zip(&mut all) {
        if let Event::Intent(intent) = &record.event {
            iteration = u64::from(intent.iteration);
        }
        record.seq = seq;
        record.stamp.t = begin + iteration * MINUTE_MS;
    }
    all.iter().map(journal::encode).collect()
}

fn numbered(mut record: Record, number: u32) -> Record {
    match &mut record.event {
        Event::Intent(intent) => intent.iteration = number,
        Event::Outcome(outcome) => outcome.tree = format!("{number:040x}"),
        _ => {}
    }
    record
}

fn report(names: &[&str], times: &mut [Vec<Duration>]) {
    let ms = |time: Duration| time.as_secs_f64() * 1_000.0;
    let mut nothing = 0.0;
    println!(
        "{:<30} {:>8} {:>8} {:>8}  above nothing (median)",
        "", "best", "median", "p90"
    );
    for (name, times) in names.iter().zip(times) {
        times.sort();
        let at = |part: usize| ms(times[times.len() * part / 100]);
        if *name == "a program that does nothing" {
            nothing = at(50);
        }
        println!(
            "{name:<30} {:>8.2} {:>8.2} {:>8.2}  {:.2} ms",
            at(0),
            at(50),
            at(90),
            at(50) - nothing
        );
    }
}
