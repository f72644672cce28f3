//! What git will be asked, collected before it is asked once.

use super::context::{Entry, Facts};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Paths that a verdict depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Is it ignored, is it recoverable?
    pub state: BTreeSet<String>,
    /// Is it what the run began with?
    pub vouched: BTreeSet<String>,
}

impl Wanted {
    /// Is there nothing to ask?
    pub fn is_empty(&self) -> bool {
        self.state.is_empty() && self.vouched.is_empty()
    }
}

/// Answers without git, and notes what git would have been asked.
pub(super) struct Noting<'a> {
    facts: &'a dyn Facts,
    wanted: RefCell<Wanted>,
}

impl<'a> Noting<'a> {
    pub(super) fn new(facts: &'a dyn Facts) -> Self {
        Self {
            facts,
            wanted: RefCell::default(),
        }
    }

    pub(super) fn wanted(self) -> Wanted {
        self.wanted.into_inner()
    }

    fn note(&self, path: &str) {
        self.wanted.borrow_mut().state.insert(path.to_owned());
    }
}

impl Facts for Noting<'_> {
    fn entry(&self, path: &str) -> Entry {
        self.facts.entry(path)
    }

    fn links(&self, folder: &str) -> Vec<String> {
        self.facts.links(folder)
    }

    fn fresh(&self, folder: &str) -> Vec<String> {
        self.facts.fresh(folder)
    }

    fn fresh_below(&self, folder: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        self.facts.fresh_below(folder, wanted)
    }

    fn ignored(&self, path: &str) -> Option<bool> {
        self.note(path);
        None
    }

    fn recoverable(&self, path: &str) -> Option<bool> {
        self.note(path);
        None
    }

    fn text(&self, path: &str) -> Option<String> {
        self.facts.text(path)
    }

    fn vouched(&self, path: &str) -> Option<bool> {
        self.wanted.borrow_mut().vouched.insert(path.to_owned());
        None
    }

    fn own(&self, path: &str) -> bool {
        self.note(path);
        false
    }

    fn fetched(&self, path: &str) -> bool {
        self.facts.fetched(path)
    }

    fn is_desk(&self, port: u16) -> bool {
        self.facts.is_desk(port)
    }
}
