//! A run whose task list other agents of the repository share: each task is taken by lease before
//! an iteration works on it. Members do not come here; their driver holds their leases.

mod event;

pub use event::{Answer, LeaseLost, Taken};

use super::config::Config;
use super::members::Asked;
use super::next::Decision;
use super::rule::Rule;
use super::state::State;
use super::step::{Step, WaitCause};
use super::task::Status;
use std::collections::BTreeMap;

/// What a run knows of the leases of its tasks: part of its state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leased {
    /// Tasks that are ours, with their fencing tokens.
    pub had: BTreeMap<String, u64>,
    /// Tasks that others had when they were asked for, and when to ask again.
    pub asked: BTreeMap<String, Asked>,
}

impl Leased {
    /// Is the task known to be with another agent, so that it is not to be asked for yet?
    pub fn is_elsewhere(&self, task: &str, now: u64) -> bool {
        self.asked.get(task).is_some_and(|asked| asked.until > now)
    }

    /// How many tasks others had when they were asked for last.
    pub fn count_elsewhere(&self) -> u32 {
        u32::try_from(self.asked.len()).unwrap_or(u32::MAX)
    }

    /// How often in a row the task was asked for in vain.
    pub fn times(&self, task: &str) -> u32 {
        self.asked.get(task).map_or(0, |asked| asked.times)
    }
}

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

/// A task was asked for.
pub(super) fn taken(state: &mut State, event: &Taken) {
    match &event.answer {
        Answer::Granted { token } => {
            state.leased.asked.remove(&event.task);
            state.leased.had.insert(event.task.clone(), *token);
        }
        Answer::Done => {
            state.leased.asked.remove(&event.task);
            drop_open(state, &event.task);
            if let Some(task) = task_mut(state, &event.task) {
                task.status = Status::Done;
                task.blocked = None;
            }
        }
        Answer::Held { by, until } => elsewhere(state, &event.task, by, *until),
    }
}

/// A lease was lost.
pub(super) fn lost(state: &mut State, event: &LeaseLost) {
    elsewhere(state, &event.task, &event.by, event.until);
}

/// A task was judged: what is done or blocked is given back.
pub(super) fn judged(state: &mut State, task: &str) {
    let over = state
        .task(task)
        .is_none_or(|task| matches!(task.status, Status::Done | Status::Blocked));
    if over {
        state.leased.had.remove(task);
    }
}

/// The task is another agent's: what was begun on it is theirs to go on with.
fn elsewhere(state: &mut State, task: &str, by: &str, until: u64) {
    let times = state.leased.times(task).saturating_add(1);
    state.leased.had.remove(task);
    let asked = Asked {
        why: by.to_owned(),
        held: true,
        times,
        until,
    };
    state.leased.asked.insert(task.to_owned(), asked);
    drop_open(state, task);
    let begun = |task: &&mut super::state::TaskState| task.status == Status::Doing;
    if let Some(task) = task_mut(state, task).filter(begun) {
        task.status = Status::Todo;
    }
}

fn drop_open(state: &mut State, task: &str) {
    state.open = state.open.take().filter(|open| open.task != task);
}

fn task_mut<'a>(state: &'a mut State, id: &str) -> Option<&'a mut super::state::TaskState> {
    state.tasks.iter_mut().find(|task| task.spec.id == id)
}

#[cfg(test)]
mod tests;
