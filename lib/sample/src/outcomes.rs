//! What one run of tests found out: which failed, what each took, what the run cost besides.

use super::durations::{Report, SECOND};
use std::collections::BTreeMap;

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
}
