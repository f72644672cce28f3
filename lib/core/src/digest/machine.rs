//! Where lines go: to the lane they belong to, there to the grammar that is at work, else to the
//! one that recognises them, else to the outline.

use super::Live;
use super::clean::clean;
use super::count::{Category, Counts};
use super::custom::Custom;
use super::facts::{Facts, Failure};
use super::grammar::{self, Grammar, Line, Set, Wakes};
use super::index::Index;
use super::json::Document;
use super::lane::{self, Lanes};
use super::noise::{Again, Effect, Heard, Noise};
use super::outline::{Outline, Weights};
use super::problem::Problem;
use super::verdict;
use crate::needles::Needles;

/// The failing names that [`Live`] carries at most.
const LIVE_MAX: usize = 200;

/// The grammars of one lane.
#[derive(Debug)]
struct Lane {
    grammars: Vec<Box<dyn Grammar>>,
    /// The one that took the last line.
    current: usize,
    /// Those that are open.
    opens: Set,
    /// Those that remembered the current line without taking it.
    noted: Set,
    open: bool,
}

/// Everything that is known while an output is read.
#[derive(Debug)]
pub(super) struct Machine {
    custom: Vec<Custom>,
    lanes: Lanes,
    states: Vec<Lane>,
    facts: Facts,
    outline: Outline,
    index: Index,
    wakes: Wakes,
    weights: Weights,
    any_open: bool,
    noise: Noise,
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
    pub(super) notes: Vec<(u64, String)>,
    pub(super) duration_ms: Option<u64>,
    pub(super) failures: Vec<Failure>,
    pub(super) failures_left_out: u64,
    pub(super) left_out_at: Option<u64>,
    pub(super) problems: Vec<Problem>,
    pub(super) outline: Outline,
}

impl Machine {
    pub(super) fn new(custom: Vec<Custom>) -> Self {
        let custom_count = custom.len();
        let index = Index::new(grammar::words().chain(Weights::words()));
        let vague = custom
            .iter()
            .flat_map(Custom::anchors)
            .any(|anchor| anchor.len() < 2);
        Self {
            vague,
            custom,
            lanes: Lanes::default(),
            states: Vec::new(),
            facts: Facts::default(),
            outline: Outline::default(),
            weights: Weights::new(&index),
            wakes: Wakes::new(custom_count, &index),
            index,
            any_open: false,
            noise: Noise::default(),
        }
    }

    /// Whether the next line must be looked at, whatever it holds.
    pub(super) fn wants_every_line(&self) -> bool {
        self.any_open || self.vague || self.outline.is_open()
    }

    /// Lines that hold no anchor, each with its newline; the first has the number `no`.
    pub(super) fn skip(&mut self, text: &[u8], no: u64) {
        self.outline.lines(text, no);
    }

    /// A line that holds an anchor, or comes while something is open.
    pub(super) fn line(&mut self, raw: &[u8], no: u64) {
        self.outline.line(raw, no);
        let shape = match self.hear(raw) {
            Heard::Again(again) => return self.again(again),
            Heard::New(shape) => shape,
        };
        let text = clean(raw);
        let own = || self.custom.iter().any(|custom| custom.knows(&text));
        let (lane, text) = if lane::may_split(raw) && !own() {
            self.lanes.split(&text)
        } else {
            (0, &*text)
        };
        self.enter(lane);
        for (no, text) in self.lanes.earlier() {
            self.facts.previous.clear();
            self.facts.now.after_blank = true;
            self.facts.now.no = no;
            let words = &self.index.words(&text);
            let seen = Line {
                text: &text,
                no,
                words,
            };
            self.states[lane].line(seen, &self.wakes, &mut self.facts);
            self.facts.effect();
        }
        self.facts.now.no = no;
        self.facts.now.weak = false;
        if !self.any_open {
            self.outline.before_last(&mut self.facts.previous);
        }
        self.facts.now.after_blank = lane > 0 || self.outline.previous().is_none_or(lane::is_blank);
        let words = &self.index.words(text);
        let seen = Line { text, no, words };
        let open = self.states[lane].opens;
        let taken = self.states[lane].line(seen, &self.wakes, &mut self.facts);
        let counted = std::mem::take(&mut self.states[lane].noted);
        let mut spot = None;
        if !taken {
            spot = self.outline.look(text, no, self.weights.of(words));
            if lane == 0 {
                self.lanes.keep(no, text);
            }
        }
        if std::mem::take(&mut self.facts.now.awoken) {
            self.noise.forget();
        }
        // A line that was taken and counts nothing, or that opens or ends something, is to be seen.
        let effect = match self.facts.effect() {
            Effect::None if taken => Effect::More,
            _ if self.states[lane].opens != open => Effect::More,
            effect => effect,
        };
        let again = Again {
            spot,
            effect,
            counted,
            lane,
        };
        self.noise.learn(shape, again);
        self.any_open = self.states.iter().any(|state| state.open);
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
            self.states.push(Lane::new(&self.custom, &self.index));
        }
    }

    /// Whether the line is one of many that nobody takes.
    fn hear(&mut self, raw: &[u8]) -> Heard {
        let open = self.states.iter().map(Lane::mark);
        let open = open.fold(u64::from(self.outline.is_open()), |all, one| {
            all.rotate_left(7) ^ one
        });
        self.noise.hear(raw, open)
    }

    /// A line of which only this is to be done.
    fn again(&mut self, again: Again) {
        self.outline.again(again.spot);
        self.facts.lane_id = again.lane;
        match again.effect {
            Effect::Saw(tool, category) => self.facts.saw(tool, category),
            Effect::Problem(source, severity, kind) => {
                self.facts.problems.again(source, severity, kind);
            }
            Effect::None | Effect::More => {}
        }
        self.facts.effect();
        let Some(state) = self.states.get_mut(again.lane) else {
            return;
        };
        let mut next = again.counted.next(0);
        while let Some(at) = next {
            if let Some(grammar) = state.grammars.get_mut(at) {
                grammar.again();
            }
            next = again.counted.next(at + 1);
        }
    }

    /// A document on a line too long to be looked at as a whole: what was read of it up to now.
    pub(super) fn document(&mut self, document: &mut Document, is_over: bool) {
        self.facts.lane_id = 0;
        self.facts.lane.clear();
        if is_over {
            document.finish(&mut self.facts);
        } else {
            document.tell(&mut self.facts);
        }
    }

    /// What is known after so many lines.
    pub(super) fn live(&self, lines: u64) -> Live {
        let sum = |category| {
            self.facts
                .sessions
                .iter()
                .filter_map(|session| session.seen.get(category))
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
        for state in &mut self.states {
            for grammar in &mut state.grammars {
                grammar.end(&mut self.facts);
            }
        }
    }

    /// What the grammars found.
    #[cfg(test)]
    pub(super) fn into_facts(mut self) -> Facts {
        self.end();
        self.facts
    }

    pub(super) fn finish(mut self, failed: bool, lines: u64) -> Parts {
        self.end();
        if self.facts.tools.is_empty() {
            self.facts.tools.extend(self.facts.fallback);
        }
        let verdict = verdict::of(&self.facts, failed, lines);
        self.facts.failures.iter_mut().for_each(Failure::settle);
        Parts {
            tool: (!verdict.tools.is_empty()).then(|| verdict.tools.join(" + ")),
            counts: verdict.counts,
            results: verdict.results,
            counted: verdict.counted,
            duration_ms: verdict.duration_ms,
            lint: self.facts.lint,
            notes: self.facts.notes,
            failures: self.facts.failures,
            failures_left_out: self.facts.left_out,
            left_out_at: self.facts.left_out_at,
            problems: self.facts.problems.into_list(failed),
            outline: self.outline,
        }
    }

    /// What the lines that matter hold.
    pub(super) fn anchors(&self) -> Needles {
        let own = self.custom.iter().flat_map(Custom::anchors);
        Needles::new(grammar::ANCHORS.iter().copied().chain(own), false)
    }
}

impl Lane {
    fn new(custom: &[Custom], index: &Index) -> Self {
        Self {
            grammars: grammar::all(custom, index),
            current: 0,
            opens: Set::default(),
            noted: Set::default(),
            open: false,
        }
    }

    fn line(&mut self, line: Line<'_>, wakes: &Wakes, facts: &mut Facts) -> bool {
        // The one at work first: mostly the line is its, and nobody looks for the words of others.
        let current = self.current;
        let first = wakes.looks_always(current) || self.opens.has(current);
        if first && self.ask(current, line, facts) {
            return true;
        }
        let mut asked = wakes.of(line.words, self.opens);
        let mut next = Some(current).filter(|_| !first && asked.has(current));
        if first {
            asked.put(current, false);
        }
        while let Some(at) = next.take().or_else(|| asked.next(0)) {
            asked.put(at, false);
            if self.ask(at, line, facts) {
                return true;
            }
        }
        self.open = !self.opens.is_empty();
        false
    }

    /// A number that stands for what is open.
    fn mark(&self) -> u64 {
        self.opens.mark()
    }

    /// Shows a line to one grammar; true when it takes it.
    fn ask(&mut self, at: usize, line: Line<'_>, facts: &mut Facts) -> bool {
        let Some(grammar) = self.grammars.get_mut(at) else {
            return false;
        };
        let taken = grammar.line(line, facts);
        if std::mem::take(&mut facts.now.noted) {
            self.noted.put(at, true);
        }
        self.opens.put(at, grammar.is_open());
        if taken {
            self.current = at;
            self.open = self.opens.has(at);
        }
        taken
    }
}
