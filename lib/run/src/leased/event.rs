//! What a run that shares its list records about the leases of its tasks.

use serde::{Deserialize, Serialize};

/// A task was asked for before an iteration on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The task.
    pub task: String,
    /// What came of it.
    pub answer: Answer,
}

/// What came of asking for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The lease is ours.
    Granted {
        /// Its fencing token.
        token: u64,
    },
    /// The task list says that it is done: by another agent, since this run began.
    Done,
    /// Another agent has it.
    Held {
        /// Who, or why it cannot be had now.
        by: String,
        /// Ask again at this Unix time in milliseconds.
        until: u64,
    },
}

/// A lease that was ours is another agent's now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseLost {
    /// The task.
    pub task: String,
    /// Who has it.
    pub by: String,
    /// Ask again at this Unix time in milliseconds.
    pub until: u64,
}
