//! Where lines go: to the lane they belong to, there to the grammar that is at work, else to the
//! one that recognises them, else to the outline.

use super::Live;
use super::clean::clean;
use super::count::{Category, Counts};
use super::custom::Custom;
use super::facts::{Facts, Failure, Session};
use super::grammar::{self, At, Grammar, Line, Set, Wakes};
use super::index::Index;
use super::json::Document;
use super::lane::{self, Lanes};
use super::noise::{Again, Asked, Heard, Noise, Shape, Span, Step, Steps};
use super::outline::{Outline, Weights};
use super::problem::Problem;
use super::verdict;
use crate::needles::Needles;
use std::borrow::Cow;

/// The failing names that [`Live`] carries at most.
const LIVE_MAX: usize = 200;

/// The grammars of one lane.
#[derive(Debug)]
struct Lane {
    grammars: Vec<Box<dyn Grammar>>,
    /// The one that took a line last, and whether that was the last line.
    current: usize,
    took: bool,
    /// Those that are open.
    opens: Set,
    /// Of these, those that others come before.
    yields: Set,
    /// Those that are awake.
    awake: Set,
    /// Those that remembered the current line without taking it.
    noted: Set,
    /// What the current line did to them, if somebody wants to know.
    steps: Steps,
    open: bool,
    /// A number that stands for what is open, and in which state, and for what is awake; not of now
    /// while it is `stale`.
    mark: u64,
    stale: bool,
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
            shape: None,
        }
    }

    /// Whether the next line must be looked at, whatever it holds.
    pub(super) fn wants_every_line(&self) -> bool {
        self.any_open || self.vague || self.outline.is_open()
    }

    /// Lines as they came, each with its newline, whether [`Machine::line`] got them or nobody; the
    /// first has the number `no`.
    pub(super) fn pass(&mut self, text: &[u8], no: u64) {
        self.outline.lines(text, no);
    }

    /// Whether the line behind these is like many before it: then it is done, and need not be looked at.
    /// Else it goes to [`Machine::line`] next.
    pub(super) fn knows(&mut self, raw: &[u8], no: u64, before: &[u8]) -> bool {
        let open = || {
            let after_empty = matches!(before, [] | b"\n" | [.., b'\n', b'\n']);
            let after_rule = matches!(before, [.., b'-' | b'=', b'\n']);
            let open = u64::from(self.outline.is_open()) << 2
                | u64::from(after_rule) << 1
                | u64::from(after_empty);
            let states = self.states.iter_mut();
            states.fold(open, |all, state| all.rotate_left(7) ^ state.mark())
        };
        let facts = &self.facts;
        let known = |name: &[u8]| facts.of(name).0 as u64 + 1;
        let again = match self.noise.hear(raw, open, known) {
            Heard::New(shape) => {
                self.shape = shape;
                return false;
            }
            Heard::Again(again, name) => (again, At { no, name }),
        };
        self.shape = None;
        let (again, at) = again;
        if let Some(state) = self.states.get_mut(again.lane) {
            if !state.again(again, at) {
                return false;
            }
            if !again.steps.all().is_empty() {
                self.any_open = self.states.iter().any(|state| state.open);
            }
        }
        self.outline.again(again.spot);
        self.facts.again(again);
        true
    }

    /// A line that holds an anchor, or comes while something is open; `plain` is the same, if it is known to
    /// be plain text, and `before` what stands before it ([`Line::before`]).
    pub(super) fn line(&mut self, raw: &[u8], plain: Option<&str>, no: u64, before: &[u8]) {
        let shape = self.shape.take();
        let text = match plain {
            Some(plain) => Cow::Borrowed(plain.trim_ascii_end()),
            None => clean(raw),
        };
        let own = || self.custom.iter().any(|custom| custom.knows(&text));
        let (lane, text) = if lane::may_split(raw) && !own() {
            self.lanes.split(&text)
        } else {
            (0, &*text)
        };
        self.enter(lane);
        self.read_earlier(lane);
        self.facts.now.no = no;
        (self.facts.now.weak, self.facts.now.sums) = (false, false);
        let words = &self.index.words(text);
        let seen = &Line {
            text,
            no,
            before,
            words,
        };
        let state = &mut self.states[lane];
        self.facts.now.names = shape.map(|_| 0);
        let taken = state.line(seen, &self.wakes, &mut self.facts);
        let mut spot = None;
        if !taken {
            spot = self.outline.look(text, no, self.weights.of(words));
            if lane == 0 {
                self.lanes.keep(seen);
            }
        }
        let effect = self.facts.effect();
        if let Some(shape) = shape {
            let state = &mut self.states[lane];
            let counted = std::mem::take(&mut state.noted);
            let steps = std::mem::take(&mut state.steps);
            let again = Again {
                spot,
                effect: steps.with(effect),
                counted,
                lane,
                steps,
            };
            let asked = self.asked(raw, lane);
            self.noise.learn(shape, again, asked);
        }
        self.any_open = self.states.iter().any(|state| state.open);
    }

    /// The name by which the grammars asked what is known of a test, as it stands in the line.
    fn asked(&self, raw: &[u8], lane: usize) -> Asked {
        match self.facts.now.names {
            None | Some(0) => Asked::Nothing,
            Some(1) if lane == 0 => {
                Span::find(raw, &self.facts.now.name).map_or(Asked::Lost, Asked::At)
            }
            _ => Asked::Lost,
        }
    }

    /// Lines from before this lane was known to be one.
    fn read_earlier(&mut self, lane: usize) {
        for earlier in self.lanes.earlier() {
            let lane::Earlier { no, text, previous } = earlier;
            (self.facts.now.weak, self.facts.now.sums) = (false, false);
            (self.facts.now.no, self.facts.now.names) = (no, None);
            let words = &self.index.words(&text);
            let seen = &Line {
                text: &text,
                no,
                before: &previous,
                words,
            };
            self.states[lane].line(seen, &self.wakes, &mut self.facts);
            self.facts.effect();
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
            self.states.push(Lane::new(&self.custom, &self.index));
        }
    }

    /// A document on a line too long to be looked at as a whole: what was read of it up to now.
    pub(super) fn document(&mut self, document: &mut Document, is_over: bool) {
        self.facts.lane_id = 0;
        self.facts.lane.clear();
        (self.facts.now.weak, self.facts.now.sums) = (false, false);
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
        for lane in 0..self.states.len() {
            self.enter(lane);
            for grammar in &mut self.states[lane].grammars {
                grammar.end(&mut self.facts);
            }
        }
        self.facts.sessions.iter_mut().for_each(Session::settle);
    }

    /// From now on every line is shown to the grammars.
    #[cfg(test)]
    pub(super) fn show_all(&mut self) {
        self.noise.off = true;
    }

    /// From now on every grammar is asked about every line that is shown.
    #[cfg(test)]
    pub(super) fn ask_all(&mut self) {
        self.wakes.ask_all();
    }

    /// What the grammars found.
    #[cfg(test)]
    pub(super) fn into_facts(mut self) -> Facts {
        self.end();
        self.facts
    }

    pub(super) fn finish(mut self, failed: bool, lines: u64) -> Parts {
        self.facts.ends_badly = failed;
        self.end();
        if self.facts.tools.is_empty() {
            self.facts.tools.extend(self.facts.fallback);
        }
        verdict::disown(&mut self.facts);
        let verdict = verdict::of(&self.facts, failed, lines);
        self.facts.failures.iter_mut().for_each(Failure::settle);
        Parts {
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
    pub(super) fn anchors(&self) -> Needles {
        let own = self.custom.iter().flat_map(Custom::anchors);
        Needles::new(grammar::ANCHORS.iter().copied().chain(own), false)
    }
}

impl Lane {
    fn new(custom: &[Custom], index: &Index) -> Self {
        let grammars = grammar::all(custom, index);
        let mut awake = Set::default();
        for (at, grammar) in grammars.iter().enumerate() {
            awake.put(at, grammar.is_awake());
        }
        Self {
            grammars,
            current: 0,
            took: false,
            opens: Set::default(),
            yields: Set::default(),
            awake,
            noted: Set::default(),
            steps: Steps::default(),
            open: false,
            mark: 0,
            stale: false,
        }
    }

    fn line(&mut self, line: &Line<'_>, wakes: &Wakes, facts: &mut Facts) -> bool {
        self.stale = true;
        // The one at work first: mostly the line is its, and nobody looks for the words of others.
        let current = self.current;
        let took = std::mem::take(&mut self.took);
        let first = took && wakes.is_eager(current) || self.opens.has(current);
        let first = first && !self.yields.has(current);
        if first && self.ask(current, line, facts) {
            return true;
        }
        let mut asked = wakes.of(line.text, line.words, self.opens, self.awake);
        let mut later = asked.split(&self.yields);
        let mut next = Some(current).filter(|_| !first && asked.has(current));
        if first {
            asked.put(current, false);
        }
        let loose = self.grammars.len() - grammar::LOOSE;
        let strict = |asked: &Set| asked.next(0).filter(|at| *at < loose);
        while let Some(at) = (next.take())
            .or_else(|| strict(&asked))
            .or_else(|| later.next(0))
            .or_else(|| asked.next(0))
        {
            asked.put(at, false);
            later.put(at, false);
            if self.ask(at, line, facts) {
                self.leave(later);
                return true;
            }
        }
        self.open = !self.opens.is_empty();
        false
    }

    /// A line that would have come to these went to another.
    fn leave(&mut self, passed: Set) {
        let mut next = passed.next(0);
        while let Some(at) = next {
            if let Some(grammar) = self.grammars.get_mut(at) {
                grammar.leave();
                self.opens.put(at, grammar.is_open());
                self.yields.put(at, grammar.yields());
            }
            next = passed.next(at + 1);
        }
    }

    /// A line of which only this is to be done; false, and nothing done, when the grammars are not in
    /// the states in which it would be.
    fn again(&mut self, again: &Again, line: At<'_>) -> bool {
        let steps = again.steps.all();
        let is_before = |step: &Step| {
            let grammar = self.grammars.get(usize::from(step.grammar));
            grammar.and_then(|grammar| grammar.mark()) == Some(step.before)
        };
        if !steps.iter().all(is_before) {
            return false;
        }
        let mut next = again.counted.next(0);
        while let Some(number) = next {
            if let Some(grammar) = self.grammars.get_mut(number) {
                grammar.again();
            }
            next = again.counted.next(number + 1);
        }
        if !steps.is_empty() {
            self.take(&again.steps, line);
        }
        true
    }

    /// Takes these steps, as the line would that led to them.
    fn take(&mut self, steps: &Steps, line: At<'_>) {
        let mut moved = false;
        for step in steps.all() {
            let at = usize::from(step.grammar);
            if let Some(grammar) = self.grammars.get_mut(at)
                && step.before != step.after
            {
                grammar.go(step.after, line);
                let is_open = grammar.is_open();
                self.opens.put(at, is_open);
                self.yields.put(at, grammar.yields());
                self.awake.put(at, grammar.is_awake());
                moved = true;
            }
        }
        self.open = match steps.taker.map(usize::from) {
            Some(taker) => {
                (self.current, self.took) = (taker, true);
                self.opens.has(taker)
            }
            None => !self.opens.is_empty(),
        };
        self.stale |= moved;
    }

    /// A number that stands for what is open, and in which state, and for what is awake.
    fn mark(&mut self) -> u64 {
        if !std::mem::take(&mut self.stale) {
            return self.mark;
        }
        let mut mark = self.opens.mark() ^ self.awake.mark().rotate_left(29);
        let mut next = self.opens.next(0);
        while let Some(at) = next {
            let state = self.grammars.get(at).and_then(|grammar| grammar.mark());
            mark = mark.rotate_left(13) ^ state.map_or(u64::MAX, u64::from);
            next = self.opens.next(at + 1);
        }
        self.mark = mark;
        mark
    }

    /// Shows a line to one grammar; true when it takes it.
    fn ask(&mut self, at: usize, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some(grammar) = self.grammars.get_mut(at) else {
            return false;
        };
        let before = facts.now.names.is_some().then(|| grammar.mark());
        let taken = grammar.line(line, facts);
        let noted = std::mem::take(&mut facts.now.noted);
        let is_open = grammar.is_open();
        if let Some(before) = before {
            self.noted.put(at, noted || self.noted.has(at));
            let opens = (self.opens.has(at), is_open);
            self.steps.note(at, (before, grammar.mark()), opens, taken);
        }
        self.opens.put(at, is_open);
        self.yields.put(at, grammar.yields());
        self.awake.put(at, grammar.is_awake());
        if taken {
            (self.current, self.took) = (at, true);
            self.open = is_open;
        }
        taken
    }
}
