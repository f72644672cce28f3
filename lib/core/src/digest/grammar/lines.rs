//! Compilers and linters that print one line per problem, its place first.
//!
//! ```text
//! src/a.c:3:5: error: expected ';'
//! src/a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.
//! lib/n.py:1:1: F401 're' imported but unused
//! ```

mod tell;

use super::super::count::{Category, Counts, pairs};
use super::super::facts::Facts;
use super::super::place;
use super::super::problem::Severity;
use super::{Grammar, Line};
use tell::{by_file, by_message, by_rule, code};

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// A problem whose message goes on in the next line, or begins there: of mypy with `--pretty`
    /// and of GHC.
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    severity: Severity,
    shown: String,
    message: String,
    no: u64,
}

impl Grammar for Lines {
    fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        self.goes_on(line, facts)
            || total(line, facts)
            || self.problem(line, facts)
            || make(line, facts)
    }

    fn is_open(&self) -> bool {
        self.held.is_some()
    }

    fn end(&mut self, facts: &mut Facts) {
        self.release(facts);
    }
}

impl Lines {
    /// The rest of a message that began before.
    fn goes_on(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let Some(held) = &mut self.held else {
            return false;
        };
        let text = line.trimmed().trim_start_matches(['•', ' ']);
        let ghc = held.message.ends_with(':') || held.message.ends_with("]:");
        let more = if ghc {
            line.indent() >= 4
        } else {
            line.indent() == 0 && place::leading(text).is_none()
        };
        if more && !text.is_empty() {
            held.message.push(' ');
            held.message.push_str(text);
        }
        let done = ghc || !more || held.message.ends_with(']') || text.is_empty();
        if done {
            self.release(facts);
        }
        more && !text.is_empty()
    }

    fn release(&mut self, facts: &mut Facts) {
        if let Some(held) = self.held.take() {
            let shown = Some(held.shown.as_str());
            facts
                .problems
                .add(held.severity, shown, &held.message, held.no);
        }
    }

    fn problem(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let Some((severity, shown, message)) = problem(line, facts) else {
            return placeless(line, facts);
        };
        let error = message.starts_with("error:") || message.starts_with("error: [");
        let ghc = error && message.len() < 24 && message.ends_with(':');
        let mypy = (shown.contains(".py:") || shown.contains(".pyi:"))
            && (error || message.starts_with("note:"))
            && message.len() > 40
            && !message.ends_with([']', ')', '"', '.']);
        let held = Held {
            severity,
            shown,
            message,
            no: line.no,
        };
        self.held = Some(held);
        if !(ghc || mypy) {
            self.release(facts);
        }
        true
    }
}

fn problem(line: Line<'_>, facts: &mut Facts) -> Option<(Severity, String, String)> {
    if line.indent() > 4 {
        return None;
    }
    if let Some(found) = annotation(line.text, facts) {
        return Some(found);
    }
    let (level, text) = levelled(line.trimmed());
    let (place, end) = place::leading(text).or_else(|| maven_place(text))?;
    let rest = &text[end..];
    let plain = rest.trim_start_matches([':', ' ']);
    if NO_PROBLEMS.iter().any(|start| plain.starts_with(start)) {
        return None;
    }
    if line.indent() > 0
        && level.is_none()
        && rest.starts_with(": ")
        && let Some(severity) = by_rule(plain)
    {
        facts.tool("lint");
        facts.lint = true;
        return Some((severity, place.shown, plain.to_owned()));
    }
    let bare = || level.map(|level| (level, rest.trim_start_matches([':', ' ']), None));
    let (severity, message, tool) = message(rest).or_else(bare)?;
    if line.indent() > 0 && severity == Severity::Plain && level.is_none() {
        return None;
    }
    let severity = match (severity, level) {
        (Severity::Plain, Some(level)) => level,
        (Severity::Plain, None) => by_rule(message).unwrap_or(severity),
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
    let message = message.trim_end_matches(['━', ' ']);
    Some((severity, place.shown, message.to_owned()))
}

/// What follows a place and is no problem: other tools' tests, and what passed.
const NO_PROBLEMS: &[&str] = &[
    "error: in \"",
    "fatal error: in \"",
    "error: Failure in TEST(",
    "passed",
    "info: check ",
    "Entering test",
    "Leaving test",
];

/// `::error file=src/a.py,line=3,col=5::message`, an annotation of GitHub.
fn annotation(text: &str, facts: &mut Facts) -> Option<(Severity, String, String)> {
    let rest = text.strip_prefix("::")?;
    let (head, message) = rest.split_once("::")?;
    let severity = match head.split(' ').next()? {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        "notice" => Severity::Note,
        _ => return None,
    };
    facts.tool("lint");
    facts.lint = true;
    let message = message.split("%0A").next().unwrap_or(message);
    if let Some((place, end)) = place::leading(message) {
        let message = message[end..].trim_start_matches([':', ' ']);
        return Some((severity, place.shown, message.to_owned()));
    }
    let value = |key: &str| {
        let mut parts = head.split([' ', ',']);
        parts.find_map(|part| part.strip_prefix(key)?.strip_prefix('='))
    };
    let shown = match (value("file"), value("line")) {
        (Some(file), Some(row)) => format!("{file}:{row}"),
        (file, _) => file?.to_owned(),
    };
    Some((severity, shown, message.to_owned()))
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
    "oxlint",
];

/// `[ERROR] text` of Maven and others; Ant puts the task before it.
fn levelled(text: &str) -> (Option<Severity>, &str) {
    let text = text.strip_prefix("[javac] ").unwrap_or(text);
    for (word, severity) in [
        ("[ERROR] ", Severity::Error),
        ("[WARNING] ", Severity::Warning),
        ("[WARN] ", Severity::Warning),
        ("[error] ", Severity::Error),
        ("[warn] ", Severity::Warning),
        ("ERROR in ", Severity::Error),
        ("WARNING in ", Severity::Warning),
        ("ERROR: ", Severity::Error),
        ("WARNING: ", Severity::Warning),
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

/// Result lines of compilers and linters.
fn total(line: Line<'_>, facts: &mut Facts) -> bool {
    let text = line.trimmed();
    let text = text.strip_prefix("[javac] ").unwrap_or(text);
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
        (false, "error" | "errors" | "warning" | "warnings", _) if after == word => {
            facts.tools.last().copied().unwrap_or("javac")
        }
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
