//! Jest.
//!
//! ```text
//! FAIL test/cart.test.js
//!   ● Cart › applies discount
//!     expect(received).toBe(expected) // Object.is equality
//! Tests:       7 failed, 1 skipped, 39 passed, 47 total
//! ```

use super::super::count::{Category, Counts, duration, pairs};
use super::super::facts::{Facts, Ticket};
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    overnight_base::texts!(
        "FAIL |PASS |● |Test Suites: |Tests: |Time: |Snapshot|Jest: |Summary of all failing|✓|✕|○\
         |✎|√|×"
    ),
    "",
);

const TOOL: &str = "jest";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Jest {
    /// In the section of a test, or of the console (none).
    section: Option<Ticket>,
    /// Nothing but blank lines of it has been read.
    first: bool,
    file: String,
    suites: Counts,
    active: bool,
}

impl Grammar for Jest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        if let Some(file) = file(text) {
            self.section = None;
            self.active = true;
            facts.tool(TOOL);
            if line.trimmed().starts_with('F') {
                // A suite that cannot run is named by it.
                file.clone_into(&mut self.file);
                facts.keep();
            }
            return true;
        }
        if let Some(name) = text.strip_prefix("  ● ") {
            self.start(name, line, facts);
            return true;
        }
        if self.total(text, facts) {
            self.section = None;
            return true;
        }
        // Why a run without failing tests fails: `Jest: Coverage for lines (77 %) does not meet …`.
        if text.starts_with("Jest: ") && self.active {
            facts.note(text, line.no);
            return true;
        }
        if text.starts_with("Summary of all failing tests") || text.starts_with("Snapshot Summary")
        {
            self.section = None;
            return true;
        }
        if let Some(at) = self.section {
            if line.indent() == 0 && !text.is_empty() {
                self.section = None;
                return false;
            }
            // What was thrown stands first, in whatever words.
            if self.first && !text.is_empty() {
                self.first = false;
                facts.message(at, text, line.no);
            } else {
                facts.detail(at, text, line.no);
            }
            return true;
        }
        self.active && tree(line)
    }

    fn is_open(&self) -> bool {
        self.section.is_some()
    }
}

impl Jest {
    fn start(&mut self, name: &str, line: &Line<'_>, facts: &mut Facts) {
        self.section = Some(Ticket::NONE);
        if matches!(name, "Console" | "Pending")
            || name.starts_with("Deprecation")
            || name.starts_with("Validation")
        {
            return;
        }
        self.active = true;
        let name = if name == "Test suite failed to run" && !self.file.is_empty() {
            self.file.clone()
        } else {
            name.to_owned()
        };
        if facts.known(&name).is_some() {
            // The summary at the end repeats what was said.
            facts.tool(TOOL);
            return;
        }
        self.section = Some(facts.fail(TOOL, &name, line.no));
        self.first = true;
    }

    fn total(&mut self, text: &str, facts: &mut Facts) -> bool {
        if let Some(rest) = text.strip_prefix("Test Suites: ") {
            facts.start(TOOL);
            let counts = pairs(rest);
            self.suites = counts.of_suites();
            return counts.get(Category::Total).is_some();
        }
        if let Some(rest) = text.strip_prefix("Tests: ") {
            let mut counts = pairs(rest);
            if counts.get(Category::Total).is_none() || self.suites.is_empty() {
                return false;
            }
            counts.merge(&std::mem::take(&mut self.suites));
            facts.result(TOOL, counts, None);
            return true;
        }
        if let Some(rest) = text.strip_prefix("Time: ").filter(|_| self.active) {
            facts.duration(TOOL, duration(rest.split(',').next().unwrap_or(rest)));
            return true;
        }
        text.starts_with("Snapshots: ") && self.active
    }
}

/// `FAIL test/cart.test.js (5.1 s)`; in colours a blank stands before it.
fn file(text: &str) -> Option<&str> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    let rest = text
        .strip_prefix("FAIL ")
        .or_else(|| text.strip_prefix("PASS "))?;
    let rest = rest.trim_start();
    // With several projects the name of the project stands before the file.
    let name = rest.split(" (").next()?;
    let path = name.rsplit(' ').next()?;
    let code = [
        ".js", ".ts", ".jsx", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".coffee",
    ];
    code.iter().any(|end| path.ends_with(end)).then_some(path)
}

/// A line of the tree of `--verbose`.
fn tree(line: &Line<'_>) -> bool {
    line.indent() >= 2 && line.trimmed().starts_with(['✓', '✕', '○', '✎', '√', '×'])
}

#[cfg(test)]
mod tests {
    use super::super::{names, sample, stated};

    #[test]
    fn what_was_thrown_stands_first() {
        let facts = sample(
            "FAIL test/hive.test.js\n  ● parseVisit › explains itself\n\n    visit log is locked by beekeeper #7\n\n    + try again\n    - or remove visits.lock\n\n",
        );
        let said = Some("visit log is locked by beekeeper #7");
        assert_eq!(facts.failures[0].block.first(), said);
    }

    #[test]
    fn console_output_is_no_failure() {
        let facts = sample(
            "FAIL test/cart.test.js\n  ● Console\n\n    console.log\n      Tests:       9 failed, 9 total\n\n  ● Cart › discount\n\n    expect(received).toBe(expected)\n\n\
             FAIL test/broken.test.js\n  ● Test suite failed to run\n\n    Cannot find module 'x'\n\nTest Suites: 2 failed, 1 passed, 3 total\n\
             Tests:       1 failed, 39 passed, 40 total\nTime:        3.735 s\n",
        );
        assert_eq!(names(&facts), ["Cart › discount", "test/broken.test.js"]);
        assert_eq!(
            stated(&facts),
            "1 failed, 39 passed, 40 total, 2 suites failed, 1 suite passed"
        );
    }
}
