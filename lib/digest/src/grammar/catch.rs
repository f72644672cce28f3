//! Catch2: the name of a test case stands between two rulers above what failed in it.
//!
//! ```text
//! -------------------------------------------------------------------------------
//! adds three
//!   inner section
//! -------------------------------------------------------------------------------
//! a.cpp:6: FAILED:
//!   CHECK( 3+1 == 8 )
//! ```

use super::super::count::{Category, Counts, figure, pairs};
use super::super::facts::{Facts, Ticket};
use super::super::place;
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(&[" is a Catch"], "");

const TOOL: &str = "catch2";

/// What parts a test case and its sections in the name of a failure.
const SECTION: &str = " > ";

/// What of the output is being read.
#[derive(Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    None,
    /// Between the rulers.
    Name,
    /// After the second.
    Body,
}

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Catch {
    active: bool,
    part: Part,
    name: String,
    /// The sections of the test case that are open, each behind what parts it from the one before.
    sections: String,
    /// The test case that failed last.
    failed: String,
    open: Option<Ticket>,
}

impl Grammar for Catch {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        if !self.active {
            self.active = is_banner(text);
            if self.active {
                facts.start(TOOL);
                facts.keep();
                self.failed.clear();
            }
            return self.active;
        }
        if text.starts_with("----------") {
            self.open = None;
            self.part = if self.part == Part::Name {
                Part::Body
            } else {
                self.name.clear();
                self.sections.clear();
                Part::Name
            };
            return true;
        }
        if total(text, facts) {
            self.active = false;
            self.part = Part::None;
            self.open = None;
            return true;
        }
        match self.part {
            Part::None => false,
            Part::Name => {
                if line.indent() == 0 && !text.is_empty() {
                    if !self.name.is_empty() {
                        self.name.push(' ');
                    }
                    self.name.push_str(text);
                } else if line.indent() == 2 * (1 + self.sections.matches(SECTION).count()) {
                    self.sections.push_str(SECTION);
                    self.sections.push_str(line.trimmed());
                }
                true
            }
            Part::Body => self.body(line, facts),
        }
    }

    fn is_open(&self) -> bool {
        self.active
    }
}

impl Catch {
    fn body(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        let verdict = place::leading(text).map(|(place, end)| (place, text[end..].trim()));
        match verdict {
            Some((place, ": FAILED:" | ": FAILED")) => {
                if self.failed != self.name {
                    facts.saw(TOOL, Category::Failed);
                    self.failed.clone_from(&self.name);
                }
                let name = [&*self.name, &*self.sections].concat();
                let at = facts.fail(TOOL, &name, line.no);
                if let Some(failure) = facts.failure(at)
                    && failure.block.is_empty()
                {
                    failure.block.at(place);
                }
                self.open = Some(at);
            }
            Some((_, ": PASSED:" | ": PASSED" | ": SKIPPED:")) => self.open = None,
            _ => {
                if let Some(at) = self.open {
                    facts.detail(at, text, line.no);
                }
            }
        }
        true
    }
}

/// `test cases: 71 | 64 passed | 7 failed`.
fn total(text: &str, facts: &mut Facts) -> bool {
    if let Some(rest) = text.strip_prefix("test cases: ") {
        let mut counts = Counts::default();
        let (total, rest) = rest.split_once('|').unwrap_or((rest, ""));
        for part in rest.split('|').map(str::trim) {
            match part.strip_suffix(" failed as expected").and_then(figure) {
                Some(expected) => counts.add(Category::Xfailed, expected),
                None => counts.merge(&pairs(part)),
            }
        }
        if let Some(total) = figure(total.trim()) {
            counts.add(Category::Total, total);
        }
        if counts.get(Category::Passed).is_none() {
            counts.add(Category::Passed, 0);
        }
        facts.result(TOOL, counts, None);
        return true;
    }
    // `All tests passed (3 assertions in 2 test cases)`.
    let Some(rest) = text
        .strip_prefix("All tests passed (")
        .filter(|rest| rest.contains(" assertion"))
    else {
        return false;
    };
    let cases = rest.rsplit(" in ").next().unwrap_or_default();
    if let Some(number) = cases.split(' ').next().and_then(figure) {
        let mut counts = Counts::default();
        counts.add(Category::Passed, number);
        facts.result(TOOL, counts, None);
    }
    true
}

/// `a is a Catch2 v3.4.0 host application.`
fn is_banner(text: &str) -> bool {
    text.contains(" is a Catch") && text.contains(" host application")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::super::{Digester, End, Options};

    #[test]
    fn failing_test_cases_are_named() {
        let ruler = "-".repeat(79);
        let mut text = String::from("~~~~\na is a Catch2 v3.4.0 host application.\n");
        for number in 0..30 {
            let _ = write!(
                text,
                "{ruler}\nadds {number}\n  inner\n{ruler}\na.cpp:6\n.....\n\na.cpp:6: {}:\n  CHECK( 3+1 == 8 )\nwith expansion:\n  4 == 8\n\n",
                if number == 7 { "FAILED" } else { "PASSED" }
            );
        }
        text.push_str(
            "====\ntest cases: 30 | 29 passed | 1 failed\nassertions: 30 | 29 passed | 1 failed\n",
        );
        let mut digester = Digester::new(Options::default());
        digester.push(text.as_bytes());
        let digest = digester.finish(End::Exit(1), None);
        let names: Vec<&str> = digest
            .failures
            .iter()
            .map(|failure| failure.name.as_str())
            .collect();
        assert_eq!(names, ["adds 7 > inner"]);
        assert_eq!(
            digest.counts.words(),
            "1 failed, 29 passed, 0 skipped, 30 total"
        );
    }
}
