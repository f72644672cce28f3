//! pytest in all verbosities, with and without xdist.
//!
//! ```text
//! tests/test_a.py::test_len[a b-1] FAILED                     [ 50%]
//! ____________ test_len[a b-1] ____________
//! E   AssertionError: assert 3 == 1
//! FAILED tests/test_a.py::test_len[a b-1] - AssertionError: assert 3 == 1
//! ========= 1 failed, 3 passed in 1.55s =========
//! ```

mod crash;
mod names;
mod progress;
mod result;
mod section;
mod subtest;

use std::collections::{BTreeSet, VecDeque};

use super::super::clean::clean;
use super::super::count::{Category, Counts};
use super::super::facts::{Facts, Ticket};
use super::super::place;
use super::{Cues, Grammar, Line, ruler};
use crash::Crash;
use names::{is_module, section_name, short, split_message, verbose};
use progress::{are_marks, dots, is_progress};
use result::{quiet_result, result, took};
use section::{SUGAR, Section, heading};

/// Rulers, tests by their outcome, rows of dots with a percentage, and the result of `-q`.
pub(super) const CUES: Cues = Cues::Any(
    &[
        "PASSED",
        "FAILED",
        "ERROR",
        "SKIPPED",
        "XFAIL",
        "XPASS",
        "RERUN",
        "%]",
        "no tests ran",
        "Required test coverage",
        "Coverage failure",
        "SUBPASS",
        "SUBFAIL",
        "SUBSKIP",
        "+ Timeout +",
        crash::FATAL,
        SUGAR,
    ],
    "=!_0123456789",
);

const TOOL: &str = "pytest";

/// So much shorter than the others a ruler may be outside of what tests print.
const RULER_LESS: usize = 20;
/// The most sections remembered until the summary gives their tests' full names.
const SECTIONS_MAX: usize = 300;

/// The most failing tests of a run that are awaited there.
const NAMED_MAX: usize = 4_000;

/// The state of one lane.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what follows"
)]
pub(super) struct Pytest {
    part: Part,
    sections: Vec<Section>,
    /// With `--tb=line`: the place and the error of each failing test, in their order.
    lines: VecDeque<(place::Location, String)>,
    /// Failing tests in order: their number and the name that their section has.
    named: Vec<(Ticket, String)>,
    /// In the current section: what the test printed.
    captured: bool,
    session: bool,
    /// How long the ruler of the run's header is; 0 without one, or after the run's result.
    ruler: usize,
    /// The same of its header or of the first title: what is shorter, a test printed.
    width: usize,
    /// There are as many sections as are kept, or this one's test has been told.
    full: bool,
    /// Sections of tests of which no details are wanted any more, by their names.
    told: BTreeSet<String>,
    /// So many failing tests were known before the run.
    earlier: usize,
    /// The section stands where its test ran: its plugin shows failures at once.
    instant: bool,
    /// The stack of a test that ran out of time follows.
    stack: bool,
    crash: Crash,
    /// In the report of a run that a test started, among what that test printed.
    nested: bool,
    /// The failing tests have had their title, which comes once.
    titled: bool,
    /// What the last such run stated: should it be the run's own, nothing else states that.
    inner: Option<(Counts, String)>,
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum Part {
    #[default]
    Progress,
    Failures,
    Summary,
    /// Warnings, and what passing tests printed.
    Aside,
    Other,
}

impl Grammar for Pytest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if self.inner(line) {
            return true;
        }
        if let Some(title) = ruler(line.text, '=') {
            if self.is_wide(line.text) || self.part != Part::Failures {
                return self.title(title, line.text.chars().count(), facts);
            }
            self.section(line);
            return true;
        }
        if self.part == Part::Failures {
            let quiet = self.ruler == 0 && !self.captured;
            let over = quiet && quiet_result(line.text).is_some()
                || self.instant && (is_progress(line.text) || are_marks(line.text));
            if !over {
                self.section(line);
                return true;
            }
            self.part = Part::Progress;
        }
        let heads = self.part == Part::Progress && self.is_wide(line.text);
        if heads && heading(line.text).is_some() && self.shows(line) {
            (self.part, self.instant, self.captured) = (Part::Failures, true, false);
            self.section(line);
            return true;
        }
        if self.timeout(line, facts) || self.crash.line(line, self.session, facts) {
            return true;
        }
        if self.progress(line.text, line, facts) {
            return true;
        }
        // A run with a header ends with a ruler: what looks otherwise, a test printed.
        if self.ruler == 0
            && let Some(counts) = quiet_result(line.text)
        {
            facts.now.weak = self.named.is_empty();
            self.result(counts, line.text, facts);
            return true;
        }
        if let Some(title) = ruler(line.text, '!') {
            facts.note(title, line.no);
            return true;
        }
        if line.text.starts_with("FAIL Required test coverage")
            || line.text.starts_with("ERROR: Coverage failure")
            || line.text.starts_with("Coverage failure: ")
        {
            facts.note(line.text, line.no);
            return true;
        }
        if self.part == Part::Aside {
            if line.text.starts_with("-- Docs: ") {
                self.part = Part::Other;
            }
            return true;
        }
        self.part == Part::Summary && self.session && line.text.starts_with("SKIPPED [")
    }

    fn is_open(&self) -> bool {
        matches!(self.part, Part::Failures | Part::Aside) || self.stack || self.crash.is_open()
    }

    fn end(&mut self, facts: &mut Facts) {
        if let Some((counts, text)) = self.inner.take().filter(|_| self.ruler > 0) {
            self.result(counts, &text, facts);
        }
        self.resolve(facts);
    }
}

impl Pytest {
    fn title(&mut self, title: &str, length: usize, facts: &mut Facts) -> bool {
        match title {
            "test session starts" => {
                self.resolve(facts);
                facts.start(TOOL);
                facts.keep();
                self.session = true;
                (self.ruler, self.width, self.titled) = (length, length, false);
                self.part = Part::Progress;
            }
            "FAILURES" | "ERRORS" => {
                (self.session, self.instant) = (true, false);
                self.titled |= title == "FAILURES";
                self.width = self.width.max(length);
                self.part = Part::Failures;
                self.captured = false;
            }
            "short test summary info" => {
                self.session = true;
                self.part = Part::Summary;
            }
            "PASSES" | "XPASSES" | "XFAILURES" | "RERUNS" => self.part = Part::Aside,
            _ if title.starts_with("warnings summary") => self.part = Part::Aside,
            _ if title.starts_with("slowest ") || title.contains("coverage") => {
                self.part = Part::Other;
            }
            _ => {
                let Some(counts) = result(title) else {
                    return self.part == Part::Failures;
                };
                // All rulers of a run are as long as that of its header.
                if length + 2 < self.ruler {
                    return self.part == Part::Failures;
                }
                // The tests that it failed stand above the end of an output without its header.
                facts.now.weak = self.ruler == 0 && self.named.is_empty();
                if self.part == Part::Failures && self.captured {
                    // A test printed it, or the summary was switched off: only what follows tells.
                    facts.result(TOOL, counts, took(title));
                    return true;
                }
                self.result(counts, title, facts);
            }
        }
        true
    }

    fn result(&mut self, counts: Counts, text: &str, facts: &mut Facts) {
        self.resolve(facts);
        facts.result(TOOL, counts, took(text));
        facts.keep();
        self.part = Part::Other;
        (self.ruler, self.width) = (0, 0);
        (self.nested, self.titled, self.inner) = (false, false, None);
        // Without headers (`-q`), the next result line belongs to another run.
        if self.named.is_empty() && self.session {
            self.session = false;
        }
        facts.close(TOOL);
    }

    /// A line of the report of a run that a test started (`pytester`), among what the test printed.
    fn inner(&mut self, line: &Line<'_>) -> bool {
        if self.part != Part::Failures || !self.captured {
            return false;
        }
        match ruler(line.text, '=').filter(|_| self.nested || self.is_wide(line.text)) {
            Some("test session starts") => self.nested = true,
            Some("FAILURES") => self.nested |= self.titled,
            title if self.nested => {
                let counts = title.map_or_else(|| quiet_result(line.text), result);
                if let Some(counts) = counts {
                    self.inner = Some((counts, line.text.to_owned()));
                    self.nested = false;
                    return true;
                }
            }
            _ => {}
        }
        self.nested
    }

    /// Whether a ruler is one of the run's: they have equally many characters
    /// (`TerminalWriter.sep`), more with a long title. Strictly so where tests print what they want.
    fn is_wide(&self, text: &str) -> bool {
        let less = if self.captured { 0 } else { RULER_LESS };
        text.chars().count() + less >= self.width
    }

    /// A line of the section of a failing test.
    fn section(&mut self, line: &Line<'_>) {
        if let Some(name) = heading(line.text).filter(|_| self.is_wide(line.text)) {
            self.captured = false;
            let name = section_name(name);
            self.full = self.sections.len() >= SECTIONS_MAX || self.told.contains(name);
            if !self.full {
                self.sections.push(Section::new(name, line.no));
            }
            return;
        }
        let error = place::leading(line.text).and_then(|(place, end)| {
            let error = line.text[end..].strip_prefix(": ")?;
            let whole = place.file.starts_with('/') && !error.starts_with("in ");
            whole.then(|| (place, error.to_owned()))
        });
        if let Some(error) = error
            && self.lines.len() < SECTIONS_MAX
        {
            self.lines.push_back(error);
        }
        if let Some(title) = ruler(line.text, '-') {
            self.captured = title.starts_with("Captured");
        }
        let Some(section) = self.sections.last_mut().filter(|_| !self.full) else {
            return;
        };
        section.lines.1 = line.no;
        if self.captured || ruler(line.text, '_').is_some() {
            return;
        }
        section.line(line.text);
    }

    /// Whether sections of failing tests may stand here: in a run with a header (`-q` prints none),
    /// below the tests of one, and those of pytest-sugar anywhere.
    fn shows(&self, line: &Line<'_>) -> bool {
        self.session
            || self.instant
            || line.text.starts_with(SUGAR)
            || are_marks(&clean(line.previous()))
    }

    /// What pytest-timeout prints before it ends the run: the test is the last function of its stack
    /// that is one.
    fn timeout(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        // Its rulers are as wide as the terminal; the first stands behind the dots of a file.
        if line.text.ends_with('+') && line.text.contains("+ Timeout +") {
            self.stack = !self.stack && self.session;
            return self.session;
        }
        if !self.stack {
            return false;
        }
        if let Some(place) = place::anywhere(line.text)
            && let Some((_, name)) = line.text.rsplit_once(", in test_")
        {
            let at = facts.fail(TOOL, &format!("{}::test_{name}", place.file), line.no);
            facts.message(at, "Timeout", line.no);
            facts.place(at, &place.shown);
        }
        true
    }

    /// The line of a single test, or of the summary.
    fn progress(&mut self, text: &str, line: &Line<'_>, facts: &mut Facts) -> bool {
        if text.contains("::") && subtest::is_one(text) {
            if let Some(subtest) = subtest::failed(text) {
                let names = (&*subtest.name(), &*subtest.section());
                self.failed(names, subtest.message, line, facts);
            }
            return true;
        }
        if let Some(rest) = text
            .strip_prefix("FAILED ")
            .or_else(|| text.strip_prefix("ERROR "))
        {
            let (name, message) = split_message(rest);
            let full = name.contains("::") || is_module(name) || name.contains(".py ");
            if !full || !(name.contains(".py") || self.session) {
                return false;
            }
            self.failed((name, &short(name)), message, line, facts);
            return true;
        }
        if dots(text, facts) {
            return true;
        }
        let Some((name, word)) = verbose(text) else {
            return false;
        };
        match word {
            "PASSED" => facts.saw(TOOL, Category::Passed),
            "SKIPPED" => facts.saw(TOOL, Category::Skipped),
            "FAILED" | "ERROR" => {
                if facts.known(name).is_none() {
                    facts.saw(TOOL, Category::Failed);
                }
                self.failed((name, &short(name)), None, line, facts);
            }
            _ => {}
        }
        true
    }

    /// A failing test: its name, and the name that its section has.
    fn failed(
        &mut self,
        (name, section): (&str, &str),
        message: Option<&str>,
        line: &Line<'_>,
        facts: &mut Facts,
    ) {
        let known = facts.known(name);
        let at = facts.fail(TOOL, name, line.no);
        // One that failed in a run before has a section of its own in this one.
        let again = known.filter(|known| {
            self.named.len() < NAMED_MAX
                && !known.is_since(self.earlier)
                && (*known == Ticket::NONE || self.named.iter().all(|(of, _)| of != known))
        });
        if again.is_some() || known.is_none() && at != Ticket::NONE {
            self.named.push((at, section.to_owned()));
        }
        // The summary's message is often cut off; it only counts where there is no section.
        let sectioned = self.sections.iter().any(|known| known.name == section);
        // A long name leaves no room for a message.
        if !sectioned && (message.is_some() || self.part == Part::Summary) {
            let start = message.unwrap_or_default().trim_end_matches('.');
            let whole = self
                .lines
                .front()
                .filter(|(_, error)| error.starts_with(start));
            if let Some((place, error)) = whole {
                facts.message(at, error, line.no);
                facts.place(at, &place.shown);
                self.lines.pop_front();
            } else if let Some(message) = message {
                facts.message(at, message, line.no);
            }
        }
    }

    /// Gives each section to its test: the first one of that name that has none yet.
    fn resolve(&mut self, facts: &mut Facts) {
        for section in std::mem::take(&mut self.sections) {
            let mut named = self.named.iter();
            let found = named.position(|(_, name)| *name == section.name);
            let at = match found {
                Some(found) => self.named.remove(found).0,
                // Its heading did not tell that it is one of them.
                None if self.told.contains(&section.name) => continue,
                None => facts.fail(TOOL, &section.name, section.lines.0),
            };
            if at == Ticket::NONE && self.told.len() < NAMED_MAX {
                self.told.insert(section.name);
            }
            if let Some(failure) = facts.failure(at) {
                if !section.block.is_empty() {
                    failure.block = section.block;
                }
                failure.log_lines = section.lines;
            }
        }
        self.named.clear();
        self.lines.clear();
        self.full = false;
        self.earlier = facts.failures.len();
    }
}

#[cfg(test)]
mod tests;
