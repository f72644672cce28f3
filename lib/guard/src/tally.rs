//! What the guard decided in a run, counted: a sign for each decision, appended, so that hooks that
//! run side by side need no lock.

use overnight_shell::Decision;
use serde::Serialize;

/// How often each decision came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Calls that ran.
    pub allowed: u64,
    /// Calls that became questions to a person.
    pub asked: u64,
    /// Calls that were refused.
    pub denied: u64,
}

/// The sign of a decision.
pub fn sign(decision: Decision) -> u8 {
    match decision {
        Decision::Allow => b'+',
        Decision::Ask => b'?',
        Decision::Deny => b'-',
    }
}

impl Tally {
    /// Counts signs; anything else counts nothing.
    pub fn of(signs: &[u8]) -> Self {
        let count = |decision| {
            let signs = signs.iter().filter(|byte| **byte == sign(decision));
            signs.count() as u64
        };
        Self {
            allowed: count(Decision::Allow),
            asked: count(Decision::Ask),
            denied: count(Decision::Deny),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            allowed: self.allowed.saturating_add(other.allowed),
            asked: self.asked.saturating_add(other.asked),
            denied: self.denied.saturating_add(other.denied),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_counted_and_nothing_else_is() {
        let tally = Tally::of(b"++?x\n-+\0");
        let expected = Tally {
            allowed: 3,
            asked: 1,
            denied: 1,
        };
        assert_eq!(tally, expected);
        assert_eq!(tally.plus(Tally::of(b"-")).denied, 2);
        assert_eq!(Tally::of(b""), Tally::default());
    }
}
