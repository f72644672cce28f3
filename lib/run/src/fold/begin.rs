//! A run begins, and drivers take it over.

use super::{again, members, steer};
use crate::breaker;
use crate::event::{DriverStarted, RunStarted};
use crate::leased::Leased;
use crate::state::{RunInfo, State, TaskState};
use crate::task::{Status, TaskSpec};

/// What it was begun with.
pub(super) fn run_started(state: &mut State, event: &RunStarted, now: u64) {
    state.configured = event.config.is_some();
    state.config = event.config.clone().unwrap_or_default();
    state.run = Some(RunInfo::begun(event, now));
}

/// A new driver goes on where the last one stopped. After an end, a person has asked for more:
/// what was blocked gets another chance, an open breaker keeps its cool-down.
pub(super) fn driver_started(state: &mut State, event: &DriverStarted) {
    state.epoch = event.epoch;
    state.driver = Some((event.pid, event.pid_start));
    state.session.clone_from(&event.session);
    (state.configured, state.config) = (true, event.config.clone());
    state.rested = state.ended.map(|at| (at, state.iterations));
    (state.interrupted, state.ended) = (None, None);
    // A session that comes back waits for its person; a driver was told to go on.
    state.paused = state.paused.filter(|_| event.session.is_some());
    if let Some(open) = &mut state.open {
        open.resumed = open.outcome.is_some();
    }
    let revived = state.finished.take().is_some();
    relist(state, &event.tasks, revived);
    members::driver_started(state);
    state.leased = Leased::default();
}

/// The tasks as they are listed, each with what is known of it. One that is worked on stays.
pub(super) fn relist(state: &mut State, tasks: &[TaskSpec], revived: bool) {
    let steady = state.steady.0;
    let mut old = std::mem::take(&mut state.tasks);
    for spec in tasks {
        let known = old.iter().position(|task| task.spec.id == spec.id);
        let mut task = known.map_or_else(|| TaskState::new(spec.clone()), |at| old.swap_remove(at));
        task.spec = spec.clone();
        if spec.done {
            task.status = Status::Done;
        } else if revived
            && task.status == Status::Blocked
            && (!spec.ended || task.iterations > 0)
            && task.contest.is_none()
            && task.breaker.at(steady) != breaker::State::Open
        {
            again(&mut task);
        }
        state.tasks.push(task);
    }
    let stays = |task: &TaskState| steer::is_busy(state, &task.spec.id);
    let busy: Vec<_> = old.into_iter().filter(stays).collect();
    state.tasks.extend(busy);
    steer::purge(state);
}
