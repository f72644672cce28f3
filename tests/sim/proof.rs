//! Proofs in a seeded world: agents that cheat in every way that the trial looks for, gates that hang,
//! canaries that flicker, rooms that cannot be made and disks that are full. What the world knows and
//! the trial does not is the truth: does the gate, with dusk's tests, pass on that commit in a clean
//! check-out, and could it have failed? Whatever happens, `proved` implies both.

use crate::random::Random;
use overnight_judge::gates::{self, Baseline, GateOutcome, TestCounts};
use overnight_judge::proof::contest::Changed;
use overnight_judge::proof::order::{TrialInput, TrialState, TrialStep};
use overnight_judge::proof::weigh::{DuskGate, Sighting};
use overnight_judge::proof::{Dusk, Standing};
use std::collections::BTreeMap;

/// A rule of the trial that is broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    None,
    SkipDusk,
    SkipCanaries,
    SkipBlank,
    SkipEnds,
    SkipFresh,
    SkipOutside,
    SkipExpectations,
    SkipPrograms,
    /// A step that could not be carried out counts as one that found nothing.
    PassFaults,
    /// A gate that was ended by its deadline counts by what it printed.
    PassHangs,
    /// One look at the canary is enough at dusk, whatever it shows.
    BelieveFlickers,
}

/// What is true of a claim. Everything that an agent may have bent is off in an honest one.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is true or not by itself"
)]
struct Truth {
    /// Do the sources do what is asked for?
    right: bool,
    /// Did dusk's sources?
    right_before: bool,
    /// Do the claim's own tests ask for less than dusk's?
    weakened: bool,
    /// Does the code under test make the gate green whatever fails?
    swallows: bool,
    /// Do values in the claim equal everything?
    equals_all: bool,
    /// Is what makes it right outside of the project?
    outside: bool,
    /// Has the gate another program than at dusk, which passes what is wrong and fails what must fail?
    program: bool,
    /// Does the claim's version of what decides leave the gate nothing to do? The task may change it.
    emptied: bool,
    /// Has the claim tests that are red on dusk's sources?
    new_tests: bool,
    /// Does the runner tell of failing tests by name? Else it has no canaries.
    named: bool,
    /// Is the gate one script, which can be made to fail at its end?
    script: bool,
    /// Can expected values be told in the tests?
    sites: bool,
    hangs: bool,
}

/// One trial in the room.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is done or not by itself"
)]
struct Room {
    dusks_tests: bool,
    dusks_sources: bool,
    canary: bool,
    gone: bool,
    without_outside: bool,
    wrong_values: bool,
}

pub(crate) struct World {
    random: Random,
    mutant: Mutant,
    truth: Truth,
    /// Which look at a canary gives the wrong answer, if any; a second one is another world's.
    flickers: u64,
    looks: u64,
}

const GATE: &str = "gate";

impl World {
    pub(crate) fn new(seed: u64, mutant: Mutant) -> Self {
        let mut random = Random::new(seed);
        let honest = random.chance(40);
        let mut bent = |per_cent| !honest && random.chance(per_cent);
        let mut truth = Truth {
            weakened: bent(30),
            swallows: bent(15),
            equals_all: bent(15),
            outside: bent(15),
            program: bent(10),
            emptied: bent(10),
            ..Truth::default()
        };
        truth.right_before = random.chance(40);
        truth.right = (honest || random.chance(40)) && !truth.outside || truth.right_before;
        truth.new_tests = random.chance(50);
        truth.named = random.chance(70);
        truth.sites = random.chance(70);
        truth.hangs = random.chance(5);
        let flickers = random.below(12);
        truth.script = random.chance(60);
        Self {
            random,
            mutant,
            truth,
            flickers,
            looks: 0,
        }
    }

    /// Does the gate turn green?
    fn green(&self, room: &Room) -> bool {
        let truth = &self.truth;
        let planted = room.canary || room.gone || room.wrong_values;
        if truth.program && !planted {
            return true;
        }
        if truth.emptied && !(room.dusks_sources && room.dusks_tests) {
            return true;
        }
        if room.gone {
            return false;
        }
        if room.dusks_sources {
            let asks_more = truth.new_tests && !room.dusks_tests;
            return truth.right_before && !room.canary && !asks_more;
        }
        if truth.swallows {
            return true;
        }
        if room.canary && truth.named {
            return false;
        }
        if truth.equals_all {
            return true;
        }
        if room.wrong_values && truth.named {
            return false;
        }
        let right = truth.right || truth.outside && !room.without_outside;
        right || truth.weakened && !room.dusks_tests
    }

    fn run(&mut self, room: &Room) -> GateOutcome {
        let hangs = self.truth.hangs && self.random.chance(30);
        let green = self.green(room);
        GateOutcome {
            command: GATE.into(),
            exit: if hangs {
                (self.mutant == Mutant::PassHangs).then_some(0)
            } else {
                Some(i32::from(!green))
            },
            timed_out: hangs && self.mutant != Mutant::PassHangs,
            tests: self.truth.named.then(|| TestCounts::of(3, 0, 0)),
            ..GateOutcome::default()
        }
    }

    /// What the canary shows.
    fn sight(&mut self, room: &Room) -> Sighting {
        let outcome = self.run(room);
        let red = !outcome.passed();
        self.looks += 1;
        let flickers = self.looks == self.flickers;
        let mut seen = BTreeMap::new();
        if red && !outcome.timed_out && !flickers {
            seen.insert("t".to_owned(), [0].into());
        }
        Sighting {
            red: red != flickers,
            seen,
        }
    }

    fn dusk(&mut self) -> Dusk {
        let before = Room {
            dusks_tests: true,
            dusks_sources: true,
            ..Room::default()
        };
        // Dusk's program is the right one, and nothing of it hangs.
        let bent = (
            std::mem::take(&mut self.truth.program),
            std::mem::take(&mut self.truth.hangs),
        );
        let outcome = self.run(&before);
        let canary = self.truth.named.then(|| {
            let planted = Room {
                canary: true,
                ..before
            };
            let first = self.sight(&planted);
            if first.is_doubtful(&outcome) && self.mutant != Mutant::BelieveFlickers {
                self.sight(&planted)
            } else {
                first
            }
        });
        let passed = outcome.passed();
        (self.truth.program, self.truth.hangs) = bent;
        Dusk {
            commit: "dusk".into(),
            gates: vec![DuskGate {
                command: GATE.into(),
                passed,
                canary,
                blank_red: passed.then_some(true),
                ..DuskGate::default()
            }],
            ..Dusk::default()
        }
    }

    /// A room that cannot be made, a disk that is full.
    fn fault(&mut self) -> bool {
        self.random.chance(2)
    }

    /// Tries the claim, and compares the word for it with the truth.
    pub(crate) fn run_proof(mut self) -> Result<Option<Standing>, String> {
        let dusk = self.dusk();
        let gates = [GATE.to_owned()];
        let programs: &[String] = if self.truth.program && self.mutant != Mutant::SkipPrograms {
            &["make".to_owned()]
        } else {
            &[]
        };
        let asked = TrialInput {
            dusk: &dusk,
            gates: &gates,
            programs,
            contested: self.random.chance(20),
            changed: true,
            tests: 0,
            merge: false,
        };
        let mut tried = TrialState::default();
        let mut steps = 0;
        while let Some(step) = tried.next(&asked) {
            steps += 1;
            if steps > 10 {
                return Err(format!("the trial does not end at {step:?}"));
            }
            if self.fault() && self.mutant != Mutant::PassFaults {
                // No verdict: the claim goes back untried.
                return Ok(None);
            }
            self.take(step, &mut tried);
        }
        let baseline = Baseline::default();
        let found = tried.findings(&asked, &baseline);
        let outcomes = tried.claim.clone().unwrap_or_default();
        let mut said = gates::objections(&gates, &outcomes, &baseline, &BTreeMap::new());
        said.extend(found.objections);
        if !said.is_empty() || found.standing != Standing::Proved {
            return Ok(None);
        }
        self.holds(&dusk).map(|()| Some(found.standing))
    }

    fn take(&mut self, step: TrialStep, tried: &mut TrialState) {
        let own = self.mutant;
        let skips = |mutant| own == mutant;
        let spared = self.mutant == Mutant::PassFaults && self.random.chance(10);
        match step {
            TrialStep::Claim if spared => tried.claim = Some(vec![passes()]),
            TrialStep::Claim => tried.claim = Some(vec![self.run(&Room::default())]),
            TrialStep::Look => {
                let differs = self.truth.weakened && !skips(Mutant::SkipDusk) && !spared;
                tried.edits = Some(if differs { vec!["t".into()] } else { vec![] });
            }
            TrialStep::Dusk => {
                let outcome = self.run(&Room {
                    dusks_tests: true,
                    ..Room::default()
                });
                if !outcome.passed() {
                    tried.contested = vec![Changed::of("t", "", ("a", "b"))];
                }
                tried.dusk = Some(vec![outcome]);
            }
            TrialStep::Fresh => {
                let fresh = Room {
                    dusks_sources: true,
                    ..Room::default()
                };
                let red = self.truth.new_tests && !self.green(&fresh);
                tried.fresh_red = Some(red || skips(Mutant::SkipFresh));
            }
            step => self.can_fail(step, (tried, spared)),
        }
    }

    /// The steps that tell whether the gates can fail.
    fn can_fail(&mut self, step: TrialStep, (tried, spared): (&mut TrialState, bool)) {
        let own = self.mutant;
        let skips = |mutant| own == mutant;
        let dusks_tests = tried.with_dusks();
        let claim = || Room {
            dusks_tests,
            ..Room::default()
        };
        match step {
            TrialStep::Outside => {
                let without = Room {
                    without_outside: true,
                    ..claim()
                };
                let missed = self.truth.outside && !self.run(&without).passed();
                let told = missed && !skips(Mutant::SkipOutside) && !spared;
                tried.outside = Some(if told { vec!["/tmp/x".into()] } else { vec![] });
            }
            TrialStep::Canaries if skips(Mutant::SkipCanaries) || spared => {
                tried.canaries = Some(Vec::new());
                tried.blanks = Some(Vec::new());
            }
            TrialStep::Canaries => {
                let seen = self.truth.named.then(|| {
                    self.sight(&Room {
                        canary: true,
                        ..claim()
                    })
                });
                let seen = seen.map(|seen| (GATE.to_owned(), seen));
                tried.canaries = Some(seen.into_iter().collect());
            }
            TrialStep::Blank(_) if skips(Mutant::SkipBlank) => tried.blanks = Some(Vec::new()),
            TrialStep::Ends(_) if skips(Mutant::SkipEnds) || !self.truth.script => {
                tried.ends = Some(Vec::new());
            }
            TrialStep::Ends(gates) => {
                // Only what the script runs, and ends it with, keeps it from failing there.
                let red = !self.truth.swallows;
                tried.ends = Some(gates.into_iter().map(|gate| (gate, red)).collect());
            }
            TrialStep::Blank(gates) => {
                let red = !self.green(&Room {
                    gone: true,
                    ..claim()
                });
                tried.blanks = Some(gates.into_iter().map(|gate| (gate, red)).collect());
            }
            _ => {
                let wrong = Room {
                    wrong_values: true,
                    ..claim()
                };
                // A weakened test has no expected value that could be a wrong one.
                let sites = self.truth.sites && (dusks_tests || !self.truth.weakened);
                let holds = self.truth.named && sites && self.green(&wrong);
                let told = holds && !skips(Mutant::SkipExpectations) && !spared;
                tried.unfailing = Some(if told { vec!["t:1".into()] } else { vec![] });
            }
        }
    }

    /// The truth about a claim that is called proved.
    fn holds(&self, dusk: &Dusk) -> Result<(), String> {
        let truth = &self.truth;
        let told = |what: &str| Err(format!("proved, though {what}: {truth:?}"));
        let told_apart = truth.named || truth.script;
        // What no test of this project can see: that is said, not found.
        let unseen =
            truth.equals_all && !(truth.named && truth.sites) || truth.swallows && !told_apart;
        if !truth.right && !unseen {
            return told("the gate does not pass with dusk's tests in a clean check-out");
        }
        if truth.program || truth.emptied {
            return told("the gate proves nothing");
        }
        if told_apart && truth.swallows || truth.named && truth.equals_all && truth.sites {
            return told("the gate cannot fail");
        }
        if dusk.gates[0].passed && !truth.new_tests {
            return told("nothing was red before");
        }
        Ok(())
    }
}

fn passes() -> GateOutcome {
    GateOutcome {
        command: GATE.into(),
        exit: Some(0),
        ..GateOutcome::default()
    }
}
