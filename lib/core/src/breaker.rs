//! The circuit breaker of a task.

use crate::run::event::Outcome;

/// Iterations without a change after which the breaker opens (ralph-claude-code: 3).
const NO_PROGRESS_MAX: u32 = 3;

/// The breaker's memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    no_progress: u32,
}

/// The breaker after one more iteration.
#[must_use]
pub fn step(state: &State, outcome: &Outcome) -> State {
    let stuck = outcome.changed == 0;
    State {
        no_progress: if stuck { state.no_progress + 1 } else { 0 },
    }
}

impl State {
    /// Why it is open, if it is.
    pub fn open_reason(&self) -> Option<String> {
        (self.no_progress >= NO_PROGRESS_MAX)
            .then(|| format!("no progress in {} iterations", self.no_progress))
    }

    /// Iterations in a row that did not get on.
    pub fn stuck(&self) -> u32 {
        self.no_progress
    }
}
