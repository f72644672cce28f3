//! Rust's test harness: `cargo test`, its doc tests, and panics outside of captured output.
//!
//! ```text
//! test tests::adds ... FAILED
//! ---- tests::adds stdout ----
//! thread 'tests::adds' (4711) panicked at src/lib.rs:3:9:
//! assertion `left == right` failed
//! test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
//! ```

use std::collections::BTreeMap;

use super::super::block::Block;
use super::super::count::{Category, Counts, duration, pairs};
use super::super::facts::{Facts, Ticket};
use super::super::place;
use super::super::problem::Severity;
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    &[
        "test ",
        "failures:",
        "running ",
        " panicked at ",
        " --- FAILED",
    ],
    "",
);

const TOOL: &str = "cargo test";

/// The most panics remembered of tests that are not known to have failed yet.
const PANICS_MAX: usize = 64;

/// Where in the output we are.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
enum Within {
    #[default]
    Tests,
    /// After `failures:`, where the output of failing tests stands.
    Sections,
    /// In the output of this failing test.
    Section(Ticket),
    /// In the list of names after the sections.
    List,
    /// In the message of a panic outside of any section; the thread's name.
    Panic(String),
}

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Libtest {
    within: Within,
    /// A test whose outcome is still to come: its output is not captured.
    waiting: Option<String>,
    panics: BTreeMap<String, Block>,
    /// In a section: a panic was seen, its message comes next.
    message_next: bool,
    /// It was not the first panic of its test: where.
    again: Option<String>,
    /// The line of the last panic.
    last: u64,
}

impl Grammar for Libtest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        match self.within.clone() {
            Within::Section(at) => self.section(at, line, facts),
            Within::Sections => self.sections(line, facts),
            Within::List => self.list(line, facts),
            Within::Panic(thread) => {
                self.panic_line(&thread, line, facts) || self.test_line(line, facts)
            }
            Within::Tests => self.test_line(line, facts),
        }
    }

    /// A program that panicked: no test is to blame.
    fn end(&mut self, facts: &mut Facts) {
        for (thread, block) in std::mem::take(&mut self.panics) {
            if thread == "main" || facts.tools.is_empty() {
                let message = block.lines.first();
                let text = message.map_or("panicked", |(_, text)| text.as_str());
                let shown = block.place.as_ref().map(|place| place.shown.as_str());
                facts.fallback = facts.fallback.or(Some("rust"));
                let text = format!("panicked: {text}");
                facts.problem(("", Severity::Error), shown, &text, self.last);
            }
        }
    }

    fn is_open(&self) -> bool {
        self.within != Within::Tests || self.waiting.is_some()
    }
}

impl Libtest {
    fn test_line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some(rest) = line.text.strip_prefix("test ") {
            return self.test(rest, line, facts);
        }
        if let Some(name) = in_terse(line.text) {
            self.outcome(name, "FAILED", line, facts);
            return true;
        }
        if line.text == "failures:" {
            self.within = Within::Sections;
            return true;
        }
        if running(line.text) {
            facts.start(TOOL);
            return true;
        }
        if let Some(counts) = result(line.text) {
            (facts.now.weak, facts.now.sums) = (true, true);
            facts.result(TOOL, counts, finished(line.text));
            return true;
        }
        if let Some(name) = self.waiting.clone()
            && matches!(line.text, "ok" | "FAILED" | "ignored")
        {
            self.waiting = None;
            self.outcome(&name, line.text, line, facts);
            return true;
        }
        self.panic_start(line, facts)
    }

    /// `a::b ... ok`.
    fn test(&mut self, rest: &str, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some(counts) = result(line.text) {
            (facts.now.weak, facts.now.sums) = (true, true);
            facts.result(TOOL, counts, finished(line.text));
            return true;
        }
        let Some((name, outcome)) = at_dots(rest) else {
            return false;
        };
        let outcome = outcome.trim_start();
        let known = ["ok", "FAILED", "ignored", "bench:"].iter().any(|word| {
            outcome
                .strip_prefix(word)
                .is_some_and(|tail| tail.is_empty() || tail.starts_with([',', ' ', '(']))
        });
        if known {
            self.waiting = None;
            self.outcome(name, outcome, line, facts);
        } else {
            self.waiting = Some(name.to_owned());
            if outcome.starts_with("thread '") {
                let moved = &Line {
                    text: outcome,
                    ..*line
                };
                self.panic_start(moved, facts);
            }
        }
        true
    }

    fn outcome(&mut self, name: &str, outcome: &str, line: &Line<'_>, facts: &mut Facts) {
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        let name = name.strip_suffix(" - compile fail").unwrap_or(name);
        self.within = Within::Tests;
        if outcome.starts_with("ignored") {
            facts.saw(TOOL, Category::Ignored);
        } else if outcome.starts_with("FAILED") {
            facts.saw(TOOL, Category::Failed);
            let at = facts.fail(TOOL, name, line.no);
            let panic = self
                .panics
                .remove(name)
                .or_else(|| self.panics.remove("main"));
            if let Some(panic) = panic {
                facts.keep();
                attach(at, panic, facts);
            }
        } else {
            facts.saw(TOOL, Category::Passed);
        }
    }

    /// `thread 'a::b' (12) panicked at src/lib.rs:3:5:`.
    fn panic_start(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some((thread, place)) = panicked(line.text) else {
            return false;
        };
        let mut block = Block::default();
        if let Some(message) = quoted(place) {
            block.message(message);
        }
        if let Some(place) = place::anywhere(place) {
            block.at(place);
        }
        match facts.known(thread) {
            Some(at) => attach(at, block, facts),
            None if self.panics.len() < PANICS_MAX => {
                self.panics.insert(thread.to_owned(), block);
            }
            None => {}
        }
        self.last = line.no;
        self.within = Within::Panic(thread.to_owned());
        true
    }

    fn panic_line(&mut self, thread: &str, line: &Line<'_>, facts: &mut Facts) -> bool {
        let ends = line.text.is_empty()
            || line.text.starts_with("note: ")
            || line.text.starts_with("test ")
            || in_terse(line.text).is_some()
            || line.text.starts_with("error: ")
            || line.text.starts_with("     Running ");
        if ends {
            self.within = Within::Tests;
            return line.text.starts_with("note: ");
        }
        match facts.known(thread) {
            Some(at) => facts.detail(at, line.text, line.no),
            None => match self.panics.get_mut(thread) {
                Some(block) if block.is_empty() => block.message(line.text),
                Some(block) => block.push(line.text),
                None => {}
            },
        }
        true
    }

    fn sections(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some(name) = section_name(line.text) {
            let at = facts.fail(TOOL, name, line.no);
            self.within = Within::Section(at);
            self.message_next = false;
            return true;
        }
        if line.text == "failures:" {
            self.within = Within::List;
            return true;
        }
        if line.text.is_empty() {
            return true;
        }
        self.within = Within::List;
        self.list(line, facts)
    }

    fn section(&mut self, at: Ticket, line: &Line<'_>, facts: &mut Facts) -> bool {
        if section_name(line.text).is_some() {
            return self.sections(line, facts);
        }
        if line.text == "failures:" {
            self.within = Within::List;
            return true;
        }
        if let Some((_, place)) = panicked(line.text) {
            self.again = None;
            if let (Some(place), Some(failure)) = (place::anywhere(place), facts.failure(at)) {
                if failure.block.place.is_none() {
                    failure.block.at(place);
                } else {
                    self.again = Some(place.shown);
                }
            }
            if let Some(message) = quoted(place) {
                facts.message(at, message, line.no);
            } else {
                self.message_next = true;
            }
        } else if std::mem::take(&mut self.message_next) {
            match self.again.take() {
                Some(place) => facts.message(at, &format!("{place}: {}", line.text), line.no),
                None => facts.message(at, line.text, line.no),
            }
        } else {
            facts.detail(at, line.text, line.no);
        }
        true
    }

    fn list(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if line.indent() == 4 {
            facts.fail(TOOL, line.text, line.no);
            return true;
        }
        if line.text.is_empty() {
            return true;
        }
        self.within = Within::Tests;
        self.test_line(line, facts)
    }
}

fn attach(at: Ticket, block: Block, facts: &mut Facts) {
    if let Some(failure) = facts.failure(at)
        && failure.block.is_empty()
    {
        failure.block = block;
    }
}

/// The thread and what follows `panicked at `.
pub(super) fn panicked(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start().strip_prefix("thread '")?;
    let (thread, rest) = rest.split_once('\'')?;
    let (_, place) = rest.split_once(" panicked at ")?;
    Some((thread, place))
}

/// Before Rust 1.73 the message stood where the place does now, in quotes: `'boom', src/lib.rs:3:5`.
fn quoted(place: &str) -> Option<&str> {
    let (message, _) = place.split_once("', ")?;
    Some(message.trim_start_matches('\''))
}

/// The text before and after ` ...`. Written out: this is done for every test.
fn at_dots(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = memchr::memchr_iter(b'.', bytes)
        .find(|at| bytes[..*at].ends_with(b" ") && bytes[*at..].starts_with(b"..."))?;
    Some((&text[..at - 1], &text[at + 3..]))
}

/// `a::b --- FAILED`, as `-q` prints it.
fn in_terse(text: &str) -> Option<&str> {
    let name = text.strip_suffix(" --- FAILED")?;
    (!name.starts_with(' ')).then_some(name)
}

fn section_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix("---- ")?.strip_suffix(" ----")?;
    name.strip_suffix(" stdout")
        .or_else(|| name.strip_suffix(" stderr"))
}

fn running(text: &str) -> bool {
    text.strip_prefix("running ")
        .and_then(|rest| {
            rest.strip_suffix(" tests")
                .or_else(|| rest.strip_suffix(" test"))
        })
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn result(text: &str) -> Option<Counts> {
    let rest = text.strip_prefix("test result: ")?;
    let (_, rest) = rest.split_once(". ")?;
    let counts = pairs(rest);
    counts.get(Category::Passed).is_some().then_some(counts)
}

fn finished(text: &str) -> Option<u64> {
    duration(text.split_once("finished in ")?.1)
}

#[cfg(test)]
mod tests {
    use super::super::{sample, stated};

    #[test]
    fn a_panic_outside_of_a_section_leaves_room_for_its_message() {
        let facts = sample(
            "running 1 test\n\nthread 'a::b' (2) panicked at src/lib.rs:1:5:\nnot close\n\n    left  = 1\n    right = 2\n\ntest a::b ... FAILED\n\nfailures:\n\nfailures:\n    a::b\n\n\
             test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        );
        let block = &facts.failures[0].block;
        assert_eq!(block.place.as_ref().unwrap().shown, "src/lib.rs:1:5");
        assert_eq!(block.lines, [(0, "not close".to_owned())]);
    }

    #[test]
    fn in_terse_output_a_failing_test_is_one_of_libtest() {
        let facts = sample(
            "running 2 tests\n\na::b --- FAILED\n.\nfailures:\n\n---- a::b stdout ----\n\n\
             thread 'a::b' (2) panicked at src/lib.rs:1:5:\nfirst\n\nthread 'a::b' (2) panicked at src/lib.rs:9:5:\nsecond\n\n\nfailures:\n    a::b\n\n\
             test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
        );
        assert_eq!(facts.tools, ["cargo test"]);
        let failure = &facts.failures[0];
        assert_eq!((failure.name.as_str(), facts.failures.len()), ("a::b", 1));
        assert_eq!(
            failure.block.place.as_ref().unwrap().shown,
            "src/lib.rs:1:5"
        );
        let said: Vec<_> = failure
            .block
            .lines
            .iter()
            .map(|(_, text)| text.as_str())
            .collect();
        assert_eq!(said, ["first", "src/lib.rs:9:5: second"]);
    }

    #[test]
    fn a_result_line_in_captured_output_is_no_result() {
        let facts = sample(
            "running 2 tests\ntest a ... FAILED\ntest b ... ok\n\nfailures:\n\n---- a stdout ----\n\
             test result: ok. 12 passed; 0 failed; 0 ignored\nthread 'a' panicked at src/lib.rs:1:2:\nboom\n\n\n\
             failures:\n    a\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured\n",
        );
        assert_eq!(facts.sessions.len(), 1);
        assert_eq!(stated(&facts), "1 failed, 1 passed, 0 ignored");
        assert_eq!(facts.failures.len(), 1);
        assert_eq!(facts.failures[0].block.first(), Some("boom"));
    }

    #[test]
    fn suites_are_separate_sessions() {
        let suite =
            "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n\n";
        let facts = sample(&suite.repeat(3));
        assert_eq!(facts.sessions.len(), 3);
    }

    #[test]
    fn output_that_is_not_captured() {
        let facts = sample(
            "running 1 test\ntest a ... \nthread 'a' (7) panicked at src/x.rs:4:5:\nboom\nnote: run with\nFAILED\n\n\
             failures:\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n",
        );
        assert_eq!(facts.failures.len(), 1);
        assert!(
            facts.failures[0]
                .block
                .lines
                .iter()
                .any(|(_, text)| text == "boom")
        );
    }
}
