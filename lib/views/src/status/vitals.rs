//! How a run lives: by its journal, and by whether its driver's process does.

use overnight_run::{Reason, State, overview};
use serde::{Deserialize, Serialize};

/// A run that was created but has no driver yet is starting for this long; then it never began.
const STARTING_MS: u64 = 10_000;

/// What a run does, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    /// An agent or a gate is at work.
    Running,
    /// Its driver waits, and goes on by itself.
    Waiting,
    /// Every task is proved done.
    Completed,
    /// Nothing is left that may be worked on.
    Blocked,
    /// A limit, the breaker or a need for a person ended it.
    Stopped,
    /// It begins nothing until somebody says go on: a person paused it, or its session ended.
    Paused,
    /// Its driver is gone without a word.
    Crashed,
    /// A signal ended its driver.
    Interrupted,
}

impl Life {
    /// Its name as in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Stopped => "stopped",
            Self::Paused => "paused",
            Self::Crashed => "crashed",
            Self::Interrupted => "interrupted",
        }
    }

    /// Does it get on by itself?
    pub fn is_under_way(self) -> bool {
        matches!(self, Self::Running | Self::Waiting)
    }

    /// Is somebody there who works on it, if only after a pause? Nobody else may take it up.
    pub fn is_carried(self) -> bool {
        self.is_under_way() || self == Self::Paused
    }
}

/// What the journal says of a run's life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own in the journal"
)]
pub struct Vitals {
    /// How it ended, if it did.
    pub end: Option<Life>,
    /// Has it begun?
    pub begun: bool,
    /// Had it ever a driver?
    pub driven: bool,
    /// Is it driven by a session's hooks?
    pub in_session: bool,
    /// Is it paused?
    pub paused: bool,
    /// Does its driver wait?
    pub waits: bool,
    /// Unix time in milliseconds of the last record.
    pub updated: u64,
}

impl Vitals {
    /// Those of a run in this state.
    pub fn of(state: &State) -> Self {
        let end = match (&state.finished, state.interrupted) {
            (Some(_), _) if answered(state) => Some(Life::Stopped),
            (Some(Reason::AllDone), _) => Some(Life::Completed),
            (Some(Reason::Blocked(_)), _) => Some(Life::Blocked),
            (Some(Reason::Interrupted(_)), _) | (None, Some(_)) => Some(Life::Interrupted),
            (Some(_), _) => Some(Life::Stopped),
            (None, None) => None,
        };
        Self {
            end,
            begun: state.run.is_some(),
            driven: state.driver.is_some(),
            in_session: state.session.is_some(),
            paused: state.paused.is_some(),
            waits: state.waiting.is_some(),
            updated: state.updated,
        }
    }

    /// How it lives, by whether its driver's process does.
    pub fn life(&self, alive: bool, now: u64) -> Life {
        let starting = self.begun && now < self.updated.saturating_add(STARTING_MS);
        match self.end {
            Some(end) => end,
            None if !self.driven && starting => Life::Running,
            // A client that was killed is a session that ended.
            None if self.driven && self.in_session && !alive => Life::Paused,
            None if !self.driven || !alive => Life::Crashed,
            None if self.paused => Life::Paused,
            None if self.waits => Life::Waiting,
            None => Life::Running,
        }
    }
}

/// Did a person answer since it ended what held it?
fn answered(state: &State) -> bool {
    state.finished.is_some() && overview::end_now(state).is_none()
}

/// How a run lives, by its journal and by whether its driver's process does.
pub fn life(state: &State, alive: bool, now: u64) -> Life {
    Vitals::of(state).life(alive, now)
}
