//! What is to be done next.

use super::budget::Limits;
use overnight_base::exit::Exit;
use overnight_judge::Verdict;
use serde::{Deserialize, Serialize};

/// One step; its execution is recorded as one event.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum Step {
    /// Start an agent (recorded as `intent`).
    Start {
        /// Counts from 1.
        iteration: u32,
        /// Counts from 1 within the iteration.
        attempt: u32,
        /// The task.
        task: String,
        /// What it is told about being stuck.
        nudge: Nudge,
    },
    /// See what these commands say before the work begins (recorded as `baseline`).
    Baseline(Vec<String>),
    /// Run these commands as proof of the claim (recorded as `gates`).
    Gates(Vec<String>),
    /// Every task is done: run these commands on what the run leaves behind (`closing`).
    Close(Vec<String>),
    /// Take the next hunk of the change back and run these commands without it (`hunk`).
    Hunk(Vec<String>),
    /// Ask a reviewer about the open claim (`reviewed`).
    Review,
    /// Record this verdict (`judged`).
    Judge(Box<Verdict>),
    /// Do nothing until this Unix time in milliseconds (`waiting`).
    Wait {
        /// Unix time in milliseconds.
        until: u64,
        /// Why.
        cause: WaitCause,
    },
    /// Take the lease of a task that others may work on too (`taken`).
    Take {
        /// The task.
        task: String,
    },
    /// Begin nothing until somebody says go on.
    Hold,
    /// A step that only a driver with members takes.
    Members(Members),
    /// End the run (`finished`).
    Finish(Reason),
}

/// One step of a driver with members.
#[derive(Debug, Clone, PartialEq)]
pub enum Members {
    /// Try to give a task to a free member (recorded as `hand_out` with the answer).
    Assigned {
        /// The task.
        task: String,
        /// The member's number, from 1.
        member: u32,
        /// 0 for the task itself, n for the nth repair.
        round: u32,
        /// What it may spend: its share of the budget.
        share: Limits,
    },
    /// Bring finished branches to the line, proved together (recorded as `merging`).
    Merge {
        /// The tasks, in the order in which their candidates are chained.
        tasks: Vec<String>,
    },
    /// Run the gates of everything that is done once more on the line (recorded as `line_proved`).
    Prove,
    /// See what other drivers have merged (recorded as `looked`).
    Look,
    /// Nothing to do until something ends, or until this Unix time in milliseconds; not recorded.
    Attend {
        /// When to decide again at the latest.
        until: Option<u64>,
    },
}

/// How plainly an agent that does not get on is told so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nudge {
    /// It gets on.
    None,
    /// What failed last time.
    Hint,
    /// Try another way.
    ChangeApproach,
    /// Do a smaller part of it.
    SmallerPiece,
    /// Several agents try it at the same time, each in another way.
    Fork,
}

/// Why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitCause {
    /// The account's usage limit.
    UsageLimit,
    /// An error of the service that passes.
    Transient,
    /// Calls per hour.
    CallRate,
    /// The least interval between iterations.
    Interval,
    /// Every task left is with other agents.
    Elsewhere,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Every task is proved done.
    AllDone,
    /// The iterations are used up.
    MaxIterations,
    /// No task is left that may be worked on; the text names the last block.
    Blocked(String),
    /// The circuit breaker opened; the text says why.
    BreakerOpen(String),
    /// The budget is spent.
    BudgetSpent,
    /// The run's longest time passed.
    MaxDuration,
    /// Usage limit, and told not to wait; the reset in Unix seconds if known.
    UsageLimit(Option<i64>),
    /// Only a person can help: login, credit; the text says with what.
    NeedsPerson(String),
    /// A signal of this number.
    Interrupted(i32),
    /// The session that the run lived in ended.
    SessionEnded,
    /// A person stopped a run that lives in a session.
    Stopped,
}

impl Reason {
    /// Did a person end it, whatever the rules say?
    pub fn is_a_persons(&self) -> bool {
        matches!(
            self,
            Self::Interrupted(_) | Self::SessionEnded | Self::Stopped
        )
    }

    /// The exit status that says why a run ended: of the driver, and of who asks for its status.
    pub fn exit(&self) -> Exit {
        match self {
            Self::AllDone => Exit::Yes,
            Self::MaxIterations
            | Self::Blocked(_)
            | Self::MaxDuration
            | Self::SessionEnded
            | Self::Stopped => Exit::No,
            Self::BreakerOpen(_) => Exit::BreakerOpen,
            Self::BudgetSpent => Exit::BudgetSpent,
            Self::UsageLimit(_) => Exit::TempFail,
            Self::NeedsPerson(_) => Exit::NoPermission,
            Self::Interrupted(signal) => Exit::Signal(u8::try_from(*signal).unwrap_or(0)),
        }
    }
}
