//! The end of a run: the gates of finished tasks once more, and what broke those that fail.

use super::{Court, globs, run_in_place};
use crate::git;
use globset::GlobSet;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::proof::Dusk;
use overnight_judge::{GateOutcome, Verdict};
use overnight_run::event::{Broke, Closing};
use overnight_run::hunks::Hunk;
use overnight_run::state::Iteration;
use std::collections::BTreeMap;

/// What each gate says of a commit that could not be set up.
fn unprepared(commands: &[String], fault: &Fault) -> Vec<GateOutcome> {
    let outcome = |command: &String| GateOutcome {
        command: command.clone(),
        tail: fault.reason.clone(),
        lines: vec![fault.reason.clone()],
        ..GateOutcome::default()
    };
    commands.iter().map(outcome).collect()
}

impl Court<'_> {
    /// Runs the gates of finished tasks once more on what the run leaves behind.
    pub(crate) fn close(&self, commands: &[String]) -> Closing {
        let room = self.state.dusk.as_ref().filter(|_| self.has_room());
        let held = room.map(|dusk| {
            let commit = self.leftovers()?;
            let outcomes = self
                .prover(dusk, &GlobSet::empty())
                .hold(&commit, commands)?;
            let broke = self.broke(dusk, &commit, &outcomes);
            Ok::<_, Fault>((outcomes, commit, broke))
        });
        let (outcomes, commit, broke) = match held {
            Some(Ok(held)) => held,
            // A commit that cannot be set up passes nothing.
            Some(Err(fault)) if fault.code == Code::SetUpFailed => {
                (unprepared(commands, &fault), String::new(), BTreeMap::new())
            }
            // What cannot be tried in a room is tried in place: the end of a run must say something.
            Some(Err(_)) | None => (
                run_in_place((self.place, self.cells), self.state, commands).0,
                String::new(),
                BTreeMap::new(),
            ),
        };
        Closing {
            outcomes,
            commit,
            broke,
        }
    }

    /// Runs these gates without the next hunk of the change. What cannot be tried ends it: the work stands.
    pub(crate) fn hunk(&self, commands: &[String]) -> Hunk {
        let protect = globs(&self.state.config.protect);
        let tried = || {
            let dusk = self.state.dusk.as_ref().filter(|_| self.has_room())?;
            let (dusk, commit) = self.change(dusk)?;
            let prover = self.prover(&dusk, &protect);
            let judged = self.state.history.iter().map(|past| &past.verdict);
            let ran = judged.filter(|verdict| verdict.complete());
            let ran: Vec<GateOutcome> = ran.flat_map(|verdict| verdict.gates.clone()).collect();
            prover
                .try_hunk(&commit, (commands, &ran), &self.state.hunks.tried)
                .ok()
        };
        tried().unwrap_or_else(|| Hunk {
            of: self.state.hunks.of,
            ..Hunk::default()
        })
    }

    /// What the run changed: since dusk, up to what it leaves behind; with members since the line below the
    /// first merge, up to the line that was proved.
    fn change(&self, dusk: &Dusk) -> Option<(Dusk, String)> {
        let members = &self.state.members;
        let Some(proved) = &members.queue.proved else {
            return Some((dusk.clone(), self.leftovers().ok()?));
        };
        let below = format!("{}^1", members.merged.first()?.commit);
        let commit = git::read(&self.place.top, &["rev-parse", "--verify", &below]).ok()?;
        let dusk = Dusk {
            commit,
            ..dusk.clone()
        };
        Some((dusk, proved.clone()))
    }

    /// By gate that fails at the end, what broke it after it was proved. What cannot be found is left out.
    fn broke(&self, dusk: &Dusk, bad: &str, outcomes: &[GateOutcome]) -> BTreeMap<String, Broke> {
        let history = &self.state.history;
        let of = |gate: &GateOutcome| {
            let shows = |verdict: &Verdict| {
                let mut ran = verdict.gates.iter();
                verdict.complete() && ran.any(|ran| ran.command == gate.command && ran.passed())
            };
            let mut proved = history.iter().rev().map(|past| &past.verdict);
            let good = proved.find(|verdict| shows(verdict))?.commit.clone()?;
            let (commits, first) = self
                .prover(dusk, &GlobSet::empty())
                .broke((&good, bad), &gate.command)
                .ok()?;
            let behind = |past: &&Iteration| {
                let claimed = past.verdict.commit.as_ref();
                claimed.is_some_and(|claimed| commits[first..].contains(claimed))
            };
            let broke = Broke {
                commit: commits.get(first)?.clone(),
                task: history.iter().find(behind).map(|past| past.task.clone()),
            };
            Some((gate.command.clone(), broke))
        };
        let failing = outcomes.iter().filter(|gate| !gate.passed());
        failing.filter_map(of).collect()
    }
}
