//! The legacy words of a decision: `PASS`, `FAIL`, `COMPLETE`, `INCOMPLETE` on a line of their own.

use super::{marker::one_line, talk};
use crate::status_block;

/// What a text says in legacy words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    Complete,
    /// With the reason that followed the word, if one did.
    Incomplete(Vec<String>),
    /// It says both, or takes back what it says.
    Contradiction,
    None,
}

/// Labels before the word: `Verdict: PASS`.
const LABELS: &[&str] = &[
    "verdict",
    "decision",
    "result",
    "status",
    "review",
    "completion",
    "final verdict",
    "final decision",
    "review verdict",
    "completion check",
    "判定",
    "結果",
];

/// Decoration around a line: emphasis, headings, and the emoji that models like.
const DECORATION: &[char] = &[
    '*', '_', '#', '`', ' ', '\t', '✅', '❌', '✔', '✖', '☑', '✓', '✗', '🎉', '🟢', '🔴',
    '\u{fe0f}',
];

/// The verdict of a whole decision file: the words count on its first and last line, and labelled
/// ones anywhere; all of them must agree.
pub(super) fn verdict(text: &str) -> Word {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let last = lines.len().saturating_sub(1);
    let mut found = Word::None;
    for (index, line) in lines.iter().enumerate() {
        let (word, labelled) = word_of(line);
        let counts = index == 0 || index == last || labelled || word == Word::Contradiction;
        if word == Word::None || !counts {
            continue;
        }
        found = merge(found, word);
    }
    match (&found, talk::contradiction(text)) {
        (Word::Complete, Some(_)) => Word::Contradiction,
        _ => found,
    }
}

/// The verdict of plain lines of a final message: any line of its own counts, and an upper-case
/// `INCOMPLETE` in prose does too, since it can only be meant one way.
pub(super) fn word(lines: &str) -> (Word, Option<String>) {
    let (mut found, mut evidence) = (Word::None, None);
    // A status block (seed 002) is a signal, not a verdict: two in a row count. But its refusal
    // holds at once.
    let refuses = status_block::read(lines).exit == Some(false);
    if refuses {
        found = Word::Incomplete(vec!["EXIT_SIGNAL: false".to_owned()]);
        evidence = Some("EXIT_SIGNAL: false".to_owned());
    }
    let lines = status_block::without(lines);
    let lines = lines.as_str();
    for line in lines.lines() {
        let (mut word, _) = word_of(line);
        if word == Word::None && talk::shouts_incomplete(line) {
            word = Word::Incomplete(vec![one_line(line)]);
        }
        if matches!(word, Word::Complete | Word::Incomplete(_)) {
            found = merge(found, word);
            evidence = Some(one_line(line));
        }
    }
    match (&found, talk::contradiction(lines)) {
        (Word::Complete, Some(_)) => (Word::Contradiction, evidence),
        _ => (found, evidence),
    }
}

/// A `check_id: …` line of a legacy file.
pub(super) fn check_id(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let (label, value) = line.split_once([':', '='])?;
        let label = label.trim().to_ascii_lowercase().replace(['_', '-'], " ");
        (label == "check id").then(|| value.trim().trim_matches(['"', '\'', '`']))
    })
}

/// Does a decision that is none of the known words deny being done?
pub(super) fn negates(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["not", "n't", "incomplete", "fail", "never", "no"]
        .iter()
        .any(|negation| word.contains(negation))
}

fn merge(a: Word, b: Word) -> Word {
    match (a, b) {
        (Word::None, word) => word,
        (Word::Complete, Word::Complete) => Word::Complete,
        (Word::Incomplete(mut a), Word::Incomplete(b)) => {
            a.extend(b);
            Word::Incomplete(a)
        }
        _ => Word::Contradiction,
    }
}

/// The word that a line consists of, and whether a label stood before it.
fn word_of(line: &str) -> (Word, bool) {
    let line = line.trim_matches(DECORATION);
    let (line, labelled) = strip_label(line);
    let line = line.trim_start_matches(DECORATION);
    let end = line
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let complete = match word.to_ascii_uppercase().as_str() {
        "PASS" | "COMPLETE" => true,
        "FAIL" | "FAILED" | "INCOMPLETE" => false,
        _ => return (Word::None, false),
    };
    let rest = rest.trim_matches(DECORATION);
    let reason = rest.trim_start_matches(['.', '!', '。', ':', '：', ',', '-', '–', '—', '(', ';']);
    if !rest.is_empty() && reason.len() == rest.len() {
        // `COMPLETE the form`, `PASS/FAIL`, `COMPLETE|INCOMPLETE`: no separator, no verdict.
        return (Word::None, false);
    }
    let reason = reason.trim().trim_end_matches(')').trim_matches(DECORATION);
    let word = match complete {
        true if mentions_negative(reason) || reason.ends_with('?') => Word::Contradiction,
        true => Word::Complete,
        false if talk::word(reason, "PASS") || talk::word(reason, "COMPLETE") => {
            Word::Contradiction
        }
        false if reason.is_empty() => Word::Incomplete(Vec::new()),
        false => Word::Incomplete(vec![one_line(reason)]),
    };
    (word, labelled)
}

fn mentions_negative(reason: &str) -> bool {
    let lower = reason.to_ascii_lowercase();
    (talk::word(&lower, "fail") && !talk::word(&lower, "no"))
        || talk::word(reason, "INCOMPLETE")
        || talk::contradiction(reason).is_some()
        || ["except", "apart from", "but "]
            .iter()
            .any(|start| lower.starts_with(start))
}

fn strip_label(line: &str) -> (&str, bool) {
    let Some(at) = line.find([':', '=', '：']) else {
        return (line, false);
    };
    let label = line[..at].trim_matches(DECORATION).to_lowercase();
    if !LABELS.contains(&label.as_str()) {
        return (line, false);
    }
    (
        line[at..]
            .trim_start_matches([':', '=', '：', ' ', '"'])
            .trim_end_matches('"'),
        true,
    )
}
