//! The two-stage error filter: first what only looks like an error is taken out (structure, counts
//! of zero, test names, search hits, prose), then error lines are found and joined to errors.

mod harmless;
mod tools;

use super::fingerprint::{self, fingerprint};
use super::{ErrorLine, phrase};
use overnight_judge::marker::one_line;
use std::collections::BTreeSet;

/// Distinct errors kept of one text.
const ERRORS_MAX: usize = 100;
/// Longer lines are data, not messages; they are judged by their beginning.
const LINE_MAX: usize = 2_000;

/// Beginnings of an error line, in lower case, after time stamps and log prefixes.
const STARTS: &[&str] = &[
    "error:",
    "error[",
    "error!",
    "error -",
    "error in ",
    "error ts",
    "error cs",
    "error code ",
    "error occurred",
    "errors occurred",
    "fatal:",
    "fatal error",
    "fatal[",
    "panic:",
    "panic!",
    "critical:",
    "exception:",
    "exception in ",
    "unhandled ",
    "uncaught ",
    "traceback (",
    "failed:",
    "failure:",
    "fail:",
    "caused by:",
    "failed to ",
    "failed tests",
    "failures:",
    "cmake error",
    "php fatal error",
    "php parse error",
    "e: ",
    "signal: killed",
    "execution failed",
    "! [rejected]",
    "error from server",
    "error response from",
    "conflict (",
    "timeout:",
    "unresolved reference",
    "the following tests failed",
    "[  failed  ]",
    "terminate called",
    "test timeout of",
    "rspec ./",
    "access denied",
    "build failed",
    "compilation failed",
    "compile error",
    "npm err!",
    "npm error",
    "yarn error",
    "err_pnpm",
    "make: ***",
    "gmake: ***",
    "ninja: build stopped",
    "segmentation fault",
    "bus error",
    "illegal instruction",
    "floating point exception",
    "aborted (core",
    "killed",
    "out of memory",
    "fail\t",
    "--- fail",
    "not ok ",
    "assertion failed",
    "assertionerror",
    "assert failed",
    "syntaxerror",
    "could not ",
    "couldn't ",
    "cannot ",
    "can't ",
    "unable to ",
    "abort:",
    "ld:",
    "collect2: error",
    "undefined reference",
    "undefined symbol",
    "test failed",
    "tests failed",
    "stack overflow",
    "command failed",
    "process exited with",
    "exit code ",
    "err:",
    "[error]",
    "[fatal]",
    "##[error]",
    "::error",
    "エラー",
    "致命的",
    "例外",
    "失敗",
    "fehler:",
    "erreur",
    "error：",
    "错误",
];

/// Parts that make any line an error line, in lower case.
const PARTS: &[&str] = &[
    "segmentation fault",
    "core dumped",
    "command not found",
    "no such file or directory",
    "permission denied",
    "panicked at",
    "panic: runtime error",
    "undefined reference to",
    "cannot find module",
    "module not found",
    "modulenotfounderror",
    "out of memory",
    "oomkilled",
    "stack overflow",
    "traceback (most recent call last)",
    "unhandled exception",
    "unhandledpromiserejection",
    "unhandled promise rejection",
    "assertion failed",
    "assertion `",
    "test result: failed",
    "build failed",
    "compilation failed",
    "compilation error",
    "build failure",
    "syntax error",
    ": fatal error",
    "connection refused",
    "connection reset by peer",
    "address already in use",
    "no space left on device",
    "disk quota exceeded",
    "read-only file system",
    "broken pipe",
    "returned non-zero exit status",
    "could not compile",
    "cannot allocate memory",
    "too many open files",
    "operation not permitted",
    "npm err!",
    "econnrefused",
    "enoent",
    "eaccess",
    "eacces",
    "eaddrinuse",
    "does not exist",
    "is not recognized as",
    "deadlock detected",
    "double free",
    "heap-buffer-overflow",
    "use-after-free",
    "addresssanitizer",
    "failed with exit code",
    "exited with code",
    "exit status",
    "コンパイルに失敗",
    "エラーが発生",
    "失敗しました",
    "timed out",
    "merge conflict",
    "... failed",
    ": not found",
    "has overflowed its stack",
    "stack smashing detected",
    "std::bad_alloc",
    "test suite failed to run",
    "failed with result",
    "is not a git command",
    "access denied",
    "level=error",
    "level=fatal",
    "level=critical",
    "\"level\":\"error\"",
    "\"level\": \"error\"",
    "\"level\":\"fatal\"",
    "\"level\": \"fatal\"",
    "\"severity\":\"error\"",
    "\"severity\": \"error\"",
];

/// The errors in a text, each once, in order; an error of several lines is one.
pub fn errors(text: &str) -> Vec<ErrorLine> {
    let mut found: Vec<ErrorLine> = Vec::new();
    let mut known = BTreeSet::new();
    let plain = fingerprint::plain(text);
    let mut joins = Joins::default();
    let mut lines = plain.lines().peekable();
    while let Some(line) = lines.next() {
        let line = head(line);
        let hit = joins.takes(line) || !is_error(line);
        joins.after(line, !hit);
        if hit || found.len() >= ERRORS_MAX {
            continue;
        }
        // Rust says where it panicked on one line and why on the next.
        let why = lines
            .peek()
            .filter(|_| line.contains("panicked at ") && line.trim_end().ends_with(':'));
        let print = match why {
            Some(why) => fingerprint(&format!("{} {}", essence(line), head(why))),
            None => fingerprint(essence(line)),
        };
        if known.insert(print.clone()) {
            found.push(ErrorLine {
                fingerprint: print,
                line: one_line(line),
            });
        }
    }
    found
}

/// Does the text report an error?
pub fn has_error(text: &str) -> bool {
    fingerprint::plain(text)
        .lines()
        .any(|line| is_error(head(line)))
}

/// The fingerprint of all errors of a text; of the text itself when no line looks like an error.
pub fn fingerprint_of(text: &str) -> Option<String> {
    let errors = errors(text);
    fingerprint::of_set(errors.iter().map(|error| error.fingerprint.as_str()))
        .or_else(|| (!text.trim().is_empty()).then(|| fingerprint(text)))
}

/// The fingerprint of an iteration's output: only error lines count.
pub fn of_output(text: &str) -> Option<String> {
    let errors = errors(text);
    fingerprint::of_set(errors.iter().map(|error| error.fingerprint.as_str()))
}

/// Does the text say that the client or its service failed, not the agent? In an output
/// (`whole`) only a line of the client's own at its end says so.
pub fn excuses(text: &str, whole: bool) -> bool {
    let ending = text.trim_end().lines().next_back().unwrap_or_default();
    let line = if whole { ending } else { text.trim() };
    phrase::is_clients(line)
}

fn head(line: &str) -> &str {
    match line.char_indices().nth(LINE_MAX) {
        Some((at, _)) => &line[..at],
        None => line,
    }
}

/// Which lines belong to the error before them.
#[derive(Debug, Default)]
struct Joins {
    open: bool,
    /// In a Python traceback, whose last line names the error.
    traceback: bool,
}

impl Joins {
    fn takes(&self, line: &str) -> bool {
        let trimmed = line.trim_start();
        if self.traceback {
            return line.starts_with([' ', '\t']);
        }
        let continues = [
            "at ",
            "--> ",
            "| ",
            "= note",
            "= help",
            "note:",
            "help:",
            "...",
            "^",
            "caused by",
            "stack backtrace",
            "in file included",
        ];
        let lower = trimmed.to_lowercase();
        let indented = line.len() > trimmed.len() && !lower.starts_with("error");
        self.open && (indented || continues.iter().any(|start| lower.starts_with(start)))
    }

    fn after(&mut self, line: &str, is_error: bool) {
        let blank = line.trim().is_empty();
        let indented = line.starts_with([' ', '\t']);
        self.traceback = (self.traceback && (indented || blank))
            || line.trim_start().starts_with("Traceback (most recent");
        self.open = is_error || (self.open && !blank && indented);
    }
}

/// The part of an error line that names the error.
fn essence(line: &str) -> &str {
    let line = without_prefix(line);
    line.strip_prefix("Uncaught ").unwrap_or(line)
}

/// The first stage takes out what is harmless, the second looks for errors.
fn is_error(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() {
        return false;
    }
    if let Some(structural) = harmless::field(line) {
        return structural;
    }
    if harmless::is(line) {
        return false;
    }
    let bare = without_prefix(line);
    let lower = bare.to_lowercase();
    STARTS.iter().any(|start| starts(&lower, start))
        || PARTS.iter().any(|part| lower.contains(part))
        || shouts(bare)
        || tools::compiler(line)
        || tools::says(line, bare, &lower)
        || tools::named_exception(bare)
        || counts(&lower)
}

fn starts(lower: &str, start: &str) -> bool {
    // A bare word such as `killed` must end there: `killed the old process` is prose.
    lower.strip_prefix(start).is_some_and(|rest| match start {
        "killed" => rest.is_empty() || rest.starts_with([' ', ':']) && rest.len() < 12,
        "could not " | "couldn't " | "cannot " | "can't " | "unable to " | "failed to " => {
            !harmless::prose(lower)
        }
        "failures:" => rest.trim().is_empty(),
        "timeout:" => !rest.trim_start().starts_with(|c: char| c.is_ascii_digit()),
        "exit code " => !rest.starts_with('0'),
        "error in " | "error code " => lower.contains(':'),
        _ => true,
    })
}

/// `ERROR db refused`, `FATAL x`, `FAILED tests/a.py::b`, `FAIL src/a.test.ts`: upper case, first word.
fn shouts(bare: &str) -> bool {
    let first = bare.split([' ', ':', '\t']).next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric());
    let level = matches!(
        first,
        "ERROR"
            | "FATAL"
            | "FAILED"
            | "FAIL"
            | "CRITICAL"
            | "PANIC"
            | "SEVERE"
            | "EMERG"
            | "ALERT"
            | "ERR"
    );
    let after_stamp = bare.split_whitespace().take(4).any(|word| {
        matches!(
            word.trim_matches(|c: char| !c.is_alphanumeric()),
            "ERROR" | "FATAL" | "CRITICAL" | "SEVERE"
        ) && word.to_uppercase() == word
    });
    (level && bare.len() > first.len())
        || (after_stamp && bare.starts_with(|c: char| c.is_ascii_digit() || c == '['))
        || matches!(bare, "FAIL" | "FAILED" | "ERROR")
        // Python's logging: `time - name - ERROR - message`.
        || [" - ERROR - ", " - CRITICAL - "].iter().any(|level| bare.contains(level))
        // yarn's and others' own word, then a sentence.
        || bare.strip_prefix("error ").is_some_and(|rest| rest.starts_with(char::is_uppercase))
        || bare.starts_with(['✗', '✘', '✖', '❌', '×', '⨯']) && bare.chars().count() > 2
}

/// `2 failed`, `Found 3 errors`, `failures: 2`: a count above zero.
fn counts(lower: &str) -> bool {
    let words: Vec<&str> = lower.split_whitespace().collect();
    let clean = |word: &str| {
        word.trim_matches(|c: char| !c.is_ascii_alphanumeric())
            .to_owned()
    };
    let fails = |word: &str| {
        matches!(
            clean(word).as_str(),
            "failed"
                | "failing"
                | "failures"
                | "failure"
                | "errors"
                | "error"
                | "failed;"
                | "errored"
        )
    };
    let positive = |word: &str| clean(word).parse::<u64>().is_ok_and(|number| number > 0);
    words.windows(2).any(|pair| {
        (positive(pair[0]) && fails(pair[1]) && !pair[0].ends_with([':', '.', ';', ',']))
            || (fails(pair[0]) && pair[0].ends_with([':', '=']) && positive(pair[1]))
    }) || words.windows(3).any(|three| {
        positive(three[0])
            && matches!(
                clean(three[1]).as_str(),
                "test" | "tests" | "compile" | "compilation" | "type" | "lint"
            )
            && fails(three[2])
    }) || words.iter().any(|word| {
        word.split_once('=')
            .is_some_and(|(key, value)| fails(key.trim_start_matches('(')) && positive(value))
    })
}

/// Without time stamps, log prefixes, quotes of other tools and bullets at the line's start.
fn without_prefix(line: &str) -> &str {
    let mut line = line.trim();
    loop {
        let before = line;
        line = line
            .trim_start_matches(['*', '-', '•', '|', '>', '│', '●', '⎿', '#'])
            .trim_start();
        if let Some(rest) = line.strip_prefix('[')
            && let Some((inside, after)) = rest.split_once(']')
        {
            let stamp = inside.len() < 40 && inside.chars().any(|c| c.is_ascii_digit());
            if stamp {
                line = after.trim_start();
            }
        }
        let word = line.split(' ').next().unwrap_or_default();
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let clock = digits >= 4
            && word.chars().all(|c| {
                c.is_ascii_digit() || matches!(c, ':' | '-' | '.' | ',' | '/' | 'T' | 'Z' | '+')
            });
        if clock && word.len() < line.len() {
            line = line[word.len()..].trim_start();
        }
        if line == before {
            return line;
        }
    }
}

#[cfg(test)]
mod tests;
