//! Our own records of durations and failures, carried from run to run.

use super::durations::{Report, SECOND};
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
    /// Nanoseconds on the wall for a second of tests: fewer where tests run at once, more where the
    /// runner works for each of them.
    pub pace: Option<u64>,
    /// How many tests there were to draw from.
    pub collected: Option<u64>,
    /// Nanoseconds and failure by id, of the tests that ran.
    pub tests: BTreeMap<String, (u64, bool)>,
}

impl Outcomes {
    /// The outcomes of a report, under the ids that `id` makes of its class and name. `wall` are
    /// the nanoseconds that the runner took in all: what is left of them beside the running of the
    /// tests is the fixed cost of any run.
    pub fn from_report(report: &Report, wall: u64, id: impl Fn(&str, &str) -> String) -> Self {
        let tests = report.records.iter().map(|record| {
            let id = id(&record.class, &record.name);
            (id, (record.nanos, record.failed))
        });
        let outcomes = Self {
            collected: report.collected,
            tests: tests.collect(),
            ..Self::default()
        };
        let running = report.wall.unwrap_or_else(|| outcomes.sum());
        outcomes.timed(wall, wall.checked_sub(running))
    }

    /// The same with the costs of a run that took `wall` nanoseconds, `fixed` of them before its
    /// tests. What a few tests took says little of how fast many run.
    #[must_use]
    pub fn timed(mut self, wall: u64, fixed: Option<u64>) -> Self {
        self.fixed = fixed.filter(|fixed| *fixed <= wall);
        let running = self.fixed.map(|fixed| u128::from(wall - fixed));
        let many = self.tests.len() as u64 * 2 >= self.collected.unwrap_or(0);
        let pace = running
            .filter(|_| many)
            .and_then(|running| (running * SECOND).checked_div(self.sum().into()));
        self.pace = pace.and_then(|pace| u64::try_from(pace).ok());
        self
    }

    fn sum(&self) -> u64 {
        self.tests
            .values()
            .fold(0, |sum, (nanos, _)| sum.saturating_add(*nanos))
    }
}

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
    fn what_is_not_running_tests_is_the_fixed_cost() {
        let text = r#"<testsuites time="1.0"><testcase name="a" time="1.5"/><testcase name="b" time="0.5"/></testsuites>"#;
        let id = |_: &str, name: &str| name.to_owned();
        let of = |collected, wall| {
            let report = Report {
                collected: Some(collected),
                ..parse(text).unwrap()
            };
            let outcomes = Outcomes::from_report(&report, wall, id);
            (outcomes.fixed, outcomes.pace)
        };
        assert_eq!(of(4, 1_200_000_000), (Some(200_000_000), Some(500_000_000)));
        assert_eq!(of(5, 1_200_000_000), (Some(200_000_000), None));
        assert_eq!(of(4, 900_000_000), (None, None));
    }

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
