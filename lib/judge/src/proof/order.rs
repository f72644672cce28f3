//! In which order a claim is tried, and when that is enough: a pure machine. Who carries it out takes
//! the [`TrialStep`], notes what it showed in [`TrialState`], and asks for the next. A step that cannot be carried
//! out ends the trial without a verdict for the claim.

use super::super::gates::{Baseline, GateOutcome, TestCounts};
use super::contest::Changed;
use super::weigh::{Dusk, DuskGate, Findings, Sighting, Trials, weigh};

/// What is tried next. Each begins with the claimed commit in the room. What tells whether
/// gates can fail is tried with dusk's version of what decides, where that was found to hold
/// ([`TrialState::with_dusks`]): two ways of cheating must not hide each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialStep {
    /// The gates on the commit as it is.
    Claim,
    /// Which files decide and differ, and what looks special-cased; gates are run where data was changed
    /// that may be either the work or what it is judged by.
    Look,
    /// The gates with dusk's version of what decides.
    Dusk,
    /// The gates without what the change names outside of the project.
    Outside,
    /// The gates with failing tests in the tree.
    Canaries,
    /// These gates with the sources gone: no canary tells whether they can fail.
    Blank(Vec<String>),
    /// These gates with a script that fails at its end: does something that it runs end it before?
    Ends(Vec<String>),
    /// The gates with the claim's tests on dusk's sources.
    Fresh,
    /// The gates with wrong expected values.
    Expectations,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct TrialInput<'a> {
    /// What was noted before the work began.
    pub dusk: &'a Dusk,
    /// The commands that must hold.
    pub gates: &'a [String],
    /// Programs that gates start and that are others than at dusk.
    pub programs: &'a [String],
    /// Did a claim of this task go back because of what it changed of the tests?
    pub contested: bool,
    /// How many test files does the claim bring? Tests of theirs that pass without its work are to be named.
    pub tests: usize,
    /// Does the commit differ from dusk's?
    pub changed: bool,
    /// Is it a merge onto a line that was proved, which is dusk here? Its gates must hold with what decides as
    /// the line has it, and still see canaries; the rest was said of each claim by itself.
    pub merge: bool,
}

impl TrialInput<'_> {
    /// Was one of the gates red at dusk?
    fn was_red(&self) -> bool {
        let red = |gate: &String| self.dusk.gate(gate).is_some_and(|gate| !gate.passed);
        self.gates.iter().any(red)
    }
}

/// What was tried so far.
#[derive(Debug, Clone, Default)]
pub struct TrialState {
    /// What the gates said on the commit as it is.
    pub claim: Option<Vec<GateOutcome>>,
    /// Files that decide and that they changed while they ran.
    pub rewritten: Vec<String>,
    /// The files that decide and differ.
    pub edits: Option<Vec<String>>,
    /// Places that look special-cased.
    pub special: Vec<String>,
    /// Paths outside of the project without which a gate fails.
    pub outside: Option<Vec<String>>,
    /// What the gates said with dusk's version of what decides.
    pub dusk: Option<Vec<GateOutcome>>,
    /// What decides and differs, with both sides, where the gates fail with dusk's.
    pub contested: Vec<Changed>,
    /// By gate, what it showed of the canaries.
    pub canaries: Option<Vec<(String, Sighting)>>,
    /// By gate, whether it turned red with the sources gone.
    pub blanks: Option<Vec<(String, bool)>>,
    /// By gate, whether it turned red with a script that fails at its end.
    pub ends: Option<Vec<(String, bool)>>,
    /// Was a gate red with the claim's tests on dusk's sources?
    pub fresh_red: Option<bool>,
    /// Were the gates green with the claim's new functions emptied, where its new tests are all that was red?
    pub hollow: bool,
    /// New test files.
    pub added: Vec<String>,
    /// New tests that pass on dusk's sources.
    pub idle: Vec<String>,
    /// Places of assertions that hold whatever they expect.
    pub unfailing: Option<Vec<String>>,
}

impl TrialState {
    /// What is tried next; `None` when what is known is enough.
    pub fn next(&self, asked: &TrialInput<'_>) -> Option<TrialStep> {
        let Some(claim) = &self.claim else {
            return Some(TrialStep::Claim);
        };
        if !asked.programs.is_empty() || !claim.iter().all(GateOutcome::passed) {
            return None;
        }
        let Some(edits) = &self.edits else {
            return Some(TrialStep::Look);
        };
        if self.dusk.is_none() && !edits.is_empty() {
            return Some(TrialStep::Dusk);
        }
        if !asked.contested && !self.dusk.iter().flatten().all(GateOutcome::passed) {
            return None;
        }
        if self.outside.is_none() && !asked.merge {
            return Some(TrialStep::Outside);
        }
        let Some(canaries) = &self.canaries else {
            return Some(TrialStep::Canaries);
        };
        let unknown = unknown(canaries, asked);
        if self.blanks.is_none() && !unknown.is_empty() {
            return Some(TrialStep::Blank(unknown));
        }
        if self.ends.is_none() && !unknown.is_empty() {
            return Some(TrialStep::Ends(unknown));
        }
        if asked.merge {
            return None;
        }
        if self.fresh_red.is_none() && (asked.tests > 0 || !asked.was_red()) {
            return Some(TrialStep::Fresh);
        }
        self.unfailing.is_none().then_some(TrialStep::Expectations)
    }

    /// Some gates count tests only while one fails (`mvn -q`): where a canary is heard they still run and count
    /// them, and that they say nothing means that none failed.
    pub fn hear(&mut self, baseline: &Baseline) {
        let told = |(_, now): &&(String, Sighting)| now.red && !now.seen.is_empty();
        let heard = self.canaries.iter().flatten().filter(told);
        let heard: Vec<&String> = heard.map(|(gate, _)| gate).collect();
        let outcomes = [&mut self.claim, &mut self.dusk].into_iter().flatten();
        for gate in outcomes.flatten() {
            let red = baseline.passed.get(&gate.command) == Some(&false);
            if gate.passed() && gate.tests.is_none() && red && heard.contains(&&gate.command) {
                gate.tests = Some(TestCounts {
                    passed: None,
                    failed: Some(0),
                    skipped: None,
                    parts: 0,
                });
            }
        }
    }

    /// Do the gates hold with dusk's version of what decides, which is another than the claim's?
    pub fn with_dusks(&self) -> bool {
        let holds = |dusk: &Vec<GateOutcome>| dusk.iter().all(GateOutcome::passed);
        self.dusk.as_ref().is_some_and(holds)
    }

    /// What it all means.
    pub fn findings(&self, asked: &TrialInput<'_>, baseline: &Baseline) -> Findings {
        weigh(
            asked.dusk,
            baseline,
            &Trials {
                changed: Some(asked.changed || asked.merge),
                claim: self.claim.as_deref().unwrap_or_default(),
                dusk: self.dusk.as_deref(),
                edits: self.edits.as_deref().unwrap_or_default(),
                contested: if asked.merge { &[] } else { &self.contested },
                canaries: self.canaries.as_deref().unwrap_or_default(),
                blanks: self.blanks.as_deref().unwrap_or_default(),
                ends: self.ends.as_deref().unwrap_or_default(),
                unfailing: self.unfailing.as_deref().unwrap_or_default(),
                special: if asked.merge { &[] } else { &self.special },
                outside: self.outside.as_deref().unwrap_or_default(),
                fresh_red: self.fresh_red == Some(true) || asked.merge,
                hollow: self.hollow,
                added: &self.added,
                idle: &self.idle,
                programs: asked.programs,
                rewritten: &self.rewritten,
            },
        )
    }
}

/// The gates that show no canary and that none showed at dusk, either, though they could fail then.
fn unknown(canaries: &[(String, Sighting)], asked: &TrialInput<'_>) -> Vec<String> {
    let could = |gate: &DuskGate| {
        let by_canary = gate.canary.as_ref().is_some_and(|canary| canary.red);
        gate.can_fail() && !(gate.passed && by_canary)
    };
    let open = |gate: &&String| {
        let mut seen = canaries.iter().filter(|(command, _)| command == *gate);
        !seen.any(|(_, now)| now.red) && asked.dusk.gate(gate).is_none_or(could)
    };
    asked.gates.iter().filter(open).cloned().collect()
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

    #[test]
    fn a_gate_that_counts_only_what_fails_is_silent_when_nothing_does() {
        let canary = Sighting {
            red: true,
            seen: [("t".to_owned(), [1].into())].into(),
        };
        let baseline = |passed| Baseline {
            tests: [("g".to_owned(), TestCounts::of(0, 1, 0))].into(),
            passed: [("g".to_owned(), passed)].into(),
            ..Baseline::default()
        };
        for (red_before, heard, objections) in [(true, true, 0), (true, false, 1), (false, true, 1)]
        {
            let baseline = baseline(!red_before);
            let mut tried = TrialState {
                claim: Some(vec![gate(0)]),
                canaries: Some(vec![(
                    "g".to_owned(),
                    if heard {
                        canary.clone()
                    } else {
                        Sighting::default()
                    },
                )]),
                ..TrialState::default()
            };
            tried.hear(&baseline);
            let said = super::super::super::gates::objections(
                &["g".to_owned()],
                tried.claim.as_deref().unwrap(),
                &baseline,
                &std::collections::BTreeMap::new(),
            );
            assert_eq!(said.len(), objections, "{red_before} {heard}");
        }
    }

    fn dusk(passed: bool, canary: bool) -> Dusk {
        let canary = Sighting {
            red: canary,
            ..Sighting::default()
        };
        Dusk {
            gates: vec![DuskGate {
                command: "g".into(),
                passed,
                canary: Some(canary),
                blank_red: passed.then_some(true),
                ..DuskGate::default()
            }],
            ..Dusk::default()
        }
    }

    /// The steps that are asked for, with the canary seen or not.
    fn steps(dusk: &Dusk, seen: bool, edits: &[String]) -> Vec<TrialStep> {
        let gates = ["g".to_owned()];
        let asked = TrialInput {
            dusk,
            gates: &gates,
            programs: &[],
            contested: false,
            tests: 0,
            changed: true,
            merge: false,
        };
        let (mut tried, mut all) = (TrialState::default(), Vec::new());
        while let Some(step) = tried.next(&asked) {
            match step {
                TrialStep::Claim => tried.claim = Some(vec![gate(0)]),
                TrialStep::Look => tried.edits = Some(edits.to_vec()),
                TrialStep::Outside => tried.outside = Some(Vec::new()),
                TrialStep::Dusk => tried.dusk = Some(vec![gate(1)]),
                TrialStep::Canaries => {
                    let now = Sighting {
                        red: seen,
                        ..Sighting::default()
                    };
                    tried.canaries = Some(vec![("g".into(), now)]);
                }
                TrialStep::Blank(_) => tried.blanks = Some(vec![("g".into(), true)]),
                TrialStep::Ends(_) => tried.ends = Some(Vec::new()),
                TrialStep::Fresh => tried.fresh_red = Some(true),
                TrialStep::Expectations => tried.unfailing = Some(Vec::new()),
            }
            all.push(step);
        }
        all
    }

    #[test]
    fn each_step_is_taken_once_and_only_where_it_says_something() {
        use TrialStep::{Blank, Canaries, Claim, Ends, Expectations, Fresh, Look, Outside};
        let begin = [Claim, Look, Outside, Canaries];
        let (red, green) = (dusk(false, true), dusk(true, true));
        let all = |more: &[TrialStep]| [&begin, more].concat();
        assert_eq!(steps(&red, true, &[]), all(&[Expectations]));
        assert_eq!(steps(&green, true, &[]), all(&[Fresh, Expectations]));
        // A canary that was seen at dusk and is not now needs no second word.
        assert_eq!(steps(&green, false, &[]), all(&[Fresh, Expectations]));
        let gates = || vec!["g".to_owned()];
        let unknown = [Blank(gates()), Ends(gates())];
        assert_eq!(
            steps(&dusk(true, false), false, &[]),
            all(&[&unknown[..], &[Fresh, Expectations]].concat())
        );
        assert_eq!(
            steps(&red, false, &[]),
            all(&[&unknown[..], &[Expectations]].concat())
        );
        assert_eq!(
            steps(&red, true, &["tests/a".into()]),
            [Claim, Look, TrialStep::Dusk],
            "what dusk's tests refute is not looked at any closer"
        );
    }

    #[test]
    fn a_claim_that_fails_or_starts_other_programs_is_not_looked_at() {
        let dusk = dusk(false, true);
        let gates = ["g".to_owned()];
        let asked = |programs| TrialInput {
            dusk: &dusk,
            gates: &gates,
            programs,
            contested: false,
            tests: 0,
            changed: true,
            merge: false,
        };
        let tried = |exit| TrialState {
            claim: Some(vec![gate(exit)]),
            ..TrialState::default()
        };
        assert_eq!(tried(1).next(&asked(&[])), None);
        let programs = ["make".to_owned()];
        assert_eq!(tried(0).next(&asked(&programs)), None);
        assert_eq!(tried(0).next(&asked(&[])), Some(TrialStep::Look));
    }
}
