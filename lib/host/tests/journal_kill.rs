//! `kill -9` of a journal's writer: nothing that it reported as written is lost, nothing is there
//! twice. This file's own test binary is the writer, started again for one ignored test.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test that cannot go on fails"
)]

use overnight_host::journal::{self, Journal};
use overnight_run::event::{Event, Interrupted};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How often the writer is killed (issue: at least 200).
const KILLS: u32 = 200;
const FOLDER: &str = "OVERNIGHT_TEST_JOURNAL";

/// Appends numbers from the journal's end on, and prints each once it is written.
#[test]
#[ignore = "the writer that the other test kills"]
fn writer() {
    let folder = std::env::var(FOLDER).unwrap();
    let mut journal = Journal::open(Path::new(&folder), Duration::from_secs(5)).unwrap();
    let first = i32::try_from(numbers(Path::new(&folder)).len()).unwrap();
    let mut out = std::io::stdout().lock();
    for signal in first.. {
        journal.append(Interrupted { signal }).unwrap();
        writeln!(out, "written {signal}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_killed_writer_loses_nothing_it_reported_and_writes_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut reported = -1;
    for kill in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "writer", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The kill comes while a line is on its way: after so many reports, and a moment.
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let wanted = kill % 5;
        let seen = lines
            .by_ref()
            .map_while(Result::ok)
            .filter(|line| line.contains("written "))
            .take(wanted as usize);
        let last_seen = seen.last();
        std::thread::sleep(Duration::from_micros(u64::from(kill * 37 % 900)));
        child.kill().unwrap();
        child.wait().unwrap();
        let rest = lines
            .map_while(Result::ok)
            .filter(|line| line.contains("written "));
        if let Some(line) = rest.last().or(last_seen) {
            reported = line.rsplit(' ').next().unwrap().parse().unwrap();
        }
        let numbers = numbers(folder.path());
        assert!(
            numbers
                .iter()
                .copied()
                .eq(0..i32::try_from(numbers.len()).unwrap()),
            "kill {kill}: {numbers:?}"
        );
        assert!(
            i32::try_from(numbers.len()).unwrap() > reported,
            "kill {kill}: {reported} was reported, {numbers:?}"
        );
    }
    assert!(reported > 200, "only {reported} were written");
}

fn numbers(folder: &Path) -> Vec<i32> {
    let number = |event| match event {
        Event::Interrupted(Interrupted { signal }) => Some(signal),
        _ => None,
    };
    let records = journal::read(folder).unwrap_or_default();
    records
        .into_iter()
        .filter_map(|record| number(record.event))
        .collect()
}
