//! Our own records of durations and failures, carried from run to run.

use super::durations::Report;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Failures that are carried on; more than that is a broken build, not a list to watch.
const FAILED_MAX: usize = 1000;

/// What one run found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// Nanoseconds that the run cost besides its tests, when it collected everything.
    pub fixed: Option<u64>,
    /// The part of it that finding the tests took.
    pub collecting: Option<u64>,
    /// How many tests there were to draw from.
    pub collected: Option<u64>,
    /// Nanoseconds and failure by id, of the tests that ran.
    pub tests: BTreeMap<String, (u64, bool)>,
}

impl Outcomes {
    /// The outcomes of a report, under the ids that `id` makes of its class and name.
    pub fn from_report(report: &Report, id: impl Fn(&str, &str) -> String) -> Self {
        let tests = report.records.iter().map(|record| {
            let id = id(&record.class, &record.name);
            (id, (record.nanos, record.failed))
        });
        Self {
            fixed: report.fixed,
            collecting: report.collecting,
            collected: report.collected,
            tests: tests.collect(),
        }
    }
}

/// The file of durations after a run: what it measured replaces what was known.
pub fn merged(old: &Report, outcomes: &Outcomes) -> String {
    let mut tests = Map::new();
    for record in &old.records {
        tests.insert(record.name.clone(), seconds(record.nanos));
    }
    for (id, (nanos, _)) in &outcomes.tests {
        tests.insert(id.clone(), seconds(*nanos));
    }
    let mut file = json!({"v": 1});
    if let Some(fixed) = outcomes.fixed.or(old.fixed) {
        file["fixed"] = seconds(fixed);
    }
    if let Some(collecting) = outcomes.collecting.or(old.collecting) {
        file["collecting"] = seconds(collecting);
    }
    if let Some(collected) = outcomes.collected.or(old.collected) {
        file["collected"] = json!(collected);
    }
    file["tests"] = Value::Object(tests);
    format!("{file}\n")
}

/// The failures after a run: those that passed now are gone, the new ones are added.
pub fn failed(old: &[String], outcomes: &Outcomes) -> Vec<String> {
    let still = old.iter().filter(|id| !outcomes.tests.contains_key(*id));
    let now = outcomes
        .tests
        .iter()
        .filter(|(_, (_, failed))| *failed)
        .map(|(id, _)| id);
    let all: BTreeSet<&String> = still.chain(now).collect();
    all.into_iter().take(FAILED_MAX).cloned().collect()
}

#[expect(clippy::cast_precision_loss, reason = "durations are far below 2⁵³ ns")]
fn seconds(nanos: u64) -> Value {
    json!(nanos as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::super::durations::parse;
    use super::*;

    #[test]
    fn a_run_replaces_what_it_measured_and_keeps_the_rest() {
        let old = parse(r#"{"v":1,"fixed":2.0,"collected":9,"tests":{"a":1.0,"b":2.0}}"#).unwrap();
        let tests = [
            ("b".to_owned(), (500_000_000, true)),
            ("c".to_owned(), (1, false)),
        ];
        let outcomes = Outcomes {
            fixed: None,
            collecting: None,
            collected: Some(7),
            tests: tests.into(),
        };
        let text = merged(&old, &outcomes);
        assert_eq!(
            text,
            "{\"collected\":7,\"fixed\":2.0,\"tests\":{\"a\":1.0,\"b\":0.5,\"c\":1e-9},\"v\":1}\n"
        );
        let merged = parse(&text).unwrap();
        assert!(merged.records.len() == 3 && !merged.is_telling());
        let before = ["a".to_owned(), "c".to_owned()];
        assert_eq!(failed(&before, &outcomes), ["a", "b"]);
    }
}
