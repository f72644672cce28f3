//! A list whose entries are numbered, among other numbered lines.

use super::super::super::count::figure;
use super::super::Line;

/// The number before `) `, and the text after it.
pub(super) fn numbered<'t>(line: &Line<'t>) -> Option<(u64, &'t str)> {
    let text = line.trimmed();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let name = text[digits..].strip_prefix(") ")?;
    let number = figure(&text[..digits]).filter(|_| digits < 6)?;
    (line.indent() <= 4 && !name.is_empty()).then_some((number, name))
}

/// How far a list of so many has been read whose numbers go up by one.
#[derive(Debug, Default)]
pub(super) struct List {
    stated: u64,
    read: u64,
}

impl List {
    /// A list of so many, of which none has been read.
    pub(super) fn of(stated: u64) -> Self {
        Self { stated, read: 0 }
    }

    /// Whether there are more: whatever comes is not of another program.
    pub(super) fn has_more(&self) -> bool {
        self.read < self.stated
    }

    /// Whether the entry of this number comes now: what else looks like one is part of a message.
    pub(super) fn goes_on(&mut self, number: u64) -> bool {
        let next = number == self.read + 1;
        if next {
            self.read = number;
        }
        next
    }
}
