//! Compilers and linters that print one line per problem, its place first.
//!
//! ```text
//! src/a.c:3:5: error: expected ';'
//! src/a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.
//! lib/n.py:1:1: F401 're' imported but unused
//! ```

use super::super::count::{Category, Counts, pairs};
use super::super::facts::Facts;
use super::super::place;
use super::super::problem::Severity;
use super::{Grammar, Line};

/// The state of one lane: none, each line stands for itself.
#[derive(Debug, Default)]
pub(super) struct Lines;

impl Grammar for Lines {
    fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        total(line, facts) || problem(line, facts) || make(line, facts)
    }
}

fn problem(line: Line<'_>, facts: &mut Facts) -> bool {
    if line.indent() > 4 {
        return false;
    }
    let (level, text) = levelled(line.trimmed());
    let Some((place, end)) = place::leading(text).or_else(|| maven_place(text)) else {
        return placeless(line, facts);
    };
    let rest = &text[end..];
    let bare = || level.map(|level| (level, rest.trim_start_matches([':', ' ']), None));
    let Some((severity, message, tool)) = message(rest).or_else(bare) else {
        return false;
    };
    if line.indent() > 0 && severity == Severity::Plain && level.is_none() {
        return false;
    }
    let severity = match (severity, level) {
        (Severity::Plain, Some(level)) => level,
        (severity, _) => severity,
    };
    let known = tool.filter(|tool| LINTERS.contains(tool));
    facts.lint |= known.is_some();
    if severity != Severity::Plain || tool.is_some() {
        facts.tool(tool.unwrap_or_else(|| by_file(&place.file)));
    } else {
        let tool = match by_file(&place.file) {
            // mypy always says how bad it is; whoever does not is another linter.
            "mypy" => "lint",
            tool => tool,
        };
        facts.fallback = facts.fallback.or(Some(tool));
    }
    facts
        .problems
        .add(severity, Some(&place.shown), message, line.no);
    true
}

/// Tools whose warnings are their result, not a side note.
const LINTERS: &[&str] = &[
    "shellcheck",
    "pylint",
    "flake8",
    "hadolint",
    "markdownlint",
    "rubocop",
    "ruff",
    "pyright",
];

/// `[ERROR] text` of Maven and others.
fn levelled(text: &str) -> (Option<Severity>, &str) {
    for (word, severity) in [
        ("[ERROR] ", Severity::Error),
        ("[WARNING] ", Severity::Warning),
        ("[WARN] ", Severity::Warning),
        ("[error] ", Severity::Error),
        ("[warn] ", Severity::Warning),
        ("ERROR in ", Severity::Error),
        ("WARNING in ", Severity::Warning),
        ("e: file://", Severity::Error),
        ("w: file://", Severity::Warning),
        ("e: ", Severity::Error),
        ("w: ", Severity::Warning),
    ] {
        if let Some(rest) = text.strip_prefix(word) {
            return (Some(severity), rest);
        }
    }
    (None, text)
}

/// `/a/B.java:[3,5] cannot find symbol`.
fn maven_place(text: &str) -> Option<(place::Place, usize)> {
    let at = text.find(":[")?;
    let close = text[at..].find(']')? + at;
    let line = text[at + 2..close].split(',').next()?.parse().ok()?;
    let shown = format!("{}:{}", &text[..at], text[at + 2..close].replace(',', ":"));
    (at > 0 && !text[..at].contains(' ')).then(|| {
        let file = text[..at].to_owned();
        (place::Place { file, line, shown }, close + 1)
    })
}

/// What follows a place: severity, message, and the tool if the message gives it away.
fn message(rest: &str) -> Option<(Severity, &str, Option<&'static str>)> {
    let text = rest
        .strip_prefix(": ")
        .or_else(|| rest.strip_prefix(" - "))
        .or_else(|| rest.strip_prefix(' '))?;
    if text.starts_with(' ') || text.is_empty() {
        return None;
    }
    let lower = text
        .get(..12.min(text.len()))
        .unwrap_or(text)
        .to_ascii_lowercase();
    let lower = lower.trim_start_matches('[');
    for (word, severity) in SEVERITIES {
        if let Some(after) = lower.strip_prefix(word)
            && (after.is_empty() || after.starts_with([':', ' ', ']', '[', '(']))
        {
            return Some((*severity, text, by_message(text)));
        }
    }
    if let Some(severity) = code(text) {
        return Some((severity, text, by_message(text)));
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
    ("suggestion", Severity::Note),
];

/// Severity of a message that starts with a code: `F401`, `E0602:`, `C: Style/X:`, `DL3008`,
/// `MD013/line-length`, `lint/style/useConst`.
fn code(text: &str) -> Option<Severity> {
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
    // Pylint: four digits and a colon; its conventions are no errors.
    let pylint = letters == 1 && digits == 4 && text[word.len()..].starts_with(':');
    Some(match (pylint, word.as_bytes()[0]) {
        (true, b'W') => Severity::Warning,
        (true, b'C' | b'R' | b'I') => Severity::Note,
        // pycodestyle's letters name its style rules; only E9 are errors.
        (false, b'E' | b'W') if letters == 1 && digits == 3 && !word.starts_with("E9") => {
            Severity::Warning
        }
        _ if text.contains(" warning: ") || word.starts_with("DL") && text.contains("warning") => {
            Severity::Warning
        }
        _ if text.contains(" info: ") || text.contains(" style: ") => Severity::Note,
        _ => Severity::Error,
    })
}

fn by_message(text: &str) -> Option<&'static str> {
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
    if text.contains("[SC") || head.starts_with("SC") {
        return Some("shellcheck");
    }
    let word = head.split([' ', ':', '/']).next()?;
    let one = word.len() > 1 && word.as_bytes()[0].is_ascii_uppercase();
    match word {
        _ if word.starts_with("DL") => Some("hadolint"),
        _ if word.starts_with("MD") => Some("markdownlint"),
        _ if one && word.len() == 5 && text[5..].starts_with(':') => Some("pylint"),
        _ if text.contains(" [*] ") => Some("ruff"),
        _ if one && code(text).is_some() => Some("flake8"),
        _ if head.starts_with("C: ") || head.starts_with("W: ") || head.starts_with("E: ") => {
            Some("rubocop")
        }
        _ => None,
    }
}

/// The compiler or checker that usually speaks of such a file.
fn by_file(file: &str) -> &'static str {
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

/// Result lines of compilers and linters.
fn total(line: Line<'_>, facts: &mut Facts) -> bool {
    let text = line.trimmed();
    let found = text
        .strip_prefix("Found ")
        .or_else(|| text.strip_prefix("✖ "));
    let rest = found.unwrap_or(text);
    let Some((number, after)) = rest.split_once(' ') else {
        return false;
    };
    let Some(number) = super::super::count::figure(number) else {
        return false;
    };
    let word = after
        .split([' ', ',', '.', '(', ':'])
        .next()
        .unwrap_or_default();
    let tool = match (found.is_some(), word, after) {
        (true, "problem" | "problems", _) => "eslint",
        (true, "error" | "errors", _) if after.contains(" in ") && after.contains("checked") => {
            "mypy"
        }
        (true, "error" | "errors", _) if after.contains(" in ") || after.contains("Watching") => {
            "tsc"
        }
        (true, "error" | "errors" | "warning" | "warnings", _) => {
            facts.tools.last().copied().unwrap_or("ruff")
        }
        (false, "error" | "errors", _) if after.contains("warning") => "pyright",
        (false, "error" | "errors" | "warning" | "warnings", _) if after.contains("generated") => {
            "clang"
        }
        (false, "error" | "errors" | "warning" | "warnings", _) if after == word => "javac",
        (false, "files" | "file", _) if after.contains("offense") => {
            return rubocop(number, after, facts);
        }
        _ => return false,
    };
    facts.problems_stated = true;
    facts.lint = true;
    let mut counts = pairs(rest);
    if tool == "mypy" || tool == "tsc" {
        counts = Counts::default();
        counts.add(Category::Errors, number);
    }
    if tool == "pyright" {
        counts.remove(Category::Problems);
    }
    facts.result(tool, counts, None);
    facts.close(tool);
    true
}

fn rubocop(_files: u64, after: &str, facts: &mut Facts) -> bool {
    let number = after
        .split(", ")
        .find_map(|part| part.split_once(" offense")?.0.parse::<u64>().ok());
    let mut counts = Counts::default();
    counts.add(Category::Problems, number.unwrap_or(0));
    facts.problems_stated = true;
    facts.lint = true;
    facts.result("rubocop", counts, None);
    true
}

/// Errors that have no place: of the linker, of configuration.
fn placeless(line: Line<'_>, facts: &mut Facts) -> bool {
    let text = line.text;
    let linker = text.contains("undefined reference to")
        || text.contains("ld: ")
        || text.starts_with("collect2:");
    let tsc = text.starts_with("error TS");
    let clang = text.starts_with("clang: error")
        || text.starts_with("gcc: fatal")
        || text.starts_with("cc1: ");
    if linker || tsc || clang {
        facts.tool(if tsc { "tsc" } else { "compiler" });
        facts.problems.add(Severity::Error, None, text, line.no);
        return true;
    }
    false
}

/// `make: *** [Makefile:5: u9.o] Error 1`, `ninja: build stopped`, `CMake`'s errors.
fn make(line: Line<'_>, facts: &mut Facts) -> bool {
    let text = line.text;
    let stopped = text.contains("*** ") && (text.starts_with("make") || text.starts_with("gmake"));
    let ninja = text.starts_with("ninja: ") && (text.contains("error") || text.contains("stopped"));
    let failed = text.starts_with("FAILED: ") && text.contains(['.', '/']);
    if stopped || ninja || failed {
        facts.fallback = Some(if stopped { "make" } else { "ninja" });
        facts.note(text, line.no);
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    fn one(text: &str) -> String {
        let facts = sample(text);
        let tool = facts
            .tools
            .first()
            .or(facts.fallback.as_ref())
            .copied()
            .unwrap_or("-");
        let list = facts.problems.into_list(false);
        match list.first() {
            Some(problem) => format!(
                "{tool} {:?} {} {}",
                problem.severity,
                problem.places.join(" "),
                problem.text
            ),
            None => format!("{tool} none"),
        }
    }

    #[test]
    fn lines_of_many_tools() {
        assert_eq!(
            one("a/b.c:3:5: error: expected ';'"),
            "compiler Error a/b.c:3:5 error: expected ';'"
        );
        assert_eq!(
            one("src/a.ts(1,14): error TS2322: Type"),
            "tsc Error src/a.ts(1,14) error TS2322: Type"
        );
        assert_eq!(
            one("src/a.ts:1:41 - error TS2322: Type"),
            "tsc Error src/a.ts:1:41 error TS2322: Type"
        );
        assert_eq!(
            one("n.py:1:1: F401 're' imported"),
            "flake8 Error n.py:1:1 F401 're' imported"
        );
        assert_eq!(
            one("n.py:1:0: C0114: Missing (x)"),
            "pylint Note n.py:1:0 C0114: Missing (x)"
        );
        assert_eq!(
            one("  /a/n.py:3:16 - error: \"x\" (reportX)"),
            "pyright Error /a/n.py:3:16 error: \"x\" (reportX)"
        );
        assert_eq!(
            one("Dockerfile:4 DL3008 warning: Pin"),
            "hadolint Warning Dockerfile:4 DL3008 warning: Pin"
        );
        assert_eq!(
            one("./b.go:3:2: undefined: x"),
            "go build Plain ./b.go:3:2 undefined: x"
        );
        assert_eq!(
            one("a.rb:1:1: C: Style/X: y"),
            "rubocop Warning a.rb:1:1 C: Style/X: y"
        );
        assert_eq!(
            one("[ERROR] /a/B.java:[3,5] cannot find"),
            "javac Error /a/B.java:3:5 cannot find"
        );
        assert_eq!(one("src/a.rs:12:    let x = 1;"), "- none");
        assert_eq!(one("12:30:01: error in x"), "- none");
    }
}
