//! A run whose task list other agents of the repository share: each task is taken by lease before
//! an iteration works on it. Members do not come here; their driver holds their leases.

mod event;

pub use event::{Answer, LeaseLost, Taken};

use super::members::Asked;
use std::collections::BTreeMap;

/// What a run knows of the leases of its tasks: part of its state.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leased {
    /// Tasks that are ours, with their fencing tokens.
    pub had: BTreeMap<String, u64>,
    /// Tasks that others had when they were asked for, and when to ask again.
    pub asked: BTreeMap<String, Asked>,
}

impl Leased {
    /// Is the task known to be with another agent, so that it is not to be asked for yet?
    pub fn is_elsewhere(&self, task: &str, now: u64) -> bool {
        self.asked.get(task).is_some_and(|asked| asked.until > now)
    }

    /// How many tasks others had when they were asked for last.
    pub fn count_elsewhere(&self) -> u32 {
        u32::try_from(self.asked.len()).unwrap_or(u32::MAX)
    }

    /// How often in a row the task was asked for in vain.
    pub fn times(&self, task: &str) -> u32 {
        self.asked.get(task).map_or(0, |asked| asked.times)
    }
}

#[cfg(test)]
mod tests;
