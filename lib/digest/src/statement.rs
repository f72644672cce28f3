//! What a line says of a run.

use super::count::{Category, Counts};

/// Something that a line says of a run of this tool, in its own numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    /// `Facts::start`.
    Start(&'static str),
    /// `Facts::afresh`.
    Afresh(&'static str),
    /// `Facts::result`, its duration in milliseconds, and what it is worth.
    Result(&'static str, Counts, Option<u64>, Worth),
    /// `Facts::part`, and what it is worth.
    Part(&'static str, Category, u64, Worth),
    /// `Facts::duration`.
    Duration(&'static str, Option<u64>),
    /// `Facts::close`.
    Close(&'static str),
    /// So many of a class failed: `Facts::saw_class`.
    FailedOfClass(&'static str, u64),
}

/// What a statement is worth: `Now::weak` and `Now::sums`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Worth {
    pub(super) weak: bool,
    pub(super) sums: bool,
}
