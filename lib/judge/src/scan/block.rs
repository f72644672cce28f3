//! Parts of a message that quote instead of saying: code fences, comments, example tags.

use memchr::{memchr, memmem, memrchr};
use std::ops::Range;

/// Tags that models and prompts put around quoted text, each on a line of its own.
const QUOTING: &[&str] = &[
    "example",
    "examples",
    "prompt",
    "instruction",
    "instructions",
    "system-reminder",
    "system",
    "template",
    "quote",
    "blockquote",
    "pre",
    "code",
    "transcript",
    "output",
    "tool_result",
    "thinking",
    "user",
    "format",
    "scratchpad",
    "details",
    "task",
    "stdout",
    "document",
    "stderr",
    "task-notification",
    "notification",
    "local-command-stdout",
    "command-output",
    "tool-result",
    "expected",
    "sample",
    "hand-back",
];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Open {
    Fence { byte: u8, length: usize },
    Comment,
    Tag(&'static str),
}

/// Which block the point of reading is in, and where recent blocks were.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: Option<(Open, u64)>,
    hidden: Vec<(u64, u64)>,
}

impl Blocks {
    pub(super) fn inside(&self) -> bool {
        self.open.is_some()
    }

    /// Inside a block: finds its end within `range` and gives the position after it.
    pub(super) fn leave(&mut self, buffer: &[u8], base: u64, range: Range<usize>) -> Option<usize> {
        let (open, since) = self.open.as_ref()?;
        let end = match open {
            Open::Fence { byte, length } => fence_end(buffer, range, *byte, *length)?,
            Open::Comment => range.start + memmem::find(&buffer[range], b"-->")? + 3,
            Open::Tag(name) => {
                let close = format!("</{name}>");
                range.start + memmem::find(&buffer[range], close.as_bytes())? + close.len()
            }
        };
        self.hidden.push((*since, base + end as u64));
        self.open = None;
        Some(end)
    }

    /// Does a block begin at `hit`? Gives the position after its opening.
    pub(super) fn enter(
        &mut self,
        buffer: &[u8],
        base: u64,
        hit: usize,
        end: usize,
    ) -> Option<usize> {
        let text = &buffer[hit..end];
        let (open, length) = match text.first()? {
            b'<' if text.starts_with(b"<!--") => (Open::Comment, 4),
            b'<' => tag(buffer, hit, text)?,
            _ => fence(buffer, hit, text)?,
        };
        self.open = Some((open, base + hit as u64));
        Some(hit + length)
    }

    pub(super) fn forget(&mut self, base: u64) {
        self.hidden.retain(|(_, end)| *end > base);
    }

    /// The lines of `range` that are neither in a block nor quoted with `>`.
    pub(super) fn plain(&self, buffer: &[u8], base: u64, range: Range<usize>) -> Vec<u8> {
        let from = base + range.start as u64;
        let to = base + range.end as u64;
        let open = self.open.as_ref().map(|(_, since)| (*since, u64::MAX));
        let mut plain = Vec::new();
        let mut at = from;
        for (start, end) in self.hidden.iter().copied().chain(open) {
            if start > at {
                plain.extend_from_slice(slice(buffer, base, at, start.min(to)));
            }
            at = at.max(end);
        }
        plain.extend_from_slice(slice(buffer, base, at, to));
        without_quotes(&plain)
    }
}

fn slice(buffer: &[u8], base: u64, from: u64, to: u64) -> &[u8] {
    let index = |at: u64| {
        usize::try_from(at.saturating_sub(base)).map_or(buffer.len(), |at| at.min(buffer.len()))
    };
    let (from, to) = (index(from), index(to));
    buffer.get(from..to).unwrap_or_default()
}

fn without_quotes(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let code = line.starts_with(b"    ") || line.starts_with(b"\t");
        if !line.trim_ascii_start().starts_with(b">") && !code {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// A fence may stand in a list item, so bullets and blanks are allowed before it.
fn fence(buffer: &[u8], hit: usize, text: &[u8]) -> Option<(Open, usize)> {
    let byte = text[0];
    // Most marks are of code within a line: what is cheap to see comes first.
    let length = run(text, byte);
    if length < 3 {
        return None;
    }
    let begins = leads_a_line(buffer, hit, |byte| {
        matches!(byte, b' ' | b'\t' | b'-' | b'*' | b'+' | b'.' | b')') || byte.is_ascii_digit()
    });
    if !begins {
        return None;
    }
    let info = &text[length..memchr(b'\n', text).unwrap_or(text.len())];
    if byte == b'`' && info.contains(&b'`') {
        return None;
    }
    Some((Open::Fence { byte, length }, length + info.len()))
}

fn fence_end(buffer: &[u8], range: Range<usize>, byte: u8, length: usize) -> Option<usize> {
    let mut at = range.start;
    while let Some(hit) = memchr(byte, &buffer[at..range.end]) {
        let hit = at + hit;
        let run = run(&buffer[hit..range.end], byte);
        let end = memchr(b'\n', &buffer[hit..range.end]).map_or(range.end, |newline| hit + newline);
        let bare = buffer[hit + run..end].trim_ascii().is_empty();
        if run >= length && bare && leads_a_line(buffer, hit, |byte| matches!(byte, b' ' | b'\t')) {
            return Some(end);
        }
        at = hit + run;
    }
    None
}

fn tag(buffer: &[u8], hit: usize, text: &[u8]) -> Option<(Open, usize)> {
    // Most angle brackets stand within a line: what is cheap to see comes first.
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let within = hit
        .checked_sub(1)
        .is_some_and(|at| buffer[at] != b'\n' && !blank(buffer[at]));
    if within || !leads_a_line(buffer, hit, blank) {
        return None;
    }
    let line = &text[..memchr(b'\n', text).unwrap_or(text.len())];
    let end = memchr(b'>', line)?;
    let inner = std::str::from_utf8(&line[1..end]).ok()?;
    let name = inner.split_ascii_whitespace().next()?;
    let name = QUOTING
        .iter()
        .copied()
        .find(|known| known.eq_ignore_ascii_case(name))?;
    Some((Open::Tag(name), end + 1))
}

fn run(text: &[u8], byte: u8) -> usize {
    text.iter().take_while(|other| **other == byte).count()
}

fn leads_a_line(buffer: &[u8], hit: usize, may_lead: impl Fn(u8) -> bool) -> bool {
    const PREFIX_MAX: usize = 256;
    let from = hit.saturating_sub(PREFIX_MAX);
    let start = memrchr(b'\n', &buffer[from..hit]).map(|newline| from + newline + 1);
    let start = match start {
        Some(start) => start,
        None if from == 0 => 0,
        None => return false,
    };
    buffer[start..hit].iter().all(|byte| may_lead(*byte))
}
