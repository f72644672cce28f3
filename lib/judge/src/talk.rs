//! Reading prose around a claim: does it take the claim back, or only talk about the future?

mod clause;
mod counts;
mod lexicon;
mod open;
mod parts;
mod pattern;
mod rules;
mod words;

use clause::{Part, sentences};
use counts::{counts_failures, remains};
use parts::{fraction, part};
use words::{CARRIED_OUT, FUTURE, PAST, PLACEHOLDERS, UNDONE, UNDONE_START};

/// The part of a sentence that says the work is not done and that nothing after it settles.
pub(super) fn contradiction(text: &str) -> Option<String> {
    let parts = clause::parts(text);
    let mut open: Option<(String, bool)> = None;
    for (at, part) in parts.iter().enumerate() {
        let next = parts.get(at + 1).map(|next| next.words[0].as_str());
        if let Some(can_be_settled) = undone(part, next) {
            // What stays open outlasts what does not.
            if open.as_ref().is_none_or(|(_, settles)| *settles) {
                open = Some((part.text.trim().to_owned(), can_be_settled));
            }
        } else if open.as_ref().is_some_and(|(_, settles)| *settles)
            && (open::settles(part) || settled_elsewhere(part.text))
        {
            open = None;
        }
    }
    open.map(|(text, _)| text)
}

/// The same in languages that put no blanks or other words there.
fn settled_elsewhere(text: &str) -> bool {
    ["修正しま", "合格", "解消"]
        .iter()
        .any(|word| text.contains(word))
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
        || begins_undone(&lower)
        || contradiction(summary).is_some()
}

/// `failed: …`, `pending review`, but not `failed logins are counted`.
fn begins_undone(lower: &str) -> bool {
    const STATES: &[&str] = &[
        "failed", "pending", "blocked", "error", "aborted", "draft", "stuck", "waiting", "partial",
    ];
    const AFTER: &[&str] = &[
        "to",
        "by",
        "on",
        "with",
        "because",
        "at",
        "for",
        "until",
        "review",
        "ci",
        "approval",
        "after",
        "in",
        "again",
        "and",
        "but",
        "due",
        "success",
        "implementation",
        "fix",
        "support",
        "work",
        "progress",
        "result",
        "solution",
        "migration",
    ];
    let Some(rest) = STATES.iter().find_map(|state| lower.strip_prefix(state)) else {
        return false;
    };
    let next = rest
        .strip_prefix(' ')
        .and_then(|rest| rest.split_whitespace().next());
    match next {
        Some(word) => AFTER.contains(&word),
        None => !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-'),
    }
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

/// Does the part say that something is not done, and could a later one settle it?
fn undone(part: &Part<'_>, next: Option<&str>) -> Option<bool> {
    let (text, lower) = (part.text, part.text.to_lowercase());
    if let Some(kind) = open::open(part, next) {
        return Some(kind.can_be_settled());
    }
    if shouts_incomplete(text) {
        return Some(true);
    }
    if PAST.iter().any(|past| lower.contains(past))
        && !["was wrong", "not able", "n't able"]
            .iter()
            .any(|now| lower.contains(now))
    {
        return None;
    }
    let listed = part.label && next.is_none_or(open::is_none);
    let says = UNDONE.iter().any(|phrase| says(&lower, phrase))
        || (!part.optional && !listed && remains(&lower))
        || (!part.before && counts_failures(&lower))
        || fraction(&lower);
    says.then_some(true)
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
    let all: Vec<&str> = sentences(after)
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
