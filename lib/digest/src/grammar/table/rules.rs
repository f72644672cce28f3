//! What tables consist of: patterns, and what the lines mean that they describe.

use super::super::super::format;
use super::super::super::meaning::Act;
use super::super::super::pattern;

/// A tool's table.
#[derive(Debug)]
pub(in super::super::super) struct Table {
    pub(in super::super::super) tool: &'static str,
    /// Text that a line must hold before anything else of the table counts; empty: none.
    pub(in super::super) begins: &'static str,
    /// Its lines are this tool's alone: nothing else must speak for it.
    pub(in super::super) firm: bool,
    /// The details of a failing test follow later, below a line that is its name.
    pub(in super::super) headings: bool,
    /// It prints a suite like a test: only its own totals count.
    pub(in super::super) suites: bool,
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
    pub(in super::super::super) fn own(grammar: format::Grammar) -> Vec<&'static Self> {
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
    pub(in super::super::super) fn knows(&self, text: &str) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|rule| pattern::find(rule.pattern, text).is_some())
    }

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

    pub(in super::super::super) fn anchors(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|rule| rule.anchor)
    }
}
