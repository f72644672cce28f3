//! Reading prose around a claim: does it take the claim back, or only talk about the future?

/// Phrases that say "not done" wherever they stand in the present tense.
const UNDONE: &[&str] = &[
    "not done",
    "not complete",
    "not finished",
    "not yet",
    "not fully",
    "n't done",
    "n't complete",
    "n't finished",
    "n't fully",
    "unfinished",
    "not ready",
    "still fail",
    "still broken",
    "still missing",
    "still red",
    "still need",
    "still to do",
    "still has to",
    "still have to",
    "still open",
    "still in progress",
    "still running",
    "still working",
    "remains to be",
    "tests fail",
    "test fails",
    "build fails",
    "tests are failing",
    "test is failing",
    "is failing",
    "are failing",
    "is broken",
    "not compile",
    "n't compile",
    "not pass",
    "n't pass",
    "partially",
    "partial:",
    "work in progress",
    "to be continued",
    "cannot complete",
    "could not complete",
    "couldn't complete",
    "could not finish",
    "couldn't finish",
    "cannot finish",
    "unable to",
    "gave up",
    "is wrong",
    "was wrong",
    "ignore the",
    "disregard",
    "more work",
    "left to do",
    "not implemented",
    "n't implemented",
    "not verified",
    "not tested",
    "needs more",
    "should not have",
    "shouldn't have",
    "未完了",
    "完了していません",
    "まだ完了",
    "失敗しています",
    "失敗した",
    "残っています",
    "未対応",
];

/// Phrases that only a summary can take back: as its first words.
const UNDONE_START: &[&str] = &[
    "incomplete",
    "not ",
    "blocked",
    "failed",
    "fail:",
    "partial",
    "wip",
    "todo",
    "pending",
    "cannot",
    "can't",
    "unable",
    "error",
    "aborted",
    "almost",
    "nearly",
    "nothing done",
    "nothing was",
    "nothing has been",
    "nothing implemented",
    "nothing works",
    "gave up",
    "in progress",
    "unfinished",
    "no progress",
    "stuck",
];

/// Words that put a phrase into the past.
const PAST: &[&str] = &[
    "was ",
    "were ",
    "had ",
    "previously",
    "initially",
    "earlier",
    "no longer",
    "used to",
    "before",
    "at first",
    "fixed",
    "fix ",
    "fixes",
    "resolved",
    "repaired",
];

/// Words that say that what was open is settled.
const SETTLED: &[&str] = &[
    "fixed",
    "now pass",
    "all pass",
    "all tests pass",
    "tests pass",
    "passes now",
    "pass now",
    "resolved",
    "is done",
    "are done",
    "everything pass",
    "everything is",
    "now green",
    "all green",
    "repaired",
    "completed",
    "is complete",
    "all complete",
    "no longer",
    "passed",
    "now works",
    "修正しま",
    "合格",
];

/// Words of plans, conditions and instructions: with a line that leads over to a marker they mean
/// that it is talked about, not said.
const FUTURE: &[&str] = &[
    "will",
    "'ll",
    "would",
    "shall",
    "going to",
    "when",
    "once",
    "until",
    "unless",
    "if",
    "should",
    "must",
    "need to",
    "remember",
    "example",
    "e.g",
    "format",
    "template",
    "instruct",
    "instructions",
    "instructed",
    "prompt",
    "later",
    "plan to",
    "supposed",
    "told",
    "says",
    "pattern",
    "literal",
    "syntax",
    "please",
    "respond with",
    "reply with",
    "end with",
    "finish with",
    "finish by",
    "not output",
    "n't output",
    "not print",
    "n't print",
    "before i",
    "instead of",
    "quote",
    "quoted",
    "placeholder",
    "regex",
    "searches for",
    "looks for",
    "subagent",
    "sub-agent",
    "hand-back",
    "worker returned",
    "worker reported",
    "worker says",
    "agent returned",
    "agent reported",
    "test output",
    "file contains",
    "log shows",
    "previously",
];

/// Turns of phrase that carry out an instruction instead of quoting it.
const CARRIED_OUT: &[&str] = &[
    "as requested",
    "as instructed",
    "as asked",
    "as required",
    "as told",
    "per the instruct",
    "therefore",
    "so here",
    "hereby",
];

/// Summaries that are the instruction's own words.
const PLACEHOLDERS: &[&str] = &[
    "...",
    "…",
    "one-line summary",
    "one line summary",
    "your summary",
    "your summary here",
    "summary here",
    "brief summary",
    "short summary",
    "summary of work",
    "summary of the work",
    "a one-line summary",
    "insert summary",
];

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
    let lower = summary.to_lowercase();
    let word = lower.trim_matches(|c: char| !c.is_alphanumeric());
    matches!(word, "false" | "no" | "nope" | "none" | "null" | "nothing")
        || UNDONE_START
            .iter()
            .any(|start| starts_with_word(&lower, start))
        || contradiction(summary).is_some()
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
    if PAST.iter().any(|past| lower.contains(past)) && !lower.contains("was wrong") {
        return false;
    }
    UNDONE.iter().any(|phrase| lower.contains(phrase)) || remains(lower) || counts_failures(lower)
}

/// `2 tasks remain`, `remaining: docs`, but not `nothing remains`, `0 remaining`, `remains stable`
/// or `fixed the remaining warnings`.
fn remains(lower: &str) -> bool {
    let Some((before, after)) = lower.split_once("remain") else {
        return false;
    };
    if denied(before) || lower.contains("optional") || lower.contains("nice to have") {
        return false;
    }
    if let Some(after) = after.strip_prefix("ing") {
        let counted = before.split_whitespace().next_back().is_some_and(positive);
        let listed = after.trim_start().strip_prefix(':').map(str::trim);
        return match listed {
            Some(rest) => !["none", "nothing", "0", "no ", "-"]
                .iter()
                .any(|no| rest.starts_with(no)),
            None => counted || after.trim().is_empty(),
        };
    }
    let rest = after.trim_start_matches('s').trim();
    rest.is_empty()
        || rest.starts_with("to ")
        || rest.starts_with("open")
        || rest.starts_with("fail")
        || rest.starts_with("for ")
        || rest.starts_with("in ")
        || rest.starts_with(',')
        || rest.starts_with(':')
}

/// `2 tests fail`, `3 failed`, but not `0 failed`.
fn counts_failures(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.iter().enumerate().any(|(index, word)| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let fails = matches!(
            word,
            "fail" | "failed" | "failing" | "failures" | "failure" | "errors"
        );
        fails
            && words[index.saturating_sub(2)..index]
                .iter()
                .any(|before| positive(before))
    })
}

const NUMBERS: &[&str] = &[
    "one", "two", "three", "four", "five", "some", "several", "many", "few", "ten",
];

fn positive(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    NUMBERS.contains(&word) || word.parse::<u64>().is_ok_and(|number| number > 0)
}

fn denied(before: &str) -> bool {
    let nearby = before.split_whitespace().rev().take(4);
    nearby
        .map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
        .any(|word| {
            matches!(
                word,
                "no" | "none" | "nothing" | "zero" | "0" | "not" | "without"
            )
        })
}

fn starts_with_word(text: &str, start: &str) -> bool {
    let end_is_open = start.ends_with([' ', ':']);
    text.strip_prefix(start).is_some_and(|rest| {
        end_is_open || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')
    })
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
    let start = clauses(after)
        .map(str::trim)
        .find(|clause| !clause.is_empty())?;
    let lower = start.to_lowercase();
    let thinks_again = SECOND_THOUGHTS
        .iter()
        .any(|thought| starts_with_word(&lower, thought));
    if thinks_again {
        return Some(start.to_owned());
    }
    contradiction(after)
}
