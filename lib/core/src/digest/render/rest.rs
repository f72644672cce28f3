//! What no grammar explained: lines that look like errors, the head and the tail.

use super::super::Digest;
use super::super::outline::Spot;
use super::page::Page;

/// An output of so many bytes may fill the page, even if nothing in it looks like an error: to
/// shorten it further would save little.
const MODEST: u64 = 6_000;

/// Lines that look like errors, shown next to what was recognised.
const ASIDES: usize = 3;

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
        match (self.is_failure(), explained, known) {
            // A log with tracebacks in it may name what went wrong before them.
            (_, true, _) if self.tool.as_deref() == Some("python") => {
                self.push_spots(page, 6, 0);
            }
            (true, true, _) => self.push_spots(page, ASIDES, 0),
            (false, _, true) => {}
            (true, false, _) if !self.failures.is_empty() => self.push_spots(page, 12, 0),
            (true, false, _) => {
                self.push_spots(page, 20, 3);
                self.push_ends(page, 4, 14);
            }
            (false, _, false) => {
                self.push_spots(page, 10, 3);
                if self.bytes_in <= MODEST {
                    let half = page.lines().saturating_sub(1) / 2;
                    self.push_ends(page, half, half);
                } else {
                    self.push_ends(page, 4, 8);
                }
            }
        }
    }

    fn push_spots(&self, page: &mut Page, errors: usize, warnings: usize) {
        let spots = || self.outline.spots.iter().chain(&self.outline.late);
        let (mut strong, mut weak, mut hidden) = (0, 0, self.outline.more);
        let mut others = Vec::new();
        for spot in spots() {
            if self.notes.iter().any(|(_, note)| *note == spot.text) {
                continue;
            }
            let (number, most) = if spot.weight > 1 {
                (&mut strong, errors)
            } else {
                (&mut weak, warnings)
            };
            if *number >= most || !push_spot(page, spot) {
                hidden += spot.count;
            } else {
                others.extend(&spot.others);
            }
            *number += 1;
        }
        for (line, text) in others.into_iter().take(errors) {
            page.push(&format!("{line}: {text}"));
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
    let fits = page.push(&format!("{}: {}{times}", spot.line, spot.text));
    for context in &spot.context {
        page.push(context);
    }
    fits
}
