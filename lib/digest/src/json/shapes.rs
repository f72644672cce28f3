//! Which reporters print JSON, by what their documents are told, and what their members mean: as `build.rs` read it
//! from `grammars/reporters.toml`.

#[allow(clippy::enum_glob_use, reason = "the rows are words of it")]
use super::super::meaning::Category::{self, *};

/// A reporter.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) tool: &'static str,
    /// The members that tell it: each occurs, with this text if one is given.
    pub(super) signs: &'static [(&'static str, &'static str)],
    /// A line of such a document holds one of these (or of those of another), or it is not read as one.
    words: &'static [&'static str],
    /// Its records are single tests, else problems.
    pub(super) tests: bool,
    /// It lists tests by how they ended, and all of them in a list of their own.
    pub(super) lists: bool,
    /// Lines in it count from 0.
    pub(super) from_zero: bool,
    /// Levels of problems that mean a warning here.
    pub(super) warnings: &'static [&'static str],
    /// Members that are numbers of the result: below an object of this name (empty: anywhere).
    pub(super) totals: &'static [(&'static str, &'static str, Category)],
}

/// All reporters; the first that fits.
pub(super) const SHAPES: &[Shape] = include!(concat!(env!("OUT_DIR"), "/reporters.rs"));

/// A line of a document holds one of these, or it is not read as one.
pub(in super::super) fn words() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().flat_map(|shape| shape.words).copied()
}
