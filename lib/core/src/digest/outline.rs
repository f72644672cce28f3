//! The outline of an output that no grammar knows: its head, its tail, and lines that look like
//! errors, with repeated ones counted.

use std::collections::{BTreeMap, VecDeque};

use super::clean::{clean, cut_end};

/// The most lines kept of each part: what a digest can show, with a margin.
const HEAD: usize = 12;
const TAIL: usize = 40;
const SPOTS: usize = 60;

/// The most bytes of a line that are kept.
const LINE_MAX: usize = 400;

/// The most lines kept after a line that looks like an error, while they are indented.
const CONTEXT: usize = 3;

/// A line that looks like an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) line: u64,
    pub(super) text: String,
    /// How many lines differ from it in digits only.
    pub(super) count: u64,
    pub(super) context: Vec<String>,
    /// 2 for an error, 1 for a warning.
    pub(super) weight: u8,
}

/// A line as it was, and how often it was repeated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) line: u64,
    pub(super) raw: Vec<u8>,
    pub(super) count: u64,
}

impl Kept {
    pub(super) fn text(&self) -> String {
        cut_end(&clean(&self.raw), LINE_MAX).into_owned()
    }
}

/// Head, tail and errors of an output.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    pub(super) head: Vec<Kept>,
    pub(super) tail: VecDeque<Kept>,
    pub(super) spots: Vec<Spot>,
    pub(super) late: VecDeque<Spot>,
    /// Lines that look like errors and are kept nowhere.
    pub(super) more: u64,
    index: BTreeMap<String, usize>,
    follow: Option<(u64, usize)>,
}

impl Outline {
    /// Any line, as it came. Cheap: this is done for every line.
    pub(super) fn line(&mut self, raw: &[u8], line: u64) {
        let raw = &raw[raw.len().saturating_sub(64 * LINE_MAX)..];
        if let Some(last) = self.tail.back_mut()
            && last.raw == raw[..raw.len().min(4 * LINE_MAX)]
        {
            last.count += 1;
            return;
        }
        let mut kept = if self.tail.len() >= TAIL {
            self.tail.pop_front().unwrap_or_default()
        } else {
            Kept::default()
        };
        kept.raw.clear();
        kept.raw
            .extend_from_slice(&raw[..raw.len().min(4 * LINE_MAX)]);
        kept.line = line;
        kept.count = 1;
        if self.head.len() < HEAD {
            self.head.push(kept.clone());
        }
        self.tail.push_back(kept);
    }

    /// A line that no grammar took and that holds an anchor, or follows one that did.
    pub(super) fn look(&mut self, text: &str, line: u64) {
        if self.context(text, line) {
            return;
        }
        let weight = weight(text);
        if weight == 0 {
            return;
        }
        let key = template(text);
        if let Some(at) = self.index.get(&key) {
            self.spots[*at].count += 1;
            return;
        }
        let spot = Spot {
            line,
            text: cut_end(text.trim(), LINE_MAX).into_owned(),
            count: 1,
            context: Vec::new(),
            weight,
        };
        if self.spots.len() < SPOTS {
            self.spots.push(spot);
            self.index.insert(key, self.spots.len() - 1);
            self.follow = (weight > 1).then_some((line, self.spots.len() - 1));
            return;
        }
        if weight > 1 {
            if self.late.len() >= SPOTS / 2 {
                self.late.pop_front();
                self.more += 1;
            }
            self.late.push_back(spot);
        }
    }

    /// The line before the last one, as it came.
    pub(super) fn before_last(&self, into: &mut Vec<u8>) {
        into.clear();
        if let Some(kept) = self
            .tail
            .len()
            .checked_sub(2)
            .and_then(|at| self.tail.get(at))
        {
            into.extend_from_slice(&kept.raw);
        }
    }

    /// Whether the next line must be looked at, whatever it holds.
    pub(super) fn is_open(&self) -> bool {
        self.follow.is_some()
    }

    fn context(&mut self, text: &str, line: u64) -> bool {
        let Some((start, at)) = self.follow else {
            return false;
        };
        let spot = &mut self.spots[at];
        let indented = text.starts_with([' ', '\t']) || text.starts_with("Caused by");
        if line > start + CONTEXT as u64 || !indented || text.trim().is_empty() {
            self.follow = None;
            return false;
        }
        spot.context
            .push(cut_end(text.trim_end(), LINE_MAX / 2).into_owned());
        true
    }
}

/// 2 for a line that looks like an error, 1 for a warning, else 0.
pub(super) fn weight(text: &str) -> u8 {
    if is_denied(text) {
        return 0;
    }
    if ERRORS.iter().any(|word| text.contains(word)) {
        return 2;
    }
    u8::from(WARNINGS.iter().any(|word| text.contains(word)))
}

/// Lines that hold such a word and say the opposite.
fn is_denied(text: &str) -> bool {
    DENIED.iter().any(|word| text.contains(word))
        && !["failed,", "FAILED"].iter().any(|word| text.contains(word))
}

/// The text without its digits: lines that differ in numbers only are counted together.
fn template(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(200));
    let mut digits = false;
    for found in text.trim().chars().take(200) {
        let digit = found.is_ascii_digit();
        if !(digit && digits) {
            out.push(if digit { '0' } else { found });
        }
        digits = digit;
    }
    out
}

/// What lines about errors hold.
const ERRORS: &[&str] = &[
    "FATAL",
    "fatal:",
    "Fatal",
    "PANIC",
    "panic",
    "Traceback (most",
    "ERROR",
    "Error:",
    "error:",
    "error[",
    "Error ",
    "ERR!",
    "Exception",
    "FAILED",
    "FAIL ",
    "FAIL:",
    "Failed",
    "failed",
    "FAILURE",
    "Failure",
    "✗",
    "✕",
    "✘",
    "✖",
    "×",
    "not ok",
    "❌",
    "Segmentation fault",
    "core dumped",
    "Killed",
    "command not found",
    "No such file",
    "Permission denied",
    "undefined reference",
    "Unhandled",
    "Uncaught",
    "cannot ",
    "Cannot ",
    "could not",
    "Could not",
    "with errors",
    "CRITICAL",
    "denied",
    "refused",
    "timed out",
    "Timeout",
    "unable to",
    "Unable to",
    "E: ",
    "SEVERE",
    "abort",
    "Abort",
    "errors found",
    "level=error",
    "invalid",
    "Invalid",
    "missing",
    "\"error\"",
    "[E]",
    "Error\"",
    "not found",
    "unexpected",
    "conflict",
    "CONFLICT",
    "rejected",
    "OOM",
    "BROKEN",
    "UNREACHABLE",
    "error ",
];

/// What lines about warnings hold.
const WARNINGS: &[&str] = &[
    "WARN",
    "warning:",
    "Warning:",
    "warning[",
    "[warn]",
    "deprecated",
    "level=warn",
];

/// What such lines hold when they say the opposite.
const DENIED: &[&str] = &[
    "0 error",
    "0 failed",
    "0 fail",
    "no error",
    "No error",
    "0 Error",
    "without error",
    "errors: 0",
    "failed: 0",
    "Failures: 0",
    "failures: 0",
    "Failed: 0",
    "no failures",
    "error-",
    "errors=0",
    "failed=0",
    "failures=0",
    "... ok",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_spotted_and_counted() {
        let mut outline = Outline::default();
        for (at, text) in ["ERROR a 1", "ERROR a 2", "  because", "fine", "0 failed"]
            .iter()
            .enumerate()
        {
            outline.look(text, at as u64 + 1);
        }
        assert_eq!(outline.spots.len(), 1);
        assert_eq!(
            (outline.spots[0].count, outline.spots[0].context.len()),
            (2, 0)
        );
    }

    #[test]
    fn repeated_lines_are_folded() {
        let mut outline = Outline::default();
        for at in 0..1000 {
            outline.line(b"same", at);
        }
        outline.line(b"other", 1000);
        assert_eq!((outline.tail.len(), outline.tail[0].count), (2, 1000));
    }
}
