//! The words by which prose takes a claim back or only talks about it.

/// Summaries that are no summary of work done.
pub(super) const TAKEN_BACK: &[&str] = &["false", "no", "nope", "none", "null", "nothing", "nein"];

/// First words of a summary that says the opposite of its marker.
pub(super) const NOT_DONE: &[&str] = &[
    "incomplete",
    "not ",
    "fail:",
    "wip",
    "work in progress",
    "todo",
    "cannot",
    "can't",
    "unable",
    "almost",
    "nearly",
    "partial:",
    "partially",
    "gave up",
    "in progress",
    "unfinished",
    "no progress",
    "half",
    "needs ",
];

/// The plain negations of the language that the first documents are in.
pub(super) const NOT_DONE_JA: &[&str] = &["未完了", "完了していません", "まだ完了", "途中"];

/// States that stand before a reason.
pub(super) const STATES: &[&str] = &[
    "failed", "pending", "blocked", "error", "aborted", "draft", "stuck", "waiting", "partial",
];

/// What begins a correction behind a marker.
pub(super) const SECOND_THOUGHTS: &[&str] = &[
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

/// What is said under them is no statement about the work.
pub(super) const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "unless", "until", "while", "that"];

/// Words of plans, conditions and instructions: with a line that leads over to a marker they mean
/// that it is talked about, not said.
pub(super) const FUTURE: &[&str] = &[
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
    "expected",
    "usage",
    "sample",
];

/// Turns of phrase that carry out an instruction instead of quoting it.
pub(super) const CARRIED_OUT: &[&str] = &[
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
pub(super) const PLACEHOLDERS: &[&str] = &[
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
    "summary of what was done",
    "summary of what you did",
    "summary of changes",
    "summary of the changes",
    "what you did",
    "what was done",
    "placeholder",
];
