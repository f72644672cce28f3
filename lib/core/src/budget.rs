//! Budgets: what a run may spend, what it has spent, and what parallel members have reserved.
//!
//! Dollars are whole micro-dollars (1,000,000 = $1), taken from the client's own figures; failed
//! and killed iterations count like any other.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One dollar in the unit of account.
pub const DOLLAR: u64 = 1_000_000;
/// The window of the hourly rules.
const HOUR_MS: u64 = 3_600_000;

/// What a run may spend; `None` means no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Iterations.
    pub iterations: Option<u64>,
    /// Milliseconds from the run's start, waits included.
    pub duration_ms: Option<u64>,
    /// Micro-dollars.
    pub dollars: Option<u64>,
    /// Starts of the client within any hour.
    pub calls_per_hour: Option<u64>,
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    /// Micro-dollars within any hour: a run that burns faster stops.
    pub dollars_per_hour: Option<u64>,
}

/// What was spent; a fold over the run's events, so it survives restarts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// When the run started, in the run's milliseconds.
    pub started_ms: u64,
    /// Iterations started.
    pub iterations: u64,
    /// Micro-dollars settled.
    pub dollars: u64,
    /// Tokens used.
    pub tokens: u64,
    /// Starts of the client within the last hour, oldest first.
    calls: Vec<u64>,
    /// Costs within the last hour, oldest first.
    costs: Vec<(u64, u64)>,
    /// Micro-dollars reserved by members at work.
    reserved: BTreeMap<String, u64>,
}

/// Which budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    /// The iterations.
    Iterations,
    /// The time.
    Duration,
    /// The dollars.
    Dollars,
    /// The tokens.
    Tokens,
    /// The dollars of one hour.
    Velocity,
}

/// May the next iteration start?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowance {
    /// Yes, with at most so many micro-dollars; `None` without a limit.
    Go {
        /// What the client is given as its own limit.
        dollars: Option<u64>,
    },
    /// Not before this time: the calls of the hour are used up.
    Wait {
        /// In the run's milliseconds.
        until_ms: u64,
    },
    /// No.
    Stop(Exhausted),
}

impl Spent {
    /// Nothing spent at the start of a run.
    pub fn new(started_ms: u64) -> Self {
        Self {
            started_ms,
            ..Self::default()
        }
    }

    /// May an iteration start now?
    pub fn allows(&self, limits: &Limits, now_ms: u64) -> Allowance {
        let reached = |used: u64, limit: Option<u64>| limit.is_some_and(|limit| used >= limit);
        let left = limits
            .dollars
            .map(|limit| limit.saturating_sub(self.committed()));
        let stops = [
            (
                reached(self.iterations, limits.iterations),
                Exhausted::Iterations,
            ),
            (
                reached(now_ms.saturating_sub(self.started_ms), limits.duration_ms),
                Exhausted::Duration,
            ),
            (left == Some(0), Exhausted::Dollars),
            (reached(self.tokens, limits.tokens), Exhausted::Tokens),
            (
                reached(self.within_hour(now_ms), limits.dollars_per_hour),
                Exhausted::Velocity,
            ),
        ];
        if let Some((_, which)) = stops.iter().find(|(stop, _)| *stop) {
            return Allowance::Stop(*which);
        }
        match self.next_call_ms(limits, now_ms) {
            Some(until_ms) => Allowance::Wait { until_ms },
            None => Allowance::Go { dollars: left },
        }
    }

    /// A client starts for `member`, with `dollars` set aside for it.
    pub fn start(&mut self, member: &str, dollars: u64, now_ms: u64) {
        self.iterations = self.iterations.saturating_add(1);
        self.calls.retain(|at| recent(*at, now_ms));
        self.calls.push(now_ms);
        if dollars > 0 {
            self.reserved.insert(member.to_owned(), dollars);
        }
    }

    /// The member's client ended, however it did: its cost replaces the reservation.
    pub fn settle(&mut self, member: &str, dollars: u64, tokens: u64, now_ms: u64) {
        self.reserved.remove(member);
        self.dollars = self.dollars.saturating_add(dollars);
        self.tokens = self.tokens.saturating_add(tokens);
        self.costs.retain(|(at, _)| recent(*at, now_ms));
        self.costs.push((now_ms, dollars));
    }

    /// The share of what is left that one of `members` at work may reserve, so that all of them
    /// together cannot overshoot.
    pub fn share(&self, limits: &Limits, members: u64) -> Option<u64> {
        let left = limits.dollars?.saturating_sub(self.committed());
        let idle = members.saturating_sub(self.reserved.len() as u64).max(1);
        Some(left / idle)
    }

    /// Micro-dollars spent or set aside.
    pub fn committed(&self) -> u64 {
        self.reserved
            .values()
            .fold(self.dollars, |sum, part| sum.saturating_add(*part))
    }

    fn within_hour(&self, now_ms: u64) -> u64 {
        let recent = self.costs.iter().filter(|(at, _)| recent(*at, now_ms));
        recent.fold(0u64, |sum, (_, dollars)| sum.saturating_add(*dollars))
    }

    /// When the sliding window has room again; `None` when it has room now.
    fn next_call_ms(&self, limits: &Limits, now_ms: u64) -> Option<u64> {
        let limit = usize::try_from(limits.calls_per_hour?)
            .unwrap_or(usize::MAX)
            .max(1);
        let calls: Vec<u64> = self
            .calls
            .iter()
            .copied()
            .filter(|at| recent(*at, now_ms))
            .collect();
        let oldest = calls.len().checked_sub(limit)?;
        calls.get(oldest).map(|at| at.saturating_add(HOUR_MS))
    }
}

/// Within the last hour. A time after now, as a clock that went back leaves it, counts too.
fn recent(at: u64, now_ms: u64) -> bool {
    now_ms < at.saturating_add(HOUR_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_budget_stops_by_itself() {
        let spent = Spent {
            iterations: 3,
            dollars: 2 * DOLLAR,
            tokens: 10,
            ..Spent::new(0)
        };
        let stops = |limits: Limits| spent.allows(&limits, 5_000);
        let none = Limits::default();
        assert_eq!(stops(none.clone()), Allowance::Go { dollars: None });
        assert_eq!(
            stops(Limits {
                iterations: Some(3),
                ..none.clone()
            }),
            Allowance::Stop(Exhausted::Iterations)
        );
        assert_eq!(
            stops(Limits {
                duration_ms: Some(5_000),
                ..none.clone()
            }),
            Allowance::Stop(Exhausted::Duration)
        );
        assert_eq!(
            stops(Limits {
                dollars: Some(2 * DOLLAR),
                ..none.clone()
            }),
            Allowance::Stop(Exhausted::Dollars)
        );
        assert_eq!(
            stops(Limits {
                tokens: Some(10),
                ..none.clone()
            }),
            Allowance::Stop(Exhausted::Tokens)
        );
        assert_eq!(
            stops(Limits {
                dollars: Some(5 * DOLLAR),
                ..none
            }),
            Allowance::Go {
                dollars: Some(3 * DOLLAR)
            }
        );
    }

    #[test]
    fn calls_slide_out_of_their_hour() {
        let limits = Limits {
            calls_per_hour: Some(2),
            ..Limits::default()
        };
        let mut spent = Spent::new(0);
        spent.start("a", 0, 0);
        spent.start("a", 0, 1_000);
        assert_eq!(
            spent.allows(&limits, 2_000),
            Allowance::Wait { until_ms: HOUR_MS }
        );
        assert_eq!(
            spent.allows(&limits, HOUR_MS),
            Allowance::Go { dollars: None }
        );
    }

    #[test]
    fn dollars_per_hour_stop_a_run_that_burns() {
        let limits = Limits {
            dollars_per_hour: Some(10 * DOLLAR),
            ..Limits::default()
        };
        let mut spent = Spent::new(0);
        spent.settle("a", 9 * DOLLAR, 0, 0);
        assert!(matches!(spent.allows(&limits, 1), Allowance::Go { .. }));
        spent.settle("a", DOLLAR, 0, 1);
        assert_eq!(
            spent.allows(&limits, 2),
            Allowance::Stop(Exhausted::Velocity)
        );
        assert!(matches!(
            spent.allows(&limits, HOUR_MS + 1),
            Allowance::Go { .. }
        ));
    }

    proptest! {
        /// Members that never spend more than they reserved never overshoot together.
        #[test]
        fn reservations_keep_members_within_the_budget(budget in 1u64..1_000, steps in proptest::collection::vec((0u8..4, 0u64..100), 0..60)) {
            let limits = Limits { dollars: Some(budget), ..Limits::default() };
            let mut spent = Spent::new(0);
            let mut working: BTreeMap<String, u64> = BTreeMap::new();
            for (index, (member, per_cent)) in steps.into_iter().enumerate() {
                let now = index as u64;
                let name = member.to_string();
                if let Some(reserved) = working.remove(&name) {
                    spent.settle(&name, reserved * per_cent / 100, 0, now);
                } else if let Some(share) = spent.share(&limits, 4).filter(|share| *share > 0) {
                    spent.start(&name, share, now);
                    working.insert(name, share);
                }
                prop_assert!(spent.committed() <= budget);
            }
        }
    }
}
