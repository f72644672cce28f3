//! A night over many machines that share one list.
//!
//! Each driver passes its journal on to the others over the remote that holds the leases: a chain of
//! commits below [`JOURNALS`] whose messages are the journal's lines, shortened to what a summary needs
//! and with secrets replaced ([`word`]). What comes back is data of somebody else: it goes through the
//! same sieve once more ([`heard`]), is bounded, and decides nothing but what is left of the budget
//! ([`Others`]). What is done is said by the line alone.

mod machine;
mod sieve;
#[cfg(test)]
mod tests;
mod together;

use crate::budget::Amount;
pub use crate::joined::{Joined, Others};
use crate::members::line;
use crate::task::TaskSpec;
use overnight_base::session::hex;
use sha2::{Digest, Sha256};

pub use machine::{Machine, Standing};
pub use sieve::{heard, last_seq, word};
pub use together::together;

/// Where journals stand on the remote: below it the list, then the run.
pub const JOURNALS: &str = "refs/overnight/journals";
/// The same on hosts that accept nothing but branches.
pub const JOURNALS_HEADS: &str = "refs/heads/overnight/journals";
/// Where a clone keeps what it heard.
pub const HEARD: &str = "refs/overnight/heard";
/// A journal that is longer is not read.
pub const BYTES_MAX: u64 = 8 << 20;
/// Machines of one list that are listened to.
pub const MACHINES_MAX: usize = 256;
/// Hexadecimal digits of a list's key.
const KEY_DIGITS: usize = 16;

/// The key of a list: the line that it is brought to, and the tasks as a line knows them.
pub fn list(line: &str, tasks: &[TaskSpec]) -> String {
    let mut keys: Vec<String> = tasks.iter().map(line::mark).collect();
    keys.sort();
    let text = format!("{line}\n{}", keys.join("\n"));
    let mut key = hex(Sha256::digest(text.as_bytes()).as_slice());
    key.truncate(KEY_DIGITS);
    key
}

impl Others {
    /// What these machines take of the budget now. One that is gone holds nothing any more: its tasks
    /// are others'.
    pub fn of(machines: &[Machine], now: u64) -> Self {
        let mut others = Self::default();
        for machine in machines {
            others.spent = plus(others.spent, machine.spent());
            if machine.lives(now) {
                let reserved = machine.state.reserved.values();
                others.held = reserved.fold(others.held, |sum, amount| plus(sum, *amount));
                others.seats = others.seats.saturating_add(machine.free_members());
            }
        }
        others
    }
}

/// Both, within what a number can hold: these figures are somebody else's.
fn plus(one: Amount, other: Amount) -> Amount {
    /// More than any budget.
    const USD_MAX: f64 = 1e9;
    Amount {
        usd: (one.usd + other.usd.clamp(0.0, USD_MAX)).min(USD_MAX),
        tokens: one.tokens.saturating_add(other.tokens),
    }
}
