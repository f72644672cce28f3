//! What tables consist of: patterns, and what the lines mean that they describe.

use super::super::super::count::Category;
use super::super::super::pattern;
use super::super::super::problem::Severity;

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Act {
    /// A run begins.
    Start,
    /// The test `{name}` passed.
    Pass,
    /// The test `{name}` failed; `{message}` and `{place}` may be on the line. The lines after it,
    /// up to the next that a pattern knows, are its details.
    Fail,
    /// The same, and only indented lines are its details.
    FailIndented,
    /// The same, and no details follow.
    FailLine,
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
    /// `{message}`, maybe at `{place}`, is an error, a warning.
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
    pub(super) fn states(self) -> bool {
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
    pub(super) fn runs(self) -> bool {
        matches!(
            self,
            Self::Start | Self::Pass | Self::Skip | Self::Name | Self::NamePassed
        )
    }
}

/// A tool's table.
#[derive(Debug)]
pub(in super::super) struct Table {
    pub(in super::super) tool: &'static str,
    /// Text that a line must hold before anything else of the table counts; empty: none.
    pub(in super::super) begins: &'static str,
    /// The details of a failing test follow later, below a line that is its name.
    pub(in super::super) headings: bool,
    pub(in super::super) rules: &'static [Rule],
}

/// What lines of one form mean.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Rule {
    pub(in super::super) pattern: &'static str,
    /// What is looked for before the pattern is tried.
    pub(super) anchor: &'static str,
    pub(in super::super) act: Act,
}

/// Patterns and what they mean; their anchors are found when this is compiled.
pub(in super::super) const fn rules<const N: usize>(list: [(&'static str, Act); N]) -> [Rule; N] {
    let mut rules = [Rule {
        pattern: "",
        anchor: "",
        act: Act::End,
    }; N];
    let mut at = 0;
    while at < N {
        let (pattern, act) = list[at];
        rules[at] = Rule {
            pattern,
            anchor: pattern::anchor(pattern),
            act,
        };
        at += 1;
    }
    rules
}

impl Table {
    /// What is looked for in each line, before any pattern is tried.
    pub(in super::super) fn words(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.begins).chain(self.anchors())
    }

    /// What a line must hold before the tool is known: what tells that, or a test that passed.
    pub(in super::super) fn first_words(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.begins).chain(self.passes())
    }

    pub(super) fn passes(&self) -> impl Iterator<Item = &'static str> {
        let passes = self.rules.iter().filter(|rule| rule.act == Act::Pass);
        passes.map(|rule| rule.anchor)
    }

    pub(super) fn anchors(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|rule| rule.anchor)
    }
}
