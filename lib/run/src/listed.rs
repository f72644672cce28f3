//! Where the run's tasks stand in the words of the task list.

use super::state::{State, TaskState};
use super::step::Reason;
use super::task::Status;
use overnight_tasks::Status as Listed;

/// The status of a task in the list; `None` for one that is not the run's to tell of. When nobody
/// works any more, none is being done: what was begun is given up in error where the iterations were
/// used up or the breaker opened, and else is to be done.
pub fn status(state: &State, id: &str) -> Option<Listed> {
    let task = state.task(id)?;
    Some(match task.status {
        // Another run of the list may be at work on it.
        Status::Todo if state.config.leased && !task.reopened => return None,
        Status::Todo => Listed::Todo,
        Status::Doing => match &state.finished {
            None if is_put_aside(state, id) => Listed::Todo,
            None => Listed::Doing,
            Some(Reason::MaxIterations | Reason::BreakerOpen(_)) => Listed::Error,
            Some(_) => Listed::Todo,
        },
        Status::Done => Listed::Done,
        Status::Blocked if in_error(task, state.finished.is_some()) => Listed::Error,
        Status::Blocked => Listed::Blocked,
    })
}

/// Has another task its turn?
fn is_put_aside(state: &State, id: &str) -> bool {
    let open = state.open.as_ref().map(|open| open.task.as_str());
    state.config.turn > 0 && state.config.members == 0 && open.is_some_and(|open| open != id)
}

/// Is a blocked task given up, instead of waiting for a person or for the breaker's next probe?
fn in_error(task: &TaskState, over: bool) -> bool {
    let by_breaker = task.blocked.as_ref().is_some_and(|block| block.by_breaker);
    (task.spec.ended && task.iterations == 0) || (by_breaker && over)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Block;
    use crate::task::TaskSpec;

    fn listed(status: Status, by_breaker: bool, finished: Option<Reason>) -> Option<Listed> {
        let mut task = TaskState::new(TaskSpec::named("a", "A"));
        (task.status, task.iterations) = (status, 1);
        task.blocked = Some(Block {
            by_breaker,
            ..Block::default()
        });
        let state = State {
            tasks: vec![task],
            finished,
            ..State::default()
        };
        super::status(&state, "a")
    }

    #[test]
    fn nothing_is_being_done_when_nobody_works() {
        let doing = |end| listed(Status::Doing, false, end);
        assert_eq!(doing(None), Some(Listed::Doing));
        assert_eq!(doing(Some(Reason::MaxIterations)), Some(Listed::Error));
        assert_eq!(doing(Some(Reason::Stopped)), Some(Listed::Todo));
        assert_eq!(doing(Some(Reason::BudgetSpent)), Some(Listed::Todo));
    }

    #[test]
    fn what_the_breaker_stopped_is_in_error_at_the_end_and_a_persons_matter_is_blocked() {
        let open = || Some(Reason::BreakerOpen(String::new()));
        assert_eq!(listed(Status::Blocked, true, None), Some(Listed::Blocked));
        assert_eq!(listed(Status::Blocked, true, open()), Some(Listed::Error));
        assert_eq!(
            listed(Status::Blocked, false, open()),
            Some(Listed::Blocked)
        );
        assert_eq!(listed(Status::Todo, false, open()), Some(Listed::Todo));
    }

    #[test]
    fn a_task_that_ended_in_error_is_not_begun_by_itself() {
        let mut spec = TaskSpec::named("a", "A");
        spec.ended = true;
        let task = TaskState::new(spec);
        assert_eq!(task.status, Status::Blocked);
        let state = State {
            tasks: vec![task],
            ..State::default()
        };
        assert_eq!(status(&state, "a"), Some(Listed::Error));
    }
}
