//! Our own records of durations and failures, carried from run to run.

use super::durations::Report;
use super::outcomes::Outcomes;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Failures that are carried on; more than that is a broken build, not a list to watch.
const FAILED_MAX: usize = 1000;

/// The file of durations after a run.
pub fn merged(old: &Report, outcomes: &Outcomes) -> String {
    let known = old.records.iter();
    let mut nanos: BTreeMap<&str, u64> = known
        .map(|record| (record.name.as_str(), record.nanos))
        .collect();
    for (id, (now, _)) in &outcomes.tests {
        let known = nanos.get(id.as_str()).copied().unwrap_or(0);
        nanos.insert(id, settled(known, *now));
    }
    let tests: Map<String, Value> = nanos
        .into_iter()
        .map(|(id, nanos)| (id.to_owned(), seconds(nanos)))
        .collect();
    let mut file = json!({"v": 1});
    if let Some(fixed) = outcomes.fixed.or(old.fixed) {
        file["fixed"] = seconds(fixed);
    }
    if let Some(collecting) = outcomes.collecting.or(old.collecting) {
        file["collecting"] = seconds(collecting);
    }
    if let Some(pace) = outcomes.pace.or(old.pace) {
        file["pace"] = seconds(pace);
    }
    if let Some(collected) = outcomes.collected.or(old.collected) {
        file["collected"] = json!(collected);
    }
    file["tests"] = Value::Object(tests);
    format!("{file}\n")
}

/// What to expect of a test. Whatever else a machine does makes a test slower, never faster: a
/// shorter time is believed at once, a longer one half of the way on a scale of factors.
fn settled(known: u64, now: u64) -> u64 {
    if known == 0 || now <= known {
        return now;
    }
    let middle = (u128::from(known) * u128::from(now)).isqrt();
    u64::try_from(middle).unwrap_or(now)
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
    fn a_run_corrects_what_it_measured_and_keeps_the_rest() {
        let old = parse(r#"{"v":1,"fixed":2.0,"collected":9,"tests":{"a":1.0,"b":2.0}}"#).unwrap();
        let tests = [
            ("b".to_owned(), (500_000_000, true)),
            ("c".to_owned(), (1, false)),
        ];
        let outcomes = Outcomes {
            fixed: None,
            collecting: None,
            pace: None,
            collected: Some(7),
            tests: tests.into(),
        };
        let text = merged(&old, &outcomes);
        assert_eq!(
            text,
            "{\"collected\":7,\"fixed\":2.0,\"tests\":{\"a\":1.0,\"b\":0.5,\"c\":1e-9},\"v\":1}\n"
        );
        let slower = Outcomes {
            tests: [("c".to_owned(), (9, false)), ("d".to_owned(), (4, false))].into(),
            ..Outcomes::default()
        };
        let again = merged(&parse(&text).unwrap(), &slower);
        assert!(again.contains("\"b\":0.5,\"c\":3e-9,\"d\":4e-9"), "{again}");
        let merged = parse(&text).unwrap();
        assert!(merged.records.len() == 3 && !merged.is_telling());
        let before = ["a".to_owned(), "c".to_owned()];
        assert_eq!(failed(&before, &outcomes), ["a", "b"]);
    }
}
