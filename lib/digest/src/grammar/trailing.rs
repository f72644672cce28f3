//! Tools that print a place first and what is wrong there some lines below.
//!
//! ```text
//! In a.sh line 3:
//! rm -f $x/tmp
//!       ^-- SC2086 (info): Double quote to prevent globbing and word splitting.
//! ```
//!
//! So do `pydocstyle`, gfortran, Crystal, `OCaml`, Flow, svelte-check, webpack, `PHP_CodeSniffer` and
//! `PHPStan` and Redocly.

use super::super::facts::Facts;
use super::super::place;
use super::super::problem::Severity;
use super::{Cues, Grammar, Line, begins_run};

/// Places end in a colon or a digit: no word tells them.
pub(super) const CUES: Cues = Cues::None;

/// The most lines between the place and the message: the source and what marks it.
const BETWEEN_MAX: u8 = 8;

/// Which of them printed the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shellcheck,
    Pydocstyle,
    /// The message starts with `Error:` or `Warning:`.
    Named(&'static str),
    /// The message is the next line.
    Next(&'static str, Severity),
    /// Rows of a table, each with its line.
    Phpcs,
    Phpstan,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    /// The place, or for tables the file.
    place: String,
    left: u8,
}

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Trailing {
    open: Option<Open>,
    /// The last line was blank: what follows may be another program's.
    pauses: bool,
}

impl Grammar for Trailing {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        self.pauses = line.text.is_empty();
        if let Some((kind, place)) = place_alone(line) {
            self.open = Some(Open {
                kind,
                place,
                left: BETWEEN_MAX,
            });
            return true;
        }
        self.open.take_if(|_| begins_run(line.text));
        let Some(open) = &mut self.open else {
            return false;
        };
        let taken = match open.kind {
            Kind::Phpcs | Kind::Phpstan => row(open, line, facts),
            _ => message(open, line, facts),
        };
        let table = matches!(open.kind, Kind::Phpcs | Kind::Phpstan | Kind::Shellcheck);
        if taken {
            open.left = BETWEEN_MAX;
            if !table {
                self.open = None;
            }
            return true;
        }
        open.left -= 1;
        if open.left == 0 {
            self.open = None;
        }
        // Source between the two belongs here; another tool's line does not.
        matches!(line.trimmed().chars().next(), None | Some('|' | '^' | '-')) || line.indent() > 0
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn yields(&self) -> bool {
        self.open.is_some() && self.pauses
    }

    fn leave(&mut self) {
        self.open = None;
    }
}

/// A line that is a place and little else.
fn place_alone(line: &Line<'_>) -> Option<(Kind, String)> {
    let text = line.text;
    if let Some(rest) = text.strip_prefix("In ") {
        if let Some((file, row)) = rest
            .strip_suffix(':')
            .and_then(|rest| rest.rsplit_once(" line "))
            && row.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Some((Kind::Shellcheck, format!("In {file} line {row}")));
        }
        return place::is_whole(rest).then(|| (Kind::Named("crystal"), rest.to_owned()));
    }
    if let Some(file) = text.strip_prefix("FILE: ") {
        return Some((Kind::Phpcs, file.trim().to_owned()));
    }
    if let Some(file) = text.strip_prefix("  Line   ") {
        return file
            .contains('.')
            .then(|| (Kind::Phpstan, file.trim().to_owned()));
    }
    if let Some(rest) = text.strip_prefix("File \"") {
        // OCaml; Python names a function or nothing.
        let (file, rest) = rest.split_once("\", line ")?;
        let (row, rest) = rest.split_once(", character")?;
        return rest
            .ends_with(':')
            .then(|| (Kind::Named("ocaml"), format!("{file}:{row}")));
    }
    let built = text.strip_prefix("[tsl] ").unwrap_or(text);
    if built.starts_with("ERROR in ") || built.starts_with("WARNING in ") {
        return webpack(built);
    }
    if let Some(rest) = text.strip_prefix("Error -----") {
        let place = rest.trim_start_matches(['-', ' ']);
        return place::is_whole(place)
            .then(|| (Kind::Next("flow", Severity::Error), place.to_owned()));
    }
    if text.starts_with('[') {
        return redocly(text);
    }
    // All of these end so, and few other lines do.
    if !text.ends_with(|last: char| last == ':' || last.is_ascii_digit()) {
        return None;
    }
    let (_, _, end) = place::start(text)?;
    let (shown, rest) = text.split_at(end);
    let columns = || shown.matches(':').count() > 1;
    let kind = match rest {
        ":" if columns() => Kind::Named("compiler"),
        "" if columns() => Kind::Named("svelte-check"),
        " at module level:" => Kind::Pydocstyle,
        rest if (rest.starts_with(" in public ") || rest.starts_with(" in private "))
            && rest.ends_with(':') =>
        {
            Kind::Pydocstyle
        }
        _ => return None,
    };
    Some((kind, shown.to_owned()))
}

/// `[1] api.yaml:1:1 at #/openapi`.
fn redocly(text: &str) -> Option<(Kind, String)> {
    let (_, rest) = text.split_once("] ")?;
    let (place, end) = place::leading(rest)?;
    let pointer = rest[end..].starts_with(" at #");
    pointer.then_some((Kind::Next("redocly", Severity::Error), place.shown))
}

/// `WARNING in ./src/m5.js 2:0-29`, or of its loader of `TypeScript` `[tsl] ERROR in /x/m5.ts(2,1)`, and
/// the message follows.
fn webpack(text: &str) -> Option<(Kind, String)> {
    let (word, rest) = text.split_once(" in ")?;
    let severity = match word {
        "ERROR" => Severity::Error,
        _ => Severity::Warning,
    };
    let module = rest.starts_with("./") && rest.contains('.');
    (module || place::is_whole(rest)).then(|| (Kind::Next("webpack", severity), rest.to_owned()))
}

fn message(open: &Open, line: &Line<'_>, facts: &mut Facts) -> bool {
    let text = line.trimmed();
    let (tool, severity, message) = match open.kind {
        Kind::Shellcheck => {
            let Some(at) = text.find("SC").filter(|_| text.starts_with('^')) else {
                return false;
            };
            let message = &text[at..];
            let severity = match message
                .split_once('(')
                .map(|(_, rest)| rest.split(')').next())
            {
                Some(Some("error")) => Severity::Error,
                Some(Some("warning")) => Severity::Warning,
                _ => Severity::Note,
            };
            ("shellcheck", severity, message)
        }
        Kind::Pydocstyle => {
            let Some((code, _)) = text.split_once(": ") else {
                return false;
            };
            let numbered = code.len() == 4 && code.starts_with('D');
            if !numbered {
                return false;
            }
            ("pydocstyle", Severity::Error, text)
        }
        Kind::Named(tool) => {
            let word = text.split([':', ' ']).next().unwrap_or_default();
            let severity = match word {
                "Error" | "Fatal" => Severity::Error,
                "Warning" | "Warn" => Severity::Warning,
                _ => return false,
            };
            (tool, severity, text)
        }
        Kind::Next(tool, severity) => {
            if text.is_empty() {
                return false;
            }
            (tool, severity, text)
        }
        Kind::Phpcs | Kind::Phpstan => return false,
    };
    facts.lint |= matches!(
        open.kind,
        Kind::Shellcheck | Kind::Pydocstyle | Kind::Named("svelte-check")
    );
    facts.problem((tool, severity), Some(&open.place), message, line.no);
    true
}

/// ` 2 | ERROR | [x] Missing file doc comment`, or `  12     Method has no return type.`
fn row(open: &Open, line: &Line<'_>, facts: &mut Facts) -> bool {
    let text = line.trimmed();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let inner = text.is_empty() || text.starts_with("---") || text.starts_with("FOUND ");
    let more = text.starts_with('|') || digits == 0 && line.indent() > 6;
    if digits == 0 {
        return inner || more;
    }
    let place = format!("{}:{number}", open.place);
    let (tool, severity, message) = if open.kind == Kind::Phpcs {
        let mut parts = rest.splitn(3, '|').map(str::trim).skip(1);
        let (Some(level), Some(message)) = (parts.next(), parts.next()) else {
            return false;
        };
        let severity = match level {
            "ERROR" => Severity::Error,
            "WARNING" => Severity::Warning,
            _ => return false,
        };
        let message = message.trim_start_matches("[x]").trim_start_matches("[ ]");
        facts.by_file = true;
        ("phpcs", severity, message.trim())
    } else {
        if !rest.starts_with("  ") {
            return false;
        }
        ("phpstan", Severity::Error, rest.trim())
    };
    facts.lint = true;
    facts.problem((tool, severity), Some(&place), message, line.no);
    true
}

#[cfg(test)]
mod tests;
