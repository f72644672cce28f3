//! Linters that print a file on one line and its problems below: `ESLint`, stylelint, yamllint.
//!
//! ```text
//! /home/me/src/k0.js
//!   2:4  error  Unexpected constant condition  no-constant-condition
//! ✖ 75 problems (75 errors, 0 warnings)
//! ```
//!
//! Ruff and others put the place below the message: `  --> lib/n0.py:1:1`.

use super::super::clean::clean;
use super::super::facts::Facts;
use super::super::lane;
use super::super::place;
use super::super::problem::Severity;
use super::{Cues, Grammar, Line};

/// What stands before a place below its message, and a line and column behind blanks.
pub(super) const CUES: Cues = Cues::Any(&["╭─[", "✖", "⚠", "×", ".py:", ".pyi:"], "-,0123456789");

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Stylish {
    file: String,
    /// Ruff names it with a colon, and its problems with their rule: they hold no word of ours.
    grouped: bool,
    /// What all files start with, when they are absolute.
    root: Option<String>,
}

/// Folders that a project's paths begin with.
const SOURCES: [&str; 6] = ["/src/", "/lib/", "/app/", "/test/", "/tests/", "/spec/"];

impl Grammar for Stylish {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if line.indent() == 0 {
            self.grouped = false;
            if let Some(file) = python_file(line.text) {
                file.clone_into(&mut self.file);
                self.grouped = true;
            }
        }
        arrow(line, facts) || self.problem(line, facts)
    }

    fn is_open(&self) -> bool {
        self.grouped
    }

    fn end(&mut self, facts: &mut Facts) {
        // The folder that holds everything is cut off, but for the sources' own folder in it, or its
        // last part.
        let root = self.root.take().unwrap_or_default();
        let folder = root.rfind('/').map_or("", |end| &root[..=end]);
        let sources = SOURCES.iter().filter_map(|name| folder.rfind(name));
        let last = folder.trim_end_matches('/').rfind('/');
        let is_source = SOURCES.iter().any(|name| folder.ends_with(name));
        let cut = if !is_source && facts.problems.lie_at_different_depths_of(folder) {
            // Else only a project's own folder holds files beside folders of them.
            folder
        } else {
            sources.max().or(last).map_or("", |end| &folder[..=end])
        };
        if cut.len() > 1 {
            facts.problems.cut_places(cut);
        }
    }
}

impl Stylish {
    fn problem(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if line.indent() == 0 {
            return false;
        }
        let text = line.trimmed();
        // XO puts the level first.
        let (mark, text) = ["✖", "⚠", "×"]
            .into_iter()
            .find_map(|mark| Some((mark, text.strip_prefix(mark)?.trim_start())))
            .unwrap_or(("", text));
        let Some((at, rest)) = text.split_once("  ").or_else(|| text.split_once(' ')) else {
            return false;
        };
        let Some((row, column)) = at.split_once(':') else {
            return false;
        };
        let digits =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(row) || !digits(column) {
            return false;
        }
        let rest = rest.trim_start();
        let (word, message) = match mark {
            "" => rest.split_once(' ').unwrap_or((rest, "")),
            mark => (mark, rest),
        };
        let severity = match word.trim_matches(['[', ']', ':']) {
            "error" | "✖" | "×" | "Error" => Severity::Error,
            "warning" | "⚠" | "warn" | "Warning" => Severity::Warning,
            "info" | "ℹ" => Severity::Note,
            // Ruff, grouped by file: `  1:8  F401 [*] `os` imported but unused`.
            word if mark.is_empty() && (is_rule(word) || self.grouped) => Severity::Error,
            _ => return false,
        };
        if !self.grouped {
            self.header(line, facts);
        }
        if self.file.is_empty() {
            return false;
        }
        let python = is_python(&self.file);
        if (is_rule(word) || self.grouped) != python && mark.is_empty() {
            return false;
        }
        let tool = by_file(&self.file);
        facts.tool(tool);
        (facts.lint, facts.by_file) = (true, true);
        let columns = columns(message.trim_start());
        let text = if mark.is_empty() {
            [word, " ", &columns].concat()
        } else {
            columns
        };
        let shown = [&self.file, ":", at].concat();
        facts.problems.apart();
        facts.problem((tool, severity), Some(&shown), &text, line.no);
        true
    }

    /// The line before may be the name of the file.
    fn header(&mut self, line: &Line<'_>, facts: &Facts) {
        let previous = clean(line.previous());
        let previous = lane::without_stamp(&previous);
        let previous = previous
            .strip_prefix(facts.lane.as_str())
            .unwrap_or(previous);
        // XO's header is the place of the first problem.
        let previous = match previous
            .strip_prefix("  ")
            .map(|text| (text, place::leading(text)))
        {
            Some((text, Some((place, end)))) if end == text.len() => place.file,
            _ => previous.to_owned(),
        };
        let is_file = !previous.is_empty()
            && !previous.starts_with([' ', '\t'])
            && (previous.contains('/') || previous.contains('.'))
            && previous.len() < 400;
        if !is_file {
            return;
        }
        previous.trim_end_matches(':').clone_into(&mut self.file);
        if !previous.starts_with('/') {
            return;
        }
        match &mut self.root {
            None => self.root = Some(previous),
            Some(root) => {
                let same = root
                    .char_indices()
                    .zip(previous.chars())
                    .find(|((_, one), other)| one != other)
                    .map_or(root.len().min(previous.len()), |((at, _), _)| at);
                root.truncate(same);
            }
        }
    }
}

/// `lib/n0.py:` and nothing else.
fn python_file(text: &str) -> Option<&str> {
    let file = text.strip_suffix(':')?;
    (is_python(file) && !file.contains(' ')).then_some(file)
}

fn is_python(file: &str) -> bool {
    matches!(file.rsplit('.').next(), Some("py" | "pyi"))
}

/// The linter that prints so and looks at such files.
fn by_file(file: &str) -> &'static str {
    match file.rsplit('.').next() {
        Some("py" | "pyi") => "ruff",
        Some("yaml" | "yml") => "yamllint",
        Some("css" | "scss" | "less" | "sass") => "stylelint",
        Some("md") => "markdownlint",
        _ => "eslint",
    }
}

/// Whether this is the name of a rule: `F401`, `ANN001`.
fn is_rule(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &word[letters..];
    (1..=5).contains(&letters)
        && (3..=4).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Columns parted by two blanks each.
fn columns(text: &str) -> String {
    let mut columns = String::with_capacity(text.len());
    for part in text.split("  ").map(str::trim) {
        if !part.is_empty() {
            if !columns.is_empty() {
                columns.push_str("  ");
            }
            columns.push_str(part);
        }
    }
    columns
}

/// `  --> lib/n0.py:1:1` below its message.
fn arrow(line: &Line<'_>, facts: &mut Facts) -> bool {
    let text = line.trimmed();
    let place = text
        .strip_prefix("--> ")
        .or_else(|| {
            text.strip_prefix("╭─[")
                .map(|rest| rest.trim_end_matches(']'))
        })
        .or_else(|| {
            text.strip_prefix(",-[")
                .map(|rest| rest.trim_end_matches(']'))
        });
    let Some((place, _)) = place.and_then(|text| place::leading(text.trim())) else {
        return false;
    };
    let previous = clean(line.previous()).into_owned();
    let previous = lane::without_stamp(&previous);
    let previous = previous
        .strip_prefix(facts.lane.as_str())
        .unwrap_or(previous)
        .trim();
    let message = previous.trim_start_matches(['×', '⚠', 'x', '!', ' ']);
    if message.is_empty() || message.starts_with('|') {
        return true;
    }
    let warns = previous.starts_with(['⚠', '!']) || message.starts_with("warning");
    let severity = if warns {
        Severity::Warning
    } else {
        Severity::Error
    };
    let ruff = message.split(' ').next().is_some_and(|word| {
        word.len() >= 3
            && word.starts_with(|byte: char| byte.is_ascii_uppercase())
            && word.ends_with(|byte: char| byte.is_ascii_digit())
    });
    let tool = if ruff { "ruff" } else { "lint" };
    facts.problem((tool, severity), Some(&place.shown), message, line.no);
    true
}

#[cfg(test)]
mod tests {
    use super::super::super::{Digester, End, Options};

    #[test]
    fn ruff_groups_by_file() {
        let text = "src/a.py:\n  1:12 invalid-syntax: Expected a parameter\n   1:8  F401 [*] `os` imported but unused\n\nFound 2 errors.\n";
        let mut digester = Digester::new(Options::default());
        digester.push(text.as_bytes());
        digester.push("x\n".repeat(60).as_bytes());
        let digest = digester.finish(End::Exit(1), None);
        assert_eq!(digest.tool.as_deref(), Some("ruff"));
        let [syntax, unused] = &digest.problems[..] else {
            panic!("{:?}", digest.problems);
        };
        assert_eq!(
            (&*syntax.places[0], &*syntax.text),
            ("src/a.py:1:12", "invalid-syntax: Expected a parameter")
        );
        assert_eq!(
            (&*unused.places[0], &*unused.text),
            ("src/a.py:1:8", "F401 [*] `os` imported but unused")
        );
        assert_eq!(digest.counts.words(), "2 errors");
    }

    #[test]
    fn files_above_their_problems() {
        let mut text = String::from(
            "\n/home/me/x/src/a.js\n  2:4  error  Empty block      no-empty\n  3:1  warning  Odd  odd\n\n",
        );
        text.push_str("/home/me/x/src/b.js\n  2:4  error  Empty block  no-empty\n\n✖ 3 problems (2 errors, 1 warning)\n");
        let mut digester = Digester::new(Options::default());
        digester.push(text.as_bytes());
        let digest = digester.finish(End::Exit(1), None);
        assert_eq!(digest.problems[0].places, ["src/a.js:2:4", "src/b.js:2:4"]);
        assert_eq!(digest.counts.words(), "2 errors, 1 warning, 3 problems");
    }
}
