//! Members: several agents at work on one run, each on a task of its own in a work tree of its own.
//!
//! The run's journal holds what its driver decides: who gets which task, which finished branch is
//! merged next, when to look what other drivers did. What a member does is a run of its own with
//! one task, in a journal of its own. [`next`] decides from the run's state alone; the answers of
//! the world (a lease is held, a merge conflicts) are recorded as events and come back through the
//! fold, so that a replay needs nothing else.

pub mod event;
pub mod line;
#[cfg(test)]
mod tests;

use super::budget::{Amount, Limits};
use super::queue::Queue;
pub use super::step::Members as Step;
use super::step::Reason;
use std::collections::BTreeMap;

/// The word for "this repository alone" where a remote is named.
pub const NO_REMOTE: &str = "none";
/// Iterations at most that a member gives one task (ADR-004: 15).
pub const ITERATIONS_MAX: u32 = 15;

/// What the driver knows of its members: part of the run's state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Members {
    /// Who works on what now.
    pub at_work: Vec<Assignment>,
    /// What each member did last, by its number.
    pub last: BTreeMap<u32, Last>,
    /// Finished branches on their way to the line.
    pub queue: Queue,
    /// Tasks that could not be had: when to ask again.
    pub asked: BTreeMap<String, Asked>,
    /// When the work tree of a member could not be had, in Unix milliseconds.
    pub treeless: BTreeMap<u32, u64>,
    /// How often each task went back to an agent.
    pub rounds: BTreeMap<String, u32>,
    /// How often a member was lost on a task.
    pub lost: BTreeMap<String, u32>,
    /// What each member's journal came to when it was last read, by its name.
    pub accounts: BTreeMap<String, Account>,
    /// What was merged, oldest first: by this driver, or seen of others.
    pub merged: Vec<Merged>,
    /// Tasks of this list that another driver is known to have done, with its run as the line tells it.
    pub elsewhere: BTreeMap<String, String>,
    /// When the driver last looked what others merged, and how often in a row without news.
    pub look: (u64, u32),
    /// Why nothing more is handed out, though there may be work left.
    pub ending: Option<Reason>,
    /// Since when the remote has not answered, in Unix milliseconds.
    pub silent_since: Option<u64>,
}

/// A member at work on a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The member's number, from 1.
    pub member: u32,
    /// The task.
    pub task: String,
    /// 0 for the task itself, n for the nth rework.
    pub round: u32,
    /// The lease's fencing token.
    pub token: u64,
    /// The branch that it works on.
    pub branch: String,
    /// Its work tree.
    pub work_tree: String,
    /// The commit that the branch stood on at its start.
    pub base: String,
    /// What it may spend.
    pub share: Limits,
    /// Unix time in milliseconds at which it got the task.
    pub started: u64,
}

/// What a member did last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    /// The task.
    pub task: String,
    /// 0 for the task itself, n for the nth rework.
    pub round: u32,
    /// How it ended.
    pub end: event::End,
    /// Unix time in milliseconds of its end.
    pub ended: u64,
}

/// A task that was asked for in vain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Who holds it, or why it could not be asked for.
    pub why: String,
    /// Does another agent hold it?
    pub held: bool,
    /// How often in a row.
    pub times: u32,
    /// Ask again at this Unix time in milliseconds.
    pub until: u64,
}

/// What a member's journal came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Account {
    /// What it spent.
    pub spent: Amount,
    /// Iterations judged.
    pub iterations: u32,
}

/// A task whose work is in the run's branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The task.
    pub task: String,
    /// The merge.
    pub commit: String,
    /// What its agent said last; empty when another driver merged it.
    pub said: String,
    /// How what conflicted was merged without a model; empty where nothing did.
    pub way: String,
}

/// The name of a member's journal folder: the task, and which rework it is. A task id has no `~`.
pub fn name(task: &str, round: u32) -> String {
    match round {
        0 => task.to_owned(),
        round => format!("{task}~{round}"),
    }
}

/// When to ask again after so many answers in vain: 2 s doubled each time, at most 30 s.
pub fn again_at(times: u32, now: u64) -> u64 {
    const FIRST_MS: u64 = 2_000;
    const MAX_MS: u64 = 30_000;
    let pause = FIRST_MS << times.min(8);
    now.saturating_add(pause.min(MAX_MS))
}
