//! The grammars of one lane: which of them is asked about a line, and in which order.

use super::super::custom::Custom;
use super::super::facts::Facts;
use super::super::grammar::{self, Grammar, Wakes};
use super::super::index::Index;
use super::super::line::Line;
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
    pub(super) open: bool,
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
            open: false,
        }
    }

    pub(super) fn line(&mut self, line: &Line<'_>, wakes: &Wakes, facts: &mut Facts) -> bool {
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

    /// A line that would have come to these went to another; maybe somebody wants to know.
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

    /// A number for those that are awake, which tells most such sets apart.
    pub(super) fn awake(&self) -> u64 {
        self.awake.mark()
    }

    /// Shows a line to one grammar; true when it takes it.
    fn ask(&mut self, at: usize, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some(grammar) = self.grammars.get_mut(at) else {
            return false;
        };
        let taken = grammar.line(line, facts);
        let is_open = grammar.is_open();
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
