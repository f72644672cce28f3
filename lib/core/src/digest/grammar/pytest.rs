//! pytest in all verbosities, with and without xdist.
//!
//! ```text
//! tests/test_a.py::test_len[a b-1] FAILED                     [ 50%]
//! ____________ test_len[a b-1] ____________
//! E   AssertionError: assert 3 == 1
//! FAILED tests/test_a.py::test_len[a b-1] - AssertionError: assert 3 == 1
//! ========= 1 failed, 3 passed in 1.55s =========
//! ```

mod names;
mod result;

use std::collections::VecDeque;

use super::super::block::{self, Block};
use super::super::count::{Category, Counts};
use super::super::facts::{Facts, Ticket};
use super::super::place;
use super::{At, Cues, Grammar, Line, from_bits, ruler, to_bits};
use names::{section_name, short, split_message};
use result::{quiet_result, result, took};

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
    ],
    "=!0123456789",
);

const TOOL: &str = "pytest";

/// The most sections remembered until the summary gives their tests' full names.
const SECTIONS_MAX: usize = 300;

/// The most failing tests of a run that are awaited there.
const NAMED_MAX: usize = 4_000;

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Pytest {
    part: Part,
    sections: Vec<Section>,
    /// With `--tb=line`: the place and the error of each failing test, in their order.
    lines: VecDeque<(place::Place, String)>,
    /// Failing tests in order: their number and the name that their section has.
    named: Vec<(Ticket, String)>,
    /// In the current section: what the test printed.
    captured: bool,
    session: bool,
    /// How long the ruler of the run's header is; 0 without one, or after the run's result.
    ruler: usize,
    /// There are as many sections as are kept.
    full: bool,
    /// So many failing tests were known before the run.
    earlier: usize,
}

#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
enum Part {
    #[default]
    Progress,
    Failures,
    Summary,
    Other,
}

#[derive(Debug)]
struct Section {
    name: String,
    block: Block,
    lines: (u64, u64),
    errors: u8,
}

impl Grammar for Pytest {
    fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        if let Some(title) = ruler(line.text, '=') {
            return self.title(title, line.text.chars().count(), facts);
        }
        if self.part == Part::Failures {
            self.section(line);
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
        {
            facts.note(line.text, line.no);
            return true;
        }
        self.part == Part::Summary && self.session && line.text.starts_with("SKIPPED [")
    }

    fn is_open(&self) -> bool {
        self.part == Part::Failures
    }

    fn mark(&self) -> Option<u16> {
        let [low, high] = match self.part {
            Part::Progress => [false, false],
            Part::Failures => [true, false],
            Part::Summary => [false, true],
            Part::Other => [true, true],
        };
        let gone = self.part != Part::Failures || self.full;
        let headed = self.ruler > 0;
        gone.then(|| to_bits([low, high, self.captured, self.session, self.full, headed]))
    }

    fn go(&mut self, mark: u16, _at: At<'_>) {
        let (low, high);
        // A header and a result are always read.
        [low, high, self.captured, self.session, self.full, _] = from_bits(mark);
        self.part = match (low, high) {
            (false, false) => Part::Progress,
            (true, false) => Part::Failures,
            (false, true) => Part::Summary,
            (true, true) => Part::Other,
        };
    }

    fn end(&mut self, facts: &mut Facts) {
        self.resolve(facts);
    }
}

impl Pytest {
    fn title(&mut self, title: &str, length: usize, facts: &mut Facts) -> bool {
        match title {
            "test session starts" => {
                self.resolve(facts);
                facts.start(TOOL);
                self.session = true;
                self.ruler = length;
                self.part = Part::Progress;
            }
            "FAILURES" | "ERRORS" => {
                self.session = true;
                self.part = Part::Failures;
                self.captured = false;
            }
            "short test summary info" => {
                self.session = true;
                self.part = Part::Summary;
            }
            _ if title.starts_with("warnings summary")
                || title.starts_with("slowest ")
                || title.contains("coverage")
                || title == "PASSES"
                || title == "XPASSES"
                || title == "RERUNS" =>
            {
                self.part = Part::Other;
            }
            _ => {
                let counts = result(title);
                let Some(counts) = counts else {
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
        self.part = Part::Other;
        self.ruler = 0;
        // Without headers (`-q`), the next result line belongs to another run.
        if self.named.is_empty() && self.session {
            self.session = false;
        }
        facts.close(TOOL);
    }

    /// A line of the section of a failing test.
    fn section(&mut self, line: Line<'_>) {
        if let Some(name) = ruler(line.text, '_') {
            self.captured = false;
            self.full = self.sections.len() >= SECTIONS_MAX;
            if !self.full {
                self.sections.push(Section {
                    name: section_name(name).to_owned(),
                    block: Block::default(),
                    lines: (line.no, line.no),
                    errors: 0,
                });
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

    /// The line of a single test, or of the summary.
    fn progress(&mut self, text: &str, line: Line<'_>, facts: &mut Facts) -> bool {
        if let Some(rest) = text
            .strip_prefix("FAILED ")
            .or_else(|| text.strip_prefix("ERROR "))
        {
            let (name, message) = split_message(rest);
            let full = name.contains("::") || is_module(name) || name.contains(".py ");
            if !full || !(name.contains(".py") || self.session) {
                return false;
            }
            self.failed(name, message, line, facts);
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
                self.failed(name, None, line, facts);
            }
            _ => {}
        }
        true
    }

    fn failed(&mut self, name: &str, message: Option<&str>, line: Line<'_>, facts: &mut Facts) {
        let known = facts.known(name);
        let at = facts.fail(TOOL, name, line.no);
        // One that failed in a run before has a section of its own in this one.
        let again = known.filter(|known| {
            self.named.len() < NAMED_MAX
                && !known.is_since(self.earlier)
                && (*known == Ticket::NONE || self.named.iter().all(|(of, _)| of != known))
        });
        if again.is_some() || known.is_none() && at != Ticket::NONE {
            self.named.push((at, short(name)));
        }
        // The summary's message is often cut off; it only counts where there is no section.
        let sectioned = self
            .sections
            .iter()
            .any(|section| section.name == short(name));
        if let Some(message) = message
            && !sectioned
        {
            let start = message.trim_end_matches('.');
            let whole = self
                .lines
                .front()
                .filter(|(_, error)| error.starts_with(start));
            if let Some((place, error)) = whole {
                facts.message(at, error, line.no);
                facts.place(at, &place.shown);
                self.lines.pop_front();
            } else {
                facts.message(at, message, line.no);
            }
        }
    }

    /// Gives each section to its test: the first one of that name that has none yet.
    fn resolve(&mut self, facts: &mut Facts) {
        for section in std::mem::take(&mut self.sections) {
            let found = self
                .named
                .iter()
                .position(|(_, name)| *name == section.name);
            let at = match found {
                Some(found) => self.named.remove(found).0,
                None => facts.fail(TOOL, &section.name, section.lines.0),
            };
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

impl Section {
    fn line(&mut self, text: &str) {
        if let Some(error) = text.strip_prefix("E ") {
            let error = error.trim();
            self.errors = self.errors.saturating_add(1);
            if self.errors == 1 || block::has_exception(error) {
                self.block.message(error);
            } else if self.errors < 12 {
                self.block.push(error);
            }
            return;
        }
        // `tests/test_a.py:12: AssertionError`, or `...: in test_len` with a short traceback.
        if let Some((place, _)) = place::leading(text) {
            let better = self.block.place.as_ref().is_none_or(|known| {
                place::is_foreign(&known.file) || !place::is_foreign(&place.file)
            });
            if better {
                self.block.at(place);
            }
            return;
        }
        // Tracebacks of `--tb=native` have no margin.
        if self.errors == 0
            && !text.starts_with(' ')
            && (block::has_exception(text) || is_raised(text))
        {
            self.block.message(text);
        }
        if text.trim_start().starts_with("File \"")
            && let Some(place) = place::anywhere(text)
        {
            if self.block.place.is_none() || !place::is_foreign(&place.file) {
                self.block.at(place);
            }
            return;
        }
        if text.starts_with("[XPASS(strict)]") || text.starts_with("INTERNALERROR") {
            self.block.message(text);
        }
    }
}

/// `tests/test_a.py ..F.s   [ 12%]`: one character per test.
fn dots(text: &str, facts: &mut Facts) -> bool {
    let Some((head, percent)) = text.rsplit_once('[') else {
        return false;
    };
    let percent = percent.strip_suffix("%]").map(str::trim);
    if !percent.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
        return false;
    }
    let head = head.trim_end();
    let marks = head.rsplit(' ').next().unwrap_or(head);
    // `tests/test_a.py ..F` or the marks alone.
    let file = head[..head.len() - marks.len()].trim_end();
    if !(file.is_empty() || is_module(file)) {
        return false;
    }
    if marks.is_empty() || !marks.bytes().all(|byte| b".FEsxXR".contains(&byte)) {
        return false;
    }
    for mark in marks.bytes() {
        match mark {
            b'.' => facts.saw(TOOL, Category::Passed),
            b'F' | b'E' => facts.saw(TOOL, Category::Failed),
            b's' => facts.saw(TOOL, Category::Skipped),
            b'x' => facts.saw(TOOL, Category::Xfailed),
            _ => {}
        }
    }
    true
}

/// `stockroom.core.OutOfStock: only 3 left`, where a traceback ends: a class in a module.
fn is_raised(text: &str) -> bool {
    let name = text.split(": ").next().unwrap_or(text);
    let class = name.rsplit_once('.').map_or("", |(_, class)| class);
    class.starts_with(|first: char| first.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
        && name.len() < text.len()
}

fn is_module(file: &str) -> bool {
    std::path::Path::new(file)
        .extension()
        .is_some_and(|extension| extension == "py")
}

/// `tests/a.py::test_b PASSED   [  0%]`, or with xdist `[gw0] [  0%] PASSED tests/a.py::test_b`.
fn verbose(text: &str) -> Option<(&str, &str)> {
    const WORDS: &[&str] = &[
        "PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS", "RERUN",
    ];
    if let Some(rest) = text.strip_prefix("[gw") {
        let (_, rest) = rest.split_once("%] ")?;
        let (word, name) = rest.split_once(' ')?;
        let word = WORDS.iter().find(|known| **known == word)?;
        return Some((name.trim(), word));
    }
    if !text.contains("::") {
        return None;
    }
    let text = match text.rsplit_once(" [") {
        Some((head, tail)) if tail.ends_with("%]") => head.trim_end(),
        _ => text,
    };
    let text = match text.rsplit_once(" (") {
        Some((head, _)) if head.ends_with("SKIPPED") || head.ends_with("XFAIL") => head,
        _ => text,
    };
    let (name, word) = text.rsplit_once(' ')?;
    let word = WORDS.iter().find(|known| **known == word)?;
    let name = name.trim_end();
    let module = name.split("::").next()?;
    let fits = !module.contains(' ') || is_module(module) || module.contains(".py ");
    // `tests::parses --- FAILED` is what `cargo test -q` prints.
    (fits && !name.ends_with(" ---")).then_some((name, *word))
}

#[cfg(test)]
mod tests;
