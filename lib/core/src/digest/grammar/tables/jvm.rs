//! The Java platform: JUnit's own console.

use super::super::super::count::Category::Total;
use super::super::table::Act::{End, Fail, First, Tally};
use super::super::table::Table;

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[Table {
    tool: "junit",
    begins: "JUnit ",
    headings: false,
    rules: &[
        ("^  JUnit {}:{name}", Fail),
        ("^Test run finished after {}", End),
        ("^[ {n} tests found ]", First(Total)),
        ("^[ {skipped} tests skipped ]", Tally),
        ("^[ {passed} tests successful ]", Tally),
        ("^[ {failed} tests failed ]", Tally),
        ("^[ {n} {}", End),
    ],
}];
