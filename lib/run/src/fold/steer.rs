//! What a person said comes into the state.

use super::again;
use crate::state::State;
use crate::steer::{GoalChanged, Instruction, Order, SENT_BACK, SentBack, TAKEN_OUT};

/// Messages that are kept; older ones are in the journal.
const MESSAGES_MAX: usize = 50;

pub(super) fn instruct(state: &mut State, event: &Instruction) {
    let steering = &mut state.steering;
    if !steering.heard.insert(event.id.clone()) {
        return;
    }
    if !event.text.trim().is_empty() {
        steering.messages.push(event.clone());
        let more = steering.messages.len().saturating_sub(MESSAGES_MAX);
        steering.messages.drain(..more);
    }
    if let Some((task, order)) = event.task.clone().zip(event.order) {
        match order {
            Order::First => {
                steering.first.retain(|other| *other != task);
                steering.held.remove(&task);
                steering.first.insert(0, task);
            }
            Order::Hold => {
                steering.held.insert(task);
            }
            Order::Release => {
                steering.held.remove(&task);
            }
            Order::Drop => {
                steering.dropped.insert(task);
            }
        }
    }
    purge(state);
}

/// The comments are the person's words about the task, which begins anew.
pub(super) fn sent_back(state: &mut State, event: &SentBack) {
    let comments = event.comments.join("; ");
    let (id, text) = if event.taken_out {
        let text = "what it did was taken out of the tree again: do it anew";
        (TAKEN_OUT, text.to_owned())
    } else {
        (SENT_BACK, format!("sent back after reading: {comments}"))
    };
    let message = Instruction {
        id: format!("{id}{}-{}", event.task, event.at),
        text,
        task: Some(event.task.clone()),
        order: None,
        now: false,
        at: event.at,
    };
    instruct(state, &message);
    state.closed.clear();
    let mut tasks = state.tasks.iter_mut();
    if let Some(task) = tasks.find(|task| task.spec.id == event.task) {
        task.spec.done = false;
        again(task);
        task.breaker.close();
        promptly(state, &event.task);
    }
}

/// A person has just given what the task waited for: it is next, after what they put first themselves.
pub(super) fn promptly(state: &mut State, id: &str) {
    let first = &mut state.steering.first;
    if !first.iter().any(|other| other == id) {
        first.push(id.to_owned());
    }
}

pub(super) fn goal_changed(state: &mut State, event: &GoalChanged) {
    if let Some(run) = &mut state.run {
        run.goal.clone_from(&event.goal);
    }
}

/// Leaves out dropped tasks, but for those that are worked on or merged just now.
pub(super) fn purge(state: &mut State) {
    let mut tasks = std::mem::take(&mut state.tasks);
    let dropped = |id: &String| state.steering.dropped.contains(id) && !is_busy(state, id);
    tasks.retain(|task| !dropped(&task.spec.id));
    state.tasks = tasks;
}

/// Is this task worked on or merged just now?
pub(super) fn is_busy(state: &State, id: &str) -> bool {
    let mut at_work = state.members.at_work.iter();
    state.open.as_ref().is_some_and(|open| open.task == id)
        || at_work.any(|assignment| assignment.task == id)
        || state.members.queue.has(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::TaskState;
    use crate::task::{Status, TaskSpec};

    fn state() -> State {
        State {
            tasks: ["a", "b", "c"]
                .map(|id| TaskState::new(TaskSpec::named(id, id)))
                .into(),
            ..State::default()
        }
    }

    fn say(state: &mut State, id: &str, task: &str, order: Order) {
        let event = Instruction {
            id: id.to_owned(),
            text: format!("about {task}"),
            task: Some(task.to_owned()),
            order: Some(order),
            now: false,
            at: 1,
        };
        instruct(state, &event);
    }

    fn ready(state: &State) -> Option<&str> {
        state.ready_task(0).map(|task| task.spec.id.as_str())
    }

    #[test]
    fn tasks_are_put_first_held_released_and_dropped() {
        let mut state = state();
        assert_eq!(ready(&state), Some("a"));
        say(&mut state, "1", "c", Order::First);
        assert_eq!(ready(&state), Some("c"));
        say(&mut state, "2", "c", Order::Hold);
        say(&mut state, "3", "a", Order::Drop);
        assert_eq!(ready(&state), Some("b"));
        assert_eq!(state.tasks.len(), 2);
        say(&mut state, "4", "c", Order::Release);
        assert_eq!(ready(&state), Some("c"));
    }

    #[test]
    fn a_task_that_got_its_answer_is_next_before_one_that_is_begun() {
        let mut state = state();
        state.tasks[0].status = Status::Doing;
        super::super::wait_for_person(&mut state.tasks[2], "a key");
        assert_eq!(ready(&state), Some("a"));
        let told = Instruction {
            id: "1".to_owned(),
            text: "the key is set".to_owned(),
            task: Some("c".to_owned()),
            order: None,
            now: false,
            at: 1,
        };
        super::super::instruct(&mut state, &told);
        assert_eq!(ready(&state), Some("c"));
        say(&mut state, "2", "b", Order::First);
        assert_eq!(ready(&state), Some("b"), "a wish is a wish");
    }

    #[test]
    fn a_message_that_comes_twice_is_heard_once_and_others_hear_what_concerns_them() {
        let mut state = state();
        say(&mut state, "1", "b", Order::Hold);
        say(&mut state, "2", "b", Order::Release);
        say(&mut state, "1", "b", Order::Hold);
        assert!(state.steering.held.is_empty());
        assert_eq!(state.steering.messages.len(), 2);
        assert_eq!(state.steering.about("a").count(), 0);
        assert_eq!(state.steering.about("b").count(), 2);
    }
}
