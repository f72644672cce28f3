//! Vitest.
//!
//! ```text
//!  FAIL  test/cart.test.js > Cart > applies discount
//! AssertionError: expected 25.5 to be 25.47 // Object.is equality
//!  ❯ test/cart.test.js:4:86
//!       Tests  7 failed | 39 passed | 1 skipped | 1 todo (48)
//! ```

use super::super::count::{Category, Counts, duration, figure, pairs};
use super::super::facts::{Facts, Ticket};
use super::super::problem::Severity;
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    overnight_base::texts!(
        "RUN  v|DEV  v|FAIL  |Tests  |Duration  |Errors  |Test Files  |⎯⎯|✓|×|❯|↓|·|✗"
    ),
    "",
);

const TOOL: &str = "vitest";

/// The most tests that share one section and get its details.
const GROUP_MAX: usize = 64;

/// The state of one lane.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four things that are each true at a line or not"
)]
pub(super) struct Vitest {
    active: bool,
    /// In the section of these tests.
    group: Vec<Ticket>,
    open: bool,
    /// The section's text began: another `FAIL` starts a new group.
    text: bool,
    /// What was said of files.
    files: Counts,
    /// An error outside of any test is on the next line.
    unhandled: bool,
}

impl Grammar for Vitest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        if text.starts_with(" RUN  v") || text.starts_with(" DEV  v") || text.starts_with("RUN  v")
        {
            facts.start(TOOL);
            self.active = true;
            return true;
        }
        if let Some(name) = failing(text) {
            self.fail(name, line, facts);
            return true;
        }
        if self.total(line, facts) {
            self.open = false;
            return true;
        }
        if line.trimmed().starts_with("⎯⎯") {
            self.open = false;
            let title = line.trimmed().trim_matches(['⎯', ' ']);
            self.unhandled = title.starts_with("Unhandled ") && title != "Unhandled Errors"
                || title.starts_with("Uncaught ");
            return self.active;
        }
        if self.unhandled && !text.is_empty() {
            self.unhandled = false;
            let told = (TOOL, Severity::Error);
            facts.problems.add(told, None, text, line.no);
            return true;
        }
        if self.open {
            self.text |= !text.is_empty();
            for (step, at) in self.group.iter().enumerate() {
                let place = line
                    .trimmed()
                    .strip_prefix("❯ ")
                    .filter(|_| step == 0 || line.indent() > 0);
                let text = place.unwrap_or(text);
                facts.detail(*at, text, line.no);
            }
            return true;
        }
        self.active && line.trimmed().starts_with(['✓', '×', '❯', '↓', '·', '✗'])
    }

    fn is_open(&self) -> bool {
        self.open || self.unhandled
    }
}

impl Vitest {
    fn fail(&mut self, name: &str, line: &Line<'_>, facts: &mut Facts) {
        self.active = true;
        if self.text || !self.open {
            self.group.clear();
        }
        self.text = false;
        self.open = true;
        let name = match name.split_once(" [ ") {
            Some((file, rest)) if rest.ends_with(" ]") => file,
            _ => name,
        };
        let at = facts.fail(TOOL, name, line.no);
        if self.group.len() < GROUP_MAX {
            self.group.push(at);
        }
    }

    fn total(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        if line.indent() == 0 {
            return false;
        }
        if let Some(rest) = text.strip_prefix("Tests  ") {
            let Some((parts, total)) = rest.rsplit_once(" (") else {
                return false;
            };
            let Some(total) = figure(total.trim_end_matches(')')) else {
                return false;
            };
            let mut counts = pairs(parts);
            for category in [Category::Failed, Category::Skipped, Category::Todo] {
                if counts.get(category).is_none() {
                    counts.add(category, 0);
                }
            }
            counts.add(Category::Total, total);
            counts.merge(&std::mem::take(&mut self.files));
            facts.result(TOOL, counts, None);
            return true;
        }
        if let Some(rest) = text.strip_prefix("Duration  ").filter(|_| self.active) {
            facts.duration(TOOL, duration(rest.split(" (").next().unwrap_or(rest)));
            return true;
        }
        if let Some(rest) = text.strip_prefix("Errors  ").filter(|_| self.active) {
            if let Some(number) = rest.split(' ').next().and_then(figure) {
                facts.part(TOOL, Category::Errors, number);
            }
            return true;
        }
        let Some(rest) = text.strip_prefix("Test Files  ").filter(|_| self.active) else {
            return false;
        };
        let files = pairs(rest.rsplit_once(" (").map_or(rest, |(parts, _)| parts));
        self.files = files.of_suites();
        true
    }
}

/// ` FAIL  test/cart.test.js > Cart > applies discount`.
fn failing(text: &str) -> Option<&str> {
    let name = text.trim_start().strip_prefix("FAIL  ")?;
    let name = match name
        .strip_prefix('|')
        .and_then(|rest| rest.split_once("| "))
    {
        Some((_, name)) => name,
        None => name,
    };
    let name = name.trim();
    (name.contains(" > ") || name.ends_with(']')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::super::{sample, stated};

    #[test]
    fn tests_with_the_same_error_share_a_section() {
        let facts = sample(
            " RUN  v3.2.7 /x\n\n FAIL  a.test.js > C > one\n FAIL  a.test.js > C > two\nAssertionError: expected true to be false\n ❯ a.test.js:12:102\n\
             ⎯⎯⎯⎯[2/3]⎯\n\n FAIL  a.test.js > three\nError: boom\n⎯⎯⎯⎯[3/3]⎯\n\n Test Files  1 failed (1)\n      Tests  3 failed | 39 passed (42)\n   Duration  1.20s (x)\n",
        );
        let messages: Vec<_> = facts
            .failures
            .iter()
            .map(|failure| failure.block.first().unwrap_or_default())
            .collect();
        assert_eq!(
            messages,
            [
                "AssertionError: expected true to be false",
                "AssertionError: expected true to be false",
                "Error: boom"
            ]
        );
        assert_eq!(
            stated(&facts),
            "3 failed, 39 passed, 0 skipped, 0 todo, 42 total, 1 suite failed, 0 suites passed"
        );
        assert_eq!(facts.sessions[0].duration_ms, Some(1200));
    }
}
