//! What lines of an output may mean: the words that grammars are written in. Read with this crate, and when
//! it is built (`build.rs`).

use serde::Deserialize;

/// What is counted. The order is the order in which a digest states them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Tests that failed.
    Failed,
    /// Tests or files that could not run, compile errors, lints of level error.
    Errors,
    /// Tests that passed.
    Passed,
    /// Tests that were skipped.
    Skipped,
    /// The same, in the words of the tools that say so.
    Ignored,
    /// The same.
    Pending,
    /// Tests that are still to be written.
    Todo,
    /// Tests that failed as expected.
    Xfailed,
    /// Tests that passed though expected to fail.
    Xpassed,
    /// Tests that were not selected.
    Deselected,
    /// Tests that were cancelled.
    Cancelled,
    /// Tests that passed only when repeated.
    Flaky,
    /// Warnings.
    Warnings,
    /// All problems of a linter.
    Problems,
    /// All tests.
    Total,
    /// Suites, where only their number is stated.
    Suites,
    /// Suites or files that failed.
    SuitesFailed,
    /// Suites or files that passed.
    SuitesPassed,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// It makes the run fail.
    Error,
    /// It does if the command failed: the tool prints no severity.
    Plain,
    /// It does not.
    Warning,
    /// A hint.
    Note,
}

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Act {
    /// A run begins.
    Start,
    /// The test `{name}` passed.
    Pass,
    /// The test `{name}` failed; `{message}` and `{place}` may be on the line.
    Fail,
    /// The same, and the lines after it, up to the next that a pattern knows, are its details.
    FailDetailed,
    /// The same, and only indented lines are its details.
    FailIndented,
    /// The test `{name}` failed; what was printed since the last known line are its details.
    FailAfter,
    /// What the test that failed last says.
    Statement,
    /// The details of the test that fails next follow.
    Ahead,
    /// The details of the failing test `{name}` follow, if it is known; else it is one.
    Details,
    /// The details of the failing test `{name}` follow, if it is known.
    Section,
    /// A failing test: its name is the next line.
    FailNext,
    /// The test `{name}` begins; `{message}` and `{place}` may be on the line.
    Name,
    /// The test that began last failed; details follow.
    NameFailed,
    /// It passed.
    NamePassed,
    /// The test that failed last was meant to.
    Excused,
    /// The test `{name}` was skipped.
    Skip,
    /// A result line: pairs of number and word.
    Result,
    /// A result line, or a part of it, with gaps named like categories.
    Tally,
    /// The same, and the run is over: what follows belongs to the next.
    Final,
    /// The same, and worth showing.
    FinalShown,
    /// Like [`Act::Result`], and the run is over.
    FinalResult,
    /// A result line with one category: `{n}`.
    Part(Category),
    /// The same, the first of its run: what was stated before belongs to another.
    First(Category),
    /// The same, of one of several programs: it is added up.
    Add(Category),
    /// `{message}`, maybe at `{place}`, is an error, a warning; `{severity}` on the line says it better, and
    /// `{code}` is shown behind it.
    Problem(Severity),
    /// The same, and its place follows on a line of its own.
    Held(Severity),
    /// The place of the problem before: `{place}`.
    At,
    /// Worth showing.
    Show,
    /// Nothing; it ends the details before it.
    End,
    /// The same, and another grammar reads the line.
    Leave,
}

impl Act {
    /// Whether this is a result, or a part of one.
    pub(crate) fn states(self) -> bool {
        matches!(
            self,
            Self::Result
                | Self::Tally
                | Self::Final
                | Self::FinalShown
                | Self::FinalResult
                | Self::Part(_)
                | Self::First(_)
                | Self::Add(_)
        )
    }

    /// Whether tests run here.
    pub(crate) fn runs(self) -> bool {
        matches!(
            self,
            Self::Start | Self::Pass | Self::Skip | Self::Name | Self::NamePassed
        )
    }
}
