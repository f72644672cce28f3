//! What a person says to a run under way, and what they change of its goal and tasks.

use super::fold::again;
use super::state::State;
use super::task::TaskSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Messages that are kept; older ones are in the journal.
const MESSAGES_MAX: usize = 50;
/// Bytes of one message.
pub const TEXT_BYTES_MAX: usize = 4_096;

/// A person's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Its name: one that comes a second time is the same.
    pub id: String,
    /// What they said; may be empty beside an order.
    #[serde(default)]
    pub text: String,
    /// The task that it is about; none: the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// What is to become of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Does the attempt under way end for it?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub now: bool,
    /// Unix time in milliseconds at which it was said.
    pub at: u64,
}

/// What is to become of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// It is worked on before the others.
    First,
    /// Nobody works on it until it is released.
    Hold,
    /// It is worked on again.
    Release,
    /// The run does without it.
    Drop,
}

/// A person sent a task back: its work was read, and is to be done better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentBack {
    /// The task.
    pub task: String,
    /// What they said about it, each about a file or all of it.
    pub comments: Vec<String>,
    /// Unix time in milliseconds at which it was said.
    pub at: u64,
}

/// The goal's file says something else now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalChanged {
    /// The new text.
    pub goal: String,
}

/// The task list says something else now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TasksChanged {
    /// The tasks as they stand in it.
    pub tasks: Vec<TaskSpec>,
}

/// What a person has said so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steering {
    /// The messages with a text, oldest first.
    pub messages: Vec<Told>,
    /// The names of all messages.
    pub heard: BTreeSet<String>,
    /// Tasks that go before the others, the newest wish first.
    pub first: Vec<String>,
    /// Tasks that nobody works on.
    pub held: BTreeSet<String>,
    /// Tasks that the run does without.
    pub dropped: BTreeSet<String>,
}

impl Steering {
    /// What concerns a task, oldest first.
    pub fn about<'a>(&'a self, task: &'a str) -> impl Iterator<Item = &'a Told> {
        let concerns = move |told: &&Told| told.task.as_deref().is_none_or(|of| of == task);
        self.messages.iter().filter(concerns)
    }
}

/// Begins the names of messages that came with a task that was sent back.
const SENT_BACK: &str = "sent-back-";

impl Steering {
    /// Did a person say something about this task alone?
    pub fn was_told(&self, task: &str) -> bool {
        self.messages
            .iter()
            .any(|told| told.task.as_deref() == Some(task))
    }

    /// Was this task sent back?
    pub fn was_sent_back(&self, task: &str) -> bool {
        let own = |told: &&Told| told.task.as_deref() == Some(task);
        let mut messages = self.messages.iter().filter(own);
        messages.any(|told| told.id.starts_with(SENT_BACK))
    }
}

pub(super) fn told(state: &mut State, event: &Told) {
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
    let told = Told {
        id: format!("{SENT_BACK}{}-{}", event.task, event.at),
        text: format!("sent back after reading: {}", event.comments.join("; ")),
        task: Some(event.task.clone()),
        order: None,
        now: false,
        at: event.at,
    };
    self::told(state, &told);
    state.closed.clear();
    let mut tasks = state.tasks.iter_mut();
    if let Some(task) = tasks.find(|task| task.spec.id == event.task) {
        task.spec.done = false;
        again(task);
        task.breaker.close();
    }
}

pub(super) fn goal_changed(state: &mut State, event: &GoalChanged) {
    if let Some(run) = &mut state.run {
        run.goal.clone_from(&event.goal);
    }
}

/// Leaves out dropped tasks, but for the one that is worked on just now.
pub(super) fn purge(state: &mut State) {
    let open = state.open.as_ref().map(|open| open.task.clone());
    let dropped = &state.steering.dropped;
    state
        .tasks
        .retain(|task| !dropped.contains(&task.spec.id) || open.as_ref() == Some(&task.spec.id));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::TaskState;

    fn state() -> State {
        State {
            tasks: ["a", "b", "c"]
                .map(|id| TaskState::new(TaskSpec::named(id, id)))
                .into(),
            ..State::default()
        }
    }

    fn say(state: &mut State, id: &str, task: &str, order: Order) {
        let event = Told {
            id: id.to_owned(),
            text: format!("about {task}"),
            task: Some(task.to_owned()),
            order: Some(order),
            now: false,
            at: 1,
        };
        told(state, &event);
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
