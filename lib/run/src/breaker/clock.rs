//! Steady time for a state file that outlives processes and boots.

use serde::{Deserialize, Serialize};

/// One reading of the machine's clocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Unix time in milliseconds; may jump.
    pub wall_ms: u64,
    /// Milliseconds since boot.
    pub mono_ms: u64,
    /// Which boot.
    pub boot: String,
}

/// Steady time now, given what it was at an earlier reading: within one boot the boot clock counts,
/// across boots the wall clock, which can stand still but never run backwards.
pub fn steady_ms(before: u64, then: &Reading, now: &Reading) -> u64 {
    let passed = if then.boot == now.boot {
        now.mono_ms.saturating_sub(then.mono_ms)
    } else {
        now.wall_ms.saturating_sub(then.wall_ms)
    };
    before.saturating_add(passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_of_the_wall_clock_moves_nothing_within_a_boot() {
        let at = |wall_ms, mono_ms, boot: &str| Reading {
            wall_ms,
            mono_ms,
            boot: boot.into(),
        };
        let then = at(1_000, 10, "a");
        assert_eq!(steady_ms(5, &then, &at(9_999_999, 30, "a")), 25);
        assert_eq!(steady_ms(5, &then, &at(0, 30, "a")), 25);
        assert_eq!(steady_ms(5, &then, &at(4_000, 1, "b")), 3_005);
        assert_eq!(steady_ms(5, &then, &at(0, 1, "b")), 5);
    }
}
