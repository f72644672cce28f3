//! The built-in tables, as `build.rs` wrote them from `grammars/`. Order matters within a table: the first pattern
//! that fits decides.

#[allow(clippy::enum_glob_use, reason = "the rows are words of these three")]
use super::super::meaning::{Act::*, Category::*, Severity::*};
use super::super::table::{Table, rules};

/// Every table, in the order in which they are asked.
pub(super) const TABLES: &[Table] = include!(concat!(env!("OUT_DIR"), "/tables.rs"));

#[cfg(test)]
mod tests;
