//! Figures over several runs, each from its journal.

mod run;
mod spread;
mod text;

use overnight_filter::stats::Stats as Filter;
use overnight_guard::tally::Tally;
use overnight_run::budget::to_micros;
use serde::Serialize;
use spread::Spread;
use std::collections::BTreeMap;

pub use run::{Mention, Reading, Run};
pub use text::text;

/// Below this many ended runs a rate says nothing.
const RUNS_MIN: usize = 5;

/// Figures over runs. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stats {
    /// Runs begun in the time asked for.
    pub runs: usize,
    /// Those that have ended, crashes included.
    pub ended: usize,
    /// Those of them whose every task is proved done.
    pub completed: usize,
    /// Are there fewer than five ended runs?
    pub too_few: bool,
    /// Completed of ended, from 0 to 1; none when there are too few.
    pub success_rate: Option<f64>,
    /// How often each way to end came.
    pub ends: BTreeMap<&'static str, usize>,
    /// Iterations of an ended run.
    pub iterations: Option<Spread>,
    /// Blocked tasks by cause.
    pub blocks: BTreeMap<&'static str, usize>,
    /// From a run's start to its first block.
    pub first_block_ms: Option<Spread>,
    /// Agents at work.
    pub working_ms: u64,
    /// The same for each iteration, in the mean.
    pub iteration_ms: Option<u64>,
    /// Waits for the service, the call rate and the interval.
    pub waiting_ms: u64,
    /// Waits for the usage limit.
    pub limited_ms: u64,
    /// Tool calls that were refused, by what the client said of its agents.
    pub refused: u64,
    /// What the guard decided about the agents' tool calls.
    pub guard: Tally,
    /// Tasks of the runs in all.
    pub tasks_total: usize,
    /// Those that are done, by these runs or before.
    pub tasks_all_done: usize,
    /// Tasks that the runs finished.
    pub tasks_done: usize,
    /// Dollars spent.
    pub cost_usd: f64,
    /// Is a part of them reckoned from tokens?
    pub estimated: bool,
    /// What waits for a person, by run.
    pub needs: Vec<Mention>,
    /// The message of each task that a gate refutes, by run.
    pub refuted: Vec<Mention>,
    /// Tasks that the runs finished and gates show.
    pub tasks_proved: usize,
    /// Dollars for each proved task.
    pub cost_per_proved_task_usd: Option<f64>,
    /// Dollars for each finished task.
    pub cost_per_task_usd: Option<f64>,
    /// What the output filter saved in this project, ever.
    pub filter: Filter,
    /// The same in tokens (bytes / 4).
    pub filter_tokens_saved: u64,
}

/// Adds up.
pub fn of(runs: &[Run], filter: Filter) -> Stats {
    let ended: Vec<&Run> = runs.iter().filter(|run| run.end.is_some()).collect();
    let completed = ended.iter().filter(|run| run.completed()).count();
    let (tasks_done, tasks_proved, cost_usd) = (
        runs.iter().map(|run| run.tasks_done).sum(),
        runs.iter().map(|run| run.tasks_proved).sum(),
        to_micros(runs.iter().map(|run| run.cost_usd).sum()),
    );
    let each = |tasks: usize| (tasks > 0).then(|| to_micros(cost_usd * ratio(1, tasks)));
    let too_few = ended.len() < RUNS_MIN;
    let sum = |of: fn(&Run) -> u64| runs.iter().map(of).fold(0, u64::saturating_add);
    Stats {
        runs: runs.len(),
        ended: ended.len(),
        completed,
        too_few,
        success_rate: (!too_few).then(|| ratio(completed, ended.len())),
        ends: counted(ended.iter().filter_map(|run| run.end)),
        iterations: Spread::of(ended.iter().map(|run| u64::from(run.iterations)).collect()),
        blocks: counted(runs.iter().flat_map(|run| run.blocks.iter().copied())),
        first_block_ms: Spread::of(runs.iter().filter_map(|run| run.first_block_ms).collect()),
        working_ms: sum(|run| run.working_ms),
        iteration_ms: sum(|run| run.working_ms).checked_div(sum(|run| u64::from(run.iterations))),
        waiting_ms: sum(|run| run.waiting_ms),
        limited_ms: sum(|run| run.limited_ms),
        refused: sum(|run| run.refused),
        guard: runs
            .iter()
            .fold(Tally::default(), |sum, run| sum.plus(run.guard)),
        tasks_total: runs.iter().map(|run| run.tasks_total).sum(),
        tasks_all_done: runs.iter().map(|run| run.tasks_all_done).sum(),
        tasks_done,
        cost_usd,
        estimated: runs.iter().any(|run| run.estimated),
        needs: runs.iter().flat_map(|run| run.needs.clone()).collect(),
        refuted: runs.iter().flat_map(|run| run.refuted.clone()).collect(),
        tasks_proved,
        cost_per_proved_task_usd: each(tasks_proved),
        cost_per_task_usd: each(tasks_done),
        filter,
        filter_tokens_saved: filter.tokens_saved(),
    }
}

fn counted(names: impl Iterator<Item = &'static str>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

fn ratio(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(part) / number(whole)
}

#[cfg(test)]
mod tests;
