//! What a person says to a run under way, and what they change of its goal and tasks.

use super::task::TaskSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Bytes of one message.
pub const TEXT_BYTES_MAX: usize = 4_096;

/// A person's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
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
    /// Was what it did taken out of the tree?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken_out: bool,
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
    pub messages: Vec<Instruction>,
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
    pub fn about<'a>(&'a self, task: &'a str) -> impl Iterator<Item = &'a Instruction> {
        let concerns = move |told: &&Instruction| told.task.as_deref().is_none_or(|of| of == task);
        self.messages.iter().filter(concerns)
    }
}

/// Begins the names of messages that came with a task that was sent back.
pub(super) const SENT_BACK: &str = "sent-back-";
/// The same of one whose work was taken out.
pub(super) const TAKEN_OUT: &str = "taken-out-";

impl Steering {
    /// Did a person say something about this task alone?
    pub fn was_told(&self, task: &str) -> bool {
        self.messages
            .iter()
            .any(|told| told.task.as_deref() == Some(task))
    }

    /// What a person did to this task last, so that it is to be done again.
    pub fn opened_again(&self, task: &str) -> Option<&'static str> {
        let own = |told: &&Instruction| told.task.as_deref() == Some(task);
        let mut messages = self.messages.iter().filter(own).rev();
        messages.find_map(|told| match told.id.as_str() {
            id if id.starts_with(SENT_BACK) => Some("you sent it back"),
            id if id.starts_with(TAKEN_OUT) => Some("you took out what it did"),
            _ => None,
        })
    }
}
