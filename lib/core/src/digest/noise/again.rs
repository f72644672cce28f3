//! What a line did, and what is done with others like it.

use super::super::count::Category;
use super::super::grammar::Set;
use super::super::problem::Severity;

/// What is done with each line that is not shown again.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Again {
    /// Where the outline counts lines of this shape.
    pub(in super::super) spot: Option<usize>,
    pub(in super::super) effect: Effect,
    /// The grammars that count them without taking them, and their lane.
    pub(in super::super) counted: Set,
    pub(in super::super) lane: usize,
}

/// What a line did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Effect {
    /// Nobody took it.
    #[default]
    None,
    /// It is the line of one test of this tool.
    Saw(&'static str, Category),
    /// It is one more problem that this tool told of: of those that are listed, its number.
    Problem(&'static str, Severity, Option<usize>),
    /// Anything else.
    More,
}
