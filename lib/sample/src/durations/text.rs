//! What `go test -v` and `cargo test` print. Neither says more than hundredths of a second.

use super::{Record, Report, nanos};
use std::time::Duration;

/// The middle of what a runner prints as `0.00s`.
const ZERO: Duration = Duration::from_micros(2_500);

/// Reads the one or the other, by the line that ends their parts.
pub(super) fn parse(text: &str) -> Report {
    let is_libtest = text.lines().any(|line| line.starts_with("test result: "));
    if is_libtest { libtest(text) } else { go(text) }
}

/// libtest on the stable channel times a binary as a whole: each of its tests gets an equal part.
fn libtest(text: &str) -> Report {
    let mut records = Vec::new();
    let mut binary: Vec<Record> = Vec::new();
    for line in text.lines() {
        if line.starts_with("running ") {
            binary.clear();
        } else if let Some(case) = line.strip_prefix("test ").and_then(libtest_case) {
            binary.push(case);
        } else if line.starts_with("test result: ") {
            let took = line
                .rsplit_once("finished in ")
                .map_or("", |(_, took)| took);
            let each = seconds(took) / (binary.len() as u64).max(1);
            records.extend(binary.drain(..).map(|case| Record {
                nanos: each,
                ..case
            }));
        }
    }
    Report {
        records,
        ..Report::default()
    }
}

/// `a::b ... ok`, `a::b - should panic ... FAILED`; one that was ignored took no time.
fn libtest_case(rest: &str) -> Option<Record> {
    let (name, outcome) = rest.rsplit_once(" ... ")?;
    let failed = match outcome.trim_end() {
        "ok" => false,
        "FAILED" => true,
        _ => return None,
    };
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    Some(Record {
        name: name.to_owned(),
        failed,
        ..Record::default()
    })
}

/// `--- PASS: TestA (0.01s)`, then `ok  \texample.com/m\t0.012s` for their package. What the
/// package took beyond its tests goes to those that took `0.00s`.
fn go(text: &str) -> Report {
    let mut records = Vec::new();
    let mut package: Vec<Record> = Vec::new();
    for line in text.lines() {
        if let Some(case) = line.strip_prefix("--- ").and_then(go_case) {
            package.push(case);
            continue;
        }
        let mut fields = line.split('\t').map(str::trim);
        if let (Some("ok" | "FAIL"), Some(name)) = (fields.next(), fields.next()) {
            let took = fields.next().unwrap_or_default();
            spread(&mut package, took);
            let ids = package.drain(..).map(|case| Record {
                name: format!("{name}.{}", case.name),
                ..case
            });
            records.extend(ids);
        }
    }
    Report {
        records,
        ..Report::default()
    }
}

fn go_case(rest: &str) -> Option<Record> {
    let (outcome, rest) = rest.split_once(": ")?;
    let (name, took) = rest.trim_end().rsplit_once(" (")?;
    let took = took.strip_suffix("s)")?;
    matches!(outcome, "PASS" | "FAIL").then(|| Record {
        name: name.to_owned(),
        nanos: nanos(took.parse().unwrap_or(0.0)),
        failed: outcome == "FAIL",
        ..Record::default()
    })
}

fn spread(package: &mut [Record], took: &str) {
    let known: u64 = package.iter().map(|case| case.nanos).sum();
    let short = package.iter().filter(|case| case.nanos == 0).count() as u64;
    let left = seconds(took).saturating_sub(known);
    for case in package.iter_mut().filter(|case| case.nanos == 0) {
        case.nanos = left / short.max(1);
    }
}

/// `0.12s`; what is rounded to nothing, or not said, is a little.
fn seconds(text: &str) -> u64 {
    let number = text
        .trim()
        .strip_suffix('s')
        .and_then(|text| text.parse().ok());
    let least = u64::try_from(ZERO.as_nanos()).unwrap_or(0);
    number.map_or(least, nanos).max(least)
}
