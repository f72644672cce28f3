//! Robot Framework: suites stand between two rulers, and each ends with a result of its own; that of
//! the outermost one is the run's.
//!
//! ```text
//! ==============================================================================
//! Tests.Bulk
//! ==============================================================================
//! Row 33 Adds Up                                                        | FAIL |
//! 33 != 34
//! ------------------------------------------------------------------------------
//! Tests.Bulk                                                            | FAIL |
//! 60 tests, 59 passed, 1 failed
//! ```

use super::super::clean::clean;
use super::super::count::{Category, Counts, figure, pairs};
use super::super::facts::{Facts, Ticket};
use super::{Cues, Grammar, Line};
use std::mem::take;

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(&["| PASS |", "| FAIL |", "| SKIP |", RULER], "");

const TOOL: &str = "robot";
/// The beginning of a ruler around the name of a suite.
const RULER: &str = "========================================";
/// So long are unittest's, which stand above each failing test: they need not all be read.
const UNITTEST: usize = 70;
/// The beginning of one between tests.
const LINE: &str = "----------------------------------------";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Robot {
    /// The result of a test or suite was seen.
    active: bool,
    /// The line before: a suite, if a ruler follows; or a test whose result comes after what it
    /// prints.
    last: String,
    /// The line behind the last ruler.
    name: Option<String>,
    /// The last ruler: the name of a suite stands between two.
    ruler: u64,
    /// The suites that are open, the outermost first.
    suites: Vec<String>,
    /// A suite ended, and its counts follow: whether it is the outermost one.
    ended: Option<bool>,
    open: Option<Ticket>,
}

impl Grammar for Robot {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        // Its own messages, on another descriptor, may come anywhere.
        if text.starts_with("[ ERROR ]") || text.starts_with("[ WARN ]") {
            return false;
        }
        if is_ruler(text, RULER) {
            let near = self.ruler > 0 && line.no <= self.ruler + 2;
            let below = near || facts.lane_id > 0;
            self.ruler = line.no;
            if text.len() != UNITTEST {
                facts.keep();
            }
            let before = match self.active {
                true => take(&mut self.last),
                false if below => earlier(line, facts),
                false => String::new(),
            };
            if !before.is_empty() {
                self.suites.push(name(&before).to_owned());
            }
            (self.name, self.ended, self.open) = (None, None, None);
            return self.active;
        }
        if let Some((info, status)) = status(text) {
            let info = match info {
                "" => self.name.take().unwrap_or_else(|| earlier(line, facts)),
                info => info.to_owned(),
            };
            self.ends(&info, status, line.no, facts);
            return true;
        }
        if !self.active {
            return false;
        }
        if is_ruler(text, LINE) {
            (self.name, self.ended, self.open) = (None, None, None);
        } else if text.starts_with("Output: ") {
            *self = Self::default();
        } else if let Some(counts) = counts(text) {
            self.counted(counts, facts);
        } else if let Some(at) = self.open {
            facts.detail(at, text, line.no);
        } else if self.ended.is_some() {
            // What the suite itself failed at.
            if !text.is_empty() {
                facts.note(text, line.no);
            }
        } else {
            text.clone_into(&mut self.last);
            self.name.get_or_insert_with(|| text.to_owned());
        }
        true
    }

    fn is_open(&self) -> bool {
        self.active
    }
}

impl Robot {
    /// A test ended, or a suite.
    fn ends(&mut self, info: &str, status: &str, no: u64, facts: &mut Facts) {
        if !self.active {
            self.active = true;
            facts.start(TOOL);
        }
        let name = name(info);
        (self.open, self.name) = (None, None);
        self.last.clear();
        // Of a long name only the beginning is shown.
        let is = |suite: &String| match name.strip_suffix("...") {
            Some(start) => suite.starts_with(start),
            None => suite == name,
        };
        if let Some(at) = self.suites.iter().rposition(is) {
            self.suites.truncate(at);
            self.ended = Some(at == 0);
            return;
        }
        match status {
            "FAIL" => {
                facts.saw(TOOL, Category::Failed);
                self.open = Some(facts.fail(TOOL, name, no));
            }
            "SKIP" => facts.saw(TOOL, Category::Skipped),
            _ => facts.saw(TOOL, Category::Passed),
        }
    }

    /// `60 tests, 59 passed, 1 failed`.
    fn counted(&mut self, counts: Counts, facts: &mut Facts) {
        match self.ended.take() {
            Some(false) => {}
            Some(true) => {
                facts.result(TOOL, counts, None);
                facts.close(TOOL);
            }
            // The names of the suites were cut off: what ended before is one.
            None => {
                if let Some(suite) = self.open.take() {
                    facts.retract(TOOL, suite);
                }
                facts.result(TOOL, counts, None);
            }
        }
    }
}

/// The line before, while it was nobody's.
fn earlier(line: &Line<'_>, facts: &Facts) -> String {
    let previous = clean(line.previous());
    let rest = previous.strip_prefix(facts.lane.as_str());
    rest.unwrap_or(&previous).trim().to_owned()
}

/// Whether the line consists of the characters that this ruler consists of, and begins with it.
fn is_ruler(text: &str, ruler: &str) -> bool {
    let first = ruler.as_bytes()[0];
    text.starts_with(ruler) && text.bytes().all(|byte| byte == first)
}

/// `Row 33 Adds Up   | FAIL |`: what ended, and how.
fn status(text: &str) -> Option<(&str, &str)> {
    let (info, status) = text.strip_suffix(" |")?.rsplit_once("| ")?;
    matches!(status, "PASS" | "FAIL" | "SKIP").then(|| (info.trim(), status))
}

/// The name without the documentation and the filling behind it.
fn name(info: &str) -> &str {
    let name = info.split(" :: ").next().unwrap_or(info);
    name.split("  ").next().unwrap_or(name).trim()
}

/// `67 tests, 60 passed, 6 failed, 1 skipped`.
fn counts(text: &str) -> Option<Counts> {
    let (total, rest) = text.split_once(" test")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix(", ")?;
    let total = figure(total)?;
    let mut counts = pairs(rest);
    counts.get(Category::Passed)?;
    counts.get(Category::Failed)?;
    counts.add(Category::Total, total);
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::super::super::count::Category;
    use super::super::{messages, sample};

    fn text(lines: &str) -> String {
        lines
            .replace("====", &"=".repeat(78))
            .replace("----", &"-".repeat(78))
    }

    #[test]
    fn a_run_below_another_counts_too() {
        let run = "====\nKiosk :: Ticket kiosk\n====\nPrints A Ticket | FAIL |\n3 != 2\n----\nKiosk :: Ticket kiosk | FAIL |\n\
                   2 tests, 1 passed, 1 failed\n====\nOutput:  /w/output.xml\nReport:  /w/report.html\n";
        let facts = sample(&text(&["robot kiosk\n", run, run].concat()));
        let stated = facts.sessions.iter().filter_map(|run| run.stated.clone());
        let totals: Vec<_> = stated.map(|counts| counts.get(Category::Total)).collect();
        assert_eq!(totals, [Some(2), Some(2)]);
    }

    #[test]
    fn the_outermost_suites_counts_are_the_runs() {
        let facts = sample(&text(
            "====\nTests :: All of them\n====\nTests.Api\n====\nGet Order | FAIL |\nParent suite setup failed:\nno backend\n----\n\
             Tests.Api | FAIL |\nSuite setup failed:\nno backend\n\n1 test, 0 passed, 1 failed\n====\n\
             [ ERROR ] Error in file 'tests/login.robot' on line 4: Resource file 'x' does not exist.\nTests.Login\n====\n\
             Valid Login :: With spaces\nchecking 0 failed\n| PASS |\n----\nLocks After Three Tries | FAIL |\ntry 2 was not counted\n----\n\
             On Windows | SKIP |\nno windows here\n----\nTests.Login | FAIL |\n3 tests, 1 passed, 1 failed, 1 skipped\n====\n\
             Tests :: All of them | FAIL |\n4 tests, 1 passed, 2 failed, 1 skipped\n====\nOutput:  /w/output.xml\n",
        ));
        assert_eq!(
            messages(&facts),
            [
                ("Get Order", "Parent suite setup failed:"),
                ("Locks After Three Tries", "try 2 was not counted")
            ]
        );
        let [session] = &facts.sessions[..] else {
            panic!("{:?}", facts.sessions);
        };
        let words = "2 failed, 1 passed, 1 skipped, 4 total";
        assert_eq!(session.stated.as_ref().unwrap().words(), words);
    }

    #[test]
    fn the_end_of_a_run_is_enough() {
        let facts = sample(&text(
            "Row 33 | FAIL |\n33 != 34\n----\nRow 34 | PASS |\n----\nTests.Bulk | FAIL |\n60 tests, 59 passed, 1 failed\n====\nTests | FAIL |\n61 tests, 59 passed, 2 failed\n====\nOutput:  /w/output.xml\n",
        ));
        assert_eq!(messages(&facts), [("Row 33", "33 != 34")]);
        let words = "2 failed, 59 passed, 61 total";
        let last = facts.sessions.last().unwrap();
        assert_eq!(last.stated.as_ref().unwrap().words(), words);
    }
}
