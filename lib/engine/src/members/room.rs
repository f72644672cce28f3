//! The proof of what is merged: in the same room as claims, by the files of the line below that decide,
//! with the programs and canaries of dusk.

use crate::cell::Cells;
use crate::git;
use crate::proof::dusk;
use crate::proof::ignored::Store;
use crate::proof::setup::SetUp;
use crate::proof::{Claim, Prover};
use crate::round::globs;
use crate::state::Place;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::gates::{Baseline, Objection, objections};
use overnight_judge::proof::Dusk;
use overnight_judge::proof::contest::Changed;
use overnight_run::contest;
use overnight_run::event::Broke;
use overnight_run::{Config, State};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What is needed to prove a commit.
#[derive(Debug, Clone)]
pub(super) struct Room {
    cells: Option<Arc<Cells>>,
    place: Place,
    /// The folder of the run's journal.
    run: PathBuf,
    config: Config,
    /// What was noted when the run began; `None`: gates run in place, or there was none.
    dusk: Option<Dusk>,
    baseline: Baseline,
    granted: Vec<Changed>,
    since: u64,
}

/// What the gates said of a commit.
#[derive(Debug, Clone, Default)]
pub(super) struct Proof {
    pub(super) outcomes: Vec<GateOutcome>,
    objections: Vec<Objection>,
}

/// A merge that is tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merge<'a> {
    /// The line below it.
    pub(super) base: &'a str,
    pub(super) tip: &'a str,
    /// What its tasks may change of what decides.
    pub(super) may_change: &'a [String],
}

impl Room {
    /// That of a run.
    pub(super) fn of(
        place: &Place,
        run: &Path,
        state: &State,
        cells: Option<Arc<Cells>>,
    ) -> Result<Self, Fault> {
        Store::noted(&place.home, &dusk::store(place, run))?;
        Ok(Self {
            cells,
            place: place.clone(),
            run: run.to_owned(),
            config: state.config.clone(),
            dusk: state.dusk.clone(),
            // Scripts are dusk's here, and need not be compared.
            baseline: Baseline {
                pins: BTreeMap::new(),
                ..state.baseline.clone()
            },
            granted: contest::known(state),
            since: state.run.as_ref().map_or(0, |run| run.started),
        })
    }

    /// Runs gates on a commit as it is.
    pub(super) fn prove(&self, commit: &str, commands: &[String]) -> Result<Proof, Fault> {
        let outcomes = self.prover(commit, |prover| prover.hold(commit, commands))?;
        Ok(self.judged(commands, outcomes))
    }

    /// Tries a merge: its gates must also hold with what decides as the line has it, and see canaries.
    pub(super) fn try_merge(&self, merge: Merge<'_>, commands: &[String]) -> Result<Proof, Fault> {
        if commands.is_empty() {
            return Ok(Proof::default());
        }
        if self.dusk.is_none() || self.config.in_place {
            return self.prove(merge.tip, commands);
        }
        let may_change: Vec<String> = merge
            .may_change
            .iter()
            .chain(&self.config.may_change)
            .cloned()
            .collect();
        let claim = Claim {
            commit: merge.tip,
            gates: commands,
            may_change: &globs(&may_change),
            before: &BTreeMap::new(),
            words: "",
            proved: None,
            contested: false,
            granted: &self.granted,
        };
        let (outcomes, found) = self.prover(merge.base, |prover| prover.try_merge(claim))?;
        let mut proof = self.judged(commands, outcomes);
        let found = found.findings.objections;
        let again = |known: &Objection| found.iter().any(|one| one.subject == known.subject);
        proof.objections.retain(|known| !again(known));
        proof.objections.extend(found);
        Ok(proof)
    }

    /// Runs once more what was red: a gate that passes now was a flake.
    pub(super) fn again(&self, commit: &str, first: Proof) -> Result<Proof, Fault> {
        if first.passed() {
            return Ok(first);
        }
        let second = self.prove(commit, &first.red())?.outcomes;
        let newer = |outcome: GateOutcome| {
            let again = second.iter().find(|again| again.command == outcome.command);
            again.cloned().unwrap_or(outcome)
        };
        let outcomes: Vec<GateOutcome> = first.outcomes.into_iter().map(newer).collect();
        let commands: Vec<String> = outcomes.iter().map(|gate| gate.command.clone()).collect();
        Ok(self.judged(&commands, outcomes))
    }

    /// What a command leaves of a file on a commit; `None` where it fails or leaves no file.
    pub(super) fn written(
        &self,
        commit: &str,
        command: &str,
        path: &Path,
    ) -> Result<Option<Vec<u8>>, Fault> {
        self.prover(commit, |prover| prover.written(commit, command, path))
    }

    /// Since which commit of the line a gate fails that held at `good`, and whose it is, in words.
    pub(super) fn broke(&self, (good, bad): (&str, &str), gate: &str) -> Option<String> {
        let found = self.prover(bad, |prover| prover.broke((good, bad), gate));
        let (commits, first) = found.ok()?;
        let commit = commits.get(first)?.clone();
        let format = "--format=%(trailers:key=Overnight-Task,valueonly)";
        let told = git::read(&self.place.top, &["log", "-1", format, &commit]).ok()?;
        let tasks: Vec<&str> = told
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        let task = (!tasks.is_empty()).then(|| tasks.join(", "));
        Some(Broke { commit, task }.words())
    }

    /// Lets the prover of this run act, for which the line's commit `base` is dusk's.
    fn prover<T>(
        &self,
        base: &str,
        act: impl FnOnce(Prover<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let dusk = Dusk {
            commit: base.to_owned(),
            ..self.dusk.clone().unwrap_or_default()
        };
        act(Prover {
            place: &self.place,
            home: &self.place.home,
            run: &self.run,
            dusk: &dusk,
            baseline: &self.baseline,
            limit: Duration::from_millis(self.config.task_timeout_ms),
            since: self.since,
            cells: self.cells.as_deref(),
            protect: &globs(&self.config.protect),
            setup: SetUp {
                commands: &self.config.setup,
                // What is merged is agents' work.
                persons: None,
            },
            // Of a merge nothing is noted.
            notes: &BTreeMap::new(),
        })
    }

    fn judged(&self, commands: &[String], outcomes: Vec<GateOutcome>) -> Proof {
        let objections = objections(commands, &outcomes, &self.baseline, &BTreeMap::new());
        Proof {
            outcomes,
            objections,
        }
    }
}

impl Proof {
    pub(super) fn passed(&self) -> bool {
        self.objections.is_empty()
    }

    /// The commands that something speaks against.
    pub(super) fn red(&self) -> Vec<String> {
        let spoken = |command: &String| {
            self.objections
                .iter()
                .any(|objection| objection.subject == *command)
        };
        let commands = self.outcomes.iter().map(|outcome| outcome.command.clone());
        commands.filter(spoken).collect()
    }

    /// What speaks against it, for a person and for the agent.
    pub(super) fn why(&self) -> String {
        let mut why = "the merged work does not hold:".to_owned();
        for objection in &self.objections {
            let _ = write!(why, "\n{}", objection.reason);
        }
        for gate in self.outcomes.iter().filter(|gate| !gate.passed()) {
            if !gate.tail.trim().is_empty() {
                let _ = write!(why, "\n{} said:\n{}", gate.command, gate.tail);
            }
        }
        why
    }
}
