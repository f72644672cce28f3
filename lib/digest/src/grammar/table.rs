//! Grammars that are tables: patterns ([`pattern`](super::super::pattern)) and what they mean.
//!
//! A new tool is an entry in `grammars/`, with its samples in the tests of [`tables`](super::tables).

mod problem;
mod totals;

use super::super::count::{Category, figure};
use super::super::facts::{Facts, Ticket};
use super::super::index::{Group, Index, Word};
use super::super::meaning::Act;
use super::super::pattern::{self, Gaps};
use super::super::problem::Severity;
use super::super::table::{Rule, Table};
use super::{Grammar, INDEX, Line, is_other};
use problem::{problem, whole};
use std::borrow::Cow;
use totals::{part, result, tally};

/// Which failing tests are named after their details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Collects {
    None,
    /// The next one.
    Next,
    /// Each, until its tool says that the run is over.
    All,
    /// Each; its tool never says so.
    Always,
}

/// A table and the words that it looks for: the same in every lane.
#[derive(Debug, Clone)]
pub(super) struct Looks {
    pub(super) table: &'static Table,
    begins: Word,
    /// Each rule with its anchor: most lines hold none of them.
    rules: Vec<(Word, &'static Rule)>,
    any_anchor: Group,
    /// Those of tests that passed.
    any_pass: Group,
}

impl Looks {
    pub(super) fn new(table: &'static Table, index: &Index) -> Self {
        let rules = table.rules.iter();
        Self {
            table,
            begins: index.word(table.begins),
            rules: rules.map(|rule| (index.word(rule.anchor), rule)).collect(),
            any_anchor: index.group(table.anchors()),
            any_pass: index.group(table.passes()),
        }
    }
}

/// A table at work in one lane.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what follows"
)]
pub(super) struct Tabled {
    table: &'static Table,
    looks: Cow<'static, Looks>,
    active: bool,
    /// Whether failing tests are named after their details: then lines are remembered.
    collects: Collects,
    open: Option<Ticket>,
    /// The test that failed last.
    latest: Ticket,
    indented: bool,
    /// The last line of the details was blank: what follows may be another program's.
    pauses: bool,
    /// Its result stands above the details: those may be the last that it prints.
    stated: bool,
    /// Lines since the last known one, for [`Act::FailAfter`] and [`Act::Ahead`].
    recent: Vec<String>,
    /// The line that was known last.
    heard: u64,
    /// That was long ago: until it says something again, lines mean nothing else to it.
    rests: bool,
    /// The test that began last: its name, message, place and line.
    named: Option<[String; 3]>,
    /// The next line is the name of a failing test; the place that was said before, maybe empty.
    next: Option<String>,
    /// Tests that passed before anything told whose they are.
    early: u64,
    /// A problem whose place follows.
    held: Option<(Severity, String, u64)>,
}

/// The most recent lines remembered for a failure that is named after its details.
const RECENT_MAX: usize = 40;
/// After so many lines with nothing of this tool none is remembered, or may be a heading, until it says
/// something again: it was interrupted, or prints nothing at its end.
const IDLE_MAX: u64 = 500;

impl Tabled {
    pub(super) fn new(looks: &'static Looks) -> Self {
        Self::of(Cow::Borrowed(looks))
    }

    /// A person's own.
    pub(super) fn own(table: &'static Table) -> Self {
        Self::of(Cow::Owned(Looks::new(table, &INDEX)))
    }

    fn of(looks: Cow<'static, Looks>) -> Self {
        let table = looks.table;
        let has = |is: fn(Act) -> bool| table.rules.iter().any(|rule| is(rule.act));
        let (after, ends) = (has(|act| act == Act::FailAfter), has(is_end));
        Self {
            table,
            looks,
            collects: match after && !table.begins.is_empty() {
                true if ends => Collects::All,
                true => Collects::Always,
                false => Collects::None,
            },
            active: table.begins.is_empty(),
            open: None,
            latest: Ticket::NONE,
            indented: false,
            pauses: false,
            stated: false,
            recent: Vec::new(),
            heard: 0,
            rests: false,
            named: None,
            next: None,
            early: 0,
            held: None,
        }
    }

    fn act(&mut self, act: Act, gaps: &Gaps<'_, '_>, line: &Line<'_>, facts: &mut Facts) {
        let tool = self.table.tool;
        (self.open, self.pauses, self.heard) = (None, false, line.no);
        self.stated = act.states() || self.stated && !act.runs();
        facts.now.weak = !self.table.firm;
        facts.now.sums = !matches!(act, Act::Add(_));
        match act {
            Act::Start => facts.start(tool),
            Act::Pass => facts.saw(tool, Category::Passed),
            Act::Skip => facts.saw(tool, Category::Skipped),
            Act::Fail | Act::FailDetailed | Act::FailIndented | Act::FailAfter | Act::Details => {
                self.fail(act, gaps, line, facts);
            }
            Act::Statement => {
                let said = line.trimmed().trim_start_matches(['^', ' ']);
                facts.message(self.latest, said, line.no);
            }
            Act::Section => self.open = name(gaps).and_then(|name| facts.known(name)),
            Act::FailNext => self.next = Some(at(gaps).unwrap_or_default().to_owned()),
            Act::Name => {
                let texts = [name(gaps), gaps.get("message"), at(gaps)];
                self.named = Some(texts.map(|text| text.unwrap_or_default().to_owned()));
            }
            Act::NameFailed => self.named_failed(gaps, line, facts),
            Act::Excused => facts.retract(tool, std::mem::replace(&mut self.latest, Ticket::NONE)),
            Act::NamePassed => self.named_passed(facts),
            Act::Tally => tally(tool, gaps, facts),
            Act::Held(severity) => {
                self.release(None, facts);
                let text = gaps.get("message").unwrap_or_else(|| whole(line.text));
                self.held = Some((severity, text.to_owned(), line.no));
            }
            Act::At => self.release(at(gaps), facts),
            Act::End | Act::Leave | Act::Ahead => {}
            Act::Result => result(tool, line.text, facts),
            Act::FinalResult => {
                result(tool, line.text, facts);
                facts.close(tool);
            }
            Act::Final | Act::FinalShown => {
                tally(tool, gaps, facts);
                facts.close(tool);
                if act == Act::FinalShown {
                    facts.note(line.text, line.no);
                }
            }
            Act::Part(category) | Act::Add(category) | Act::First(category) => {
                if let Some(number) = gaps.get("n").and_then(figure) {
                    part(tool, act, (category, number), facts);
                }
            }
            Act::Problem(severity) => problem(tool, severity, gaps, line, facts),
            Act::Show => {
                facts.tool(tool);
                facts.note(line.text, line.no);
            }
        }
        self.collect(act);
        (facts.now.weak, facts.now.sums) = (false, false);
    }

    /// Whether lines are remembered after this.
    fn collect(&mut self, act: Act) {
        let collects = matches!(self.collects, Collects::All | Collects::Always);
        if collects || self.table.headings {
            // Lines of other tools follow: they are not of the next failing test.
            self.active &= !is_end(act);
        }
        if !collects {
            self.collects = match act {
                Act::Ahead => Collects::Next,
                _ => Collects::None,
            };
        }
        self.recent.clear();
        self.rests = false;
    }

    /// Adds the problem whose place was awaited.
    fn release(&mut self, place: Option<&str>, facts: &mut Facts) {
        if let Some((severity, text, line)) = self.held.take() {
            facts.problem(
                (self.table.tool, severity),
                place.map(str::trim),
                &text,
                line,
            );
        }
    }

    /// A test that passed before anything told that this tool is at work.
    fn early(&mut self, line: &Line<'_>, facts: &mut Facts) {
        if line.words.any(&self.looks.any_pass)
            && let Some((_, Act::Pass)) = self.find(line)
        {
            self.early += 1;
            facts.keep();
        }
    }

    fn named_failed(&mut self, gaps: &Gaps<'_, '_>, line: &Line<'_>, facts: &mut Facts) {
        let Some([name, message, place]) = &self.named else {
            return facts.note(line.text, line.no);
        };
        if facts.known(name).is_none() {
            facts.saw(self.table.tool, Category::Failed);
        }
        let ticket = facts.fail(self.table.tool, name, line.no);
        let place = at(gaps).unwrap_or(place);
        facts.place(ticket, place);
        if !message.is_empty() {
            facts.message(ticket, message, line.no);
        }
        if let Some(message) = gaps.get("message") {
            facts.message(ticket, message, line.no);
        }
        self.latest = ticket;
        self.open = Some(ticket);
        self.indented = false;
    }

    fn named_passed(&mut self, facts: &mut Facts) {
        if self.named.take().is_some() {
            facts.saw(self.table.tool, Category::Passed);
        }
    }

    fn fail_next(&mut self, place: &str, line: &Line<'_>, facts: &mut Facts) {
        let tool = self.table.tool;
        let at = facts.fail(tool, line.trimmed(), line.no);
        facts.place(at, place);
        self.open = Some(at);
        self.indented = false;
    }

    fn fail(&mut self, act: Act, gaps: &Gaps<'_, '_>, line: &Line<'_>, facts: &mut Facts) {
        let Some(name) = name(gaps) else { return };
        let name = name.trim_end_matches(['─', '-', '=', ' ']);
        let known = facts.known(name).is_some();
        if !known && !self.table.suites {
            facts.saw(self.table.tool, Category::Failed);
        }
        let place = at(gaps);
        let at = facts.fail(self.table.tool, name, line.no);
        match place {
            // Its stack tells where in the test.
            Some(place) if act == Act::Details => facts.place_of_test(at, place),
            Some(place) => facts.place(at, place),
            None => {}
        }
        if let Some(message) = gaps.get("message") {
            facts.message(at, message, line.no);
        }
        self.latest = at;
        if act == Act::FailAfter || self.collects == Collects::Next {
            for text in &self.recent {
                facts.detail(at, text, line.no);
            }
        }
        self.open =
            matches!(act, Act::FailDetailed | Act::FailIndented | Act::Details).then_some(at);
        self.indented = act == Act::FailIndented;
    }
}

/// Whether a run is over with this.
fn is_end(act: Act) -> bool {
    matches!(act, Act::Final | Act::FinalResult)
}

/// The name that a line gives.
fn name<'t>(gaps: &Gaps<'_, 't>) -> Option<&'t str> {
    ["name", "id", "label", "call"]
        .iter()
        .find_map(|gap| gaps.get(gap))
}

/// The place that a line gives.
fn at<'t>(gaps: &Gaps<'_, 't>) -> Option<&'t str> {
    ["place", "at", "file"].iter().find_map(|gap| gaps.get(gap))
}

impl Grammar for Tabled {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if !self.active {
            if !line.words.has(self.looks.begins) {
                self.early(line, facts);
                return false;
            }
            self.active = true;
            for _ in 0..std::mem::take(&mut self.early) {
                facts.saw(self.table.tool, Category::Passed);
            }
        }
        if !line.text.is_empty()
            && let Some(place) = self.next.take()
        {
            self.fail_next(&place, line, facts);
            return true;
        }
        if line.words.any(&self.looks.any_anchor)
            && let Some((gaps, act)) = self.find(line)
        {
            self.act(act, &gaps, line, facts);
            return act != Act::Leave;
        }
        if self.open.is_none() && line.no - self.heard > IDLE_MAX {
            self.rests = true;
            self.recent.clear();
        }
        if self.waits()
            && let Some(at) = facts.known(line.trimmed())
        {
            (self.open, self.heard) = (Some(at), line.no);
            self.indented = false;
            return true;
        }
        if let Some(at) = self.open {
            let left = self.indented && line.indent() == 0 && !line.text.is_empty();
            if left || is_other(line.text) {
                (self.open, self.heard) = (None, line.no);
                return false;
            }
            self.pauses = line.text.is_empty();
            facts.detail(at, line.text, line.no);
            return true;
        }
        if self.collects() {
            self.remember(line.text);
            return true;
        }
        false
    }

    fn end(&mut self, facts: &mut Facts) {
        self.release(None, facts);
    }

    fn is_awake(&self) -> bool {
        self.active
    }

    fn is_open(&self) -> bool {
        self.held.is_some()
            || self.next.is_some()
            || self.open.is_some()
            || self.collects()
            || self.waits()
    }

    fn yields(&self) -> bool {
        // What never says that it has ended may be followed by anything.
        let may_be_over = match self.open {
            Some(_) => self.pauses || self.stated,
            None => self.collects() && self.collects == Collects::Always,
        };
        may_be_over && self.held.is_none() && self.next.is_none()
    }

    fn leave(&mut self) {
        (self.open, self.pauses, self.stated) = (None, false, false);
        self.recent.clear();
    }
}

impl Tabled {
    /// The first rule that describes the line.
    fn find<'t>(&self, line: &Line<'t>) -> Option<(Gaps<'static, 't>, Act)> {
        self.looks.rules.iter().find_map(|(anchor, rule)| {
            let may = line.words.has(*anchor);
            let found = may.then(|| pattern::find(rule.pattern, line.text));
            Some((found.flatten()?, rule.act))
        })
    }

    /// Whether lines are remembered because the failing test is named after them.
    fn collects(&self) -> bool {
        self.active && self.collects != Collects::None && !self.rests
    }

    /// Whether a line may be the heading of a failing test.
    fn waits(&self) -> bool {
        self.active && self.table.headings && !self.rests
    }

    fn remember(&mut self, text: &str) {
        if self.recent.len() >= RECENT_MAX {
            self.recent.remove(0);
        }
        self.recent.push(text.to_owned());
    }
}
