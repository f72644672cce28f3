//! What becomes of the leases of a run's tasks.

use crate::leased::{Answer, LeaseLost, Taken};
use crate::members::Asked;
use crate::state::{State, TaskState};
use crate::task::Status;

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
    let begun = |task: &&mut TaskState| task.status == Status::Doing;
    if let Some(task) = task_mut(state, task).filter(begun) {
        task.status = Status::Todo;
    }
}

fn drop_open(state: &mut State, task: &str) {
    state.open = state.open.take().filter(|open| open.task != task);
}

fn task_mut<'a>(state: &'a mut State, id: &str) -> Option<&'a mut TaskState> {
    state.tasks.iter_mut().find(|task| task.spec.id == id)
}
