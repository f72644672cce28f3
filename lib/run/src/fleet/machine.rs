//! One machine of a fleet, as far as it was heard of.

use super::plus;
use crate::budget::Amount;
use crate::state::State;

/// A lease that is said to last longer tells nothing of whether its machine lives.
const TTL_S_MAX: u64 = 24 * 3_600;
/// Members of one machine at most, whatever it says.
const MEMBERS_MAX: u32 = 64;

/// Another machine that works on the list.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// Its run.
    pub run: String,
    /// Its name.
    pub name: String,
    /// The fold of what it passed on.
    pub state: State,
    /// When a word of it came last, in Unix milliseconds of this machine's clock.
    pub heard_ms: u64,
    /// Why what it passed on cannot be read.
    pub refused: Option<String>,
}

/// What is known of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Its driver is at work.
    AtWork,
    /// Its run is over.
    Ended,
    /// Nothing was heard of it for as long as a lease lasts, of which it renews each twice.
    Gone,
    /// It passed on what cannot be read.
    Unreadable,
}

impl Standing {
    /// It in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::AtWork => "at work",
            Self::Ended => "ended",
            Self::Gone => "gone",
            Self::Unreadable => "not understood",
        }
    }
}

impl Machine {
    /// What is known of it now.
    pub fn standing(&self, now: u64) -> Standing {
        let ttl_s = self.state.config.lease_ttl_s.min(TTL_S_MAX);
        if self.refused.is_some() {
            Standing::Unreadable
        } else if self.state.ended.is_some() {
            Standing::Ended
        } else if now.saturating_sub(self.heard_ms) > ttl_s * 1_000 {
            Standing::Gone
        } else {
            Standing::AtWork
        }
    }

    /// Is its driver at work?
    pub fn lives(&self, now: u64) -> bool {
        self.standing(now) == Standing::AtWork
    }

    /// What it spent.
    pub fn spent(&self) -> Amount {
        let own = Amount {
            usd: self.state.spent_usd,
            tokens: self.state.spent_tokens,
        };
        plus(Amount::default(), own)
    }

    /// Its members without a task.
    pub(super) fn free_members(&self) -> u32 {
        let busy = u32::try_from(self.state.members.at_work.len()).unwrap_or(u32::MAX);
        let all = self.state.config.members.min(MEMBERS_MAX);
        all.saturating_sub(busy)
    }
}
