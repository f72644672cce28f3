//! One pass over a final message of any size: finds the marker that is meant.
//!
//! Only lines that begin with `<`, a backtick or a tilde can matter, so the scan jumps from one
//! such byte to the next; memory is bounded by [`KEPT`] and [`LINE_MAX`].

mod block;
mod line;

use super::answers;
use super::marker::{Marker, one_line};
use super::message::{self, Message};
use super::{Claim, talk};
use block::Blocks;
use memchr::{memchr, memchr3, memrchr};

/// Plain text kept before the point of reading, for context and legacy words.
const KEPT: usize = 64 << 10;
/// Longer lines are no marker.
const LINE_MAX: usize = 4 << 20;
/// A marker over several lines ends within so many bytes.
const MARKER_MAX: usize = 8 << 10;
/// So much text after a marker may take it back.
const AFTER_MAX: usize = 64 << 10;
/// So much text right before a marker may contradict it.
const BEFORE_MAX: usize = 2_000;

/// A marker that stood on a line of its own.
#[derive(Debug, Clone)]
struct Sighting {
    /// The summary, or why it does not count.
    outcome: Result<String, String>,
    /// The absolute position after it.
    end: u64,
    /// It is indented, and counts only if the message holds nothing else.
    only_alone: bool,
    /// Did anything stand before it?
    first: bool,
    /// Plain text right before it.
    before: String,
    /// Plain text after it, bounded.
    after: Vec<u8>,
    /// Was text after it left out?
    cut: bool,
}

/// The scan's state between chunks.
#[derive(Debug)]
pub struct Scan {
    marker: Marker,
    buffer: Vec<u8>,
    /// Absolute position of `buffer[0]`.
    base: u64,
    /// Everything before `buffer[at]` is read; it is the start of a line.
    at: usize,
    /// The rest of a line that was too long to keep is being skipped.
    skipping: bool,
    blocks: Blocks,
    sighting: Option<Sighting>,
    notes: Vec<String>,
    ended: bool,
}

impl Scan {
    /// A scan for this marker.
    pub fn new(marker: Marker) -> Self {
        Self {
            marker,
            buffer: Vec::new(),
            base: 0,
            at: 0,
            skipping: false,
            blocks: Blocks::default(),
            sighting: None,
            notes: Vec::new(),
            ended: false,
        }
    }

    /// Reads on.
    pub fn push(&mut self, mut bytes: &[u8]) {
        if self.base == 0 && self.buffer.is_empty() {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        if self.skipping {
            let Some(end) = memchr(b'\n', bytes) else {
                return;
            };
            bytes = &bytes[end..];
            self.skipping = false;
        }
        self.buffer.extend_from_slice(bytes);
        if let Some(last) = memrchr(b'\n', &self.buffer[self.at..]) {
            self.read(self.at + last + 1);
        }
        if self.buffer.len() - self.at > LINE_MAX {
            // What is left is one line too long to be a marker.
            self.buffer.truncate(self.at);
            self.skipping = true;
        }
        self.forget();
    }

    /// The message is over.
    pub fn finish(mut self) -> Message {
        self.ended = true;
        self.read(self.buffer.len());
        let plain = self
            .blocks
            .plain(&self.buffer, self.base, 0..self.buffer.len());
        let plain = String::from_utf8_lossy(&plain);
        let words = message::words(&plain);
        let answers = answers::ticked(&plain);
        let (marked, line, doubt) = self.conclude();
        Message {
            marked,
            line,
            doubt,
            words,
            answers,
            notes: self.notes,
        }
    }

    /// Reads whole lines up to `end`.
    fn read(&mut self, end: usize) {
        let mut position = self.at;
        while position < end {
            if let Some(next) = self.blocks.leave(&self.buffer, self.base, position..end) {
                position = next;
                continue;
            }
            if self.blocks.inside() {
                break;
            }
            let Some(hit) = memchr3(b'<', b'`', b'~', &self.buffer[position..end]) else {
                break;
            };
            let hit = position + hit;
            let Some(next) = self.look(hit, end) else {
                // A marker over several lines whose end has not arrived.
                let before = line_start(&self.buffer, hit);
                self.after(before);
                self.at = before;
                return;
            };
            position = next.max(hit + 1);
        }
        self.after(end);
        self.at = end;
    }

    /// Looks at a byte that may begin something; gives where to go on, `None` for "wait".
    fn look(&mut self, hit: usize, end: usize) -> Option<usize> {
        if let Some(next) = self.blocks.enter(&self.buffer, self.base, hit, end) {
            return Some(next);
        }
        if !self.buffer[hit..end].starts_with(self.marker.open.as_bytes()) {
            return Some(hit + 1);
        }
        let Some(start) = line::start(&self.buffer, hit) else {
            self.note("a marker inside a line of prose, a list or a quote does not count");
            return Some(hit + self.marker.open.len());
        };
        let window = end.min(hit + LINE_MAX);
        let found = line::read(&self.buffer[hit..window], &self.marker, start.bold);
        if matches!(found, line::Found::Unclosed) && !self.ended && end - hit < MARKER_MAX {
            return None;
        }
        Some(self.sight(hit, &start, found))
    }

    fn sight(&mut self, hit: usize, start: &line::Start, found: line::Found) -> usize {
        let (outcome, length) = match found {
            line::Found::Inline => {
                self.note("a marker with other text on its line does not count");
                return hit + self.marker.open.len();
            }
            line::Found::Closed { summary, length } => (Ok(summary), length),
            line::Found::Nested { length } => (
                Err("the marker is nested or repeated on one line".to_owned()),
                length,
            ),
            line::Found::Unclosed => (
                Err("the marker is not closed".to_owned()),
                self.marker.open.len(),
            ),
        };
        let before = self
            .blocks
            .plain(&self.buffer, self.base, hit.saturating_sub(KEPT)..start.at);
        let before = String::from_utf8_lossy(&before).into_owned();
        let lead = before.lines().rev().find(|line| !line.trim().is_empty());
        if lead.is_some_and(talk::leads_to_example) {
            self.note("a marker that is announced, quoted or explained does not count");
            return hit + length;
        }
        if start.indent > 3 || start.tab {
            self.note("an indented marker is code or a subagent's hand-back and does not count");
            return hit + length;
        }
        let first = self.base == 0 && self.buffer[..start.at].trim_ascii().is_empty();
        if start.indent > 0 && !first {
            self.note("an indented marker is code or a subagent's hand-back and does not count");
            return hit + length;
        }
        self.sighting = Some(Sighting {
            outcome,
            end: self.base + (hit + length) as u64,
            only_alone: start.indent > 0,
            first,
            before: line::last_lines(&before, BEFORE_MAX),
            after: Vec::new(),
            cut: false,
        });
        hit + length
    }

    /// Hands the text up to `end` to the last sighting.
    fn after(&mut self, end: usize) {
        let Some(sighting) = &mut self.sighting else {
            return;
        };
        let from = usize::try_from(sighting.end.saturating_sub(self.base))
            .unwrap_or(usize::MAX)
            .max(self.at);
        if from >= end {
            return;
        }
        if sighting.after.len() >= AFTER_MAX {
            sighting.cut = true;
            return;
        }
        let plain = self
            .blocks
            .plain(&self.buffer, self.base, from..end.min(from + AFTER_MAX));
        sighting.after.extend_from_slice(&plain);
    }

    fn forget(&mut self) {
        if self.at > 2 * KEPT {
            let drop = self.at - KEPT;
            self.buffer.drain(..drop);
            self.base += drop as u64;
            self.at -= drop;
            self.blocks.forget(self.base);
        }
    }

    /// The claim, the line it rests on, and what the prose around it says against it.
    fn conclude(&mut self) -> (Claim, Option<String>, Option<Box<str>>) {
        let Some(sighting) = self.sighting.take() else {
            if self.notes.is_empty() {
                self.note("the final message holds no marker");
            }
            return (Claim::None, None, None);
        };
        let after = String::from_utf8_lossy(&sighting.after).into_owned();
        let quiet = after.trim().is_empty();
        let summary = match sighting.outcome {
            Ok(summary) => summary,
            Err(reason) => {
                self.note(&reason);
                return (Claim::None, None, None);
            }
        };
        let clean = one_line(&summary);
        let evidence = Some(one_line(&format!(
            "{}{clean}{}",
            self.marker.open, self.marker.close
        )));
        if clean.is_empty() {
            self.note("the marker holds no summary");
            return (Claim::None, None, None);
        }
        if sighting.only_alone && !quiet {
            self.note("an indented marker is code or a subagent's hand-back and does not count");
            return (Claim::None, None, None);
        }
        let alone = sighting.first && quiet;
        if talk::placeholder(&clean, alone) {
            self.note("the marker holds the instruction's own words instead of a summary");
            return (Claim::None, None, None);
        }
        if talk::summary_contradicts(&clean) {
            let reason =
                format!("the marker's own summary says that the work is not done: {clean:?}");
            let reasons = vec![reason];
            return (Claim::Incomplete { reasons }, evidence, None);
        }
        let marked = |line: &&str| !line.contains(&self.marker.open);
        let before: Vec<&str> = sighting.before.lines().filter(marked).collect();
        let doubt = talk::contradiction(&before.join("\n")).or_else(|| talk::taken_back(&after));
        let doubt = doubt.map(|clause| {
            let clause = one_line(&clause);
            format!("the message contradicts its marker: {clause:?}").into_boxed_str()
        });
        let summary = Some(clean);
        (Claim::Complete { summary }, evidence, doubt)
    }

    fn note(&mut self, note: &str) {
        if self.notes.len() < 8 && !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }
}

/// The last part of a message without its code, quotes and comments.
pub(crate) fn plain(text: &str) -> String {
    let mut from = text.len().saturating_sub(KEPT);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut scan = Scan::new(Marker::default());
    scan.push(&text.as_bytes()[from..]);
    scan.ended = true;
    scan.read(scan.buffer.len());
    let plain = scan
        .blocks
        .plain(&scan.buffer, scan.base, 0..scan.buffer.len());
    String::from_utf8_lossy(&plain).into_owned()
}

fn line_start(buffer: &[u8], hit: usize) -> usize {
    memrchr(b'\n', &buffer[..hit]).map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests;
