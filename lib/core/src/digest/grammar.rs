//! Grammars: how the tools print what happened.
//!
//! A grammar reads the lines of one lane and puts what it recognises into [`Facts`]. Most are
//! tables ([`table`]); the rest keep a state of their own. Each has its samples in its module.

mod cpp;
mod custom;
mod gojson;
mod gotest;
mod java;
mod jest;
mod libtest;
mod lines;
mod nextest;
mod numbered;
mod pytest;
mod rustc;
mod stylish;
mod table;
mod tables;
mod tap;
mod unittest;
mod vitest;
mod words;
mod xml;

use super::custom::Custom;
use super::facts::Facts;
use super::index::{Index, Words};

/// A line as a grammar sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The text: clean, without trailing blanks, without the prefix of its lane.
    pub(super) text: &'a str,
    /// Its number in the log, from 1.
    pub(super) no: u64,
    /// Which of the words that were asked for ([`words`]) it holds.
    pub(super) words: &'a Words<'a>,
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
pub(super) trait Grammar: std::fmt::Debug + Send {
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
pub(super) fn all(own: &[Custom], index: &Index) -> Vec<Box<dyn Grammar>> {
    let mut all: Vec<Box<dyn Grammar>> = Vec::new();
    for custom in own {
        all.push(Box::new(custom::Own::new(custom)));
    }
    all.push(Box::<nextest::Nextest>::default());
    all.push(Box::<libtest::Libtest>::default());
    all.push(Box::<pytest::Pytest>::default());
    all.push(Box::<unittest::Unittest>::default());
    all.push(Box::<rustc::Rustc>::default());
    all.push(Box::<gojson::Gojson>::default());
    all.push(Box::<gotest::Gotest>::default());
    all.push(Box::<cpp::Ctest>::default());
    all.push(Box::<cpp::Gtest>::default());
    all.push(Box::<jest::Jest>::default());
    all.push(Box::<vitest::Vitest>::default());
    all.push(Box::<numbered::Numbered>::default());
    all.push(Box::<java::Java>::default());
    all.push(Box::<xml::Xml>::default());
    all.push(Box::<tap::Tap>::default());
    for table in tables::TABLES {
        all.push(Box::new(table::Tabled::new(table, index)));
    }
    all.push(Box::<stylish::Stylish>::default());
    all.push(Box::<lines::Lines>::default());
    all
}

/// The words that the tables look for.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    tables::TABLES.iter().flat_map(table::Table::words)
}

/// The title in a line of one repeated character: `==== FAILURES ====`. The character stands at
/// least three times on both sides.
fn ruler(text: &str, with: char) -> Option<&str> {
    let inner = text.trim_start_matches(with);
    let title = inner.trim_end_matches(with);
    let (before, after) = (text.len() - inner.len(), inner.len() - title.len());
    let parted = title.starts_with(' ') && title.ends_with(' ');
    (before >= 2 && after >= 1 && parted && title.len() > 2).then(|| title.trim())
}

/// What the grammars find in a text.
#[cfg(test)]
fn sample(text: &str) -> Facts {
    let mut machine = super::machine::Machine::new(Vec::new());
    let mut cutter = super::cut::Cutter::new(machine.anchors());
    cutter.push(text.as_bytes(), &mut machine);
    cutter.finish(&mut machine);
    machine.into_facts()
}

pub(super) use words::ANCHORS;
