//! Who asks for a lease, with what knowledge, and what the answer can be.

use super::record::Owner;

/// Who asks, and where it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Me {
    /// The agent's name.
    pub agent: String,
    /// The clone's random name.
    pub instance: String,
    /// The machine's name.
    pub host: String,
    /// The machine's current boot.
    pub boot: String,
    /// The process that the lease is to live with, if any.
    pub owner: Option<Owner>,
}

/// The claimant's clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Unix milliseconds; may be wrong by [`SKEW_MS`].
    pub wall_ms: u64,
    /// Milliseconds since this boot.
    pub mono_ms: u64,
}

/// What the claimant knows besides the record itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// How long this clone has seen this very object on the ref, in milliseconds.
    pub watched_ms: u64,
    /// Is the record's owner known to have ended?
    pub owner_dead: bool,
}

/// Why a lease may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Nobody ever held it.
    New,
    /// It was given back.
    Released,
    /// The process that it lived with has ended on this machine.
    OwnerDied,
    /// Its time to live passed on the boot clock that the holder itself used.
    Elapsed,
    /// I have watched it unchanged for its time to live and a margin.
    Watched,
    /// Its renewal lies further back than clocks can differ.
    LongPast,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It may be taken, with this fencing token.
    Take {
        /// The new token.
        token: u64,
        /// Why.
        why: Why,
    },
    /// I hold it already, with the record's token.
    Mine,
    /// Somebody else holds it, as far as I can know.
    Held,
}
