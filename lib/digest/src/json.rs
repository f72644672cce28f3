//! Documents of reporters that print JSON, on one line of any length or on many: eslint, rspec,
//! jest, ruff and others ([`shapes`]). Which it is, its members tell; until then what could be a
//! record is remembered.

mod member;
mod problem;
mod reader;
mod record;
mod shapes;
mod slot;
mod test;
mod total;
mod tree;

use super::count::Counts;
use super::facts::Facts;
use reader::{Progress, Reader};
use tree::Tree;

pub(super) use shapes::words;

/// A document that has not told within so many bytes whose it is, is nobody's.
const UNKNOWN_MAX: usize = 128 * 1024;

/// A document that is being read.
#[derive(Debug, Default)]
pub(super) struct Document {
    reader: Reader,
    tree: Tree,
    bytes: usize,
    lost: bool,
    /// A test of the current file failed.
    failed: bool,
}

/// How far a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It goes on.
    Open,
    /// It is complete.
    Done,
    /// It is no JSON, or nobody's.
    Lost,
}

impl Document {
    /// Whether a document could begin here.
    pub(super) fn may_begin(text: &[u8]) -> bool {
        let second = || text.iter().skip(1).find(|byte| !byte.is_ascii_whitespace());
        match text.first() {
            Some(b'{') => matches!(second(), None | Some(b'"')),
            Some(b'[') => matches!(second(), None | Some(b'{')),
            _ => false,
        }
    }

    /// Reads a piece, whose first byte stands on this line.
    pub(super) fn push(&mut self, bytes: &[u8], line: u64) -> State {
        if self.lost {
            return State::Lost;
        }
        self.tree.line = line;
        // However it is cut, the same is read of it.
        let (first, rest) = bytes.split_at(bytes.len().min(UNKNOWN_MAX.saturating_sub(self.bytes)));
        self.bytes = self.bytes.saturating_add(bytes.len());
        let mut progress = self.reader.push(first, &mut self.tree);
        if progress == Progress::Open && !rest.is_empty() {
            if self.tree.shape.is_none() {
                progress = Progress::Broken;
            } else {
                progress = self.reader.push(rest, &mut self.tree);
            }
        }
        self.lost = progress == Progress::Broken;
        match progress {
            Progress::Open => State::Open,
            Progress::Done => State::Done,
            Progress::Broken => State::Lost,
        }
    }

    /// Whether it is known whose it is.
    pub(super) fn is_known(&self) -> bool {
        self.tree.shape.is_some()
    }

    /// What was read since the last time.
    pub(super) fn flush(&mut self, facts: &mut Facts) {
        let Some(shape) = self.tree.shape else { return };
        facts.tool(shape.tool);
        for record in self.tree.records.drain(..) {
            if shape.tests {
                test::record(shape, &record, &mut self.failed, facts);
            } else {
                problem::record(shape, &record, facts);
            }
        }
    }

    /// The document is over, or broke off.
    pub(super) fn finish(&mut self, facts: &mut Facts) {
        self.flush(facts);
        let Some(shape) = self.tree.shape else { return };
        let mut counts = Counts::default();
        for (place, name, category) in shape.totals {
            let mut stated = self.tree.totals.iter();
            if let Some((.., sum)) = stated.find(|total| (total.0, total.1) == (*place, *name)) {
                counts.add(*category, *sum);
            }
        }
        total::settle(shape, &mut counts);
        if !shape.tests {
            facts.lint = true;
        }
        if !counts.is_empty() {
            facts.problems_stated |= !shape.tests;
            facts.result(shape.tool, counts, None);
            facts.close(shape.tool);
        }
    }
}
