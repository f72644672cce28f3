//! A task as the run sees it, pinned in the journal.

use serde::{Deserialize, Serialize};

/// The only task of a run that works on `AGENT_PROMPT.md` without a task list.
pub const SINGLE: &str = "main";

/// What is to be done, and how it is proved.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each stands in the journal by its own name"
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskSpec {
    /// `[a-z0-9][a-z0-9._-]{0,63}`.
    pub id: String,
    /// What the agent is told.
    pub objective: String,
    /// Commands whose exit status proves the task done.
    #[serde(default)]
    pub gates: Vec<String>,
    /// Conditions in words that the agent's claim must answer.
    #[serde(default)]
    pub checklist: Vec<String>,
    /// Tasks that must be done before.
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// Tools the agent may use; empty: the default set.
    #[serde(default)]
    pub allowed_tools: Vec<String>,
    /// Globs of the files that it may change; empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_paths: Vec<String>,
    /// How many files it may change in all; none: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_changed_files: Option<u64>,
    /// Globs of files that decide, such as tests, and that it may change all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_change: Vec<String>,
    /// The model that works on it, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Does its work keep green by nature, so that nothing need be red before it?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub green: bool,
    /// The forge's issue that it is for, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// Its status in the task list when it was read: a task that is done stays done.
    #[serde(default)]
    pub done: bool,
    /// Did an earlier run give it up in error? Then it is not worked on again by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
    /// Was it done before, and is put right? Then what it asks for may be there without a change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

impl TaskSpec {
    /// A task without conditions.
    pub fn named(id: &str, objective: &str) -> Self {
        Self {
            id: id.to_owned(),
            objective: objective.to_owned(),
            gates: Vec::new(),
            checklist: Vec::new(),
            depends_on: Vec::new(),
            allowed_tools: Vec::new(),
            allowed_paths: Vec::new(),
            max_changed_files: None,
            may_change: Vec::new(),
            model: None,
            green: false,
            issue: None,
            done: false,
            ended: false,
            again: false,
        }
    }

    /// Do the names of changed files matter?
    pub fn is_scoped(&self) -> bool {
        !self.allowed_paths.is_empty() || self.max_changed_files.is_some()
    }
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    Todo,
    /// An iteration worked on it.
    Doing,
    /// Proved done.
    Done,
    /// Given up until a person helps.
    Blocked,
}
