//! That a run shares its list with other machines, and what it knows of their part of the budget.

use super::budget::Amount;
use serde::{Deserialize, Serialize};

/// A run works on a list together with other machines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// The list's key.
    pub list: String,
    /// The name of this machine.
    pub machine: String,
}

/// What the other machines of the list spent and hold of its budget, where that is news.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Others {
    /// What they spent.
    pub spent: Amount,
    /// What their members at work may still spend.
    pub held: Amount,
    /// Their members that are free to take a share.
    pub seats: u32,
}

/// What a run knows of the machines that it shares its list with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fleet {
    /// The list and the own name, of a run that joined.
    pub joined: Option<Joined>,
    /// The others' part of the budget.
    pub others: Others,
}
