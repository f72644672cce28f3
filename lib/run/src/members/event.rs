//! What a run with members records besides what every run does.

use crate::budget::{Amount, Limits};
use crate::step::Reason;
use overnight_judge::{GateOutcome, Verdict};
use serde::{Deserialize, Serialize};

/// A task was asked for on behalf of a member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assigned {
    /// The task.
    pub task: String,
    /// The member's number, from 1.
    pub member: u32,
    /// 0 for the task itself, n for the nth rework.
    pub round: u32,
    /// What it may spend: its share of the budget.
    #[serde(default)]
    pub share: Limits,
    /// What came of it.
    pub answer: Answer,
}

/// What came of asking for a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The lease is ours and the work tree stands; the member is about to be started.
    Granted {
        /// The lease's fencing token.
        token: u64,
        /// The branch to work on.
        branch: String,
        /// The work tree.
        work_tree: String,
        /// The commit that the branch stands on.
        base: String,
    },
    /// Another agent holds it.
    Held {
        /// Who.
        by: String,
        /// Ask again at this Unix time in milliseconds.
        until: u64,
    },
    /// Another driver has done it, and perhaps others.
    Done {
        /// What the line says.
        tasks: Vec<Elsewhere>,
    },
    /// The leases' remote does not answer.
    Unreachable {
        /// Why.
        why: String,
        /// Ask again at this Unix time in milliseconds.
        until: u64,
    },
    /// The work tree or the branch cannot be had.
    Refused {
        /// Why.
        why: String,
    },
}

/// A task that the line holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Elsewhere {
    /// The task.
    pub task: String,
    /// The merge that brought it.
    pub commit: String,
    /// The run that merged it, as the merge says; empty where it says nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
}

/// A member's process ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberEnded {
    /// The task.
    pub task: String,
    /// The member's number.
    pub member: u32,
    /// How.
    pub end: End,
    /// What its journal came to.
    #[serde(default)]
    pub spent: Amount,
    /// Iterations that its journal came to.
    #[serde(default)]
    pub iterations: u32,
    /// What its agent said last, bounded.
    #[serde(default)]
    pub said: String,
    /// Its last judgement, if it came to one.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Where its branch stands; `None` where that cannot be told.
    #[serde(default)]
    pub tip: Option<String>,
    /// The paths that its branch changes; `None` where they are too many.
    #[serde(default)]
    pub changed: Option<Vec<String>>,
}

/// How a member ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The task is proved done on its branch.
    Done,
    /// Its own run stopped for this reason.
    Stopped(Reason),
    /// Its process is gone without a word.
    Lost,
    /// Its lease was lost; the work is kept under this ref.
    LeaseLost {
        /// `refs/overnight/lost/…`; empty when there was nothing to keep.
        kept: String,
    },
    /// By a signal to the driver.
    Interrupted,
}

impl End {
    /// It in a few words.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Stopped(_) => "stopped",
            Self::Lost => "lost",
            Self::LeaseLost { .. } => "lease lost",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Branches are about to be brought to the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merging {
    /// The tasks, in the order of their candidates.
    pub tasks: Vec<String>,
}

/// One task of a batch has its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergeEnded {
    /// The task.
    pub task: String,
    /// How.
    pub answer: MergeAnswer,
}

/// What came of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeAnswer {
    /// The line holds it.
    Merged {
        /// The commit that brought it.
        commit: String,
        /// What the gates said about the merged tree; empty when it was merged before.
        gates: Vec<GateOutcome>,
        /// How what conflicted was merged without a model; empty where nothing did.
        #[serde(default)]
        way: String,
    },
    /// Both sides changed the same.
    Conflict {
        /// What, for a person and for the agent.
        why: String,
        /// The paths that conflict.
        paths: Vec<String>,
    },
    /// A gate fails with it on a line that holds without it, or it brings what must not be there.
    Red {
        /// What, for a person and for the agent.
        why: String,
    },
    /// A fault of the world: git, the disk.
    World {
        /// Which.
        why: String,
    },
    /// The remote does not answer, which is no task's fault.
    Unreachable {
        /// Why.
        why: String,
    },
    /// Somebody else was faster, or has the task's lease: it is tried again and costs nothing.
    Moved {
        /// Not before this Unix time in milliseconds.
        until: Option<u64>,
    },
    /// It is red together with others: each half is tried by itself.
    Halve {
        /// `0` for the first half, `1` for the second.
        half: char,
    },
}

/// The line was found elsewhere than this driver left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSeen {
    /// Where it stands.
    pub commit: String,
    /// What was done and is not any more.
    #[serde(default)]
    pub refuted: Vec<Refuted>,
}

/// Every gate of what is done was run once more, on the line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineProved {
    /// Where it stands.
    pub commit: String,
    /// What is not done any more.
    #[serde(default)]
    pub refuted: Vec<Refuted>,
    /// What fails of the person's own gates, which no task answers for.
    #[serde(default)]
    pub red: Option<String>,
}

/// A task that was done and is not any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refuted {
    /// The task.
    pub task: String,
    /// Why.
    pub why: String,
}

/// The driver looked what others merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// The tasks of this list that the line holds and this driver did not know of.
    pub done: Vec<Elsewhere>,
}
