//! C and C++ tests: `CTest`.
//!
//! ```text
//!  7/30 Test  #7: unit_7 ....***Failed    0.01 sec
//! 93% tests passed, 2 tests failed out of 30
//! ```

use super::super::block::Block;
use super::super::count::{Category, Counts, figure};
use super::super::facts::{Facts, Ticket};
use super::gtest::{Own, tag};
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    &[
        "Test ",
        "% tests passed, ",
        "tests FAILED:",
        "Start ",
        "Internal ctest",
        "Errors while",
    ],
    "",
);

const TOOL: &str = "ctest";

/// So many tests are heard that run at once.
const TOLD_MAX: usize = 64;

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Ctest {
    /// The output of this failing test follows.
    open: Option<Ticket>,
    /// It may be a program of googletest.
    own: Own,
    list: bool,
    /// What the tests print that run now, with `-V`.
    printed: Vec<Printed>,
}

/// What a test prints while it runs: each line stands behind its number.
#[derive(Debug)]
struct Printed {
    number: u64,
    block: Block,
    own: Own,
    lines: (u64, u64),
}

impl Grammar for Ctest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        if let Some((number, passed, name)) = single(text) {
            self.open = None;
            let printed = self
                .printed
                .iter()
                .position(|printed| printed.number == number);
            let printed = printed.map(|at| self.printed.swap_remove(at));
            self.single(passed, name, line, facts);
            if let (Some(printed), Some(at)) = (printed, self.open)
                && let Some(failure) = facts.failure(at)
            {
                (failure.block, failure.log_lines) = (printed.block, printed.lines);
                // All of it stood before.
                self.open = None;
            }
            return true;
        }
        if let Some((number, rest)) = behind_number(line.text)
            && self.hears(number, rest, line)
        {
            return true;
        }
        if let Some(counts) = percent(text) {
            self.open = None;
            facts.now.weak = true;
            facts.now.sums = true;
            facts.result(TOOL, counts, None);
            return true;
        }
        if text.starts_with("The following tests FAILED:") {
            self.list = true;
            return true;
        }
        if self.list {
            self.list = listed(text, line, facts);
            if self.list {
                return true;
            }
        }
        if text.starts_with("Start ") && text.contains(": ") {
            self.open = None;
            return line.indent() > 0;
        }
        if text.starts_with("Test project ") || text.starts_with("Internal ctest changing") {
            facts.start(TOOL);
            self.printed.clear();
            return true;
        }
        if let Some(at) = self.open {
            if self.own.is_message(line) && tag(line.text).is_none() {
                facts.message(at, line.text, line.no);
            } else {
                facts.detail(at, line.text, line.no);
            }
            return true;
        }
        text.starts_with("Errors while running CTest") || text.starts_with("Total Test time")
    }

    fn is_open(&self) -> bool {
        self.open.is_some() || self.list || !self.printed.is_empty()
    }
}

impl Ctest {
    /// A line behind the number of a test; true when that test runs.
    fn hears(&mut self, number: u64, rest: &str, line: &Line<'_>) -> bool {
        if rest.starts_with("Test command: ") && self.printed.len() < TOLD_MAX {
            self.printed.push(Printed {
                number,
                block: Block::default(),
                own: Own::default(),
                lines: (line.no, line.no),
            });
            return true;
        }
        let mut printed = self.printed.iter_mut();
        let Some(printed) = printed.find(|printed| printed.number == number) else {
            return false;
        };
        printed.lines.1 = line.no;
        let own = ["Working Directory: ", "Test timeout computed to be: "];
        if tag(rest).is_some() || own.iter().any(|start| rest.starts_with(start)) {
            return true;
        }
        let line = &Line {
            text: rest,
            ..*line
        };
        if printed.own.is_message(line) {
            printed.block.message(rest);
        } else {
            printed.block.push(rest);
        }
        true
    }

    fn single(&mut self, passed: bool, name: &str, line: &Line<'_>, facts: &mut Facts) {
        if passed {
            facts.saw(TOOL, Category::Passed);
            return;
        }
        facts.saw(TOOL, Category::Failed);
        self.open = Some(facts.fail(TOOL, name, line.no));
        self.own = Own::default();
    }
}

/// ` 7/30 Test  #7: unit_7 .......***Failed    0.01 sec`.
fn single(text: &str) -> Option<(u64, bool, &str)> {
    let (position, rest) = text.split_once(" Test ")?;
    let (done, all) = position.split_once('/')?;
    figure(done)?;
    figure(all)?;
    let (number, rest) = rest.trim_start().strip_prefix('#')?.split_once(": ")?;
    let (name, outcome) = rest.split_once(" .")?;
    let outcome = outcome.trim_start_matches(['.', ' ']);
    let passed = !outcome.starts_with("***");
    let skipped = outcome.starts_with("***Skipped");
    Some((figure(number)?, passed || skipped, name.trim()))
}

/// `2: v.cpp:5: Failure`: what stands behind the number of a test.
fn behind_number(text: &str) -> Option<(u64, &str)> {
    let (number, rest) = text.split_once(':')?;
    Some((figure(number)?, rest.strip_prefix(' ').unwrap_or(rest)))
}

/// `93% tests passed, 2 tests failed out of 30`.
fn percent(text: &str) -> Option<Counts> {
    let (_, rest) = text.split_once("% tests passed, ")?;
    let failed = figure(rest.split(' ').next()?)?;
    let total = figure(rest.rsplit(' ').next()?)?;
    let mut counts = Counts::default();
    counts.add(Category::Failed, failed);
    counts.add(Category::Passed, total.saturating_sub(failed));
    counts.add(Category::Total, total);
    Some(counts)
}

/// `  7 - unit_7 (Failed)`.
fn listed(text: &str, line: &Line<'_>, facts: &mut Facts) -> bool {
    let Some((number, rest)) = text.split_once(" - ") else {
        return false;
    };
    let Some((name, why)) = rest.rsplit_once(" (") else {
        return false;
    };
    if figure(number.trim()).is_none() {
        return false;
    }
    let known = facts.known(name).is_some();
    let at = facts.fail(TOOL, name, line.no);
    let why = why.split(')').next().unwrap_or(why);
    // How one ended that prints nothing: a signal, its time.
    if !known {
        facts.message(at, why, line.no);
    } else if let Some(test) = facts.failure(at)
        && test.block.is_empty()
        && why != "Failed"
    {
        test.block.message(why);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{sample, stated};

    #[test]
    fn a_test_program_inside_ctest_is_one_test() {
        let facts = sample(
            "Test project /x\n    Start 1: vt\n1/1 Test #1: vt ......***Failed    0.00 sec\n[==========] Running 3 tests from 1 test suite.\n[ RUN      ] Vec.Len\n\
             /x/v.cpp:2: Failure\nExpected equality of these values:\n[  FAILED  ] Vec.Len (0 ms)\n\n0% tests passed, 1 tests failed out of 1\n\n\
             The following tests FAILED:\n\t  1 - vt (Failed)\nErrors while running CTest\n",
        );
        assert_eq!(facts.failures.len(), 1);
        assert_eq!(facts.tools, ["ctest"]);
        assert_eq!(stated(&facts), "1 failed, 0 passed, 1 total");
    }

    #[test]
    fn a_test_that_printed_nothing_says_how_it_ended() {
        let facts = sample(
            "Test project /x\n    Start 1: a\n1/2 Test #1: a ......***Exception: SegFault  0.01 sec\n    Start 2: b\n2/2 Test #2: b ......***Timeout   1.00 sec\n\n\
             0% tests passed, 2 tests failed out of 2\n\nThe following tests FAILED:\n\t  1 - a (SEGFAULT)\n\t  2 - b (Timeout)\nErrors while running CTest\n",
        );
        let first: Vec<_> = facts
            .failures
            .iter()
            .map(|test| test.block.first())
            .collect();
        assert_eq!(first, [Some("SEGFAULT"), Some("Timeout")]);
    }

    #[test]
    fn what_a_test_prints_while_it_runs_stands_behind_its_number() {
        let facts = sample(
            "Test project /x\ntest 1\n    Start 1: A.Half\n\n1: Test command: /x/a\n1: Working Directory: /x\n1: Test timeout computed to be: 10000000\n\
             test 2\n    Start 2: B.New\n\n2: Test command: /x/b\n1: [ RUN      ] A.Half\n2: error: not of the first\n1: /x/a.cpp:5: Failure\n1: Expected equality of these values:\n\
             1: pi is too coarse\n1: [  FAILED  ] A.Half (0 ms)\n1/2 Test #1: A.Half ....***Failed    0.00 sec\n2/2 Test #2: B.New ....   Passed    0.00 sec\n\n\
             50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  1 - A.Half (Failed)\nErrors while running CTest\n",
        );
        let [half] = &facts.failures[..] else {
            panic!("{:?}", facts.failures);
        };
        let last = half.block.lines.last().unwrap();
        assert_eq!(last.1, "pi is too coarse");
        assert_eq!(half.block.place.as_ref().unwrap().shown, "/x/a.cpp:5");
        assert!(
            half.block
                .lines
                .contains(&(0, "pi is too coarse".to_owned()))
        );
        assert!(
            half.block
                .lines
                .iter()
                .all(|(_, text)| !text.contains("first"))
        );
        assert_eq!(facts.tools, ["ctest"]);
    }
}
