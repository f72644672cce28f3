//! The merge queue of the line: what waits, what is tried next, what an answer means.
//!
//! A finished branch is an [`Entry`]. Its way: queued → candidate → proving → landed, or back to
//! the queue because the line moved, or to an agent because of a conflict or a red gate, or blocked.
//! Nothing here touches a repository: the host makes candidates, proves them and moves the line,
//! and what came of each is one [`MergeAnswer`] that comes back through the fold.

pub mod markers;
pub mod paths;
pub mod proof;
pub mod structure;
#[cfg(test)]
mod tests;
pub mod tool;

use std::collections::{BTreeMap, BTreeSet};

/// Times that a task may go to an agent because it conflicts, and times because a gate is red.
pub const REPAIRS_MAX: u32 = 3;
/// Faults of the world (git, the disk, a remote) in a row before a task is blocked.
pub const WORLD_MAX: u32 = 5;
/// Candidates that are proved together at most. Halving 64 takes six proofs.
const BATCH_MAX: usize = 64;

/// The queue's part of a run's state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Queue {
    /// Finished branches, in the order in which their members ended.
    pub entries: Vec<Entry>,
    /// The tasks whose candidates are being made and proved now, in their order.
    pub batch: Vec<String>,
    /// What each task has used up.
    pub chances: BTreeMap<String, Chances>,
    /// Tasks that go back to an agent, the oldest first: each reserves its paths.
    pub repairs: Vec<Repair>,
    /// Where the line stood when it was seen last.
    pub line: Option<String>,
    /// The commit of the line on which every gate of what is done has passed at the end.
    pub proved: Option<String>,
    /// Merges that the line refuted later: what they say of their task counts no more.
    pub refuted: BTreeSet<String>,
}

/// A branch that is done by itself and waits to be part of the line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The task.
    pub task: String,
    /// Its branch.
    pub branch: String,
    /// The commit that is merged, whatever becomes of the branch meanwhile; `None` in journals that
    /// did not record it: then the branch is asked.
    pub tip: Option<String>,
    /// The token that its lease had.
    pub token: u64,
    /// What its agent said last.
    pub said: String,
    /// The paths that it changes; `None` where they were too many to record.
    pub changed: Option<Vec<String>>,
    /// Not to be tried before this Unix time in milliseconds.
    pub again: u64,
    /// Which part of a batch that was red together: a digit for each time that it was halved.
    pub half: String,
}

/// What a task has used up on its way to the line. That the line moved uses up nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chances {
    /// Conflicts that went to an agent.
    pub conflict: u32,
    /// Red gates that went to an agent.
    pub red: u32,
    /// Faults of the world since the last answer that was none.
    pub world: u32,
    /// Times that the line refuted it after it had landed.
    pub reopened: u32,
}

/// A task that an agent puts right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Repair {
    /// The task.
    pub task: String,
    /// What is to be put right, for a person and for the agent.
    pub why: String,
    /// Paths that no other candidate may change meanwhile, so that one repair is enough.
    pub paths: Vec<String>,
    /// The work that could not be merged as it was.
    pub tip: Option<String>,
}

impl Queue {
    /// The tasks to try next, in the order in which their candidates are chained; empty when a
    /// batch is under way or nothing is due.
    /// `released`: nobody puts anything right any more, so that nothing is waited for.
    pub fn due(&self, now: u64, released: bool) -> Vec<String> {
        if !self.batch.is_empty() {
            return Vec::new();
        }
        let due =
            |entry: &&Entry| entry.again <= now && (released || self.holder(entry, now).is_none());
        let ready: Vec<&Entry> = self.entries.iter().filter(due).collect();
        // What was red together is taken apart before anything new is tried with it.
        let halves = ready.iter().map(|entry| entry.half.as_str());
        let half = halves.filter(|half| !half.is_empty()).min().unwrap_or("");
        let chosen = ready.iter().filter(|entry| entry.half == half);
        chosen
            .take(BATCH_MAX)
            .map(|entry| entry.task.clone())
            .collect()
    }

    /// The repair that an entry has to wait for: an older one than its own that reserves one of
    /// its paths. One that waits for another's lease reserves nothing meanwhile: that other one may
    /// wait for this entry's.
    pub fn holder(&self, entry: &Entry, now: u64) -> Option<&Repair> {
        let older = self
            .repairs
            .iter()
            .take_while(|repair| repair.task != entry.task);
        let mut reserving = older.filter(|repair| {
            repair.reserves(entry.changed.as_deref()) && !self.is_put_off(&repair.task, now)
        });
        reserving.next()
    }

    /// Does its merge wait for what another driver does? A fault of the world counts as a chance.
    fn is_put_off(&self, task: &str, now: u64) -> bool {
        let waits = |entry: &Entry| entry.task == task && entry.again > now;
        let faults = self.chances.get(task).map_or(0, |chances| chances.world);
        faults == 0 && self.entries.iter().any(waits)
    }

    /// Is the task waiting for its branch to be merged?
    pub fn has(&self, task: &str) -> bool {
        self.entries.iter().any(|entry| entry.task == task)
    }

    /// Does it go back to an agent?
    pub fn repair(&self, task: &str) -> Option<&Repair> {
        self.repairs.iter().find(|repair| repair.task == task)
    }

    /// When the next entry that waits for time is due.
    pub fn next_at(&self, now: u64) -> Option<u64> {
        let waits = self
            .entries
            .iter()
            .filter(|entry| self.holder(entry, now).is_none());
        waits.map(|entry| entry.again).min()
    }
}

impl Repair {
    fn reserves(&self, changed: Option<&[String]>) -> bool {
        match changed {
            Some(changed) => self.paths.iter().any(|path| changed.contains(path)),
            None => !self.paths.is_empty(),
        }
    }
}

/// The two halves of a batch that is red together: a digit for each of its tasks.
pub fn halves(count: usize) -> impl Iterator<Item = char> {
    let lower = count.div_ceil(2);
    (0..count).map(move |at| if at < lower { '0' } else { '1' })
}
