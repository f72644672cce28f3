//! What must come before an attempt on a task that other agents may work on too.

use crate::Config;
use crate::rule::{Decision, Rule};
use crate::state::State;
use crate::step::{Step, WaitCause};
use crate::task::Status;

/// What must come before an attempt on this task: its lease. `None` when the attempt may begin.
pub(super) fn before(state: &State, config: &Config, task: &str, now: u64) -> Option<Decision> {
    if !config.leased || state.leased.had.contains_key(task) {
        return None;
    }
    if state.leased.is_elsewhere(task, now) {
        return wait(state, now);
    }
    let task = task.to_owned();
    Some((Rule::Take, Step::Take { task }))
}

/// Waits until a task that others have may be asked for again; `None` when there is none.
pub(super) fn wait(state: &State, now: u64) -> Option<Decision> {
    let open = |id: &str| {
        let task = state.task(id);
        task.is_some_and(|task| matches!(task.status, Status::Todo | Status::Doing))
    };
    let asked = state.leased.asked.iter();
    let asked = asked.filter(|(id, asked)| asked.until > now && open(id));
    let until = asked.map(|(_, asked)| asked.until).min()?;
    let cause = WaitCause::Elsewhere;
    Some((Rule::Elsewhere, Step::Wait { until, cause }))
}
