//! The task list `tasks.json`: read with positions, checked whole, changed in place.
//!
//! Seed 004 (ADR-005): detect and name every fault, never repair silently. What is checked is in
//! [`parse`], what a person reads is [`Problem`], and a change touches only the bytes it is
//! about, so that a person's formatting and unknown fields survive.

pub mod edit;
mod graph;
pub mod id;
pub mod issue;
mod json;
mod meant;
pub mod model;
pub mod paths;
pub mod plan;
pub mod problem;
mod schema;
#[cfg(test)]
mod tests;
mod wrapping;

pub use edit::{add, set_status};
pub use id::TaskId;
pub use problem::Problem;

use serde::Serialize;
use std::collections::BTreeSet;

/// Largest task list that is read, in bytes.
pub const LIST_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Most tasks in one list; the scale page's arithmetic ends there.
pub const TASKS_MAX: usize = 10_000;
/// Longest `_thought`, in bytes: it is for people to read.
pub const THOUGHT_BYTES_MAX: usize = 1024 * 1024;

/// Where a task stands. Written by the driver and by `overnight tasks`, never by an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Not begun; also when the field is missing, as in a leader's fresh plan.
    #[default]
    Todo,
    /// An agent works on it, or did when it was last seen.
    Doing,
    /// Finished and proven by its gates.
    Done,
    /// Given up after too many iterations.
    Error,
    /// Waits for a person.
    Blocked,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] = [
        Self::Todo,
        Self::Doing,
        Self::Done,
        Self::Error,
        Self::Blocked,
    ];

    /// The word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::Doing => "doing",
            Self::Done => "done",
            Self::Error => "error",
            Self::Blocked => "blocked",
        }
    }

    /// The status of this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// What a task's proof looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// Its gates stay green: nothing need be red before.
    Green,
}

/// One task of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Its key in the file.
    pub id: TaskId,
    /// What is to be reached.
    pub objective: String,
    /// What must hold at the end, as commands or sentences; at least one.
    pub definition_of_done: Vec<String>,
    /// Which tools the agent may use without being asked; may be empty.
    pub allowed_tools: Vec<String>,
    /// Where it stands.
    pub status: Status,
    /// Tasks that must be done before.
    pub depends_on: Vec<TaskId>,
    /// Globs of the files that it may change; empty: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_paths: Vec<String>,
    /// How many files it may change in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_changed_files: Option<u64>,
    /// Globs of files that decide, such as tests, and that it may change all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_change: Vec<String>,
    /// The model that works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `"proof": "green"`: its work keeps everything green by nature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// The forge's issue that it is for: `#12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
}

/// A valid task list: at least one task, ids unique, dependencies known and without cycles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskList {
    /// The leader's reasons (`_thought`); never a task.
    pub thought: Option<String>,
    /// The tasks in the order of the file.
    pub tasks: Vec<Task>,
    /// What is read past although something known was probably meant: fields and tools by other names.
    #[serde(skip)]
    pub warnings: Vec<Problem>,
}

impl TaskList {
    /// The task of this id.
    pub fn get(&self, id: &TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == *id)
    }
}

/// Reads and checks a task list. Gives every problem of its schema with its position; a text that
/// is not one JSON object has one problem, the first.
pub fn parse(bytes: &[u8]) -> Result<TaskList, Vec<Problem>> {
    let text = wrapping::text(bytes).map_err(|problem| vec![problem])?;
    schema::check(text)
}

/// The first task that can be worked on: todo or doing, all it depends on done, and not `taken`
/// by a living lease. A task left at doing by an agent that died is given out again: the lease,
/// not the status, says who works.
pub fn next_ready<'l>(list: &'l TaskList, taken: &BTreeSet<TaskId>) -> Option<&'l Task> {
    ready(list, taken).into_iter().next()
}

/// Every task that can be worked on now, in the order of the file.
pub fn ready<'l>(list: &'l TaskList, taken: &BTreeSet<TaskId>) -> Vec<&'l Task> {
    let done: BTreeSet<&TaskId> = list
        .tasks
        .iter()
        .filter(|task| task.status == Status::Done)
        .map(|task| &task.id)
        .collect();
    let free = |task: &&Task| {
        matches!(task.status, Status::Todo | Status::Doing)
            && !taken.contains(&task.id)
            && task.depends_on.iter().all(|id| done.contains(id))
    };
    list.tasks.iter().filter(free).collect()
}
