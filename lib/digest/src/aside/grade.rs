//! What tells the statement of an error from a line that only speaks of errors.

use memchr::memchr_iter;
use overnight_redact::multi_search::MultiSearch;
use std::sync::LazyLock;

/// How much a line looks like an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Grade {
    /// It does not.
    Plain,
    /// It holds a word that lines about errors hold.
    Weak,
    /// It is built like the statement of an error.
    Strong,
}

/// What the system and shells say of a call that failed, behind a colon (POSIX `strerror`, `sh`).
const REASONS: &[&str] = overnight_base::texts!(
    "no such file or directory|permission denied|command not found|not found|is a directory\
     |not a directory|connection refused|connection timed out|connection reset\
     |operation not permitted|no space left on device|read-only file system|exec format error\
     |bad interpreter|input/output error|cannot allocate memory|a password is required"
);
/// How a sentence begins that says what a program could not do, behind its name or alone.
const REFUSALS: &[&str] = overnight_base::texts!(
    "cannot |can't |can\u{2019}t |could not |couldn't |unable to |failed to |invalid \
     |unrecognized |missing |unexpected |no such "
);
/// How a process ends that a signal ended, as shells say it.
const SIGNALS: &[&str] = overnight_base::texts!(
    "Segmentation fault|core dumped|Bus error|Illegal instruction|Floating point exception"
);
/// How make and a runtime say that something ended.
const ENDS: &[&str] =
    overnight_base::texts!(": *** |Aborted|Killed|exit status |compilation aborted");
/// How a program tells that it crashed.
const CRASHES: &[&str] = overnight_base::texts!(
    "Traceback (most recent call last)|panicked at|Uncaught |Unhandled |nhandled exception\
     |Exception in thread|: *** |: Assertion `|CONFLICT (|[rejected]|DATA RACE"
);

/// Words of prose that speak of an error.
const WORDS: &[&str] = overnight_base::words!(
    "error errors fatal failed failure exception panic denied refused rejected aborted abort \
     invalid missing cannot unable conflict unexpected undefined crashed timed unreachable"
);
/// What stands before what failed.
const MARKS: &[&str] = &["\u{2717}", "\u{2715}", "\u{2718}", "\u{2716}", "\u{274c}"];
/// What levels and the names of errors hold, in either case.
const NAMES: &[&str] = overnight_base::words!(
    "err exception fail failure fault fatal panic critical severe killed terminated"
);
/// Nearly no line holds one of these, and only one that does can be more than plain.
static SIGNS: LazyLock<MultiSearch> = LazyLock::new(|| {
    let lists = [
        REASONS, REFUSALS, SIGNALS, ENDS, CRASHES, NAMES, WORDS, MARKS,
    ];
    MultiSearch::new(lists.into_iter().flatten().copied(), true)
});

/// Whether the line holds a sign of an error: a look that spares the lines that do not all others.
fn has_sign(text: &str) -> bool {
    let bytes = text.as_bytes();
    let part_of_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    // The level `E` is too short to be looked for.
    SIGNS.find(bytes, 0).is_some()
        || memchr_iter(b'E', bytes)
            .any(|at| !part_of_word(at + 1) && (at == 0 || !part_of_word(at - 1)))
}

/// How much a line looks like an error; `denied`: it also holds words like `0 errors`.
pub(in super::super) fn grade(text: &str, denied: bool) -> Grade {
    if has_sign(text) {
        looked_at(text, denied)
    } else {
        Grade::Plain
    }
}

fn looked_at(text: &str, denied: bool) -> Grade {
    let text = super::super::lane::without_stamp(text.trim());
    if MARKS.iter().any(|mark| text.starts_with(mark)) {
        return Grade::Strong;
    }
    let text = text
        .trim_start_matches(|found: char| !found.is_alphanumeric() && found != '[' && found != '*');
    if is_strong(text) {
        Grade::Strong
    } else if !denied && text.split_whitespace().any(is_word) {
        Grade::Weak
    } else {
        Grade::Plain
    }
}

/// Whether a line only says that a process ended: why stands above it.
pub(super) fn is_an_end(text: &str) -> bool {
    SIGNALS.iter().chain(ENDS).any(|end| text.contains(end))
}

fn is_strong(text: &str) -> bool {
    if CRASHES
        .iter()
        .chain(SIGNALS)
        .any(|crash| text.contains(crash))
    {
        return true;
    }
    let (bare, lower) = (bare(text), text.to_ascii_lowercase());
    if matches!(bare, "Killed" | "Terminated" | "Aborted") || is_killed(text) {
        return true;
    }
    let parts = || lower.split(": ");
    if parts().skip(1).any(|part| {
        let mut reasons = REASONS.iter();
        reasons.any(|reason| {
            let rest = part.strip_prefix(reason);
            rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    }) {
        return true;
    }
    let refuses = |part: &str| {
        // `curl: (7) Failed to connect`
        let coded = part
            .strip_prefix('(')
            .and_then(|part| part.split_once(") "));
        let part = coded.map_or(part, |(_, rest)| rest);
        REFUSALS.iter().any(|start| part.starts_with(start))
    };
    // `cp: missing operand`, `a.sh: line 4: unexpected EOF`: the program's name is one word.
    let program = parts().next().is_some_and(|name| !name.contains(' '));
    if refuses(&lower) || program && parts().skip(1).take(2).any(refuses) {
        return true;
    }
    has_label(text) || has_level(text) || ends_in_exception(text) || is_outcome(text)
}

/// `FAIL  pkg [build failed]`, `[FAILED] migration 3`: what a program says first of what it tried.
fn is_outcome(text: &str) -> bool {
    let mut words = text.split_whitespace().map(bare);
    let outcome = matches!(words.next(), Some("FAIL" | "FAILED"));
    outcome && words.next().is_some_and(|of| !of.is_empty() && of != "0")
}

/// `line 1: 4711 Killed   ./app`: how a shell names the process.
fn is_killed(text: &str) -> bool {
    let mut words = text
        .split_whitespace()
        .skip_while(|word| word.parse::<u32>().is_err());
    words.next().is_some() && matches!(words.next(), Some("Killed" | "Aborted" | "Terminated"))
}

/// `error: x`, `git: fatal: x`, `ValueError: x`, `error TS2322: x`, `Error in foo: x`: before one of the first
/// colons the first or the last word names an error, and behind it stands what it is.
fn has_label(text: &str) -> bool {
    let mut parts = text.split(": ").peekable();
    for _ in 0..4 {
        let Some(part) = parts.next() else {
            return false;
        };
        let (part, is_last) = (part.trim(), parts.peek().is_none());
        if is_last && !part.ends_with(':') && part.split_whitespace().count() < 2 {
            return false;
        }
        let mut words = part.split_whitespace();
        let (first, last) = (words.next().unwrap_or_default(), words.next_back());
        let none = parts.peek().is_some_and(|rest| {
            let rest = bare(rest.split_whitespace().next().unwrap_or_default());
            matches!(rest, "0" | "none" | "None" | "null" | "no" | "false" | "")
        });
        let named = names_error(first, is_last)
            || !is_last && last.is_some_and(|last| names_error(last, false));
        if named && !none {
            return true;
        }
    }
    false
}

/// Whether a word is the name of an error; where no colon follows, only one that stands as a title.
fn names_error(word: &str, alone: bool) -> bool {
    let word = word.split(['[', '(']).next().unwrap_or(word);
    let name = bare(word);
    let class = name.rsplit(['.', ':', '\\']).next().unwrap_or(name);
    let title = matches!(
        class,
        "Error" | "ERROR" | "FATAL" | "Fatal" | "ERR!" | "PANIC"
    );
    let other = matches!(
        class,
        "error" | "fatal" | "panic" | "critical" | "exception" | "E"
    );
    let tails = ["Error", "Exception", "Failure", "Fault", "Errno"];
    let named = tails
        .iter()
        .any(|tail| class.len() > tail.len() && class.ends_with(tail));
    // A path is no name.
    let plain = !word.contains('/') && !name.contains('_');
    title || plain && (named && class.starts_with(char::is_uppercase) || other && !alone)
}

/// `npm ERR! x`, `2026-01-01 06:12 ERROR app: x`, `[ERROR] x`, ` ERR_PNPM_X  x`: a level among the first words;
/// `npm error x`, `An error occurred`, `run.sh: line 3: syntax error near x`: what kind of error, or whose.
fn has_level(text: &str) -> bool {
    const NOT_SO: &[&str] = &[
        "no", "without", "any", "if", "the", "on", "for", "with", "of", "to", "and", "test",
    ];
    let mut words = text.split_whitespace().take(6);
    let mut parts = text.split(": ").take(4);
    words.any(|word| {
        let level = matches!(
            bare(word),
            "ERROR" | "ERR" | "FATAL" | "CRITICAL" | "PANIC" | "SEVERE" | "ERR!"
        );
        level
            || word.starts_with("ERR_")
            || word.starts_with("level=error")
            || word.starts_with("level=fatal")
    }) || parts.any(|part| {
        let mut words = part.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let spoken = kind.starts_with(char::is_alphabetic)
            && !NOT_SO.contains(&kind.to_ascii_lowercase().as_str());
        spoken
            && match words.next().map(bare) {
                Some("error") => words.next().is_some(),
                // `CMake Error at CMakeLists.txt:3`
                Some("Error") => matches!(words.next(), Some("at" | "in")),
                _ => false,
            }
    })
}

/// `undefined method 'x' for nil (NoMethodError)`: an exception is the last word.
fn ends_in_exception(text: &str) -> bool {
    text.rsplit_once(" (").is_some_and(|(_, last)| {
        let name = last.strip_suffix(')').unwrap_or_default();
        !name.is_empty() && !name.contains([' ', '(']) && names_error(name, true)
    })
}

/// Whether a word of prose speaks of an error, rather than a name in code or the name of a file.
fn is_word(word: &str) -> bool {
    let word = bare(word);
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// A word without what encloses or ends it.
fn bare(word: &str) -> &str {
    word.trim_matches(|found: char| "[]()<>{}:;,.\"'`*|".contains(found) || found.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn each_sign_wakes_a_look_at_its_line() {
        for list in [REASONS, REFUSALS, SIGNALS, ENDS] {
            for sign in list {
                let (first, rest) = sign.split_at(1);
                for text in [(*sign).to_owned(), first.to_ascii_uppercase() + rest] {
                    let mut anchors = super::super::super::grammar::anchors();
                    assert!(anchors.any(|anchor| text.contains(anchor)), "{text}");
                }
            }
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "it reads the captures")]
    fn a_line_without_a_sign_is_plain_in_all_captures() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/output-filter");
        let mut graded = 0;
        for kind in ["captures", "unseen"] {
            for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
                let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
                for line in String::from_utf8_lossy(&bytes).lines() {
                    let line = super::super::clean(line.as_bytes());
                    let whole = looked_at(&line, false);
                    assert_eq!(grade(&line, false), whole, "{line}");
                    graded += usize::from(whole != Grade::Plain);
                }
            }
        }
        assert!(graded > 1_000, "{graded}");
    }
}
