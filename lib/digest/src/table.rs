//! What tables consist of: patterns, and what the lines mean that they describe.

use super::format;
use super::meaning::Act;
use super::pattern;

/// A tool's table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) tool: &'static str,
    /// Text that a line must hold before anything else of the table counts; empty: none.
    pub(super) begins: &'static str,
    /// Its lines are this tool's alone: nothing else must speak for it.
    pub(super) firm: bool,
    /// The details of a failing test follow later, below a line that is its name.
    pub(super) headings: bool,
    /// It prints a suite like a test: only its own totals count.
    pub(super) suites: bool,
    pub(super) rules: &'static [Rule],
}

/// What lines of one form mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) pattern: &'static str,
    /// What is looked for before the pattern is tried.
    pub(super) anchor: &'static str,
    pub(super) act: Act,
}

/// Patterns and what they mean; their anchors are found when this is compiled.
pub(super) const fn rules<const N: usize>(list: [(&'static str, Act); N]) -> [Rule; N] {
    let mut rules = [Rule {
        pattern: "",
        anchor: "",
        act: Act::End,
    }; N];
    let mut at = 0;
    while at < N {
        let (pattern, act) = list[at];
        rules[at] = Rule::new(pattern, act);
        at += 1;
    }
    rules
}

impl Rule {
    const fn new(pattern: &'static str, act: Act) -> Self {
        Self {
            pattern,
            anchor: pattern::anchor(pattern),
            act,
        }
    }
}

impl Table {
    /// The tables of a person's own grammar. They are never given back.
    pub(super) fn own(grammar: format::Grammar) -> Vec<&'static Self> {
        let rules = grammar.rules.into_iter();
        let rules: Vec<Rule> = rules
            .map(|(pattern, act)| Rule::new(pattern.leak(), act))
            .collect();
        let (tool, rules) = (&*grammar.tool.leak(), &*rules.leak());
        let begins = match grammar.begins {
            none if none.is_empty() => vec![String::new()],
            begins => begins,
        };
        let table = |begins: String| Self {
            tool,
            begins: begins.leak(),
            firm: true,
            headings: grammar.headings,
            suites: grammar.suites,
            rules,
        };
        let tables = begins.into_iter().map(table);
        tables.map(|table| &*Box::leak(Box::new(table))).collect()
    }

    /// Whether a pattern describes this line: then what stands first in it is no prefix.
    pub(super) fn knows(&self, text: &str) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|rule| pattern::find(rule.pattern, text).is_some())
    }

    /// What is looked for in each line, before any pattern is tried.
    pub(super) fn words(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.begins).chain(self.anchors())
    }

    /// What a line must hold before the tool is known: what tells that, or a test that passed.
    pub(super) fn first_words(&self) -> impl Iterator<Item = &'static str> {
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
