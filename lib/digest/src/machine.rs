//! Where lines go: to the lane they belong to, there to the grammar that is at work, else to the
//! one that recognises them, else to the outline.

mod ask;

use super::Live;
use super::aside::Aside;
use super::clean::clean;
use super::count::{Category, Counts};
use super::custom::Custom;
use super::facts::{Facts, Failure, Session};
use super::grammar::{self, Wakes};
use super::index::Index;
use super::json::Document;
use super::lane::{self, Lanes};
use super::line::Line;
use super::outline::{Kept, Outline, Weights};
use super::problem::Problem;
use super::repeats::{FROM_LINES, Heard, Repeats, Shape};
use super::scan::Scanner;
use super::tally;
use ask::Lane;
use overnight_redact::multi_search::MultiSearch;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The failing names that [`Live`] carries at most.
const LIVE_MAX: usize = 200;

/// So many of the last lines are always shown, unless a grammar took them.
const LAST: usize = 2;

/// Everything that is known while an output is read.
#[derive(Debug)]
pub(super) struct Machine {
    custom: Vec<Custom>,
    lanes: Lanes,
    states: Vec<Lane>,
    facts: Facts,
    outline: Outline,
    index: &'static Index,
    wakes: Cow<'static, Wakes>,
    weights: Weights,
    any_open: bool,
    repeats: Repeats,
    /// The shape of the line that is to be shown next.
    shape: Option<Shape>,
    /// A person's pattern has too little text of its own to be looked for.
    vague: bool,
}

/// What is left when the output has ended.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) tool: Option<String>,
    pub(super) counts: Counts,
    pub(super) results: Vec<(&'static str, Counts)>,
    pub(super) counted: Option<Counts>,
    pub(super) lint: bool,
    pub(super) by_file: bool,
    pub(super) notes: Vec<(u64, String)>,
    pub(super) duration_ms: Option<u64>,
    pub(super) failures: Vec<Failure>,
    pub(super) failures_left_out: u64,
    pub(super) left_out_at: Option<u64>,
    pub(super) problems: Vec<Problem>,
    pub(super) outline: Outline,
    pub(super) asides: Vec<Aside>,
    pub(super) runs: Vec<(u64, u64)>,
    /// Of the last lines those that no grammar took.
    pub(super) last: Vec<Kept>,
}

/// What the lines that matter hold, where nobody has grammars of their own.
static SCANNER: LazyLock<Scanner> =
    LazyLock::new(|| Scanner::new(MultiSearch::new(grammar::anchors(), false)));

impl Machine {
    pub(super) fn new(custom: Vec<Custom>) -> Self {
        let custom_count = custom.len();
        let index: &Index = &grammar::INDEX;
        let vague = custom
            .iter()
            .flat_map(|custom| custom.0.anchors())
            .any(|anchor| anchor.len() < 2);
        Self {
            vague,
            custom,
            lanes: Lanes::default(),
            states: Vec::new(),
            facts: Facts::default(),
            outline: Outline::default(),
            weights: Weights::new(index),
            wakes: Wakes::shared(custom_count),
            index,
            any_open: false,
            repeats: Repeats::after(FROM_LINES),
            shape: None,
        }
    }

    /// Whether the next line must be looked at, whatever it holds.
    pub(super) fn wants_every_line(&self) -> bool {
        self.any_open || self.vague || self.facts.asides.is_open()
    }

    /// Lines as they came, each with its newline, whether [`Machine::line`] got them or nobody; the
    /// first has the number `no`.
    pub(super) fn pass(&mut self, text: &[u8], no: u64) {
        self.outline.lines(text, no);
    }

    /// Whether the line behind these is like many before it that left nothing behind: then it need not be
    /// looked at. Else it goes to [`Machine::line`] next.
    pub(super) fn knows(&mut self, raw: &[u8], before: &[u8]) -> bool {
        self.shape = None;
        if self.any_open || self.facts.asides.is_open() {
            return false;
        }
        let state = || {
            let after_empty = matches!(before, [] | b"\n" | [.., b'\n', b'\n']);
            let after_rule = matches!(before, [.., b'-' | b'=', b'\n']);
            let start = u64::from(after_rule) << 1 | u64::from(after_empty);
            let awake = self.states.iter().map(Lane::awake);
            awake.fold(start, |all, awake| all.rotate_left(7) ^ awake)
        };
        match self.repeats.hear(raw, state) {
            Heard::Shown(shape) => {
                self.shape = shape;
                false
            }
            Heard::LeftOut(spot) => {
                self.outline.again(spot);
                true
            }
        }
    }

    /// A line that holds an anchor, or comes while something is open; `plain` is the same, if it is known to
    /// be plain text, and `before` what stands before it ([`Line::before`]).
    pub(super) fn line(&mut self, raw: &[u8], plain: Option<&str>, no: u64, before: &[u8]) {
        let shape = self.shape.take();
        let text = match plain {
            Some(plain) => Cow::Borrowed(plain.trim_ascii_end()),
            None => clean(raw),
        };
        let own = || self.custom.iter().any(|custom| custom.0.knows(&text));
        let (lane, text) = if lane::may_split(raw) && !own() {
            self.lanes.split(&text)
        } else {
            (0, &*text)
        };
        self.enter(lane);
        self.read_earlier(lane);
        self.facts.begin_line(no);
        let words = &self.index.words(text);
        let seen = &Line {
            text,
            no,
            before,
            words,
        };
        let taken = self.states[lane].line(seen, &self.wakes, &mut self.facts);
        let mut spot = None;
        if taken {
            self.facts.asides.take(no);
        } else {
            let (error, denied) = self.weights.speaks(words);
            self.facts.asides.look(seen, error, denied);
            spot = self.outline.look(text, no, self.weights.of(words));
            if lane == 0 {
                self.lanes.keep(seen);
            }
        }
        if let Some(shape) = shape {
            let matters = taken || self.facts.matters();
            self.repeats.learn(shape, matters, spot);
        }
        self.any_open = self.states.iter().any(|state| state.open);
    }

    /// Lines from before this lane was known to be one.
    fn read_earlier(&mut self, lane: usize) {
        for earlier in self.lanes.earlier() {
            let lane::Earlier { no, text, previous } = earlier;
            self.facts.begin_line(no);
            let words = &self.index.words(&text);
            let seen = &Line {
                text: &text,
                no,
                before: &previous,
                words,
            };
            self.states[lane].line(seen, &self.wakes, &mut self.facts);
        }
    }

    /// The next line is of this lane.
    fn enter(&mut self, lane: usize) {
        self.facts.lane_id = lane;
        self.facts.lane.clear();
        if lane > 0 {
            self.facts.lane.push_str(self.lanes.name(lane));
            self.facts.lane.push(' ');
        }
        while self.states.len() <= lane {
            self.states.push(Lane::new(&self.custom, self.index));
        }
    }

    /// A document on a line too long to be looked at as a whole: what was read of it up to now.
    pub(super) fn document(&mut self, document: &mut Document, is_over: bool) {
        self.facts.lane_id = 0;
        self.facts.lane.clear();
        self.facts.begin_line(self.facts.now.no);
        if is_over {
            document.finish(&mut self.facts);
        } else {
            document.flush(&mut self.facts);
        }
    }

    /// What is known after so many lines.
    pub(super) fn live(&self, lines: u64) -> Live {
        let sum = |category| {
            self.facts
                .sessions
                .iter()
                .flat_map(|session| [&session.seen, &session.later])
                .filter_map(|counts| counts.get(category))
                .sum()
        };
        let failing = self.facts.failures.iter().take(LIVE_MAX);
        Live {
            passed: sum(Category::Passed),
            failed: self.facts.failures.len() as u64 + self.facts.left_out,
            lines,
            failing: failing.map(|failure| failure.name.clone()).collect(),
        }
    }

    /// Tells all grammars that the output has ended.
    fn end(&mut self) {
        self.facts.asides.end();
        for lane in 0..self.states.len() {
            self.enter(lane);
            for grammar in &mut self.states[lane].grammars {
                grammar.end(&mut self.facts);
            }
        }
        self.facts.sessions.iter_mut().for_each(Session::settle);
    }

    /// So many lines are shown to the grammars before any is left out, whatever their length.
    #[cfg(test)]
    pub(super) fn show(&mut self, lines: u64) {
        self.repeats = Repeats::after(lines);
    }

    /// From now on every grammar is asked about every line that is shown.
    #[cfg(test)]
    pub(super) fn ask_all(&mut self) {
        self.wakes.to_mut().ask_all();
    }

    /// What the grammars found.
    #[cfg(test)]
    pub(super) fn into_facts(mut self) -> Facts {
        self.end();
        self.facts
    }

    pub(super) fn finish(mut self, failed: bool, lines: u64, tests: bool) -> Parts {
        self.facts.failed = Some(failed);
        self.end();
        if self.facts.tools.is_empty() {
            self.facts.tools.extend(self.facts.fallback);
        }
        tally::disown(&mut self.facts);
        let verdict = tally::of(&self.facts, failed, (lines, tests));
        self.facts.failures.iter_mut().for_each(Failure::settle);
        let counts_tests = |(_, counts): &&(&str, Counts)| {
            let count = counts.get(Category::Passed);
            count.or(counts.get(Category::Failed)).is_some()
        };
        let testers = verdict.results.iter().filter(counts_tests);
        let testers: Vec<&str> = testers.map(|(tool, _)| *tool).collect();
        let asides = &self.facts.asides;
        let last = (self.outline.tail.iter().rev())
            .filter(|kept| kept.text().contains(char::is_alphanumeric))
            .take(LAST)
            .filter(|kept| !asides.is_taken(kept.line + kept.count - 1));
        let mut last: Vec<Kept> = last.cloned().collect();
        last.reverse();
        Parts {
            asides: asides.outside(&verdict.tools),
            runs: asides.runs(&testers),
            last,
            tool: (!verdict.tools.is_empty()).then(|| verdict.tools.join(" + ")),
            counts: verdict.counts,
            results: verdict.results,
            counted: verdict.counted,
            duration_ms: verdict.duration_ms,
            lint: self.facts.lint,
            by_file: self.facts.by_file,
            notes: self.facts.notes,
            failures: self.facts.failures,
            failures_left_out: self.facts.left_out,
            left_out_at: self.facts.left_out_at,
            problems: self.facts.problems.into_list(failed),
            outline: self.outline,
        }
    }

    /// What the lines that matter hold.
    pub(super) fn scanner(&self) -> Scanner {
        if self.custom.is_empty() {
            return SCANNER.clone();
        }
        let own = self.custom.iter().flat_map(|custom| custom.0.anchors());
        Scanner::new(MultiSearch::new(grammar::anchors().chain(own), false))
    }
}
