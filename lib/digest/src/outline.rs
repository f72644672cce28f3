//! The outline of an output that no grammar knows: its head, its tail, and lines that look like
//! errors, with repeated ones counted.

mod words;

use std::collections::{BTreeMap, VecDeque};

use super::clean::{clean, cut_end};
use super::index::{Group, Index, Words};
use memchr::{memchr, memchr_iter, memrchr};
use words::{DENIED, EMPHATIC, ERRORS, WARNINGS};

/// The most lines kept of each part: what a digest can show, with a margin.
const HEAD: usize = 24;
const TAIL: usize = 40;
const SPOTS: usize = 60;

/// The most bytes of a line that are kept.
const LINE_MAX: usize = 400;

/// A line that looks like an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) line: u64,
    pub(super) text: String,
    /// How many lines differ from it in digits only.
    pub(super) count: u64,
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
}

impl Outline {
    /// A line, as it came.
    pub(super) fn line(&mut self, raw: &[u8], line: u64) {
        let raw = kept_of(raw);
        if let Some(last) = self.tail.back_mut()
            && last.raw == raw
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
        kept.raw.extend_from_slice(raw);
        kept.line = line;
        kept.count = 1;
        if self.head.len() < HEAD {
            self.head.push(kept.clone());
        }
        self.tail.push_back(kept);
    }

    /// Lines, each with its newline; the first has the number `line`. What stands before the last
    /// [`TAIL`] different ones would be forgotten again, so it is not read.
    pub(super) fn lines(&mut self, mut text: &[u8], mut line: u64) {
        let mut is_cut = false;
        while let Some(end) = memchr(b'\n', text) {
            if self.head.len() >= HEAD && !is_cut {
                is_cut = true;
                let forgotten = before_tail(text);
                if forgotten > 0 {
                    self.tail.clear();
                    line += memchr_iter(b'\n', &text[..forgotten]).count() as u64;
                    text = &text[forgotten..];
                    continue;
                }
            }
            let same = same_at_start(text, end + 1);
            self.line(&text[..end], line);
            if let Some(last) = self.tail.back_mut() {
                last.count += same as u64 - 1;
            }
            line += same as u64;
            text = &text[same * (end + 1)..];
        }
    }

    /// A line that no grammar took and that holds an anchor, or follows one that did. Where lines
    /// like it are counted.
    pub(super) fn look(&mut self, text: &str, line: u64, weight: u8) -> Option<usize> {
        let weight = if is_klog_error(text) { 2 } else { weight };
        if weight == 0 {
            return None;
        }
        let key = template(text);
        if let Some(at) = self.index.get(&key) {
            let spot = &mut self.spots[*at];
            spot.count += 1;
            return Some(*at);
        }
        let spot = Spot {
            line,
            text: cut_end(text.trim(), LINE_MAX).into_owned(),
            count: 1,
            weight,
        };
        if self.spots.len() < SPOTS {
            self.spots.push(spot);
            let at = self.spots.len() - 1;
            self.index.insert(key, at);
            return Some(at);
        }
        if weight > 1 {
            if self.late.len() >= SPOTS / 2 {
                self.late.pop_front();
                self.more += 1;
            }
            self.late.push_back(spot);
        }
        None
    }

    /// A line like those that are counted there.
    pub(super) fn again(&mut self, spot: Option<usize>) {
        if let Some(spot) = spot.and_then(|at| self.spots.get_mut(at)) {
            spot.count += 1;
        }
    }
}

/// `E1122 09:03:36.057 4411 etcd.go:318] wal: crc mismatch`: an error, or one that ends the program, of
/// glog and klog.
fn is_klog_error(text: &str) -> bool {
    let date = text
        .strip_prefix(['E', 'F'])
        .and_then(|rest| rest.split_once(' '));
    date.is_some_and(|(date, rest)| {
        date.len() == 4
            && date.bytes().all(|byte| byte.is_ascii_digit())
            && rest.as_bytes().get(2) == Some(&b':')
    })
}

/// The last of these lines, with its newline or without: the beginning of a long one, which is there
/// wherever a chunk ended in it.
pub(super) fn last(lines: &[u8]) -> &[u8] {
    let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
    let last = memrchr(b'\n', lines).map_or(lines, |at| &lines[at + 1..]);
    &last[..last.len().min(4 * LINE_MAX)]
}

/// The part of a line that is kept and compared.
fn kept_of(raw: &[u8]) -> &[u8] {
    let raw = &raw[raw.len().saturating_sub(64 * LINE_MAX)..];
    &raw[..raw.len().min(4 * LINE_MAX)]
}

/// Where the last [`TAIL`] different lines begin; repeated ones count once.
fn before_tail(text: &[u8]) -> usize {
    let (mut end, mut different, mut last) = (text.len(), 0, None);
    while end > 0 {
        let start = memrchr(b'\n', &text[..end - 1]).map_or(0, |at| at + 1);
        let raw = Some(kept_of(&text[start..end - 1]));
        if raw != last {
            different += 1;
            if different > TAIL {
                return end;
            }
            last = raw;
        }
        end -= same_at_end(&text[..end], end - start) * (end - start);
    }
    0
}

/// How many lines at the start of `text` are the same as the first, which is so long.
fn same_at_start(text: &[u8], length: usize) -> usize {
    same(text.len() / length, |lines| {
        let (known, next) = text.split_at(lines * length);
        next.starts_with(known)
    })
}

/// How many lines at the end of `text` are the same as the last, which is so long.
fn same_at_end(text: &[u8], length: usize) -> usize {
    same(text.len() / length, |lines| {
        let (next, known) = text.split_at(text.len() - lines * length);
        next.ends_with(known)
    })
}

/// So many equal lines, of which each search doubles the number: `again` says whether as many follow
/// on the first ones. What is left of the last doubling is told by the next call.
fn same(most: usize, again: impl Fn(usize) -> bool) -> usize {
    let mut lines = 1;
    while lines <= most / 2 && again(lines) {
        lines *= 2;
    }
    lines
}

/// What tells lines about errors and warnings from others.
#[derive(Debug)]
pub(super) struct Weights {
    errors: Group,
    warnings: Group,
    denied: Group,
    emphatic: Group,
}

impl Weights {
    pub(super) fn words() -> impl Iterator<Item = &'static str> {
        [ERRORS, WARNINGS, DENIED, EMPHATIC]
            .into_iter()
            .flatten()
            .copied()
    }

    pub(super) fn new(index: &Index) -> Self {
        let group = |words: &[&'static str]| index.group(words.iter().copied());
        Self {
            errors: group(ERRORS),
            warnings: group(WARNINGS),
            denied: group(DENIED),
            emphatic: group(EMPHATIC),
        }
    }

    /// Whether a line holds a word of errors, and one that says the opposite.
    pub(super) fn speaks(&self, line: &Words<'_>) -> (bool, bool) {
        let denied = line.any(&self.denied) && !line.any(&self.emphatic);
        (line.any(&self.errors), denied)
    }

    /// 2 for a line that looks like an error, 1 for a warning, else 0.
    pub(super) fn of(&self, line: &Words<'_>) -> u8 {
        if line.any(&self.denied) && !line.any(&self.emphatic) {
            return 0;
        }
        if line.any(&self.errors) {
            return 2;
        }
        u8::from(line.any(&self.warnings))
    }
}

/// The text without its digits: lines that differ in numbers only are counted together.
pub(super) fn template(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    let text = text.trim();
    let mut end = text.len();
    if end > CHARS_MAX {
        end = text.char_indices().nth(CHARS_MAX).map_or(end, |(at, _)| at);
    }
    let mut out = String::with_capacity(end);
    let mut rest = &text[..end];
    let digit = |byte: u8| byte.is_ascii_digit();
    while let Some(at) = rest.bytes().position(digit) {
        out.push_str(&rest[..at]);
        out.push('0');
        rest = rest[at..].trim_start_matches(|found: char| found.is_ascii_digit());
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_spotted_and_counted() {
        let mut outline = Outline::default();
        let index = Index::new(Weights::words());
        let weights = Weights::new(&index);
        for (at, text) in ["ERROR a 1", "ERROR a 2", "  because", "fine", "0 failed"]
            .iter()
            .enumerate()
        {
            outline.look(text, at as u64 + 1, weights.of(&index.words(text)));
        }
        assert_eq!(outline.spots.len(), 1);
        assert_eq!(outline.spots[0].count, 2);
    }

    #[test]
    fn klog_tells_an_error_by_its_first_letter() {
        for (text, is) in [
            (
                "E1122 09:03:36.057 4411 etcd.go:318] wal: crc mismatch",
                true,
            ),
            ("F1122 09:03:36.953 4411 main.go:77] exiting", true),
            ("I1122 09:03:35.251 4001 kubelet.go:880] synced", false),
            ("E1122 is no date", false),
            ("E112", false),
        ] {
            assert_eq!(is_klog_error(text), is, "{text}");
        }
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

    #[test]
    fn a_stretch_is_kept_like_its_lines_one_by_one() {
        let mut text = String::new();
        for number in 0..400 {
            let line = format!("line {}\n", number / 3);
            text.push_str(&line.repeat(1 + usize::from(number % 7 == 0)));
        }
        for parts in [1, 2, 5] {
            let (mut one, mut other) = (Outline::default(), Outline::default());
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let mut number = 1;
            for part in lines.chunks(lines.len() / parts + 1) {
                other.lines(part.concat().as_bytes(), number);
                for line in part {
                    one.line(line.trim_end().as_bytes(), number);
                    number += 1;
                }
                assert_eq!(one.head, other.head);
                assert_eq!(one.tail, other.tail);
            }
        }
    }
}
