//! What the trials of a claim mean: objections, and the word for what is left.

use super::super::gates::{self, Baseline, GateOutcome, Kind, Objection};
use super::contest::Changed;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// How much a complete verdict rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Red before, green after, in a clean work tree, by tests that the agent did not touch and that
    /// can fail.
    Proved,
    /// The same, but nothing was red before.
    KeptGreen,
    /// The gates passed where the agent works: it may have bent them.
    InPlace,
    /// No gate, or none that can fail.
    Word,
}

impl Standing {
    /// As people read it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::KeptGreen => "kept green",
            Self::InPlace => "passed where the agent works",
            Self::Word => "by the agent's word",
        }
    }
}

/// What was noted before the work began, on the commit that the run starts from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dusk {
    /// The commit with everything that the work tree held; it need not be on a branch.
    pub commit: String,
    /// What each gate showed.
    pub gates: Vec<DuskGate>,
    /// Files that the gates name, beside the conventions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<String>,
    /// How many files decide.
    #[serde(default)]
    pub protected: u64,
    /// Hash of the paths and contents of those files.
    #[serde(default)]
    pub hash: String,
    /// What a person should know before the night.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Dusk {
    /// What this gate showed.
    pub fn gate(&self, command: &str) -> Option<&DuskGate> {
        self.gates.iter().find(|gate| gate.command == command)
    }

    /// Do other faults in the tree leave no doubt about the canaries, of which a gate shows this beside them?
    pub fn tells_apart(&self, command: &str, now: &Sighting) -> bool {
        // Where no canary shows by its word, what made the gate red is not known.
        let known = !now.red || !now.seen.is_empty();
        known && canary(self.gate(command), (command, now)).is_none()
    }

    /// Takes in what further gates showed on the same commit.
    pub fn add(&mut self, more: &Self) {
        self.gates.extend(more.gates.iter().cloned());
        self.notes.extend(more.notes.iter().cloned());
        let new = more.named.iter().filter(|path| !self.named.contains(path));
        let new: Vec<String> = new.cloned().collect();
        self.named.extend(new);
    }
}

/// A gate at dusk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuskGate {
    /// The command.
    pub command: String,
    /// Did it pass?
    pub passed: bool,
    /// With canaries in the tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<Sighting>,
    /// Assertions that it reported as failed, by their places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_at: Vec<String>,
    /// Did it turn red with the sources gone? `None`: not tried, since it was red.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blank_red: Option<bool>,
}

impl DuskGate {
    /// Is it known to fail on anything?
    pub fn can_fail(&self) -> bool {
        let by_canary = self.canary.as_ref().is_some_and(|canary| canary.red);
        !self.passed || by_canary || self.blank_red != Some(false)
    }
}

/// What a gate showed of the canaries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// Did it fail?
    pub red: bool,
    /// By planted file, which of its canaries were reported: their places in the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seen: BTreeMap<String, BTreeSet<u64>>,
}

impl Sighting {
    /// Is one look not enough? A gate that was red without canaries, or that counts tests, is expected to
    /// be red with them.
    pub fn is_doubtful(&self, without: &GateOutcome) -> bool {
        !self.red && (!without.passed() || without.tests.is_some())
    }
}

/// Everything that was tried on a claimed commit.
#[derive(Debug, Clone, Default)]
pub struct Trials<'a> {
    /// Does it differ from dusk? `None`: that cannot be told.
    pub changed: Option<bool>,
    /// The gates on the commit as it is.
    pub claim: &'a [GateOutcome],
    /// The gates with dusk's version of what decides; `None`: nothing that decides differs.
    pub dusk: Option<&'a [GateOutcome]>,
    /// The files that decide and differ.
    pub edits: &'a [String],
    /// The same with both sides, where the gates fail with dusk's.
    pub contested: &'a [Changed],
    /// By gate, what it showed of the canaries in the claimed commit.
    pub canaries: &'a [(String, Sighting)],
    /// By gate, whether it turned red with the claimed sources gone.
    pub blanks: &'a [(String, bool)],
    /// By gate, whether it turned red with a script that fails at its end.
    pub ends: &'a [(String, bool)],
    /// Was a gate red with the claim's tests on dusk's sources?
    pub fresh_red: bool,
    /// The claim's new test files.
    pub added: &'a [String],
    /// The claim's new tests that pass on dusk's sources.
    pub idle: &'a [String],
    /// Places of assertions that hold whatever they expect.
    pub unfailing: &'a [String],
    /// Paths outside of the project, made during the run, without which a gate fails.
    pub outside: &'a [String],
    /// Places that look special-cased.
    pub special: &'a [String],
    /// Programs that gates start and that are others than at dusk.
    pub programs: &'a [String],
}

/// What is known of a claim once it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    /// What speaks against it, beside what the gates on the commit itself say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<Objection>,
    /// Was nothing red before? Then it goes back once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub never_red: bool,
    /// The claim's new test files, of this task alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// The claim's new tests that pass without its work: they prove nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle: Vec<String>,
    /// What the claim changed of what decides, where the gates fail with dusk's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested: Vec<Changed>,
    /// Places that look special-cased: no objection, but it goes back once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub special: Vec<String>,
    /// The word for it, if nothing speaks against it.
    pub standing: Standing,
}

/// A claim that was tried, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The commit that was tried.
    pub commit: String,
    /// What was found.
    pub findings: Findings,
}

/// Names of files told in one sentence.
const NAMED_MAX: usize = 6;

/// Weighs the trials of a claim against dusk.
pub fn weigh(dusk: &Dusk, baseline: &Baseline, trials: &Trials<'_>) -> Findings {
    let mut objections = Vec::new();
    let known = |gate: &GateOutcome| dusk.gate(&gate.command).is_none_or(DuskGate::can_fail);
    let word = !trials.claim.iter().any(known);
    let red_before = trials.claim.iter().any(|gate| {
        dusk.gate(&gate.command)
            .is_some_and(|before| !before.passed)
    });
    let never_red = !word && !red_before && !trials.fresh_red;
    if never_red && trials.changed == Some(false) {
        let reason = "nothing was changed since the run began, so there is nothing to prove";
        objections.push(Objection::new(Kind::NothingChanged, "", reason));
    }
    for program in trials.programs {
        let reason = format!(
            "{program}; a gate proves nothing with another program than at the run's start"
        );
        objections.push(Objection::new(Kind::ProgramChanged, program, reason));
    }
    if let Some(path) = trials.outside.first() {
        let reason = format!(
            "the gates pass only with {path}, which is outside of the project and was made since the run began: what the work needs belongs into the project"
        );
        objections.push(Objection::new(Kind::Outside, path, reason));
    }
    objections.extend(contested(baseline, trials));
    for (command, now) in trials.canaries {
        objections.extend(canary(dusk.gate(command), (command, now)));
    }
    for (command, _) in trials.blanks.iter().filter(|(_, red)| !red) {
        let reason =
            format!("gate {command:?} passes without any source: it proves nothing any more");
        objections.push(Objection::new(Kind::CannotFail, command, reason));
    }
    for (command, _) in trials.ends.iter().filter(|(_, red)| !red) {
        let reason = format!(
            "gate {command:?} passes although its script fails at its end: something that it runs ends it before"
        );
        objections.push(Objection::new(Kind::CannotFail, command, reason));
    }
    if let Some(place) = trials.unfailing.first() {
        let reason = format!(
            "the assertion at {place} holds whatever value it expects: what it looks at equals everything, or the test ends before it"
        );
        objections.push(Objection::new(Kind::CannotFail, place, reason));
    }
    Findings {
        never_red,
        added: trials.added.to_vec(),
        idle: trials.idle.to_vec(),
        contested: trials.contested.to_vec(),
        special: trials.special.to_vec(),
        standing: match (word, never_red) {
            (true, _) => Standing::Word,
            (false, true) => Standing::KeptGreen,
            (false, false) => Standing::Proved,
        },
        objections,
    }
}

/// What dusk's version of the files that decide objects to.
fn contested(baseline: &Baseline, trials: &Trials<'_>) -> Vec<Objection> {
    let Some(outcomes) = trials.dusk else {
        return Vec::new();
    };
    let wanted: Vec<String> = outcomes.iter().map(|gate| gate.command.clone()).collect();
    let files = named(trials.edits);
    let found = gates::objections(&wanted, outcomes, baseline, &BTreeMap::new());
    let told = |objection: Objection| {
        let reason = format!(
            "with {files} as when the run began: {}; leave what decides as it is, or say why it must change",
            objection.reason
        );
        Objection::new(Kind::Contested, objection.subject, reason)
    };
    found.into_iter().map(told).collect()
}

/// A gate that did not notice a failing test.
fn canary(before: Option<&DuskGate>, (command, now): (&str, &Sighting)) -> Option<Objection> {
    let calibrated = before
        .and_then(|before| before.canary.as_ref())
        .filter(|canary| canary.red);
    let told = |reason: String| Some(Objection::new(Kind::CannotFail, command, reason));
    if !now.red {
        let shown = calibrated.is_some_and(|canary| !canary.seen.is_empty())
            || (calibrated.is_some() && before.is_some_and(|gate| gate.passed));
        return shown
            .then(|| {
                told(format!(
                    "gate {command:?} passes although a test in it fails: it proves nothing any more"
                ))
            })
            .flatten();
    }
    let seen = &calibrated?.seen;
    let both = seen
        .iter()
        .filter_map(|(path, old)| Some((path, old, now.seen.get(path)?)));
    let swallowed = both.clone().find(|(_, old, new)| !old.is_subset(new));
    if let Some((path, ..)) = swallowed {
        return told(format!(
            "gate {command:?} no longer reports every failing assertion in {path}: something changes what an assertion does"
        ));
    }
    if !seen.is_empty() && both.count() == 0 && now.seen.is_empty() {
        return told(format!(
            "gate {command:?} no longer reports a failing test that it reported when the run began"
        ));
    }
    None
}

fn named(paths: &[String]) -> String {
    let mut text = paths
        .iter()
        .take(NAMED_MAX)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if paths.len() > NAMED_MAX {
        let _ = write!(text, " and {} more", paths.len() - NAMED_MAX);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(exit: i32) -> GateOutcome {
        GateOutcome {
            command: "g".into(),
            exit: Some(exit),
            ..GateOutcome::default()
        }
    }

    fn sighting(red: bool, seen: &[u64]) -> Sighting {
        let seen = if seen.is_empty() {
            BTreeMap::new()
        } else {
            [("t".to_owned(), seen.iter().copied().collect())].into()
        };
        Sighting { red, seen }
    }

    fn dusk(passed: bool, canary: Option<Sighting>, blank_red: Option<bool>) -> Dusk {
        Dusk {
            gates: vec![DuskGate {
                command: "g".into(),
                passed,
                canary,
                blank_red,
                ..DuskGate::default()
            }],
            ..Dusk::default()
        }
    }

    fn kinds(findings: &Findings) -> Vec<Kind> {
        findings
            .objections
            .iter()
            .map(|objection| objection.kind)
            .collect()
    }

    #[test]
    fn red_before_and_green_after_is_proved() {
        let claim = [gate(0)];
        let trials = Trials {
            changed: Some(true),
            claim: &claim,
            ..Trials::default()
        };
        let baseline = Baseline::default();
        let found = weigh(&dusk(false, None, None), &baseline, &trials);
        assert_eq!((found.standing, kinds(&found)), (Standing::Proved, vec![]));
        let found = weigh(&dusk(true, None, Some(true)), &baseline, &trials);
        assert_eq!(
            (found.standing, found.never_red),
            (Standing::KeptGreen, true)
        );
        let fresh = Trials {
            fresh_red: true,
            ..trials.clone()
        };
        assert_eq!(
            weigh(&dusk(true, None, Some(true)), &baseline, &fresh).standing,
            Standing::Proved
        );
        let same = Trials {
            changed: Some(false),
            ..trials
        };
        assert_eq!(
            kinds(&weigh(&dusk(true, None, Some(true)), &baseline, &same)),
            [Kind::NothingChanged]
        );
    }

    #[test]
    fn a_gate_that_cannot_fail_leaves_the_agents_word() {
        let claim = [gate(0)];
        let trials = Trials {
            changed: Some(false),
            claim: &claim,
            ..Trials::default()
        };
        let found = weigh(
            &dusk(true, None, Some(false)),
            &Baseline::default(),
            &trials,
        );
        assert_eq!((found.standing, kinds(&found)), (Standing::Word, vec![]));
    }

    #[test]
    fn a_canary_that_lives_and_one_that_is_swallowed_object() {
        let claim = [gate(0)];
        let of = |old: Sighting, passed, new: Sighting, blanks: &[(String, bool)]| {
            let canaries = [("g".to_owned(), new)];
            let trials = Trials {
                changed: Some(true),
                claim: &claim,
                canaries: &canaries,
                blanks,
                ..Trials::default()
            };
            kinds(&weigh(
                &dusk(passed, Some(old), Some(true)),
                &Baseline::default(),
                &trials,
            ))
        };
        assert_eq!(
            of(sighting(true, &[0, 1]), false, sighting(true, &[0, 1]), &[]),
            []
        );
        assert_eq!(
            of(sighting(true, &[0, 1]), false, sighting(false, &[]), &[]),
            [Kind::CannotFail]
        );
        assert_eq!(
            of(sighting(true, &[0, 1]), false, sighting(true, &[1]), &[]),
            [Kind::CannotFail]
        );
        assert_eq!(
            of(sighting(true, &[0, 1]), false, sighting(true, &[]), &[]),
            [Kind::CannotFail]
        );
        // Red before, so that nothing is known of the canary.
        assert_eq!(
            of(sighting(true, &[]), false, sighting(false, &[]), &[]),
            []
        );
        assert_eq!(
            of(
                sighting(true, &[]),
                false,
                sighting(false, &[]),
                &[("g".into(), false)]
            ),
            [Kind::CannotFail]
        );
        assert_eq!(
            of(sighting(true, &[]), true, sighting(false, &[]), &[]),
            [Kind::CannotFail]
        );
        assert_eq!(
            of(sighting(false, &[]), true, sighting(false, &[]), &[]),
            []
        );
    }

    #[test]
    fn dusks_tests_that_fail_are_told_with_the_changed_files() {
        let (claim, old) = ([gate(0)], [gate(1)]);
        let edits = ["tests/a.py".to_owned()];
        let trials = Trials {
            changed: Some(true),
            claim: &claim,
            dusk: Some(&old),
            edits: &edits,
            ..Trials::default()
        };
        let found = weigh(&dusk(false, None, None), &Baseline::default(), &trials);
        assert_eq!(kinds(&found), [Kind::Contested]);
        assert!(
            found.objections[0]
                .reason
                .starts_with("with tests/a.py as when the run began: gate \"g\" failed")
        );
    }
}
