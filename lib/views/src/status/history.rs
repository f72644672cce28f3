//! What came before: the last iterations, and the work that is on its way into the line.

use super::short;
use crate::summary::came_to;
use overnight_run::State;
use serde::Serialize;

/// Iterations that a status tells of.
const HISTORY: usize = 5;

/// An iteration that was judged; with members, what one of them came to on a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Past {
    /// Its number.
    pub iteration: u32,
    /// Its task.
    pub task: String,
    /// Was it judged complete?
    pub complete: bool,
    /// What it came to: its summary, the verdict's first reason, or the agent's words.
    pub reason: String,
    /// Unix time in milliseconds of its judgement.
    pub ended_ms: u64,
    /// Dollars.
    pub cost_usd: f64,
}

/// Finished work on its way into the line of a run with members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Merges {
    /// The tasks whose branches are being merged.
    pub merging: Option<String>,
    /// Tasks that wait for their merge.
    pub waiting: Vec<String>,
}

/// The last iterations, oldest first.
pub(super) fn past(state: &State) -> Vec<Past> {
    let from = state.history.len().saturating_sub(HISTORY);
    let past = state.history[from..].iter().map(|past| Past {
        iteration: past.number,
        task: short(&past.task),
        complete: past.verdict.complete(),
        reason: short(&came_to(&past.verdict, &past.said)),
        ended_ms: past.ended,
        cost_usd: past.cost_usd,
    });
    past.collect()
}

/// What is merged and what waits for it.
pub(super) fn merges(state: &State) -> Merges {
    let queue = &state.members.queue;
    let waiting = queue.entries.iter().map(|entry| &entry.task);
    Merges {
        waiting: waiting
            .filter(|task| !queue.batch.contains(task))
            .cloned()
            .collect(),
        merging: (!queue.batch.is_empty()).then(|| queue.batch.join(", ")),
    }
}
