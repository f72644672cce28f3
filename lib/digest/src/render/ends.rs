//! The first and the last lines of an output.

use super::super::block::is_frame;
use super::super::outline::Kept;
use super::super::{Digest, clean::cut_end};
use super::page::Page;

/// Bytes of a line of head or tail.
const LINE_MAX: usize = 240;
/// Bytes of the line between the two.
const MARK: usize = 40;

impl Digest {
    /// The first and last lines, without those that were shown.
    pub(super) fn push_ends(&self, page: &mut Page, head: usize, tail: usize) {
        let room = page.bytes().saturating_sub(MARK);
        let heads = self.outline.head.iter().take(head);
        // Where there is little room, the end gets what the first lines leave, or half of it.
        let left = room.saturating_sub(heads.clone().map(bytes).sum());
        let tail = self.outline.tail.iter().rev().take(tail);
        let mut tail = fitting(tail, left.max(room / 2));
        tail.reverse();
        let tail_start = tail.first().map_or(u64::MAX, |kept| kept.line);
        let left = room.saturating_sub(tail.iter().copied().map(bytes).sum());
        let mut last = 0;
        for kept in fitting(heads.filter(|kept| kept.line < tail_start), left) {
            last = kept.line + kept.count;
            self.push_kept(page, kept);
        }
        if tail_start != u64::MAX && tail_start > last && last > 0 {
            page.push(&format!("… lines {last}-{} left out …", tail_start - 1));
        }
        for kept in tail {
            self.push_kept(page, kept);
        }
    }

    fn push_kept(&self, page: &mut Page, kept: &Kept) {
        let text = kept.text();
        let spots = self.outline.spots.iter().chain(&self.outline.late);
        let shown = spots.take(16).any(|spot| spot.line == kept.line);
        let noted = self.notes.iter().any(|(_, note)| note == text.trim());
        if text.is_empty() || shown || noted || is_frame(text.trim()) {
            return;
        }
        let text = cut_end(&text, LINE_MAX);
        if kept.count > 1 {
            page.push(&format!("{text} (×{})", kept.count));
        } else {
            page.push(&text);
        }
    }
}

/// As many of the lines, from the first on, as fit into so many bytes.
fn fitting<'k>(lines: impl Iterator<Item = &'k Kept>, mut room: usize) -> Vec<&'k Kept> {
    lines
        .take_while(|kept| {
            let fits = bytes(kept) <= room;
            room = room.saturating_sub(bytes(kept));
            fits
        })
        .collect()
}

/// What a line takes on a page.
fn bytes(kept: &Kept) -> usize {
    cut_end(&kept.text(), LINE_MAX).len() + 1
}
