//! What no grammar explained: lines that look like errors, the head and the tail.

use super::super::aside::{Aside, Grade, grade};
use super::super::outline::{Kept, Spot};
use super::super::{Digest, clean::cut_end};
use super::page::Page;
use std::cmp::Reverse;

/// Lines that look like errors, shown next to what was recognised.
const ASIDES: usize = 3;
/// Bytes of one of the last lines.
const LAST_BYTES: usize = 240;

impl Digest {
    pub(super) fn push_rest(&self, page: &mut Page) {
        let told = self
            .failures
            .iter()
            .any(|failure| !failure.block.is_empty());
        let explained = told || !self.problems.is_empty();
        let known = self.tool.is_some();
        for (_, note) in self.notes.iter().take(if explained { 8 } else { 12 }) {
            page.push(note);
        }
        self.push_asides(page);
        match (self.is_failure(), explained, known) {
            // A log with tracebacks in it may name what went wrong before them.
            (_, true, _) if self.tool.as_deref() == Some("python") => {
                self.push_spots(page, 6, 0);
            }
            (true, true, _) => {
                self.push_spots(page, ASIDES, 0);
                self.push_last(page);
            }
            (false, _, true) => self.push_last(page),
            (true, false, _) if !self.failures.is_empty() => self.push_spots(page, 12, 0),
            (true, false, _) => self.push_spots(page, 20, 3),
            (false, _, false) => self.push_spots(page, 10, 3),
        }
    }

    /// The lines that [`Self::push_rest`] surely needs: statements of errors that no grammar took.
    pub(super) fn stated_elsewhere(&self) -> usize {
        let spots = self.outline.spots.iter().map(|spot| &spot.text);
        let stated = spots.chain(self.asides.iter().map(|aside| &aside.text));
        let strong = stated.filter(|text| grade(text, false) == Grade::Strong);
        strong.take(ASIDES).count()
    }

    /// What another command than the recognised ones said of errors: statements first.
    fn push_asides(&self, page: &mut Page) {
        for aside in self.shown_asides() {
            if let Some(above) = &aside.above {
                page.push(&format!("{}: {above}", aside.line - 1));
            }
            page.push(&format!("{}: {}", aside.line, aside.text));
        }
    }

    /// At most [`ASIDES`] of them, in their order: the last one is what a command ended with.
    fn shown_asides(&self) -> Vec<&Aside> {
        let noted = |aside: &&Aside| self.notes.iter().any(|(line, _)| *line == aside.line);
        let mut all: Vec<&Aside> = self.asides.iter().filter(|aside| !noted(aside)).collect();
        all.sort_by_key(|aside| (Reverse(aside.grade), aside.line));
        if all.len() > ASIDES {
            let strong = all.iter().rposition(|aside| aside.grade == all[0].grade);
            if let Some(last) = strong.filter(|last| *last >= ASIDES) {
                all.swap(ASIDES - 1, last);
            }
            all.truncate(ASIDES);
        }
        all.sort_by_key(|aside| aside.line);
        all
    }

    /// The last lines, when nobody took them.
    fn push_last(&self, page: &mut Page) {
        let shown = |kept: &&Kept| {
            let line = kept.line;
            let aside = self.shown_asides().iter().any(|aside| aside.line == line);
            let noted = self.notes.iter().any(|(noted, _)| *noted == line);
            let spot = self.is_failure() && self.outline.spots.iter().any(|spot| spot.line == line);
            !(aside || noted || spot)
        };
        for kept in self.last.iter().filter(shown) {
            page.push(&cut_end(&kept.text(), LAST_BYTES));
        }
    }

    fn push_spots(&self, page: &mut Page, errors: usize, warnings: usize) {
        let spots = || self.outline.spots.iter().chain(&self.outline.late);
        let (mut strong, mut weak, mut hidden) = (0, 0, self.outline.more);
        for spot in spots() {
            let aside = self
                .shown_asides()
                .iter()
                .any(|aside| aside.line == spot.line);
            if aside || self.notes.iter().any(|(_, note)| *note == spot.text) {
                continue;
            }
            let (number, most) = if spot.weight > 1 {
                (&mut strong, errors)
            } else {
                (&mut weak, warnings)
            };
            if *number >= most || !push_spot(page, spot) {
                hidden += spot.count;
            }
            *number += 1;
        }
        if hidden > 0 {
            page.push(&format!("{hidden} more lines like these in the log"));
        }
    }
}

fn push_spot(page: &mut Page, spot: &Spot) -> bool {
    let times = if spot.count > 1 {
        format!(" (and {} similar)", spot.count - 1)
    } else {
        String::new()
    };
    page.push(&format!("{}: {}{times}", spot.line, spot.text))
}
