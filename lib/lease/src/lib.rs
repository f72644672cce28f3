//! Task leases: who may work on a task, told by one git ref per task.
//!
//! A lease is a commit with an empty tree whose message is a [`Record`]. The ref moves only by
//! compare-and-swap, so that of many contenders one wins, on any git host. This module decides;
//! `host::leases` pushes and fetches.
//!
//! Three numbers never come from another machine's clock: a holder trusts its own boot clock from
//! before it sent the record, an observer counts how long it has itself seen the same record, and
//! the fencing token only grows. Wall clocks are compared with an allowance of [`SKEW_MS`] and only
//! to free a lease that nobody has watched.

pub mod backoff;
pub mod claimant;
pub mod judge;
pub mod mirror;
pub mod push;
pub mod record;
pub mod refname;
pub mod refspec;
pub mod state;
#[cfg(test)]
mod tests;
pub mod utc;

pub use judge::{Answer, Evidence, Me, Now, Why, judge};
pub use record::{Owner, Record, Standing};
pub use state::State;

/// Default time to live, in seconds, as of the scripts that it replaces.
pub const TTL_S_DEFAULT: u64 = 3_600;
/// Longest time to live, in seconds: longer, and a dead agent blocks its task for a week.
pub const TTL_S_MAX: u64 = 7 * 24 * 3_600;
/// How far two machines' wall clocks may differ, in milliseconds: each may be ten minutes off in
/// either direction, and half of that again.
pub const SKEW_MS: u64 = 30 * 60 * 1_000;
/// Largest fencing token: what every JSON reader holds exactly (2^53 - 1).
pub const TOKEN_MAX: u64 = (1 << 53) - 1;

/// How much longer than its time to live a foreign lease is left alone, in milliseconds: a tenth,
/// between 1 and 30 s. Boot clocks drift by parts per million; the rest is for slow observers.
pub fn margin_ms(ttl_s: u64) -> u64 {
    (ttl_s.saturating_mul(100)).clamp(1_000, 30_000)
}

/// The token of a new holder: larger than the last one, and at least the time in milliseconds.
///
/// The time makes it grow even where the last token is lost (a deleted ref, a remote restored
/// from a backup): tokens rise by one per acquisition, and an acquisition takes longer than 1 ms.
pub fn next_token(last: u64, wall_ms: u64) -> u64 {
    last.saturating_add(1)
        .max(wall_ms.min(TOKEN_MAX / 2))
        .clamp(1, TOKEN_MAX)
}
