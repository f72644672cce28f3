//! The grammars of one lane: which of them is asked about a line, and in which order.

use super::super::custom::Custom;
use super::super::facts::Facts;
use super::super::grammar::{self, Grammar, Wakes};
use super::super::index::Index;
use super::super::line::{At, Line};
use super::super::noise::{Again, Did, Step, Steps};
use super::super::set::Set;

/// The grammars of one lane.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) grammars: Vec<Box<dyn Grammar>>,
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
    pub(super) noted: Set,
    /// What the current line did to them, if somebody wants to know.
    pub(super) steps: Steps,
    pub(super) open: bool,
    /// As long as nothing changes.
    mark: Option<Mark>,
}

/// What decides what the next line means, as far as that is told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    /// Stands for what is open, and in which state, and for what is awake.
    pub(super) number: u64,
    /// The grammar that is asked first about the next line is open and does not tell its state: whatever
    /// the line does, nothing can be known of it.
    pub(super) untold: bool,
}

impl Lane {
    pub(super) fn new(custom: &[Custom], index: &Index) -> Self {
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
            mark: None,
        }
    }

    pub(super) fn line(&mut self, line: &Line<'_>, wakes: &Wakes, facts: &mut Facts) -> bool {
        self.mark = None;
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
                self.leave(later, facts.now.names.is_some());
                return true;
            }
        }
        self.open = !self.opens.is_empty();
        false
    }

    /// A line that would have come to these went to another; maybe somebody wants to know.
    fn leave(&mut self, passed: Set, is_noted: bool) {
        let mut next = passed.next(0);
        while let Some(at) = next {
            if let Some(grammar) = self.grammars.get_mut(at) {
                let before = grammar.mark();
                grammar.leave();
                let is_open = grammar.is_open();
                if is_noted {
                    let opens = (self.opens.has(at), is_open);
                    let marks = (before, grammar.mark());
                    self.steps.note(at, marks, opens, Did::Nothing);
                }
                self.opens.put(at, is_open);
                self.yields.put(at, grammar.yields());
            }
            next = passed.next(at + 1);
        }
    }

    /// A line of which only this is to be done; false, and nothing done, when the grammars are not in
    /// the states in which it would be.
    pub(super) fn again(&mut self, again: &Again, line: At<'_>) -> bool {
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
        if moved {
            self.mark = None;
        }
    }

    /// What decides what the next line means.
    pub(super) fn mark(&mut self) -> Mark {
        if let Some(mark) = self.mark {
            return mark;
        }
        let mut number = self.opens.mark() ^ self.awake.mark().rotate_left(29);
        let mut untold = false;
        let mut next = self.opens.next(0);
        while let Some(at) = next {
            let state = self.grammars.get(at).and_then(|grammar| grammar.mark());
            untold |= at == self.current && state.is_none() && !self.yields.has(at);
            number = number.rotate_left(13) ^ state.map_or(u64::MAX, u64::from);
            next = self.opens.next(at + 1);
        }
        *self.mark.insert(Mark { number, untold })
    }

    /// Shows a line to one grammar; true when it takes it.
    fn ask(&mut self, at: usize, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some(grammar) = self.grammars.get_mut(at) else {
            return false;
        };
        let before = facts.now.names.is_some().then(|| grammar.mark());
        let had_effect = before.is_some() && facts.has_effect();
        let taken = grammar.line(line, facts);
        let noted = std::mem::take(&mut facts.now.noted);
        let is_open = grammar.is_open();
        if let Some(before) = before {
            self.noted.put(at, noted || self.noted.has(at));
            let opens = (self.opens.has(at), is_open);
            let did = match taken {
                true => Did::Took,
                false if facts.has_effect() && !had_effect => Did::Told,
                false => Did::Nothing,
            };
            self.steps.note(at, (before, grammar.mark()), opens, did);
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
