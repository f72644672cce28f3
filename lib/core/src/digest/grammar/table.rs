//! Grammars that are tables: patterns ([`pattern`](super::super::pattern)) and what they mean.
//!
//! A new tool is a [`Table`] in [`tables`](super::tables) with its samples in the test there.

use super::super::count::{Category, duration, figure, pairs};
use super::super::facts::{Facts, Ticket};
use super::super::index::{Group, Index, Word};
use super::super::pattern::{self, Gaps};
use super::super::place;
use super::super::problem::Severity;
use super::{Grammar, Line};

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// A run begins.
    Start,
    /// The test `{name}` passed.
    Pass,
    /// The test `{name}` failed; `{message}` and `{place}` may be on the line. The lines after it,
    /// up to the next that a pattern knows, are its details.
    Fail,
    /// The same, and only indented lines are its details.
    FailIndented,
    /// The same, and no details follow.
    FailLine,
    /// The test `{name}` failed; what was printed since the last known line are its details.
    FailAfter,
    /// The details of the failing test `{name}` follow, if it is known; else it is one.
    Details,
    /// The test `{name}` was skipped.
    Skip,
    /// A result line: pairs of number and word.
    Result,
    /// A result line with one category: `{n}`.
    Part(Category),
    /// `{message}`, maybe at `{place}`, is an error, a warning.
    Problem(Severity),
    /// The same, and its place follows on a line of its own.
    Held(Severity),
    /// The place of the problem before: `{place}`.
    At,
    /// Worth showing.
    Show,
    /// Nothing; it ends the details before it.
    End,
}

/// A tool's table.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) tool: &'static str,
    /// Text that a line must hold before anything else of the table counts; empty: none.
    pub(super) begins: &'static str,
    /// The details of a failing test follow later, below a line that is its name.
    pub(super) headings: bool,
    pub(super) rules: &'static [(&'static str, Act)],
}

/// A table at work in one lane.
#[derive(Debug)]
pub(super) struct Tabled {
    table: &'static Table,
    begins: Word,
    /// The anchor of each rule: most lines hold none of them.
    anchors: Vec<Word>,
    any_anchor: Group,
    active: bool,
    /// The failing test is named after its details: lines are remembered.
    collects: bool,
    open: Option<Ticket>,
    indented: bool,
    /// Lines since the last known one, for [`Act::FailAfter`].
    recent: Vec<String>,
    /// A problem whose place follows.
    held: Option<(Severity, String, u64)>,
}

/// The most recent lines remembered for a failure that is named after its details.
const RECENT_MAX: usize = 40;

impl Table {
    /// What is looked for in each line, before any pattern is tried.
    pub(super) fn words(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.begins).chain(self.anchors())
    }

    fn anchors(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().map(|(rule, _)| pattern::anchor(rule))
    }
}

impl Tabled {
    pub(super) fn new(table: &'static Table, index: &Index) -> Self {
        let after = table.rules.iter().any(|(_, act)| *act == Act::FailAfter);
        Self {
            table,
            begins: index.word(table.begins),
            anchors: table.anchors().map(|anchor| index.word(anchor)).collect(),
            any_anchor: index.group(table.anchors()),
            collects: after && !table.begins.is_empty(),
            active: table.begins.is_empty(),
            open: None,
            indented: false,
            recent: Vec::new(),
            held: None,
        }
    }

    fn act(&mut self, act: Act, gaps: &Gaps<'_, '_>, line: Line<'_>, facts: &mut Facts) {
        let tool = self.table.tool;
        let open = self.open.take();
        match act {
            Act::Start => facts.start(tool),
            Act::Pass => facts.saw(tool, Category::Passed),
            Act::Skip => facts.saw(tool, Category::Skipped),
            Act::Fail | Act::FailIndented | Act::FailLine | Act::FailAfter | Act::Details => {
                self.fail(act, gaps, line, facts);
            }
            Act::Held(severity) => {
                self.release(None, facts);
                let text = gaps.get("message").unwrap_or(line.text);
                self.held = Some((severity, text.to_owned(), line.no));
            }
            Act::At => self.release(gaps.get("place"), facts),
            Act::Result => {
                if let Some(suite) = open.filter(|_| tool == "robot") {
                    // The suite's own line, between its tests and its result.
                    facts.retract(tool, suite);
                }
                result(tool, line.text, facts);
            }
            Act::Part(category) => {
                if let Some(number) = gaps.get("n").and_then(figure) {
                    facts.part(tool, category, number);
                }
            }
            Act::Problem(severity) => {
                facts.tool(tool);
                let shown = gaps.get("place").map(str::trim);
                let whole = line.text.trim_start_matches(['│', ' ']);
                let text = match shown {
                    Some(_) => gaps.get("message").unwrap_or(whole),
                    None => whole,
                };
                facts.problems.add(severity, shown, text, line.no);
            }
            Act::Show => {
                facts.tool(tool);
                facts.note(line.text, line.no);
            }
            Act::End => {}
        }
        self.recent.clear();
    }

    /// Adds the problem whose place was awaited.
    fn release(&mut self, place: Option<&str>, facts: &mut Facts) {
        if let Some((severity, text, line)) = self.held.take() {
            facts.tool(self.table.tool);
            facts
                .problems
                .add(severity, place.map(str::trim), &text, line);
        }
    }

    fn fail(&mut self, act: Act, gaps: &Gaps<'_, '_>, line: Line<'_>, facts: &mut Facts) {
        let Some(name) = gaps.get("name") else { return };
        let name = name.trim_end_matches(['─', '-', '=', ' ']);
        let known = facts.known(name).is_some();
        // node:test prints a suite like a test: only its own totals count.
        if !known && self.table.tool != "node --test" {
            facts.saw(self.table.tool, Category::Failed);
        }
        let at = facts.fail(self.table.tool, name, line.no);
        if let Some(place) = gaps.get("place").and_then(place::anywhere)
            && let Some(failure) = facts.failure(at)
        {
            failure.block.at(place);
        }
        if let Some(message) = gaps.get("message") {
            facts.message(at, message, line.no);
        }
        if act == Act::FailAfter {
            for text in &self.recent {
                facts.detail(at, text, line.no);
            }
        }
        self.open = matches!(act, Act::Fail | Act::FailIndented | Act::Details).then_some(at);
        self.indented = act == Act::FailIndented;
    }
}

/// A result line of its own: the tool's pairs, and its duration at the end.
fn result(tool: &'static str, text: &str, facts: &mut Facts) {
    let mut counts = pairs(text);
    let skips = [Category::Skipped, Category::Ignored, Category::Pending];
    if let Some(total) = counts.get(Category::Total)
        && counts.get(Category::Passed).is_none()
    {
        let bad: u64 = [Category::Failed, Category::Errors]
            .iter()
            .chain(&skips)
            .filter_map(|category| counts.get(*category))
            .sum();
        counts.add(Category::Passed, total.saturating_sub(bad));
    }
    let spent = [" in ", "Duration: ", "duration: ", " after "]
        .iter()
        .find_map(|word| {
            let (_, rest) = text.rsplit_once(word)?;
            duration(rest.split([',', ')']).next()?)
        });
    facts.result(tool, counts, spent);
}

impl Grammar for Tabled {
    fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        if !self.active {
            if !line.words.has(self.begins) {
                return false;
            }
            self.active = true;
        }
        if line.words.any(&self.any_anchor)
            && let Some((gaps, act)) = self.find(line)
        {
            self.act(act, &gaps, line, facts);
            return true;
        }
        if self.table.headings
            && let Some(at) = facts.known(line.trimmed())
        {
            self.open = Some(at);
            self.indented = false;
            return true;
        }
        if let Some(at) = self.open {
            if self.indented && line.indent() == 0 && !line.text.is_empty() {
                self.open = None;
                return false;
            }
            facts.detail(at, line.text, line.no);
            return true;
        }
        if self.collects() {
            if self.recent.len() >= RECENT_MAX {
                self.recent.remove(0);
            }
            self.recent.push(line.text.to_owned());
            return true;
        }
        false
    }

    fn end(&mut self, facts: &mut Facts) {
        self.release(None, facts);
    }

    fn is_open(&self) -> bool {
        self.held.is_some()
            || self.open.is_some()
            || self.collects()
            || (self.active && self.table.headings)
    }
}

impl Tabled {
    /// The first rule that describes the line.
    fn find<'t>(&self, line: Line<'t>) -> Option<(Gaps<'static, 't>, Act)> {
        let mut rules = self.table.rules.iter().zip(&self.anchors);
        rules.find_map(|((pattern, act), anchor)| {
            let may = line.words.has(*anchor);
            let gaps = may.then(|| pattern::find(pattern, line.text)).flatten()?;
            Some((gaps, *act))
        })
    }

    /// Whether lines are remembered because the failing test is named after them.
    fn collects(&self) -> bool {
        self.active && self.collects
    }
}
