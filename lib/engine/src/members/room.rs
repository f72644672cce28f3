//! The clean tree in which candidates are proved.

use super::include;
use crate::cell::Cells;
use crate::gates;
use crate::git;
use crate::state::Place;
use crate::submodules;
use crate::trees;
use overnight_base::fault::Fault;
use overnight_judge::GateOutcome;
use overnight_judge::gates::{Baseline, Objection, objections};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Its name among the run's work trees.
const NAME: &str = "proof";

/// What is needed to prove a commit.
#[derive(Debug, Clone)]
pub(super) struct Room {
    /// The cells that gates run in.
    pub(super) cells: Option<Arc<Cells>>,
    pub(super) place: Place,
    /// Where the run's work trees are.
    pub(super) folder: PathBuf,
    /// Every command whose scripts are pinned.
    pub(super) pinned: Vec<String>,
    pub(super) baseline: Baseline,
    pub(super) limit: Duration,
}

/// What the gates said of a commit.
#[derive(Debug, Clone, Default)]
pub(super) struct Proof {
    pub(super) outcomes: Vec<GateOutcome>,
    objections: Vec<Objection>,
}

impl Room {
    /// Runs gates on a commit, in a tree that holds nothing else.
    pub(super) fn prove(&self, commit: &str, commands: &[String]) -> Result<Proof, Fault> {
        let tree = self.clean(commit)?;
        let outcomes = gates::run_all_guarded(
            gates::Room::place(&tree).within(self.cells.as_deref()),
            commands,
            self.limit,
            &BTreeMap::new(),
        );
        Ok(self.judged(&tree, commands, outcomes))
    }

    /// Runs once more what was red: a gate that passes now was a flake.
    pub(super) fn again(
        &self,
        commit: &str,
        commands: &[String],
        first: Proof,
    ) -> Result<Proof, Fault> {
        let tree = self.clean(commit)?;
        let red: Vec<String> = first.red();
        let second = gates::run_all_guarded(
            gates::Room::place(&tree).within(self.cells.as_deref()),
            &red,
            self.limit,
            &BTreeMap::new(),
        );
        let newer = |outcome: GateOutcome| {
            let again = second.iter().find(|again| again.command == outcome.command);
            again.cloned().unwrap_or(outcome)
        };
        let outcomes = first.outcomes.into_iter().map(newer).collect();
        Ok(self.judged(&tree, commands, outcomes))
    }

    fn judged(&self, tree: &Path, commands: &[String], outcomes: Vec<GateOutcome>) -> Proof {
        let pins = gates::pins(tree, &self.pinned);
        let objections = objections(commands, &outcomes, &self.baseline, &pins);
        Proof {
            outcomes,
            objections,
        }
    }

    /// The tree at a commit, without anything that an earlier gate left, ignored files included.
    fn clean(&self, commit: &str) -> Result<PathBuf, Fault> {
        let tree = {
            let _lock = trees::lock(&self.place)?;
            trees::ensure(&self.place, (&self.folder, NAME), commit)?
        };
        trees::unlock(&tree)?;
        git::read(
            &tree,
            &["checkout", "--quiet", "--force", "--detach", commit],
        )?;
        git::read(&tree, &["clean", "--quiet", "-ffdx"])?;
        include::provide(&self.place.top, &tree)?;
        submodules::provide(&self.place.home, &tree)?;
        Ok(tree)
    }

    /// Removes the tree; the next run makes its own.
    pub(super) fn remove(place: &Place, folder: &Path) {
        let tree = folder.join(NAME);
        let _ = git::run(
            &place.top,
            &[
                "worktree",
                "remove",
                "--force",
                "--force",
                &tree.to_string_lossy(),
            ],
        );
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
