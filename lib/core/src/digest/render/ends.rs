//! The first and the last lines of an output.

use super::super::block::is_frame;
use super::super::outline::Kept;
use super::super::{Digest, clean::cut_end};
use super::page::Page;

/// Bytes of a line of head or tail.
const LINE_MAX: usize = 240;

impl Digest {
    /// The first and last lines, without those that were shown.
    pub(super) fn push_ends(&self, page: &mut Page, head: usize, tail: usize) {
        let tail_from = self.outline.tail.len().saturating_sub(tail);
        let tail: Vec<&Kept> = self.outline.tail.iter().skip(tail_from).collect();
        let tail_start = tail.first().map_or(u64::MAX, |kept| kept.line);
        let mut last = 0;
        for kept in self
            .outline
            .head
            .iter()
            .take(head)
            .filter(|kept| kept.line < tail_start)
        {
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
