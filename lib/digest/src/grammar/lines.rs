//! Compilers and linters that print one line per problem, its place first.
//!
//! ```text
//! src/a.c:3:5: error: expected ';'
//! src/a.ts(1,14): error TS2322: Type 'string' is not assignable to type 'number'.
//! lib/n.py:1:1: F401 're' imported but unused
//! ```

mod annotation;
mod maven;
mod tell;
mod total;

use std::borrow::Cow;

use super::super::facts::Facts;
use super::super::index::{Group, Index};
use super::super::place;
use super::super::problem::Severity;
use super::{Grammar, Line};
use annotation::annotation;
use tell::{GO_BUILD, by_file, by_message, by_rule, cppcheck, is_go_build, luacheck, message};
use total::total;

/// What totals hold, errors without a place, and the last words of make and ninja.
pub(super) const WORDS: &[&str] = overnight_base::texts!(
    "Suppressed |Found |✖ | error| warning|offense| problem|undefined reference to|ld: |collect2:\
     |error TS|gcc: fatal|cc1: |*** |ninja: |FAILED: "
);

/// The state of one lane.
#[derive(Debug)]
pub(super) struct Lines {
    /// What all lines hold that are no place with a problem ([`WORDS`]).
    words: Group,
    /// A problem whose message goes on in the next line, or begins there: of mypy with `--pretty`
    /// and of GHC.
    held: Option<Held>,
    /// A problem of Biome: how bad it is, and what, stands below it.
    titled: Option<Held>,
    /// Where the template was used that an error in a header is about.
    used: Option<String>,
    /// Maven's errors.
    listed: maven::Listed,
}

#[derive(Debug)]
struct Held {
    source: &'static str,
    severity: Severity,
    shown: String,
    message: String,
    no: u64,
    /// How long its last line was, in characters.
    width: usize,
}

/// So long a line of mypy may be with `--pretty`, in characters, where no terminal says otherwise.
const MYPY_WIDTH: usize = 79;

impl Grammar for Lines {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if self.goes_on(line, facts) || self.trailing(line, facts) {
            return true;
        }
        let counts = line.trimmed().starts_with(|first: char| {
            first.is_ascii_digit() || matches!(first, 'S' | 'F' | '✖' | '[')
        });
        if counts && line.words.any(&self.words) && total(line, facts) {
            return true;
        }
        if self.problem(line, facts) {
            return true;
        }
        line.words.any(&self.words) && (placeless(line, facts) || make(line, facts))
    }

    fn is_open(&self) -> bool {
        self.held.is_some() || self.titled.is_some()
    }

    fn end(&mut self, facts: &mut Facts) {
        self.release(facts);
        self.titled(None, facts);
    }
}

impl Lines {
    pub(super) fn new(index: &Index) -> Self {
        Self {
            listed: maven::Listed::default(),
            words: index.group(WORDS.iter().copied()),
            held: None,
            titled: None,
            used: None,
        }
    }

    /// The rest of a message that began before.
    fn goes_on(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some(held) = &mut self.held else {
            return false;
        };
        if held.message.ends_with(NO_SYMBOL) {
            return self.symbol(line, facts);
        }
        let text = line.trimmed().trim_start_matches(['•', ' ']);
        let ghc = held.message.ends_with(':') || held.message.ends_with("]:");
        let more = if ghc {
            line.indent() >= 4
        } else {
            // mypy fills its lines: what would have fit into the last one does not go on with it.
            let word = text.split(' ').next().unwrap_or(text);
            let fits = held.width + 1 + word.chars().count() <= MYPY_WIDTH;
            held.width = text.chars().count();
            let total = text.starts_with("Found ");
            line.indent() == 0 && !fits && !total && place::leading(text).is_none()
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

    /// What stands below the title of Biome's problem: `× This is unexpected.`
    fn trailing(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if self.titled.is_none() || line.text.is_empty() {
            return self.titled.is_some();
        }
        let mut parts = line.trimmed().splitn(2, ' ');
        let severity = match parts.next() {
            Some("×" | "✖") => Severity::Error,
            Some("!" | "⚠") => Severity::Warning,
            Some("i" | "ℹ") => Severity::Note,
            _ => {
                self.titled(None, facts);
                return false;
            }
        };
        self.titled(Some((severity, parts.next().unwrap_or_default())), facts);
        true
    }

    fn titled(&mut self, said: Option<(Severity, &str)>, facts: &mut Facts) {
        let Some(held) = self.titled.take() else {
            return;
        };
        let (severity, text) = match said {
            Some((severity, text)) => (severity, format!("{}: {text}", held.message)),
            None => (held.severity, held.message),
        };
        facts
            .problems
            .add((held.source, severity), Some(&held.shown), &text, held.no);
    }

    /// What javac says below the source and where in it: `  symbol:   class Tariff`. Maven leaves out both.
    fn symbol(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some(held) = &mut self.held else {
            return false;
        };
        let symbol = line.trimmed().strip_prefix("symbol:");
        if let Some(symbol) = symbol {
            held.message.push_str(": ");
            held.message.push_str(symbol.trim());
        }
        let waits = match line.no.saturating_sub(held.no) {
            1 => {
                let is_other = line
                    .text
                    .starts_with(|first: char| first == '[' || first.is_ascii_digit());
                !is_other && place::leading(line.trimmed()).is_none()
            }
            2 => line.trimmed() == "^",
            _ => false,
        };
        if symbol.is_some() || !waits {
            self.release(facts);
        }
        symbol.is_some() || waits
    }

    fn release(&mut self, facts: &mut Facts) {
        if let Some(held) = self.held.take() {
            add(
                (held.source, held.severity),
                &held.shown,
                &held.message,
                held.no,
                facts,
            );
        }
    }

    fn problem(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some(place) = line.text.strip_suffix(":   required from here") {
            self.used = Some(place.to_owned());
            return true;
        }
        let Some((source, severity, mut shown, message)) = problem(line, facts) else {
            return false;
        };
        if shown.ends_with(']') && self.listed.knows(&shown, &message) {
            return true;
        }
        let source = if source.is_empty() && is_go_build(&shown, line, facts) {
            GO_BUILD
        } else {
            source
        };
        if place::is_foreign(&shown)
            && severity == Severity::Error
            && let Some(used) = &self.used
        {
            shown = used.clone().into();
        }
        let error = message.starts_with("error:");
        let biome = by_message(&message) == Some("biome");
        let ghc = error && message.len() < 24 && message.ends_with(':');
        let mypy = (error || message.starts_with("note:"))
            && (shown.contains(".py:") || shown.contains(".pyi:"))
            && message.len() > 40
            && !message.ends_with([']', ')', '"', '.']);
        let java = message.ends_with(NO_SYMBOL);
        if !(biome || ghc || mypy || java) {
            add((source, severity), &shown, &message, line.no, facts);
            return true;
        }
        let message = if biome {
            message.replace("  FIXABLE ", " ").trim().to_owned()
        } else {
            message.into_owned()
        };
        let held = Held {
            source,
            severity,
            shown: shown.into_owned(),
            message,
            no: line.no,
            width: line.text.chars().count(),
        };
        if biome {
            self.titled(None, facts);
            self.titled = Some(held);
        } else {
            self.held = Some(held);
        }
        true
    }
}

fn add(told: (&'static str, Severity), shown: &str, message: &str, no: u64, facts: &mut Facts) {
    // Maven prints no colon behind its places.
    if shown.ends_with(']') {
        facts.problems.apart();
    }
    facts.problems.add(told, Some(shown), message, no);
}

/// What javac says of a name that it does not know: the name follows.
const NO_SYMBOL: &str = "cannot find symbol";

/// A problem: who tells of it (empty: nobody knows), how bad it is, where, and what.
type Found<'t> = (&'static str, Severity, Cow<'t, str>, Cow<'t, str>);

fn problem<'t>(line: &Line<'t>, facts: &mut Facts) -> Option<Found<'t>> {
    if line.indent() > 4 {
        return None;
    }
    if let Some((severity, shown, message)) = annotation(line.text, facts) {
        return Some(("", severity, shown.into(), message.into()));
    }
    let (level, text) = levelled(behind_task(line.trimmed()));
    let (file, shown, end) = match place::start(text) {
        Some((file, _, end)) => (file, Cow::from(&text[..end]), end),
        None => maven::place(text)?,
    };
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
        return Some(("lint", severity, shown, plain.into()));
    }
    if let Some(found) = luacheck(line, (file, &shown, end), facts) {
        return Some(found);
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
    let tool = tool.or_else(|| cppcheck(file, message));
    let known = tool.filter(|tool| LINTERS.contains(tool));
    // Nobody compiles prose.
    let prose = [".rst", ".md"].iter().any(|end| file.ends_with(end));
    facts.lint |= known.is_some() || prose || tell::is_clang_tidy(message);
    let mut source = tool.unwrap_or_default();
    if severity != Severity::Plain || tool.is_some() {
        let usual = by_file(file);
        facts.tool(tool.unwrap_or(usual));
        // Of these languages there is one compiler, of others any number of checkers.
        if source.is_empty() && COMPILERS.contains(&usual) {
            source = usual;
        }
    } else {
        let tool = match by_file(file) {
            // mypy always says how bad it is; whoever does not is another linter.
            "mypy" => "lint",
            tool => tool,
        };
        facts.fallback = facts.fallback.or(Some(tool));
    }
    let message = message.trim_end_matches(['━', ' ']);
    Some((source, severity, shown, message.into()))
}

/// The text without the name of a task of Gradle, which prints no line of its own for it when it is piped:
/// `:compileJava/p/A.java:3: error: …`.
fn behind_task(text: &str) -> &str {
    let is_name = |byte: char| byte.is_ascii_alphanumeric() || byte == ':';
    let task = text.starts_with(':');
    let rest = text.trim_start_matches(is_name);
    if task && rest.starts_with('/') {
        rest
    } else {
        text
    }
}

/// Whoever prints a severity after a place in a file of theirs is one of them.
const COMPILERS: &[&str] = &["compiler", "rustc", "javac", "kotlinc", "swift", "zig"];

/// What follows a place and is no problem: other tools' tests, what passed, and lines of a log.
const NO_PROBLEMS: &[&str] = overnight_base::texts!(
    "error: in \"|fatal error: in \"|error: Failure in TEST(|passed|info: check |Entering test\
     |Leaving test|0x|[debug]|[info]|[trace]|[DEBUG]|[INFO]|DEBUG |INFO |TRACE "
);

/// Tools whose warnings are their result, not a side note.
const LINTERS: &[&str] = overnight_base::words!(
    "shellcheck pylint flake8 hadolint markdownlint rubocop ruff pyright oxlint eslint cppcheck"
);

/// `[ERROR] text` of Maven and others; Ant puts the task before it.
fn levelled(text: &str) -> (Option<Severity>, &str) {
    if !text.starts_with(['[', 'E', 'W', 'e', 'w']) {
        return (None, text);
    }
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

/// Errors that have no place: of the linker, of configuration.
fn placeless(line: &Line<'_>, facts: &mut Facts) -> bool {
    let text = line.text;
    // `/usr/bin/ld: `, not `build: `.
    let parted = |before: &str| before.is_empty() || before.ends_with(['/', '-', '.', ' ']);
    let linker = text.contains("undefined reference to")
        || text
            .match_indices("ld: ")
            .any(|(at, _)| parted(&text[..at]))
        || text.starts_with("collect2:");
    let tsc = text.starts_with("error TS");
    // `-Werror`: the warnings themselves are counted.
    let only = text.ends_with(" warnings being treated as errors");
    let clang = text.starts_with("clang: error")
        || text.starts_with("gcc: fatal")
        || text.starts_with("cc1: ") && !only;
    if linker || tsc || clang {
        let tool = if tsc { "tsc" } else { "compiler" };
        facts.problem((tool, Severity::Error), None, text, line.no);
        return true;
    }
    false
}

/// `make: *** [Makefile:5: u9.o] Error 1`, `ninja: build stopped`, `CMake`'s errors.
fn make(line: &Line<'_>, facts: &mut Facts) -> bool {
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
mod tests;
