//! What the grammars found, whoever found it.

mod failure;
mod runs;
mod session;

use super::aside::Asides;
use super::block::Block;
use super::clean::cut_end;
use super::count::{Category, Counts};
use super::names::{Names, same};
use super::problem::{Problems, Severity};
pub use failure::Failure;
pub(super) use failure::Ticket;
pub(super) use session::{ANYBODY, Session};

/// The most failing tests kept by name, and the most of them with their details: some hundred
/// times what a digest can show, in about 2 MiB.
const FAILURES_MAX: usize = 4_000;
const DETAILS_MAX: usize = 300;
const NAME_MAX: usize = 400;
/// The most lines that are shown as they are.
const NOTES_MAX: usize = 80;
/// A test that was said to fail so often has been told: in an output that repeats itself its details
/// are no longer read.
const OFTEN: u8 = 16;

/// What is known of a test by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing: should it fail, it is kept.
    Not,
    /// It fails, and details are welcome.
    Fails,
    /// It fails, and was said to often.
    Often,
    /// Nothing, and should it fail, it is one too many.
    Beyond,
}

/// What is known of the current line beside its text.
#[derive(Debug, Default)]
pub(super) struct Now {
    /// Its number in the log.
    pub(super) no: u64,
    /// What it states, anybody might print: it counts where other lines speak for the same tool.
    pub(super) weak: bool,
    /// A result that it states again is that of another run, if tests ran in between: its tool prints
    /// one for each run.
    pub(super) sums: bool,
    /// It left something behind, or what it does depends on what was left behind: on tests that are known by
    /// their names.
    matters: bool,
    /// So many problems were told of before it.
    problems: u64,
}

/// Everything found so far.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) tools: Vec<&'static str>,
    pub(super) sessions: Vec<Session>,
    pub(super) failures: Vec<Failure>,
    pub(super) left_out: u64,
    pub(super) left_out_at: Option<u64>,
    pub(super) problems: Problems,
    /// Lines worth showing as they are, in order, with their line in the log.
    pub(super) notes: Vec<(u64, String)>,
    /// The tool, if no other is recognised.
    pub(super) fallback: Option<&'static str>,
    /// A result line stated the number of errors, warnings or problems.
    pub(super) problems_stated: bool,
    /// How long the whole took, as printed.
    pub(super) total_ms: Option<u64>,
    /// Whether the command failed, once the output has ended.
    pub(super) failed: Option<bool>,
    /// A linter is at work: its warnings are its result.
    pub(super) lint: bool,
    /// A linter names each file above its problems.
    pub(super) by_file: bool,
    /// Of the current line.
    pub(super) now: Now,
    /// Tools of which more was seen than lines of single tests, which a test of another tool may
    /// print.
    pub(super) grounds: Vec<&'static str>,
    /// So often each tool said of a test that it failed.
    told: Vec<(&'static str, u64)>,
    names: Names,
    /// Where the last session of each tool and lane stands: among hundreds that are over, they are looked
    /// for with each line.
    latest: Vec<usize>,
    /// Set before each line: put before the name of tests (a monorepo's package).
    pub(super) lane: String,
    /// The number of the lane; each has its own sessions.
    pub(super) lane_id: usize,
    /// Where runs began and ended, and what stands outside of them.
    pub(super) asides: Asides,
}

impl Facts {
    /// The next line is read.
    pub(super) fn begin_line(&mut self, no: u64) {
        self.now = Now {
            no,
            problems: self.problems.told(),
            ..Now::default()
        };
    }

    /// Whether the current line left something behind, or could have: then the next one like it may mean
    /// something else.
    pub(super) fn matters(&self) -> bool {
        self.now.matters || self.problems.told() > self.now.problems
    }

    /// Notes that this tool is at work.
    pub(super) fn tool(&mut self, tool: &'static str) {
        let known = |known: &&str| same(known, tool);
        if !tool.is_empty() && !self.tools.iter().any(known) && self.tools.len() < 16 {
            self.tools.push(tool);
        }
    }

    /// A problem that this tool states.
    pub(super) fn problem(
        &mut self,
        (tool, severity): (&'static str, Severity),
        place: Option<&str>,
        text: &str,
        no: u64,
    ) -> Option<usize> {
        self.tool(tool);
        self.problems.add((tool, severity), place, text, no)
    }

    /// So often this tool said of a test that it failed.
    fn failures_named(&self, tool: &str) -> u64 {
        let own = self.told.iter().find(|(known, _)| same(known, tool));
        own.map_or(0, |(_, told)| *told)
    }

    /// This tool says of a test that it failed.
    fn name_failure(&mut self, tool: &'static str) {
        match self.told.iter_mut().find(|(known, _)| same(known, tool)) {
            Some((_, told)) => *told += 1,
            None => self.told.push((tool, 1)),
        }
    }

    /// Something was seen that only this tool prints.
    pub(super) fn ground(&mut self, tool: &'static str) {
        if !self.grounds.contains(&tool) {
            self.grounds.push(tool);
        }
    }

    /// A run of this tool has ended here, though its result is not stated.
    pub(super) fn rest(&mut self, tool: &'static str) {
        self.asides.stated(tool, self.lane_id, self.now.no);
    }

    /// This tool was not at work: a test printed its lines.
    pub(super) fn disown(&mut self, tool: &'static str) {
        self.withdraw(tool);
        self.tools.retain(|known| *known != tool);
        self.failures.retain(|failure| failure.tool != tool);
    }

    /// The line of a single test.
    pub(super) fn saw(&mut self, tool: &'static str, category: Category) {
        self.saw_all(tool, category, 1);
    }

    /// A line of so many tests.
    pub(super) fn saw_all(&mut self, tool: &'static str, category: Category, number: u64) {
        self.now.matters = true;
        self.asides.saw(tool, self.lane_id, self.now.no);
        self.session(tool).singles().add(category, number);
    }

    /// The result of one class or file among several: it is checked against the total.
    pub(super) fn saw_class(&mut self, tool: &'static str, counts: &Counts) {
        let bad = [Category::Failed, Category::Errors];
        let failed = bad.iter().filter_map(|category| counts.get(*category));
        match failed.sum() {
            0 => self.now.matters = true,
            failed => self.saw_all(tool, Category::Failed, failed),
        }
    }

    /// The place of a failing test, as printed.
    pub(super) fn place(&mut self, at: Ticket, shown: &str) {
        let failure = self.failure(at);
        if let (Some(failure), Some(place)) = (failure, super::place::anywhere(shown)) {
            failure.block.at(place);
        }
    }

    /// Where a failing test begins, as printed: what it says may tell better where it failed.
    pub(super) fn place_of_test(&mut self, at: Ticket, shown: &str) {
        let failure = self.failure(at);
        if let (Some(failure), Some(place)) = (failure, super::place::anywhere(shown)) {
            failure.block.near(place);
        }
    }

    /// A failing test by name; returns its number, for details. One that is known is not added.
    pub(super) fn fail(&mut self, tool: &'static str, name: &str, line: u64) -> Ticket {
        self.tool(tool);
        self.name_failure(tool);
        let name = cut_end(name.trim(), NAME_MAX);
        match self.ask(&name) {
            (Known::Often, _) => return Ticket::NONE,
            (Known::Beyond, _) => {
                self.leave_out(line);
                return Ticket::NONE;
            }
            (_, Some(at)) => {
                self.failures[at].said += 1;
                return Ticket(Some(at));
            }
            _ => {}
        }
        self.failures.push(Failure {
            name: format!("{}{name}", self.lane),
            log_lines: (line, line),
            tool,
            ..Failure::default()
        });
        let last = self.failures.len() - 1;
        self.names.enter(last, |at| &self.failures[at].name);
        Ticket(Some(last))
    }

    /// A failing test too many to be kept.
    pub(super) fn leave_out(&mut self, line: u64) {
        self.now.matters = true;
        self.left_out += 1;
        self.left_out_at.get_or_insert(line);
    }

    /// The failing test of this name, of which nothing is kept, was none.
    pub(super) fn unsee(&mut self, tool: &'static str, name: &str) {
        self.now.matters = true;
        if self.of(name.as_bytes()).0 == Known::Beyond {
            self.left_out = self.left_out.saturating_sub(1);
        }
        let seen = self.session(tool).singles();
        let failed = seen.get(Category::Failed).unwrap_or(0);
        seen.set(Category::Failed, failed.saturating_sub(1));
    }

    /// A failing test that is known was said to fail again.
    pub(super) fn mention(&mut self, name: &str) {
        if let (_, Some(at)) = self.of(name.as_bytes()) {
            self.failures[at].said = self.failures[at].said.saturating_add(1);
        }
    }

    /// Whether details of this test are welcome, should it fail.
    pub(super) fn wants(&mut self, name: &str) -> bool {
        matches!(self.ask(name).0, Known::Not | Known::Fails)
    }

    /// What is known of a test by its name, without the name of the lane.
    pub(super) fn of(&self, name: &[u8]) -> (Known, Option<usize>) {
        let full;
        let name = if self.lane.is_empty() {
            name
        } else {
            full = [self.lane.as_bytes(), name].concat();
            &full
        };
        let is = |at: usize| self.failures[at].name.as_bytes() == name;
        let at = self.names.find(name, is);
        let known = match at {
            Some(at) if self.failures[at].said >= OFTEN => Known::Often,
            Some(_) => Known::Fails,
            None if self.failures.len() >= FAILURES_MAX => Known::Beyond,
            None => Known::Not,
        };
        (known, at)
    }

    fn ask(&mut self, name: &str) -> (Known, Option<usize>) {
        self.now.matters = true;
        self.of(name.as_bytes())
    }

    /// Takes back the last failing test: it was a group of tests.
    pub(super) fn retract(&mut self, tool: &'static str, at: Ticket) {
        self.now.matters = true;
        let last = self.failures.len().checked_sub(1);
        if at.0.is_some() && at.0 == last {
            if let Some(failure) = self.failures.pop() {
                self.names.leave(self.failures.len(), &failure.name);
            }
            let mut told = self.told.iter_mut();
            if let Some((_, told)) = told.find(|(known, _)| same(known, tool)) {
                *told -= 1;
            }
            let seen = self.session(tool).singles();
            let failed = seen.get(Category::Failed).unwrap_or(0);
            seen.set(Category::Failed, failed.saturating_sub(1));
        }
    }

    /// A grammar that does not take the current line keeps something of it all the same, or changes by it while
    /// it is closed: the next one like it is shown, too.
    pub(super) fn keep(&mut self) {
        self.now.matters = true;
    }

    /// A failing test that was reported.
    pub(super) fn failure(&mut self, at: Ticket) -> Option<&mut Failure> {
        let at = at.0?;
        self.now.matters = true;
        self.failures.get_mut(at)
    }

    /// The failing test that is known by this name.
    pub(super) fn known(&mut self, name: &str) -> Option<Ticket> {
        match self.ask(name) {
            (Known::Often, _) => Some(Ticket::NONE),
            (_, at) => at.map(|at| Ticket(Some(at))),
        }
    }

    /// A line of a failing test's section.
    pub(super) fn detail(&mut self, at: Ticket, text: &str, line: u64) {
        self.explain(at, line, |block| block.push(text));
    }

    /// A line that is the message of a failing test.
    pub(super) fn message(&mut self, at: Ticket, text: &str, line: u64) {
        self.explain(at, line, |block| block.message(text));
    }

    fn explain(&mut self, at: Ticket, line: u64, put: impl FnOnce(&mut Block)) {
        let Some(at) = at.0 else { return };
        self.now.matters = true;
        if let Some(failure) = self.failures.get_mut(at) {
            if at < DETAILS_MAX || failure.block.is_empty() {
                put(&mut failure.block);
            }
            failure.log_lines.1 = line.max(failure.log_lines.1);
        }
    }

    /// A line worth showing as it is.
    pub(super) fn note(&mut self, text: &str, line: u64) {
        let text = cut_end(text.trim(), 400);
        self.now.matters = true;
        if self.notes.len() < NOTES_MAX && !self.notes.iter().any(|(_, known)| *known == text) {
            self.notes.push((line, text.into_owned()));
        }
    }
}
