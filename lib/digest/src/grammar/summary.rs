//! The last words of a runner that no grammar knows: `32 tests: 27 passed, 1 skipped, 4 failed`.
//!
//! A line that holds little else than numbers and what they count. Anybody might print one, so it
//! is the result only where no tool has one, and near the end of the output.

use super::super::count::{Category, Counts, figure};
use super::super::facts::{ANYBODY, Facts};
use super::{Grammar, Line};

/// The longest line that is looked at, in bytes, and the most words that say nothing of the kind.
const LINE_MAX: usize = 160;
const OTHERS_MAX: usize = 3;
/// No longer word says anything.
const WORD_MAX: usize = 10;

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Numbers on lines of their own, and where the last of them stands.
    rows: Counts,
    last: u64,
}

impl Grammar for Summary {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        if text.len() > LINE_MAX || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let found = read(text).unwrap_or_default();
        facts.now.weak = true;
        match found.iter().count() {
            1 if alone(text) => self.row(&found, line.no, facts),
            2.. if is_result(&found) => facts.result(ANYBODY, found, None),
            _ => {}
        }
        facts.now.weak = false;
        false
    }
}

impl Summary {
    /// `Passed: 27` above `Failed: 4`.
    fn row(&mut self, found: &Counts, no: u64, facts: &mut Facts) {
        if no > self.last + 2 {
            self.rows = Counts::default();
        }
        self.last = no;
        for (category, number) in found.iter() {
            self.rows.set(category, number);
        }
        if self.rows.iter().count() > 1 && is_result(&self.rows) {
            facts.result(ANYBODY, self.rows.clone(), None);
        }
    }
}

/// Whether these are a result: what passed or failed, and something beside it.
fn is_result(counts: &Counts) -> bool {
    use Category::{Errors, Failed, Passed};
    let has = |category| counts.get(category).is_some();
    has(Failed) || has(Errors) && has(Passed)
}

/// `Passed: 27`, `- Fail: 3 (42%)`: one number behind its name.
fn alone(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '*', '#', ' ']);
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.contains([':', '='])
}

/// What a word is in such a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Number(u64),
    Of(Category),
    /// A number that counts something else stands before or after it.
    Aside,
    /// Belongs to such sentences and says nothing.
    Filler,
    Other,
}

/// The numbers of a line by what they count; none when it holds more than that.
fn read(text: &str) -> Option<Counts> {
    let mut words: Vec<Word> = Vec::new();
    let mut others = 0;
    for word in split(text) {
        let word = word.trim_end_matches('.');
        // `4/7 passed`
        if let Some((some, all)) = word.split_once('/')
            && let (Some(some), Some(all)) = (figure(some), figure(all))
        {
            words.extend([
                Word::Number(all),
                Word::Of(Category::Total),
                Word::Number(some),
            ]);
            continue;
        }
        let word = kind(word, words.last().copied());
        match word {
            Word::Other if others == OTHERS_MAX => return None,
            Word::Other => others += 1,
            Word::Filler => {}
            word => words.push(word),
        }
    }
    pair(&words)
}

/// The words of a line.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let apart = |byte: u8| {
        matches!(
            byte,
            b' ' | b'\t'..=b'\r' | b',' | b';' | b':' | b'|' | b'(' | b')' | b'='
        ) || matches!(byte, b'[' | b']' | b'!' | b'*' | b'"' | b'\'')
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.bytes().position(|byte| !apart(byte))?;
        let part = &rest[start..];
        let mut end = part.bytes().position(apart).unwrap_or(part.len());
        // Blanks beyond ASCII.
        if !part[..end].is_ascii() {
            end = part[..end].find(char::is_whitespace).unwrap_or(end);
        }
        let word = &part[..end];
        rest = part[end..].trim_start();
        Some(word)
    })
    .filter(|word| !word.is_empty())
}

fn kind(word: &str, before: Option<Word>) -> Word {
    if let Some(number) = figure(word) {
        return Word::Number(number);
    }
    // `1 expected failures`
    let fails = |start: &str| start.eq_ignore_ascii_case("fail");
    if before == Some(Word::Of(Category::Xfailed)) && word.get(..4).is_some_and(fails) {
        return Word::Filler;
    }
    let mut lower = [0; WORD_MAX];
    let lower = match lower.get_mut(..word.len()) {
        Some(lower) if word.bytes().all(is_plain) => {
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            std::str::from_utf8(lower).unwrap_or_default()
        }
        _ => return aside(word),
    };
    match lower {
        "expected" | "xfail" => Word::Of(Category::Xfailed),
        "broken" => Word::Of(Category::Errors),
        "tests" | "test" | "specs" | "cases" | "ran" => match before {
            Some(Word::Number(_)) => Word::Of(Category::Total),
            _ => Word::Filler,
        },
        "run" | "total" => Word::Of(Category::Total),
        "assertions" | "assertion" | "checks" | "files" | "file" | "suites" | "suite" | "steps"
        | "warnings" | "retries" | "todo" => Word::Aside,
        "in" | "of" | "out" | "and" | "were" | "was" | "with" | "result" | "results"
        | "summary" | "status" | "s" | "ms" | "sec" | "seconds" | "time" | "took" | "-" | "--"
        | "ok" | "done" => Word::Filler,
        _ => match Category::of(lower) {
            Some(Category::Warnings | Category::Problems) | None => aside(lower),
            Some(category) => Word::Of(category),
        },
    }
}

/// What the words that say something consist of.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'-'
}

/// Durations and shares are nothing to count.
fn aside(word: &str) -> Word {
    let numeric = word.starts_with(|first: char| first.is_ascii_digit());
    // Also `inf` and `nan` are numbers.
    let number = || numeric || word.starts_with(['+', '-', '.', 'i', 'I', 'n', 'N']);
    if numeric && word.ends_with(['s', 'S', '%']) || number() && word.parse::<f64>().is_ok() {
        Word::Filler
    } else {
        Word::Other
    }
}

/// Pairs each number with what it counts, before or behind it throughout.
fn pair(words: &[Word]) -> Option<Counts> {
    let mut counts = Counts::default();
    let behind = matches!(words.first()?, Word::Number(_));
    let mut at = 0;
    // `Tests run: 7`: the first of two names of one number.
    while at < words.len() {
        let two = (words[at], words.get(at + 1).copied());
        let ((true, (Word::Number(number), Some(name)))
        | (false, (name, Some(Word::Number(number))))) = (behind, two)
        else {
            return None;
        };
        match name {
            Word::Of(category) if counts.get(category).is_none() => counts.add(category, number),
            Word::Aside => {}
            _ => return None,
        }
        at += 2;
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        read(text).map_or_else(|| "-".to_owned(), |counts| counts.words())
    }

    #[test]
    fn sentences_of_unknown_runners() {
        for (text, found) in [
            (
                "all.tcl:\tTotal\t32\tPassed\t27\tSkipped\t1\tFailed\t4",
                "4 failed, 27 passed, 1 skipped, 32 total",
            ),
            (
                "Test cases: 7 total, 1 skipped, 1 expected failures, 0 broken, 3 failed",
                "3 failed, 0 errors, 1 skipped, 1 xfailed, 7 total",
            ),
            ("Tests run: 7,  Failures: 5", "5 failed, 7 total"),
            ("3 failed, 4 passed (0.12s)", "3 failed, 4 passed"),
            ("4/7 passed (3 failed)", "3 failed, 4 passed, 7 total"),
            ("the 3 failed attempts of 12 users passed 4 gates", "-"),
            ("09:01:12 request 7 failed 3 times", "-"),
        ] {
            assert_eq!(words(text), found, "{text}");
        }
    }
}
