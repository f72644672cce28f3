//! The section of a failing test.

use super::super::super::block::{self, Block};
use super::super::super::place;
use super::super::ruler;
use super::names::short;

/// What the titles of pytest-sugar are ruled with.
pub(super) const SUGAR: &str = "――――";

/// The title of a section.
pub(super) fn heading(text: &str) -> Option<&str> {
    let with = if text.starts_with(SUGAR) { '―' } else { '_' };
    ruler(text, with)
}

/// What the section of a failing test says.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) block: Block,
    pub(super) lines: (u64, u64),
    errors: u8,
}

impl Section {
    /// One that begins at this line.
    pub(super) fn new(name: &str, line: u64) -> Self {
        Self {
            name: name.to_owned(),
            block: Block::default(),
            lines: (line, line),
            errors: 0,
        }
    }

    /// Reads a line of it.
    pub(super) fn line(&mut self, text: &str) {
        if let Some(error) = text.strip_prefix("E ") {
            let error = error.trim();
            self.errors = self.errors.saturating_add(1);
            if self.errors == 1 || block::has_exception(error) {
                self.block.message(error);
            } else if self.errors < 12 {
                self.block.push(error);
            }
            return;
        }
        // A part of an exception group: `    | ValueError: x`.
        if let Some(part) = text.trim_start().strip_prefix("| ") {
            if block::has_exception(part) && !part.starts_with("ExceptionGroup: ") {
                self.block.message(part);
            }
            return;
        }
        // `tests/test_a.py::test_b: in "parametrize" …` of what cannot be collected.
        if self.errors == 0
            && text
                .strip_prefix(&self.name)
                .is_some_and(|rest| rest.starts_with("::"))
        {
            self.block.message(text);
            return;
        }
        // `tests/test_a.py:12: AssertionError`, or `...: in test_len` with a short traceback.
        if let Some((place, _)) = place::leading(text) {
            let better = self.block.place.as_ref().is_none_or(|known| {
                place::is_foreign(&known.file) || !place::is_foreign(&place.file)
            });
            if better {
                self.block.at(place);
            }
            return;
        }
        // Tracebacks of `--tb=native` have no margin.
        if self.errors == 0 && !text.starts_with(' ') && block::has_exception(text) {
            self.block.message(text);
        }
        if text.trim_start().starts_with("File \"")
            && let Some(place) = place::anywhere(text)
        {
            if self.block.place.is_none() || !place::is_foreign(&place.file) {
                self.block.at(place);
            }
            return;
        }
        // xdist knows no more than the file of a test that took its worker down.
        if text.starts_with("worker 'gw")
            && let Some((_, id)) = text.split_once(" crashed while running '")
        {
            self.name = short(id.trim_end_matches('\''));
            self.block.message(text);
        }
        if text.starts_with("[XPASS(strict)]") || text.starts_with("INTERNALERROR") {
            self.block.message(text);
        }
    }
}
