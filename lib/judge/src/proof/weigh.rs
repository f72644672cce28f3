//! What the trials of a claim mean: objections, and the word for what is left.

use super::super::gates::{self, Baseline, GateOutcome, Kind, Objection};
use super::answers;
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
    /// Files that the gates changed while they ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<String>,
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

    /// Is this what speaks against a gate? Then one look is not enough.
    pub fn is_doubted(&self, command: &str, now: &Sighting) -> bool {
        canary(self.gate(command), (command, now)).is_some()
    }

    /// Takes in what further gates showed on the same commit.
    pub fn add(&mut self, more: &Self) {
        self.gates.extend(more.gates.iter().cloned());
        self.notes.extend(more.notes.iter().cloned());
        for (own, more) in [
            (&mut self.named, &more.named),
            (&mut self.rewritten, &more.rewritten),
        ] {
            let new = more.iter().filter(|path| !own.contains(path));
            let new: Vec<String> = new.cloned().collect();
            own.extend(new);
        }
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
    /// Were the gates green with the claim's new functions emptied, where its new tests are all that was red?
    pub hollow: bool,
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
    /// Files that decide and that the gates changed while they ran on the claimed commit.
    pub rewritten: &'a [String],
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
    /// By name, what identifies the notes that later proofs of the run go by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

impl Proof {
    /// The claim could not be tried.
    pub fn untried(reason: String, notes: BTreeMap<String, String>) -> Self {
        Self {
            commit: String::new(),
            findings: Findings {
                objections: vec![Objection::new(Kind::Untried, "", reason)],
                never_red: false,
                added: Vec::new(),
                idle: Vec::new(),
                contested: Vec::new(),
                special: Vec::new(),
                standing: Standing::Word,
            },
            notes,
        }
    }
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
    objections.extend(rewritten(dusk, trials));
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
            "gate {command:?} passes although its script fails at its end: something that it runs ends it before, or changes what its commands do"
        );
        objections.push(Objection::new(Kind::CannotFail, command, reason));
    }
    if trials.hollow {
        let reason = "every gate passed before this work, and its new tests pass as well with nothing in what it wrote: they look only at whether it is there";
        objections.push(Objection::new(Kind::CannotFail, "", reason));
    }
    objections.extend(trials.unfailing.first().map(|place| unfailing(place)));
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

/// An assertion by its file and line, or a file of what gates compare with.
fn unfailing(place: &str) -> Objection {
    let path = place.rsplit_once(':').map_or(place, |(path, _)| path);
    let reason = if answers::is(path) {
        format!(
            "the gates pass whatever {place} says, and not without it: what they check takes its answers from there"
        )
    } else {
        format!(
            "the assertion at {place} holds whatever value it expects: what it looks at equals everything, or the test ends before it"
        )
    };
    Objection::new(Kind::CannotFail, place, reason)
}

/// A file that decides and that the gates changed while they ran, as they did not at dusk.
fn rewritten(dusk: &Dusk, trials: &Trials<'_>) -> Option<Objection> {
    let mut rewritten = trials.rewritten.iter();
    let path = rewritten.find(|path| !dusk.rewritten.contains(path))?;
    let reason = format!(
        "{path} decides, and what the gates run changes it while they run: they prove nothing"
    );
    Some(Objection::new(Kind::Rewritten, path, reason))
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
mod tests;
