//! A part of the page with a size of its own: what is long in one part never displaces another.

use std::fmt::Write;

/// Lines that are written until the part is full; the rest is counted.
#[derive(Debug)]
pub(crate) struct Part {
    text: String,
    bytes_max: usize,
    left_out: usize,
}

impl Part {
    /// A part of at most so many bytes, its last line apart.
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            text: String::new(),
            bytes_max,
            left_out: 0,
        }
    }

    /// One entry of one or more lines, whole or not at all; the first one that does not fit ends the part.
    pub(crate) fn push(&mut self, entry: &str) {
        if self.left_out > 0 || self.text.len() + entry.len() > self.bytes_max {
            self.left_out += 1;
            return;
        }
        self.text.push_str(entry);
    }

    /// Such entries, made only as long as there is room: there may be twenty thousand.
    pub(crate) fn push_each<T>(
        &mut self,
        all: impl IntoIterator<Item = T>,
        entry: impl Fn(T) -> String,
    ) {
        for one in all {
            if self.left_out > 0 {
                self.left_out += 1;
            } else {
                self.push(&entry(one));
            }
        }
    }

    /// What was written, and how many entries were left out, with the command that shows them.
    pub(crate) fn finish(mut self, run: &str) -> String {
        if self.left_out > 0 {
            let more = self.left_out;
            let _ = writeln!(
                self.text,
                "\n… and {more} more: `overnight report {run} --html FILE` has all of it."
            );
        }
        self.text
    }
}
