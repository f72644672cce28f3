//! Merging one finished branch into the line, with the gates.

use super::line::{Line, Moved};
use super::tree;
use crate::clock;
use crate::gates;
use crate::git;
use crate::leases::{Acquired, Leases};
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::judge::GateOutcome;
use overnight_core::judge::gates::{Baseline, objections};
use overnight_core::run::members::again_at;
use overnight_core::run::members::event::MergeAnswer;
use overnight_core::run::members::line::message;
use overnight_core::run::task::TaskSpec;
use overnight_core::tasks::TaskId;
use overnight_core::text::one_line;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// How often another driver may be faster before others of our tasks get their turn.
const RACES_MAX: u32 = 5;
/// Conflicting files that are named.
const FILES_MAX: usize = 50;

/// One merge, with everything it needs.
pub(super) struct Merge {
    pub(super) line: Line,
    pub(super) leases: Leases,
    pub(super) run: String,
    pub(super) spec: TaskSpec,
    pub(super) branch: String,
    pub(super) token: u64,
    /// The commands that must hold on the merged tree.
    pub(super) gates: Vec<String>,
    /// Every command whose scripts are pinned.
    pub(super) pinned: Vec<String>,
    pub(super) baseline: Baseline,
    pub(super) limit: Duration,
    pub(super) ttl_s: u64,
}

/// What a merge came to, and what a person should know beside it.
pub(super) struct Outcome {
    pub(super) answer: MergeAnswer,
    pub(super) notes: Vec<String>,
}

/// What one try came to.
enum Try {
    Answer(MergeAnswer),
    Raced,
}

impl Merge {
    /// Runs to an answer; a fault of the world is one: try later.
    pub(super) fn run(mut self) -> Outcome {
        let mut notes = Vec::new();
        let answer = match self.tries(&mut notes) {
            Ok(answer) => answer,
            Err(fault) if fault.code == Code::InputPath => {
                MergeAnswer::InTheWay { why: fault.reason }
            }
            Err(fault) => later(&fault.to_string()),
        };
        Outcome { answer, notes }
    }

    fn tries(&mut self, notes: &mut Vec<String>) -> Result<MergeAnswer, Fault> {
        let task = TaskId::parse(&self.spec.id)
            .map_err(|reason| Fault::new(Code::InputInvalid, reason))?;
        if self.leases.check(&task, self.token)?.is_none() {
            match self.leases.acquire(&task, self.ttl_s)? {
                Acquired::Granted(grant) => self.token = grant.record.token,
                Acquired::Held(holder) => return Ok(later(&format!("{} holds it", holder.agent))),
            }
        }
        for _ in 0..RACES_MAX {
            if let Try::Answer(answer) = self.once(&task, notes)? {
                // The task is done, or goes back to an agent under the same lease.
                if matches!(answer, MergeAnswer::Merged { .. }) {
                    let released = self.leases.release(&task, self.token);
                    notes.extend(released.err().map(|fault| fault.to_string()));
                }
                return Ok(answer);
            }
        }
        Ok(later("others merge faster"))
    }

    fn once(&self, task: &TaskId, notes: &mut Vec<String>) -> Result<Try, Fault> {
        let (base, note) = self.line.sync(&self.leases)?;
        notes.extend(note);
        if let Some((_, commit)) = self.line.done(&base, std::iter::once(&self.spec))?.pop() {
            // Merged before, and the driver died before it wrote that down.
            return Ok(Try::Answer(MergeAnswer::Merged {
                commit,
                gates: Vec::new(),
            }));
        }
        if let Some(conflict) = self.merge(&base)? {
            return Ok(Try::Answer(MergeAnswer::Refused { why: conflict }));
        }
        let (gates, refusal) = self.prove();
        if let Some(why) = refusal {
            return Ok(Try::Answer(MergeAnswer::Refused { why }));
        }
        let commit = git::read(&self.line.tree, &["rev-parse", "--verify", "HEAD"])?;
        let (moved, note) = self
            .line
            .publish(&self.leases, (task, self.token), &commit)?;
        notes.extend(note);
        Ok(match moved {
            Moved::Done => Try::Answer(MergeAnswer::Merged { commit, gates }),
            Moved::Raced => Try::Raced,
            Moved::Lost => Try::Answer(later("its lease was lost")),
        })
    }

    /// Makes the merge commit in the merge work tree; what conflicts, if anything does.
    fn merge(&self, base: &str) -> Result<Option<String>, Fault> {
        let tree = &self.line.tree;
        self.line.clean_tree(base)?;
        let message = message(&self.spec, &self.run, self.token);
        let branch = format!("refs/heads/{}", self.branch);
        if tree::holds(tree, base, &branch)? {
            // Nothing to bring in: the mark alone says that the task is done.
            tree::commit(tree, &[&format!("--message={message}")])?;
            return Ok(None);
        }
        let mut merge = tree::named(tree)?;
        merge.args([
            "merge",
            "--quiet",
            "--no-ff",
            "--no-verify",
            "-m",
            &message,
            &branch,
        ]);
        let merged = git::output(&mut merge, &[])?;
        if merged.ok() {
            return Ok(None);
        }
        let listed = git::read(tree, &["diff", "--name-only", "--diff-filter=U", "-z"])?;
        let files: Vec<&str> = listed.split('\0').filter(|file| !file.is_empty()).collect();
        if files.is_empty() {
            let reason = format!("git merge: {}", one_line(&merged.stderr, 300));
            return Err(Fault::new(Code::GitFailed, reason));
        }
        let _ = git::run(tree, &["merge", "--abort"]);
        let mut why = format!("conflicts with merged work in {} file(s):", files.len());
        for file in files.iter().take(FILES_MAX) {
            let _ = write!(why, "\n{}", one_line(file, 200));
        }
        Ok(Some(why))
    }

    /// Runs the gates on the merged tree; what they object to, if anything.
    fn prove(&self) -> (Vec<GateOutcome>, Option<String>) {
        let tree = &self.line.tree;
        let outcomes = gates::run_all_guarded(tree, &self.gates, self.limit, &BTreeMap::new());
        let pins = gates::pins(tree, &self.pinned);
        let objections = objections(&self.gates, &outcomes, &self.baseline, &pins);
        if objections.is_empty() {
            return (outcomes, None);
        }
        let mut why = "the merged work does not hold:".to_owned();
        for objection in &objections {
            let _ = write!(why, "\n{}", objection.reason);
        }
        for gate in outcomes.iter().filter(|gate| !gate.passed()) {
            let _ = write!(why, "\n{} said:\n{}", gate.command, gate.tail);
        }
        (outcomes, Some(why))
    }
}

fn later(why: &str) -> MergeAnswer {
    MergeAnswer::Later {
        why: why.to_owned(),
        until: again_at(0, clock::wall_ms()),
    }
}
