//! A failing test.

use super::super::block::Block;

/// A failing test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// Its full name, as the tool prints it.
    pub name: String,
    /// The file of the failure, if the output says it.
    pub file: Option<String>,
    /// The line in that file, from 1.
    pub line: Option<u64>,
    /// The line that explains most, usually the first of the assertion or error; empty when the
    /// output gives no reason.
    pub message: String,
    /// The lines of the log that speak of it: first and last, from 1.
    pub log_lines: (u64, u64),
    /// More of the message, with the rank of each line.
    pub(in super::super) block: Block,
    /// The tool that named it.
    pub(in super::super) tool: &'static str,
    /// So often it was said to fail.
    pub(in super::super) said: u8,
}

impl Failure {
    /// The output has ended: what its section said becomes the failure's place and message.
    pub(in super::super) fn settle(&mut self) {
        if let Some(place) = &self.block.place {
            self.file = Some(place.file.clone());
            self.line = Some(place.line);
        }
        let first = self.block.first().unwrap_or_default();
        // `t_test.go:3: C2F(0)=30, want 32`: the place is said already.
        let bare = super::super::place::leading(first)
            .and_then(|(_, end)| first[end..].strip_prefix(": "))
            .unwrap_or(first);
        self.message = bare.to_owned();
    }
}

/// A failing test that was reported; it may be one too many to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Ticket(pub(super) Option<usize>);

impl Ticket {
    /// No test: what is said of it is dropped.
    pub(in super::super) const NONE: Self = Self(None);

    /// Whether so many others were kept before it.
    pub(in super::super) fn is_since(self, others: usize) -> bool {
        self.0.is_some_and(|at| at >= others)
    }
}
