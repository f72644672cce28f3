//! A run's state as its progress files show it.

use super::state::{State, TaskState};
use super::step::Reason;
use super::task::{SINGLE, Status};
use crate::progress::{Phase, Snapshot, Standing, TaskLine};
use jiff::Timestamp;

/// What people read about this run now.
pub fn snapshot(state: &State) -> Snapshot {
    let running = state
        .open
        .as_ref()
        .map_or(state.iterations, |open| open.iteration);
    Snapshot {
        phase: Phase::Implementation,
        iteration: (running, state.config.max_iterations),
        result: state.finished.as_ref().map(sentence),
        tasks: state.tasks.iter().map(|task| line(state, task)).collect(),
    }
}

fn line(state: &State, task: &TaskState) -> TaskLine {
    let first = |text: &str| {
        text.lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .map(|line| line.trim_start_matches('#').trim().to_owned())
    };
    let goal = state.run.as_ref().and_then(|run| first(&run.goal));
    let title = if task.spec.id == SINGLE {
        goal.unwrap_or_else(|| SINGLE.to_owned())
    } else {
        let objective = first(&task.spec.objective).unwrap_or_default();
        format!("{}: {objective}", task.spec.id)
    };
    let standing = match (task.status, &task.blocked) {
        (Status::Todo, _) => Standing::Next,
        (Status::Doing, _) => Standing::Doing,
        (Status::Done, _) => Standing::Done,
        (Status::Blocked, block) => {
            let tried = state
                .last_on(&task.spec.id)
                .and_then(|last| last.verdict.reasons.first());
            let reason = block
                .as_ref()
                .map(|block| block.reason.clone())
                .unwrap_or_default();
            Standing::Blocked(
                tried.map_or(reason.clone(), |tried| format!("{reason}; last: {tried}")),
            )
        }
    };
    TaskLine { title, standing }
}

/// Why a run ended, in one line for a person.
pub fn sentence(reason: &Reason) -> String {
    match reason {
        Reason::AllDone => "completed: every task is proved done".to_owned(),
        Reason::MaxIterations => "stopped: the iterations are used up".to_owned(),
        Reason::Blocked(why) => format!("blocked: {why}"),
        Reason::BreakerOpen(why) => format!("stopped by the circuit breaker: {why}"),
        Reason::BudgetSpent => "stopped: the budget is spent".to_owned(),
        Reason::MaxDuration => "stopped: the longest time of the run passed".to_owned(),
        Reason::UsageLimit(Some(reset)) => {
            let reset = Timestamp::from_second(*reset).unwrap_or(Timestamp::MAX);
            let when = reset.strftime("%Y-%m-%d %H:%M UTC");
            format!("stopped at the usage limit, which resets at {when}")
        }
        Reason::UsageLimit(None) => "stopped at the usage limit".to_owned(),
        Reason::NeedsPerson(what) => format!("needs you: {what}"),
        Reason::Interrupted(signal) => format!("interrupted by signal {signal}"),
        Reason::SessionEnded => "stopped: its session ended".to_owned(),
    }
}
