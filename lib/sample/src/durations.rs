//! How long tests take, from whatever recorded it: JUnit XML, pytest-split, jest, what `go test -v`
//! and `cargo test` print, our own runs.

mod json;
pub mod junit;
mod text;

use super::unit;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::collections::BTreeMap;

/// Longest believable test, in nanoseconds (11 days): a larger figure is a broken clock.
const NANOS_MAX: u64 = 1_000_000_000_000_000;
/// A second in nanoseconds.
pub const SECOND: u128 = 1_000_000_000;

/// One finished test as a report has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// Class, module, package or binary; empty where the report has only whole ids.
    pub class: String,
    /// The test's name, or its whole id.
    pub name: String,
    /// The file, where the report has one.
    pub file: String,
    /// Nanoseconds it took.
    pub nanos: u64,
    /// Did it fail or break?
    pub failed: bool,
}

/// What a report says: its tests and, where it has it, how long the whole run took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The tests.
    pub records: Vec<Record>,
    /// Nanoseconds on the wall that running took: with collection for pytest, without for the
    /// others.
    pub wall: Option<u64>,
    /// Nanoseconds that a run costs however few tests it runs, where the report says so.
    pub fixed: Option<u64>,
    /// The part of it that finding the tests takes, where the report says so.
    pub collecting: Option<u64>,
    /// Nanoseconds on the wall that a second of tests takes, in our own records.
    pub pace: Option<u64>,
    /// How many tests there were to draw from, in our own records.
    pub collected: Option<u64>,
}

impl Report {
    /// Are half of the tests known? With fewer, arcs of time would be arcs of guesses.
    pub fn is_telling(&self) -> bool {
        self.records.len() as u64 * 2 >= self.collected.unwrap_or(0)
    }
}

/// Reads a report in any of the known formats.
pub fn parse(text: &str) -> Result<Report, Fault> {
    let report = match text.trim_start().bytes().next() {
        Some(b'<') => junit::parse(text),
        Some(b'{' | b'[') => json::parse(text)?,
        _ => text::parse(text),
    };
    if report.records.is_empty() {
        return Err(Fault::new(
            Code::SampleDurations,
            "no test with a duration was found",
        ));
    }
    Ok(report)
}

/// Seconds as nanoseconds; what is no time is none.
pub fn nanos(seconds: f64) -> u64 {
    if !seconds.is_finite() || seconds <= 0.0 {
        return 0;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and bounded"
    )]
    // Rounded: what is written as seconds has to come back as the same number.
    let nanos = (seconds.min(1e6) * 1e9).round() as u64;
    nanos.min(NANOS_MAX)
}

/// Durations by every name under which an id may be asked for.
#[derive(Debug, Default)]
pub struct Times {
    exact: BTreeMap<String, u64>,
    /// By bare name; `None` when several tests share it.
    names: BTreeMap<String, Option<u64>>,
    files: BTreeMap<String, u64>,
    wall: Option<u64>,
    fixed: Option<u64>,
    collecting: u64,
    pace: Option<u64>,
}

impl Times {
    /// Indexes reports; a later report's figures replace an earlier one's.
    pub fn new(reports: &[Report]) -> Self {
        let mut times = Self::default();
        for report in reports {
            times.wall = report.wall.or(times.wall);
            times.fixed = report.fixed.or(times.fixed);
            times.collecting = report.collecting.unwrap_or(times.collecting);
            times.pace = report.pace.or(times.pace);
            for record in &report.records {
                times.add(record);
            }
        }
        times
    }

    fn add(&mut self, record: &Record) {
        let whole = format!("{}::{}", record.class, record.name);
        let id = if record.class.is_empty() {
            &record.name
        } else {
            &whole
        };
        let file = if record.file.is_empty() {
            unit::file(id)
        } else {
            &record.file
        };
        let sum = self.files.entry(canonical(file)).or_default();
        *sum = sum.saturating_add(record.nanos);
        if !record.file.is_empty() {
            let path = canonical(&format!("{}::{}", record.file, record.name));
            self.exact.insert(path, record.nanos);
        }
        self.names
            .entry(canonical(&record.name))
            .and_modify(|known| *known = None)
            .or_insert(Some(record.nanos));
        self.exact.insert(canonical(id), record.nanos);
    }

    /// The id's duration, if any report knows it: by itself, by its bare name when that is
    /// unambiguous, or, for a file, by the sum of its tests.
    pub fn of(&self, id: &str) -> Option<u64> {
        let key = canonical(id);
        self.exact
            .get(&key)
            .copied()
            .or_else(|| self.names.get(&key).copied().flatten())
            .or_else(|| {
                let whole_file = unit::file(id).len() == id.len();
                whole_file.then(|| self.file(&key)).flatten()
            })
    }

    /// A file's sum, under its own path or the end of an absolute one.
    fn file(&self, key: &str) -> Option<u64> {
        let ends = key.match_indices('.').map(|(at, _)| &key[at + 1..]);
        [key]
            .into_iter()
            .chain(ends.take(32))
            .find_map(|end| self.files.get(end).copied())
    }

    /// Nanoseconds that any run costs besides its tests: as a report says, or what its whole run
    /// took beyond all tests. Tests that ran at once take less than their sum; then it is unknown.
    pub fn fixed(&self, all_tests: u128) -> Option<u128> {
        let said = self.fixed.map(u128::from);
        said.or_else(|| u128::from(self.wall?).checked_sub(all_tests))
    }

    /// Nanoseconds on the wall that tests of `nanos` take together.
    pub fn on_the_wall(&self, nanos: u128) -> u128 {
        let pace = self.pace.map_or(SECOND, u128::from);
        nanos.saturating_mul(pace) / SECOND
    }

    /// Nanoseconds of the fixed cost that finding all tests takes; 0 where that is unknown.
    pub fn collecting(&self) -> u64 {
        self.collecting
    }
}

/// The form in which JUnit's `tests.test_a.TestX` + `test_y`, a pytest id, a nextest id and a Go id
/// of the same test are equal.
fn canonical(id: &str) -> String {
    let mut key = String::with_capacity(id.len());
    for part in id
        .trim_start_matches("./")
        .trim_start_matches('/')
        .split(['/', ':', ' ', '.', '\\', '›', '>'])
    {
        let python = part == "py";
        if !part.is_empty() && !python {
            if !key.is_empty() {
                key.push('.');
            }
            key.push_str(part);
        }
    }
    key
}

#[cfg(test)]
mod tests;
