//! Reading prose around a claim: does it take the claim back, or only talk about the future?

mod counts;
mod parts;
mod words;

use counts::{counts_failures, remains};
use parts::{fraction, part};
use words::{CARRIED_OUT, FUTURE, PAST, PLACEHOLDERS, SETTLED, UNDONE, UNDONE_START};

/// The clause that says the work is not done and that nothing after it settles.
pub(super) fn contradiction(text: &str) -> Option<String> {
    let mut open = None;
    for clause in clauses(text) {
        let lower = clause.to_lowercase();
        if undone(clause, &lower) {
            open = Some(clause.trim().to_owned());
        } else if SETTLED.iter().any(|word| lower.contains(word)) {
            open = None;
        }
    }
    open
}

/// Does a summary take back the claim that it stands in?
pub(super) fn summary_contradicts(summary: &str) -> bool {
    let told = unquoted(summary);
    let summary = told.as_str();
    let lower = summary.to_lowercase();
    let word = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let begins = lower.split([',', ';', ':', '(']).next().unwrap_or_default();
    let partly = part(begins) && begins.split_whitespace().count() <= 4;
    partly
        || matches!(word, "false" | "no" | "nope" | "none" | "null" | "nothing")
        || UNDONE_START
            .iter()
            .any(|start| starts_with_word(&lower, start))
        || contradiction(summary).is_some()
}

/// The summary without what it quotes, if anything is left: `handled the "not done" case`.
fn unquoted(summary: &str) -> String {
    let parts: Vec<&str> = summary.split('"').collect();
    let outside: String = parts.iter().step_by(2).copied().collect();
    let words = outside.chars().filter(|c| c.is_alphanumeric()).count();
    if parts.len() % 2 == 1 && words > 2 {
        outside
    } else {
        summary.to_owned()
    }
}

/// Is a summary the instruction's own words? `summary` alone counts as such only beside talk.
pub(super) fn placeholder(summary: &str, alone: bool) -> bool {
    let lower = summary.to_lowercase();
    let bare = lower.trim_matches(['{', '}', '[', ']', '<', '>', '(', ')', '$', '%']);
    let wrapped = bare.len() < lower.len();
    PLACEHOLDERS.contains(&bare)
        || ((wrapped || !alone) && matches!(bare, "summary" | "done_summary"))
}

/// Does the line before a marker lead over to it as something planned, asked for or quoted?
pub(super) fn leads_to_example(line: &str) -> bool {
    let line = line.trim();
    let lower = line.to_lowercase();
    let ends = line.trim_end_matches(['*', '_', '`', '"', '\'', ')']);
    if ends.ends_with(['.', '!', '?', '。', '！']) && !ends.ends_with("...") {
        return false;
    }
    if CARRIED_OUT.iter().any(|phrase| lower.contains(phrase)) {
        return false;
    }
    FUTURE
        .iter()
        .any(|cue| word(&lower, cue) || (cue.contains('\'') && lower.contains(cue)))
}

/// Is `INCOMPLETE` shouted in the line, not asked or offered as one of two words?
pub(super) fn shouts_incomplete(line: &str) -> bool {
    const WORD: &str = "INCOMPLETE";
    line.match_indices(WORD).any(|(at, _)| {
        let after = line[at + WORD.len()..].chars().next();
        let before = line[..at].chars().next_back();
        !matches!(after, Some(c) if c.is_alphanumeric() || matches!(c, '_' | '/' | '|' | '`' | '"'))
            && !matches!(before, Some(c) if c.is_alphanumeric() || matches!(c, '_' | '/' | '|' | '`' | '"'))
    })
}

/// Does `needle` stand in the text as a word of its own?
pub(super) fn word(text: &str, needle: &str) -> bool {
    text.match_indices(needle).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + needle.len()..].chars().next();
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !joins(before) && !joins(after)
    })
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices() {
        let next = bytes.get(at + c.len_utf8());
        let ends_here = matches!(c, '\n' | ';' | '!' | '?' | '。' | '！')
            || (c == '.' && next.is_none_or(u8::is_ascii_whitespace));
        if ends_here {
            ends.push((start, at));
            start = at + c.len_utf8();
        }
    }
    ends.push((start, text.len()));
    ends.into_iter().map(|(from, to)| &text[from..to])
}

fn undone(clause: &str, lower: &str) -> bool {
    if shouts_incomplete(clause) {
        return true;
    }
    if PAST.iter().any(|past| lower.contains(past))
        && !["was wrong", "not able", "n't able"]
            .iter()
            .any(|now| lower.contains(now))
    {
        return false;
    }
    UNDONE.iter().any(|phrase| says(lower, phrase))
        || remains(lower)
        || counts_failures(lower)
        || fraction(lower)
}

/// Does the clause hold the phrase, other than as something that there is not (`nothing is left to
/// do`, `no test is failing`)?
fn says(lower: &str, phrase: &str) -> bool {
    const FILLERS: &[&str] = &[
        "is", "are", "of", "the", "my", "test", "tests", "check", "checks", "gate", "gates",
        "left", "for", "task", "tasks",
    ];
    lower.match_indices(phrase).any(|(at, _)| {
        let before = lower[..at].split_whitespace().rev();
        let subject = before
            .take_while(|word| !word.ends_with([',', ':', ';', '.']))
            .find(|word| !FILLERS.contains(word));
        !matches!(subject, Some("no" | "none" | "nothing" | "zero" | "0"))
    })
}

fn starts_with_word(text: &str, start: &str) -> bool {
    let end_is_open = start.ends_with([' ', ':']);
    text.strip_prefix(start).is_some_and(|rest| {
        end_is_open || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
    })
}

/// Does the clause announce that the work goes on?
fn goes_on(lower: &str) -> bool {
    const STARTS: &[&str] = &[
        "now i",
        "now let",
        "next i",
        "next, i",
        "i will now",
        "i'll now",
        "i am now",
        "i'm now",
        "continuing",
        "moving on",
        "but first",
        "before that",
        "next i'll",
        "next, we",
        "let me",
    ];
    STARTS.iter().any(|start| starts_with_word(lower, start)) && !lower.starts_with("let me know")
}

/// The clause after a marker that takes it back.
pub(super) fn taken_back(after: &str) -> Option<String> {
    const SECOND_THOUGHTS: &[&str] = &[
        "wait",
        "actually",
        "correction",
        "oops",
        "hold on",
        "sorry",
        "hmm",
        "not done",
        "scratch that",
    ];
    let all: Vec<&str> = clauses(after)
        .map(str::trim)
        .filter(|clause| !clause.is_empty())
        .collect();
    let start = *all.first()?;
    let lower = start.to_lowercase();
    let thinks_again = SECOND_THOUGHTS
        .iter()
        .any(|thought| starts_with_word(&lower, thought));
    if thinks_again {
        return Some(start.to_owned());
    }
    let next = all.iter().find(|clause| goes_on(&clause.to_lowercase()));
    if let Some(clause) = next {
        return Some((*clause).to_owned());
    }
    contradiction(after)
}
