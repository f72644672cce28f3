//! A line, as those who read it see it.

use super::index::Words;
use super::outline;

/// A line as a grammar sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The text: clean, without trailing blanks, without the prefix of its lane.
    pub(super) text: &'a str,
    /// Its number in the log, from 1.
    pub(super) no: u64,
    /// What came before it, as it came: whole lines, or the end of them.
    pub(super) before: &'a [u8],
    /// Which of the words that were asked for it holds.
    pub(super) words: &'a Words<'a>,
}

impl<'a> Line<'a> {
    /// The text without indentation.
    pub(super) fn trimmed(&self) -> &'a str {
        // Mostly nothing is left to trim, which is cheaper to see by bytes.
        self.text.trim_ascii_start().trim_start()
    }

    /// Blanks before the text.
    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.trimmed().len()
    }

    /// The line before, as it came; empty if there was none.
    pub(super) fn previous(&self) -> &'a [u8] {
        outline::last(self.before)
    }
}
