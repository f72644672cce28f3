//! One run in figures.

use crate::journal::Record;
use crate::run::event::Event;
use crate::run::state::TaskState;
use crate::run::step::WaitCause;
use crate::run::task::Status;
use crate::run::{Reason, State, apply};
use crate::status::{Life, life};

/// How a completed run ended.
const COMPLETED: &str = "completed";

/// One run. Times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Unix time of its start.
    pub started_ms: u64,
    /// How it ended; none while it is under way.
    pub end: Option<&'static str>,
    /// Iterations judged.
    pub iterations: u32,
    /// The cause of each block.
    pub blocks: Vec<&'static str>,
    /// From the start to the first block.
    pub first_block_ms: Option<u64>,
    /// Agents at work.
    pub working_ms: u64,
    /// Waits, the usage limit left out.
    pub waiting_ms: u64,
    /// Waits for the usage limit.
    pub limited_ms: u64,
    /// Tool calls that were refused.
    pub refused: u64,
    /// Tasks that it finished.
    pub tasks_done: usize,
    /// Dollars spent.
    pub cost_usd: f64,
}

impl Run {
    /// From a journal, and from whether the driver's process lives.
    pub fn of(records: &[Record], alive: bool, now: u64) -> Self {
        let mut run = Self {
            started_ms: records.first().map_or(now, |record| record.stamp.t),
            ..Self::default()
        };
        let mut state = State::default();
        for record in records {
            run.count(&state, record);
            let blocked = state.count(Status::Blocked);
            apply(&mut state, record);
            if state.count(Status::Blocked) > blocked {
                let past = record.stamp.t.saturating_sub(run.started_ms);
                run.first_block_ms.get_or_insert(past);
                let task = state.history.last().and_then(|last| state.task(&last.task));
                run.blocks.push(task.map_or("unknown", cause));
            }
        }
        let done = state.history.iter().filter(|one| one.verdict.complete());
        run.tasks_done = done.count();
        run.iterations = state.iterations;
        run.cost_usd = state.spent_usd;
        run.end = end(&state, life(&state, alive, now));
        run
    }

    pub(super) fn completed(&self) -> bool {
        self.end == Some(COMPLETED)
    }

    /// The time from the last record to this one, by what the run did meanwhile.
    fn count(&mut self, before: &State, record: &Record) {
        let past = record.stamp.t.saturating_sub(before.updated);
        let at_work = before
            .open
            .as_ref()
            .is_some_and(|open| open.outcome.is_none());
        // While nobody drove the run, it neither worked nor waited.
        let driven = !matches!(record.event, Event::DriverStarted(_));
        match before
            .waiting
            .filter(|_| before.finished.is_none() && driven)
        {
            Some((_, WaitCause::UsageLimit)) => self.limited_ms += past,
            Some(_) => self.waiting_ms += past,
            None if at_work && driven => self.working_ms += past,
            None => {}
        }
        if let Event::Outcome(outcome) = &record.event {
            self.refused += u64::from(outcome.denials);
        }
    }
}

fn cause(task: &TaskState) -> &'static str {
    match &task.blocked {
        Some(block) if block.by_breaker => "circuit breaker",
        Some(_) if !task.unreadable.is_empty() => "unreadable decisions",
        _ => "failures in a row",
    }
}

fn end(state: &State, life: Life) -> Option<&'static str> {
    Some(match (&state.finished, life) {
        (Some(Reason::AllDone), _) => COMPLETED,
        (Some(Reason::MaxIterations), _) => "max_iterations",
        (Some(Reason::Blocked(_)), _) => "blocked",
        (Some(Reason::BreakerOpen(_)), _) => "breaker_open",
        (Some(Reason::BudgetSpent), _) => "budget_spent",
        (Some(Reason::MaxDuration), _) => "max_duration",
        (Some(Reason::UsageLimit(_)), _) => "usage_limit",
        (Some(Reason::NeedsPerson(_)), _) => "needs_person",
        (Some(Reason::SessionEnded), _) => "session_ended",
        (Some(Reason::Interrupted(_)), _) | (None, Life::Interrupted) => "interrupted",
        (None, Life::Running | Life::Waiting) => return None,
        (None, _) => "crashed",
    })
}
