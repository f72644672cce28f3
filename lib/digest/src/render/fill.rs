//! What a page leaves free: when something failed or nothing was recognised, it is filled with the lines that tell
//! most of what was not said. Of failing tests, and of errors, in turn the next line nearest to one that was said;
//! then the lines that differ from the mass of their kind. No tool is known here.

mod near;
mod rare;

use super::super::Digest;
use super::page::Page;
use super::pieces::{Piece, flat};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Where there are more lines than fit, short ones share a row of so many bytes.
const ROW: usize = 300;
const APART: &str = " ⏎ ";
/// The number of a line, its colon, and what parts it from the next.
const NUMBER: usize = 11;

/// Shorter texts tell little alone.
const SHORT: usize = 4;

/// What the page says already, and how many bytes are left.
struct Written {
    page: String,
    texts: BTreeSet<String>,
    room: usize,
}

impl Written {
    fn of(page: &Page, room: usize) -> Self {
        let mut text = String::from("\n");
        for row in page.rows() {
            text.push_str(&flat(row));
            text.push('\n');
        }
        Self {
            page: text,
            texts: BTreeSet::new(),
            room,
        }
    }

    fn has(&self, text: &str) -> bool {
        let mut needle = flat(text.trim_end_matches('…'));
        if needle.len() < SHORT {
            // A number stands in many a row by chance.
            needle = format!("\n{needle}\n");
        }
        let found = memchr::memmem::find(self.page.as_bytes(), needle.as_bytes());
        found.is_some() || self.texts.contains(text)
    }

    /// Says it, if it is new and there is room.
    fn take(&mut self, text: &str) -> bool {
        let Some(left) = self.room.checked_sub(text.len() + NUMBER) else {
            return false;
        };
        if self.has(text) {
            return false;
        }
        self.room = left;
        self.texts.insert(text.to_owned())
    }
}

impl Digest {
    /// Fills the page up to its budget of bytes.
    pub(super) fn fill(&self, page: &mut Page) {
        if self.is_quiet() {
            return;
        }
        let pieces = self.pieces();
        let room = self.fill_max.saturating_sub(page.used());
        let room = room.min(page.bytes());
        let said = &mut Written::of(page, room);
        let sections = page.sections();
        let own = self.of_failures(&pieces, &sections, said);
        let mut others = self.of_errors(&pieces, said);
        others.extend(self.differing(&pieces, said));
        let count = others.len() + own.iter().map(Vec::len).sum::<usize>();
        // Rows as wide as they have to be.
        let bytes = (room - said.room) / page.lines().max(1);
        let shared = (count > page.lines()).then_some(((bytes * 3 / 2).min(ROW), APART));
        // From the end on: what is put in moves the rows below.
        let rows = rows(&pieces, others, shared);
        for ((row, _), lines) in sections.into_iter().zip(own).rev() {
            page.put(row, &lines, shared);
        }
        for row in rows {
            page.push(&row);
        }
    }

    /// Whether it stands in a run of tests that was recognised.
    fn of_tests(&self, piece: &Piece) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|(begin, end)| (*begin..=*end).contains(&piece.line))
    }

    /// Whether what was recognised is all there is to say.
    pub(super) fn is_quiet(&self) -> bool {
        !self.is_failure() && self.tool.is_some() && !self.has_errors()
    }
}

/// The lines in their order; one that does not follow on the one above it has its number.
fn rows(pieces: &[Piece], mut chosen: Vec<usize>, shared: Option<(usize, &str)>) -> Vec<String> {
    chosen.sort_unstable();
    let mut rows: Vec<String> = Vec::new();
    let mut last = None;
    for at in chosen {
        let piece = &pieces[at];
        let mut text = match at.checked_sub(1) {
            before if before == last => piece.text.clone(),
            _ => format!("{}: {}", piece.line, piece.text),
        };
        if piece.count > 1 {
            let _ = write!(text, " (×{})", piece.count);
        }
        last = Some(at);
        match (rows.last_mut(), shared) {
            (Some(row), Some((most, apart))) if row.len() + text.len() + apart.len() <= most => {
                row.push_str(apart);
                row.push_str(&text);
            }
            _ => rows.push(text),
        }
    }
    rows
}
