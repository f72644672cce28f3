//! Grammars: how the tools print what happened.
//!
//! A grammar reads the lines of one lane and puts what it recognises into [`Facts`]. Most are
//! tables ([`table`]); the rest keep a state of their own. Each has its samples in its module.

mod custom;

use super::custom::Custom;
use super::facts::Facts;

/// A line as a grammar sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The text: clean, without trailing blanks, without the prefix of its lane.
    pub(super) text: &'a str,
    /// Its number in the log, from 1.
    pub(super) no: u64,
}

impl<'a> Line<'a> {
    /// The text without indentation.
    pub(super) fn trimmed(&self) -> &'a str {
        self.text.trim_start()
    }

    /// Blanks before the text.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.trimmed().len()
    }
}

/// What recognises the output of a tool.
pub(super) trait Grammar: std::fmt::Debug {
    /// Reads a line; true when it belongs to this tool's output.
    fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool;

    /// Whether the next line must come here first, whatever it holds.
    fn is_open(&self) -> bool {
        false
    }

    /// The output ends.
    fn end(&mut self, _facts: &mut Facts) {}
}

/// All grammars, each in its initial state, in the order in which they are asked.
pub(super) fn all(own: &[Custom]) -> Vec<Box<dyn Grammar>> {
    let mut all: Vec<Box<dyn Grammar>> = Vec::new();
    for custom in own {
        all.push(Box::new(custom::Own::new(custom)));
    }
    all
}

/// What the lines that matter hold: a line with none of these is only looked at inside a section.
pub(super) const ANCHORS: &[&str] = &[
    "rror",
    "ERR",
    "FAIL",
    "ail",
    "panic",
    "PANIC",
    "xception",
    "atal",
    "FATAL",
    "arning",
    "WARN",
    "Traceback",
    "not ok",
    "PASS",
    "assed",
    "✗",
    "✕",
    "✘",
    "✖",
    "×",
    "✓",
    "✔",
    "annot",
    "denied",
    "refused",
    "imeout",
    "timed out",
    "bort",
    "CRITICAL",
    "SEVERE",
    "Killed",
    "not found",
    "No such",
];
