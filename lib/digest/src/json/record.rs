//! What an object of a document says.

use super::super::clean::cut_end;
use super::super::count::figure;
use super::super::place::Location;
use super::slot::{SLOTS, Slot};

/// The most bytes of a text that are kept.
pub(super) const TEXT_MAX: usize = 1_000;

/// What an object says.
#[derive(Debug, Default, Clone)]
pub(super) struct Record {
    pub(super) slots: [Option<String>; SLOTS],
    pub(super) line: u64,
    /// The name of the list it stands in.
    pub(super) list: String,
}

impl Record {
    pub(super) fn get(&self, slot: Slot) -> Option<&str> {
        self.slots[slot as usize]
            .as_deref()
            .filter(|text| !text.is_empty())
    }

    pub(super) fn put(&mut self, slot: Slot, text: &str) {
        if self.slots[slot as usize].is_none() {
            self.slots[slot as usize] = Some(cut_end(text, TEXT_MAX).into_owned());
        }
    }
}

/// Where a record is: a problem without a place is none.
pub(super) fn place(record: &Record, from_zero: bool) -> Option<Location> {
    let file = record.get(Slot::File)?;
    let number = |slot| {
        let number = record.get(slot).and_then(figure)?;
        Some(number + u64::from(from_zero))
    };
    let line = number(Slot::Line);
    let shown = match (line, number(Slot::Column)) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column}"),
        (Some(line), None) => format!("{file}:{line}"),
        (None, _) => file.to_owned(),
    };
    let line = line.unwrap_or(1);
    Some(Location {
        file: file.to_owned(),
        line,
        shown,
    })
}
