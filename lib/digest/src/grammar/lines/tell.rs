//! What gives away how bad a problem is, and whose: its code, its rule, the file it is in.

use super::super::super::facts::Facts;
use super::super::super::problem::Severity;
use super::super::Line;
use super::Found;
use std::borrow::Cow;

/// What follows a place: severity, message, and the tool if the message gives it away.
pub(super) fn message(rest: &str) -> Option<(Severity, &str, Option<&'static str>)> {
    let text = rest
        .strip_prefix(": ")
        .or_else(|| rest.strip_prefix(" - "))
        .or_else(|| rest.strip_prefix(' '))?;
    if text.starts_with(' ') || text.is_empty() {
        return None;
    }
    let bare = text.trim_start_matches('[').as_bytes();
    for (word, severity) in SEVERITIES {
        let starts = |start: &[u8]| start.eq_ignore_ascii_case(word.as_bytes());
        if bare.get(..word.len()).is_some_and(starts)
            && matches!(
                bare.get(word.len()),
                None | Some(b':' | b' ' | b']' | b'[' | b'(')
            )
        {
            return Some((*severity, text, by_message(text)));
        }
    }
    if let Some(severity) = code(text) {
        return Some((severity, text, by_message(text)));
    }
    if let Some(severity) = eslint(text) {
        return Some((severity, text, Some("eslint")));
    }
    rest.starts_with(": ")
        .then_some((Severity::Plain, text, None))
}

const SEVERITIES: &[(&str, Severity)] = &[
    ("error", Severity::Error),
    ("fatal", Severity::Error),
    ("syntax error", Severity::Error),
    ("parse error", Severity::Error),
    ("warning", Severity::Warning),
    ("warn", Severity::Warning),
    ("note", Severity::Note),
    ("info", Severity::Note),
    ("information", Severity::Note),
    ("hint", Severity::Note),
    ("style", Severity::Note),
    ("performance", Severity::Note),
    ("portability", Severity::Note),
    ("suggestion", Severity::Note),
];

/// The severity of a message that ends with its rule: `x is not defined. (no-undef)`,
/// `x is not defined. [Error/no-undef]`.
pub(super) fn by_rule(message: &str) -> Option<Severity> {
    if let Some((_, rule)) = message.rsplit_once(" [")
        && let Some((level, rest)) = rule.split_once('/')
        && rest.ends_with(']')
    {
        return match level {
            "Error" => Some(Severity::Error),
            "Warning" => Some(Severity::Warning),
            _ => None,
        };
    }
    let (message, severity) = match message.strip_suffix(" (warning)") {
        Some(message) => (message, Severity::Warning),
        None => (message, Severity::Error),
    };
    let (_, rule) = message.strip_suffix(')')?.rsplit_once(" (")?;
    let named = rule.len() > 2
        && rule
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'/' | b'@'));
    named.then_some(severity)
}

/// Severity of a message that starts with a code: `F401`, `E0602:`, `C: Style/X:`, `DL3008`,
/// `MD013/line-length`, `lint/style/useConst`.
fn code(text: &str) -> Option<Severity> {
    if let Some(letter) = pylint(text) {
        return Some(match letter {
            b'W' => Severity::Warning,
            b'C' | b'R' | b'I' => Severity::Note,
            _ => Severity::Error,
        });
    }
    let word = text.split([' ', '/', ':']).next()?;
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.len() - letters;
    let numbered = letters > 0
        && letters <= 6
        && (2..=6).contains(&digits)
        && word[letters..].bytes().all(|byte| byte.is_ascii_digit());
    if text.starts_with("lint/") || text.starts_with("parse ") || text.starts_with("format ") {
        return Some(Severity::Error);
    }
    if letters == 1 && digits == 0 && text[1..].starts_with(": ") {
        // `RuboCop`: convention, refactor, warning, error, fatal.
        return Some(match word {
            "E" | "F" => Severity::Error,
            _ => Severity::Warning,
        });
    }
    if !numbered {
        return None;
    }
    let warns = text.contains(" warning: ") || word.starts_with("DL") && text.contains("warning");
    Some(match text {
        _ if warns => Severity::Warning,
        _ if text.contains(" info: ") || text.contains(" style: ") => Severity::Note,
        _ => Severity::Error,
    })
}

pub(super) fn by_message(text: &str) -> Option<&'static str> {
    let head = text.get(..24.min(text.len())).unwrap_or(text);
    if head.contains(" TS") {
        return Some("tsc");
    }
    if head.contains(" CS") && head.starts_with("error CS") || head.starts_with("warning CS") {
        return Some("dotnet build");
    }
    if text.ends_with(')') && text.contains("(report") {
        return Some("pyright");
    }
    let bracket = memchr::memchr(b'[', text.as_bytes()).is_some();
    if bracket && text.contains("[SC") || head.starts_with("SC") {
        return Some("shellcheck");
    }
    let word = head.split([' ', ':', '/']).next()?;
    let one = word.len() > 1 && word.as_bytes()[0].is_ascii_uppercase();
    match word {
        "lint" | "assist" if text.contains('/') => Some("biome"),
        "parse" if text.trim_end_matches(['━', ' ']) == word => Some("biome"),
        _ if word.starts_with("DL") => Some("hadolint"),
        _ if word.starts_with("MD") => Some("markdownlint"),
        _ if pylint(text).is_some() => Some("pylint"),
        _ if bracket && text.contains(" [*] ") => Some("ruff"),
        _ if one && code(text).is_some() => Some("flake8"),
        _ if head.starts_with("C: ") || head.starts_with("W: ") || head.starts_with("E: ") => {
            Some("rubocop")
        }
        _ => None,
    }
}

/// `… is too short [readability-identifier-length]`, of a check of clang-tidy's.
pub(super) fn is_clang_tidy(message: &str) -> bool {
    const GROUPS: [&str; 8] = [
        "bugprone-",
        "clang-analyzer-",
        "clang-diagnostic-",
        "cppcoreguidelines-",
        "misc-",
        "modernize-",
        "performance-",
        "readability-",
    ];
    let check = message
        .strip_suffix(']')
        .and_then(|rest| rest.rsplit_once(" ["));
    check.is_some_and(|(_, check)| GROUPS.iter().any(|group| check.starts_with(group)))
}

/// The letter of Pylint's `C0114: Missing …` or `[C0114(missing-module-docstring), ] Missing …`: how bad it
/// is. Its conventions are no errors.
fn pylint(text: &str) -> Option<u8> {
    let (text, end) = match text.strip_prefix('[') {
        Some(text) => (text, '('),
        None => (text, ':'),
    };
    let (code, _) = text.split_once(end)?;
    let (letter, digits) = code.as_bytes().split_first()?;
    let is_code =
        letter.is_ascii_uppercase() && digits.len() == 4 && digits.iter().all(u8::is_ascii_digit);
    is_code.then_some(*letter)
}

/// `Empty block. [Error/no-empty]`, in the format `unix` of `ESLint`.
fn eslint(text: &str) -> Option<Severity> {
    let (_, level) = text.strip_suffix(']')?.rsplit_once(" [")?;
    match level.split('/').next()? {
        "Error" => Some(Severity::Error),
        "Warning" => Some(Severity::Warning),
        _ => None,
    }
}

/// The compiler or checker that usually speaks of such a file.
pub(super) fn by_file(file: &str) -> &'static str {
    // Headers of the C++ library have no extension.
    if file.contains("/include/c++/") {
        return "compiler";
    }
    let extension = file.rsplit('.').next().unwrap_or_default();
    match extension {
        "c" | "h" | "cc" | "cpp" | "cxx" | "hpp" | "m" | "mm" => "compiler",
        "py" | "pyi" => "mypy",
        "go" => "go build",
        "rs" => "rustc",
        "ts" | "tsx" => "tsc",
        "java" => "javac",
        "kt" => "kotlinc",
        "swift" => "swift",
        "sh" | "bash" => "shellcheck",
        "rb" => "ruby",
        "zig" => "zig",
        _ => "lint",
    }
}

/// Cppcheck, whose problems end with their name: `Memory leak: p [memleak]`. A compiler's end with an
/// option, clang-tidy's names have hyphens.
pub(super) fn cppcheck(file: &str, message: &str) -> Option<&'static str> {
    let (_, name) = message.strip_suffix(']')?.rsplit_once(" [")?;
    let plain = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (plain && by_file(file) == "compiler").then_some("cppcheck")
}

pub(super) const GO_BUILD: &str = "go build";

/// An error of Go may have so many lines, from the place on.
const GO_LINES: u64 = 4;

/// Whether a problem of nobody's, at this place in the line, is one of `go build` or `go vet`, which
/// name the package above those in it: `# example.com/app`.
pub(super) fn is_go_build(shown: &str, line: &Line<'_>, facts: &Facts) -> bool {
    let since = line.no.saturating_sub(GO_LINES);
    let near = || facts.problems.is_latest(GO_BUILD, since);
    shown.contains(".go:") && (line.previous().starts_with(b"# ") || near())
}

/// `    src/m0.lua:1:7: (W211) unused variable`.
pub(super) fn luacheck<'t>(
    line: &Line<'t>,
    (file, shown, end): (&str, &Cow<'t, str>, usize),
    facts: &mut Facts,
) -> Option<Found<'t>> {
    let message = line.trimmed().get(end..)?.strip_prefix(": ")?;
    if line.indent() != 4 || file.rsplit('.').next() != Some("lua") {
        return None;
    }
    facts.tool("luacheck");
    facts.lint = true;
    let severity = if message.starts_with("(E") {
        Severity::Error
    } else {
        Severity::Warning
    };
    Some(("luacheck", severity, shown.clone(), message.into()))
}
