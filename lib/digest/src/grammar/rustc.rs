//! rustc, clippy and cargo: `error[E0308]: mismatched types` and its place on the next line.
//!
//! ruff's full format, Biome and others draw the same way: a headline, ` --> file:1:2`, source.

use super::super::facts::Facts;
use super::super::problem::Severity;
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    &[
        "error: ",
        "error[",
        "warning: ",
        "warning[",
        "Finished ",
        ABNORMAL,
    ],
    "",
);

/// Cargo says so of a test binary that ended otherwise than tests let it.
const ABNORMAL: &str = "process didn't exit successfully: ";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Rustc {
    open: Option<Open>,
    /// The test binary that failed last, as cargo names it.
    failed: Option<(String, u64)>,
}

#[derive(Debug)]
struct Open {
    severity: Severity,
    text: String,
    line: u64,
    /// The number of the problem, once its place is known and it is new.
    at: Option<usize>,
    placed: bool,
}

impl Grammar for Rustc {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some((severity, _)) = headline(line.text) {
            self.close(facts);
            if !is_coded(line.text) && is_total(line.text) {
                return self.total(line, facts);
            }
            self.open = Some(Open {
                severity,
                text: line.text.to_owned(),
                line: line.no,
                at: None,
                placed: false,
            });
            return true;
        }
        if self.open.is_some() {
            return self.inner(line, facts);
        }
        self.abnormal(line, facts) || cargo(line, facts)
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn end(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl Rustc {
    fn inner(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        let text = line.trimmed();
        if let Some(place) = text.strip_prefix("--> ").filter(|_| !open.placed) {
            open.placed = true;
            let tool = whose(&open.text, place);
            open.at = facts.problem((tool, open.severity), Some(place), &open.text, open.line);
            return true;
        }
        let margin = text.starts_with(['|', '=', '.'])
            || text.starts_with(|byte: char| byte.is_ascii_digit())
            || text.starts_with("::: ")
            || text.starts_with("--> ");
        if open.placed && margin {
            // `= help: for further information visit https://rust-lang.github.io/rust-clippy/…`
            facts.lint |= text.starts_with('=') && text.contains("clippy");
            if let Some(at) = open.at
                && let Some(label) = label(text)
            {
                facts.problems.note(at, label);
            }
            return true;
        }
        let more = ["help:", "note:", "info:", "  "]
            .iter()
            .any(|start| line.text.starts_with(start));
        if more && !text.is_empty() && open.placed {
            return true;
        }
        self.close(facts);
        text.is_empty()
    }

    fn total(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if line.text.contains("could not compile") {
            facts.tool("rustc");
            facts.note(line.text, line.no);
        } else if line.text.contains(" to rerun pass") {
            self.failed = Some((line.text.to_owned(), line.no));
        }
        true
    }

    /// No failing test tells of a test binary that crashed, or left.
    fn abnormal(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let is = line.trimmed().starts_with(ABNORMAL) && !line.text.ends_with("(exit status: 101)");
        let Some((text, no)) = self.failed.take_if(|_| is) else {
            return false;
        };
        facts.note(&text, no);
        facts.note(line.text, line.no);
        true
    }

    fn close(&mut self, facts: &mut Facts) {
        let Some(open) = self.open.take() else { return };
        if open.placed {
            return;
        }
        // A headline without a place: an error of cargo, of a linker, or of another program.
        if open.severity == Severity::Error {
            facts.note(&open.text, open.line);
        }
    }
}

/// Who draws like rustc, by the file: `error[prefer-const]: …` above `--> a.ts:1:5` is of Deno.
fn whose(headline: &str, place: &str) -> &'static str {
    let file = place.split(':').next().unwrap_or(place);
    match file.rsplit('.').next() {
        Some("py" | "pyi") => "ty",
        Some("ts" | "tsx" | "js" | "jsx" | "mjs") if headline.contains('[') => "deno lint",
        _ => "rustc",
    }
}

/// What the carets of a source line say: `| -- ^^^^ expected u8`.
fn label(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('|')?.trim_start();
    let end = rest.find(|found| !matches!(found, '^' | '-' | ' ' | '|' | '_'))?;
    let (drawn, label) = rest.split_at(end);
    let carets = drawn.trim_end_matches(' ');
    let parted = carets.len() < drawn.len() && carets.ends_with('^');
    (parted && !carets.contains("^ ")).then(|| label.trim_end())
}

fn headline(text: &str) -> Option<(Severity, &str)> {
    for (word, severity) in [("error", Severity::Error), ("warning", Severity::Warning)] {
        let Some(rest) = text.strip_prefix(word) else {
            continue;
        };
        if let Some(rest) = rest.strip_prefix(": ") {
            return Some((severity, rest));
        }
        if rest.starts_with('[')
            && let Some((_, rest)) = rest.split_once("]: ")
        {
            return Some((severity, rest));
        }
    }
    None
}

/// Whether the headline tells the code of an error or the name of a lint, as no total does.
fn is_coded(text: &str) -> bool {
    text.starts_with("error[") || text.starts_with("warning[")
}

/// Cargo's last words, which repeat what was said before.
fn is_total(text: &str) -> bool {
    text.contains(" generated ") && text.contains(" warning")
        || text.contains("could not compile")
        || text.starts_with("error: aborting due to")
        || text.contains("test failed, to rerun pass")
        || text.starts_with("error: doctest failed")
        || text.contains("warnings emitted")
        || text.contains("warning emitted")
        || text.starts_with("error: build failed")
        || text.starts_with("warning: build failed")
        || text.starts_with("error: test run failed")
        || text.starts_with("error: command `") && text.contains("exited with code")
        || text.contains(" target failed:")
        || text.contains(" targets failed:")
}

/// Cargo's progress: it names the tool when nothing else does.
fn cargo(line: &Line<'_>, facts: &mut Facts) -> bool {
    if line.text.starts_with("    Finished ") {
        facts.fallback = facts.fallback.or(Some("cargo build"));
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn errors_have_place_and_label() {
        let facts = sample(
            "error[E0308]: mismatched types\n --> src/lib.rs:1:17\n  |\n1 | pub fn a()->u8{ 300u16 }\n  |             --  ^^^^^^ expected `u8`, found `u16`\n\n\
             error: could not compile `x` (lib) due to 1 previous error\n",
        );
        let problems = facts.problems.into_list(false);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].places, ["src/lib.rs:1:17"]);
        assert_eq!(
            problems[0].note.as_deref(),
            Some("expected `u8`, found `u16`")
        );
    }
}
