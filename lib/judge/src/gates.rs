//! Gates: done is proved, not said. Running them is the host's; what their outcomes mean is here.

pub mod count;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tests that one gate ran; a figure that its runner does not state is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCounts {
    /// Tests that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<u64>,
    /// Tests that failed, errors included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u64>,
    /// Tests that were skipped, ignored, marked as to do or expected to fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// Failures that are parts of a test (subtests) and no tests of their own: they are counted only
    /// while they fail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub parts: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl TestCounts {
    /// Counts of which each is known.
    pub fn of(passed: u64, failed: u64, skipped: u64) -> Self {
        Self {
            passed: Some(passed),
            failed: Some(failed),
            skipped: Some(skipped),
            parts: 0,
        }
    }

    /// Tests that ran, where that is known.
    pub fn ran(self) -> Option<u64> {
        let all = self.passed?.saturating_add(self.failed.unwrap_or(0));
        Some(all.saturating_sub(self.parts))
    }

    /// Tests that failed, as far as is known.
    pub fn failures(self) -> u64 {
        self.failed.unwrap_or(0)
    }

    /// Both added up; what one of them does not know is not known of the sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| Some(a?.saturating_add(b?));
        Self {
            passed: sum(self.passed, other.passed),
            failed: sum(self.failed, other.failed),
            skipped: sum(self.skipped, other.skipped),
            parts: self.parts.saturating_add(other.parts),
        }
    }

    /// `3 passed, 1 failed, 0 skipped`, without what is unknown.
    pub fn words(self) -> String {
        let parts = [
            (self.passed, "passed"),
            (self.failed, "failed"),
            (self.skipped, "skipped"),
        ];
        let told = parts
            .iter()
            .filter_map(|(number, word)| Some(format!("{} {word}", (*number)?)));
        told.collect::<Vec<_>>().join(", ")
    }
}

/// One run of one gate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateOutcome {
    /// The command as the definition of done has it.
    pub command: String,
    /// Its exit status; `None` when a signal or the deadline ended it, or it did not start.
    pub exit: Option<i32>,
    /// How long it ran, in milliseconds.
    pub ms: u64,
    /// What its output says about tests; `None` when it is no test runner.
    pub tests: Option<TestCounts>,
    /// The end of its output, for the next iteration.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// The lines of its output that say what failed, for people; of a gate that passed, none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// Did the deadline end it?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// Did something that it started hold its output open, so that the rest of it is unknown?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// Did a second run without a change give another result?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
}

impl GateOutcome {
    /// Did it exit with 0, in time, with all its output and the same way twice?
    pub fn passed(&self) -> bool {
        self.exit == Some(0) && !self.timed_out && !self.flaky && !self.held
    }
}

/// What held at the run's start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// Tests by gate command.
    pub tests: BTreeMap<String, TestCounts>,
    /// Whether it passed, by gate command.
    #[serde(default)]
    pub passed: BTreeMap<String, bool>,
    /// Content hashes of gate scripts by path; an empty hash stands for a missing file.
    pub pins: BTreeMap<String, String>,
}

/// What speaks against a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It exited with another status than 0.
    Failed,
    /// The deadline ended it.
    TimedOut,
    /// Its result changes without a change of the work.
    Flaky,
    /// It says that it ran no test.
    NoTests,
    /// Fewer tests ran than at the run's start.
    FewerTests,
    /// More tests are skipped than at the run's start.
    NewlySkipped,
    /// Tests failed although the command exited with 0.
    Masked,
    /// A gate script changed during the run.
    ScriptChanged,
    /// A gate of the definition of done was not run.
    NotRun,
    /// Files outside the task's scope were changed.
    OutOfScope,
    /// A point of the checklist was not answered.
    Unanswered,
    /// Nothing differs from the run's start.
    NothingChanged,
    /// Every gate was green before the work, and no new test is red without it.
    NeverRed,
    /// The gates fail with the files that decide as they stood at the run's start.
    Contested,
    /// A failing test in it does not turn the gate red.
    CannotFail,
    /// A gate would start another program than at the run's start.
    ProgramChanged,
    /// A gate passes only by files outside of the project that were made during the run.
    Outside,
    /// What a gate runs changed a file that decides.
    Rewritten,
    /// What a gate printed could not be read to its end.
    Unread,
    /// Its sources look as if they were written for the tests' own values.
    SpecialCased,
    /// A reviewer sent it back.
    Review,
    /// The claim could not be tried.
    Untried,
}

/// One objection, with the sentence that a person and the next iteration read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Objection {
    /// What kind.
    pub kind: Kind,
    /// The gate's command, the script or the point.
    pub subject: String,
    /// The sentence.
    pub reason: String,
}

impl Objection {
    /// An objection against `subject`.
    pub fn new(kind: Kind, subject: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            kind,
            subject: subject.into(),
            reason: reason.into(),
        }
    }
}

/// Everything that the gates' outcomes object to. `wanted` are the commands of the definition of
/// done, `pins` the hashes now.
pub fn objections(
    wanted: &[String],
    outcomes: &[GateOutcome],
    baseline: &Baseline,
    pins: &BTreeMap<String, String>,
) -> Vec<Objection> {
    let ran = |command: &String| outcomes.iter().any(|gate| gate.command == *command);
    let not_run = wanted
        .iter()
        .filter(|command| !ran(command))
        .map(|command| {
            Objection::new(
                Kind::NotRun,
                command,
                format!("gate {command:?} was not run"),
            )
        });
    let changed = baseline
        .pins
        .iter()
        .filter(|(path, hash)| pins.get(*path) != Some(*hash));
    let changed = changed.map(|(path, _)| {
        let reason = format!("gate script {path} changed during the run");
        Objection::new(Kind::ScriptChanged, path, reason)
    });
    let judged = outcomes
        .iter()
        .flat_map(|gate| judge_gate(gate, baseline.tests.get(&gate.command)));
    not_run.chain(changed).chain(judged).collect()
}

/// Should a gate be run once more before its result is believed? `before` is whether it passed the
/// last time: a result that flips may be a flake.
pub fn rerun(before: Option<bool>, outcome: &GateOutcome) -> bool {
    before.is_some_and(|passed| passed != outcome.passed()) && !outcome.timed_out
}

/// Both runs of a gate that flipped: it counts as passed only if both did.
pub fn settle(first: GateOutcome, second: GateOutcome) -> GateOutcome {
    let flaky = first.passed() != second.passed();
    let worse = if first.passed() { second } else { first };
    GateOutcome { flaky, ..worse }
}

fn judge_gate(gate: &GateOutcome, before: Option<&TestCounts>) -> Vec<Objection> {
    let name = &gate.command;
    if let Some(objection) = failed(gate) {
        return vec![objection];
    }
    let before_ran = before.and_then(|before| before.ran());
    let Some(now) = gate.tests else {
        // A gate that counted tests at the start and counts none now proves nothing.
        let lost = before_ran.filter(|ran| *ran > 0).map(|ran| {
            let reason = format!("gate {name:?} reports no tests, {ran} at the start");
            Objection::new(Kind::FewerTests, name, reason)
        });
        return lost.into_iter().collect();
    };
    if now.ran() == Some(0) {
        return vec![Objection::new(
            Kind::NoTests,
            name,
            format!("gate {name:?} ran no test"),
        )];
    }
    let mut all = Vec::new();
    if now.failures() > 0 {
        let reason = format!(
            "gate {name:?} exits with 0 but reports {} failed",
            now.failures()
        );
        all.push(Objection::new(Kind::Masked, name, reason));
    }
    if let Some((now, before)) = now
        .ran()
        .zip(before_ran)
        .filter(|(now, before)| now < before)
    {
        let reason = format!("gate {name:?} ran {now} tests, {before} at the start");
        all.push(Objection::new(Kind::FewerTests, name, reason));
    }
    let skipped = before.and_then(|before| before.skipped);
    if let Some((now, before)) = now
        .skipped
        .zip(skipped)
        .filter(|(now, before)| now > before)
    {
        let reason = format!("gate {name:?} skips {now} tests, {before} at the start");
        all.push(Objection::new(Kind::NewlySkipped, name, reason));
    }
    all
}

fn failed(gate: &GateOutcome) -> Option<Objection> {
    let name = &gate.command;
    let (kind, reason) = if gate.timed_out {
        (
            Kind::TimedOut,
            format!("gate {name:?} ran past its deadline ({} ms)", gate.ms),
        )
    } else if gate.held && gate.exit == Some(0) {
        (
            Kind::Unread,
            format!(
                "gate {name:?} left a process behind that holds its output open: what it says is not known"
            ),
        )
    } else if gate.flaky {
        (
            Kind::Flaky,
            format!("gate {name:?} passes and fails without a change: it is flaky"),
        )
    } else {
        match gate.exit {
            Some(0) => return None,
            // pytest says "no tests collected" with status 5.
            Some(5) if gate.tests.is_some_and(|tests| tests.ran() == Some(0)) => {
                (Kind::NoTests, format!("gate {name:?} ran no test (exit 5)"))
            }
            Some(status) => (
                Kind::Failed,
                format!("gate {name:?} failed with exit {status}"),
            ),
            None => (
                Kind::Failed,
                format!("gate {name:?} was ended by a signal or did not start"),
            ),
        }
    };
    Some(Objection::new(kind, name, reason))
}

#[cfg(test)]
mod tests;
