//! The live view as a function of what was read: who needs a person first, what each agent did,
//! what happened last. A terminal only draws it.

mod details;
mod event;
mod keys;
mod plain;
mod subject;
mod view;

use crate::status::{Life, Status};

pub use keys::{Choice, Key, Pane, Wish};
pub use plain::Plain;
pub use subject::{Heard, Subject};
pub use view::{Cell, Column, Mark, Row, Target, View, view};

/// The client's longest tool call is 10 min; an agent that printed nothing
/// for longer hangs.
const QUIET_MAX_MS: u64 = 11 * 60_000;
/// Needs that are told of one agent; the rest is counted.
const NEEDS_MAX: usize = 3;

/// How much an agent needs a look, most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Urgency {
    /// A person has to answer something.
    NeedsYou,
    /// Nothing is left that it may work on.
    Blocked,
    /// It is at work, and silent for too long.
    Stalled,
    /// Its process is gone without a word.
    Dead,
    /// At work.
    Working,
    /// It waits, and goes on by itself.
    Waiting,
    /// It ended and needs nothing.
    Ended,
}

impl Urgency {
    /// Every level, most urgent first.
    pub const ALL: [Self; 7] = [
        Self::NeedsYou,
        Self::Blocked,
        Self::Stalled,
        Self::Dead,
        Self::Working,
        Self::Waiting,
        Self::Ended,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs you",
            Self::Blocked => "blocked",
            Self::Stalled => "stalled",
            Self::Dead => "dead",
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
        }
    }
}

/// How urgent an agent is; `quiet_ms`: since when nothing was heard of it.
fn urgency(status: &Status, quiet_ms: u64, quiet_max_ms: u64) -> Urgency {
    let needs = !status.needs_you.is_empty();
    match status.state {
        Life::Crashed => Urgency::Dead,
        Life::Blocked => Urgency::Blocked,
        _ if needs => Urgency::NeedsYou,
        Life::Running if quiet_ms > quiet_max_ms => Urgency::Stalled,
        Life::Running => Urgency::Working,
        Life::Waiting | Life::Paused => Urgency::Waiting,
        Life::Completed | Life::Stopped | Life::Interrupted => Urgency::Ended,
    }
}

#[cfg(test)]
mod tests;
