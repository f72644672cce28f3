//! The lines of an output that say something, as a page shows them.

use super::super::Digest;
use super::super::aside::{Grade, grade};
use super::super::block::{is_frame, rank};
use super::super::clean::{clean, cut_end};
use super::super::lane::without_stamp;
use super::super::place::{Location, anywhere, is_foreign};
use std::collections::BTreeMap;

/// The most bytes of one.
const PIECE_MAX: usize = 230;

/// So many blanks more than one between words are left in a line.
const GAPS_MAX: usize = 8;

/// The rank of a frame of the project's own.
pub(super) const FRAME: u8 = 3;

/// Lines that begin with the same words are of one sort.
const START: usize = 2;

/// A line, or equal ones in a row.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// Its number in the log, and how many are equal.
    pub(super) line: u64,
    pub(super) count: u64,
    /// Without the margin that a compiler or a runner draws.
    pub(super) text: String,
    pub(super) indent: usize,
    /// Lines of a kind differ in words with digits only.
    pub(super) kind: usize,
    /// The same of how they begin, in so many words: [`START`].
    pub(super) start: usize,
    /// How much it explains of a failure ([`rank`]), [`FRAME`]: by where the project's own code was; none: another
    /// frame, a heading, source.
    pub(super) rank: Option<u8>,
}

impl Digest {
    /// Of the output as far as it is at hand: all of it, else its beginning and its end.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Pieces::default();
        if let Some(text) = self.at_hand() {
            for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
                pieces.put(line, at as u64 + 1, 1);
            }
        } else {
            let (head, tail) = (&self.outline.head, &self.outline.tail);
            let begin = tail.front().map_or(u64::MAX, |kept| kept.line);
            for kept in (head.iter().filter(|kept| kept.line < begin)).chain(tail) {
                pieces.put(&kept.raw, kept.line, kept.count);
            }
        }
        pieces.all
    }
}

#[derive(Default)]
struct Pieces {
    all: Vec<Piece>,
    kinds: BTreeMap<String, usize>,
}

impl Pieces {
    fn number(&mut self, kind: String) -> usize {
        let next = self.kinds.len();
        *self.kinds.entry(kind).or_insert(next)
    }

    fn put(&mut self, raw: &[u8], line: u64, count: u64) {
        let text = clean(raw);
        let text = without_stamp(&text);
        let bare = bare(text);
        if !bare.contains(char::is_alphanumeric) {
            return;
        }
        // Columns apart cost more than they tell.
        let mut said = flat(bare);
        let words = kind(&cut_end(&said, PIECE_MAX));
        if bare.len() <= said.len() + GAPS_MAX {
            said = bare.replace('\t', " ");
        }
        let said = cut_end(&said, PIECE_MAX).into_owned();
        if let Some(last) = self.all.last_mut()
            && last.text == said
        {
            last.count += count;
            return;
        }
        let trimmed = text.trim();
        // What stands beside a margin is source when the margin bears its number, else it explains the source.
        let margin = |text: &str| text.starts_with(['|', '│', '┆']);
        let number = trimmed.trim_start_matches(['>', ' ']);
        let source = number.trim_start_matches(|found: char| found.is_ascii_digit());
        let rank = if bare.len() < trimmed.len() && margin(trimmed) {
            Some(1)
        } else if source.len() < number.len() && margin(source.trim_start()) {
            None
        } else if is_frame(trimmed) {
            let own = |place: Location| !is_foreign(&place.file);
            anywhere(trimmed).is_some_and(own).then_some(FRAME)
        } else {
            rank(bare).map(|rank| match grade(bare, false) {
                Grade::Strong => 0,
                Grade::Weak | Grade::Plain => rank,
            })
        };
        let start = words
            .match_indices(' ')
            .nth(START - 1)
            .map_or(words.len(), |(at, _)| at);
        let start = self.number(words[..start].to_owned());
        let kind = self.number(words);
        self.all.push(Piece {
            line,
            count,
            text: said,
            indent: text.len() - text.trim_start().len(),
            kind,
            start,
            rank,
        });
    }
}

/// A text with one blank between its words.
pub(super) fn flat(text: &str) -> String {
    let mut flat = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !flat.is_empty() {
            flat.push(' ');
        }
        flat.push_str(word);
    }
    flat
}

/// A line without its margin: `  |     ^^^ expected u32`, `12 |   f(x)`, `E   assert x`.
fn bare(text: &str) -> &str {
    let ruler = |found: char| matches!(found, '=' | '-' | '_' | '*' | '~' | '#' | '─' | '━');
    let text = text.trim();
    // `===== FAILURES =====`
    let inner = text.trim_end_matches(ruler);
    if inner.len() + 3 <= text.len() {
        return inner.trim_start_matches(ruler).trim();
    }
    if let Some(rest) = text
        .strip_prefix("--> ")
        .or_else(|| text.strip_prefix("::: "))
    {
        return rest;
    }
    if let Some(rest) = text.strip_prefix("E  ") {
        return rest.trim_start();
    }
    let rest = text.trim_start_matches(['>', ' ']);
    let rest = rest.trim_start_matches(|found: char| found.is_ascii_digit());
    let rest = rest.trim_start();
    let Some(rest) = rest
        .strip_prefix(['|', '│', '┆'])
        .filter(|rest| !rest.contains('|') || rest.starts_with(' '))
    else {
        return text;
    };
    rest.trim_start_matches(['|', '│', '┆', '^', '~', '-', '━', ' '])
}

/// The line with `#` for each word that holds a digit.
fn kind(text: &str) -> String {
    let mut kind = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(|found: char| !found.is_alphanumeric())
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            kind.push('#');
        } else {
            kind.push_str(word);
        }
        let gap = after.chars().next().map_or(0, char::len_utf8);
        kind.push_str(&after[..gap]);
        rest = &after[gap..];
    }
    kind
}
