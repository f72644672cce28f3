//! One agent as far as it was read: brought up to date record by record.

use super::{QUIET_MAX_MS, Urgency, event, urgency};
use crate::activity::Activity;
use crate::report::gather::Gathered;
use crate::report::{Clock, Line};
use crate::status::{self, Seen, Status};
use overnight_run::journal::Record;
use overnight_run::{State, apply};
use std::collections::VecDeque;

/// Events that are kept to be scrolled through.
const EVENTS_MAX: usize = 1_000;

/// An agent: a run's own, or a member of it.
#[derive(Debug, Default)]
pub struct Subject {
    /// How it is called: the run, and the member behind it.
    pub name: String,
    /// Which journal it is read from: a member has one for each of its tasks.
    pub journal: String,
    /// A member without a task: its last one is shown, and its end needs nobody.
    pub free: bool,
    /// What is seen of it now.
    pub seen: Seen,
    /// Unix time in milliseconds at which its agent last printed something.
    pub printed_ms: Option<u64>,
    /// What its agent does in the open iteration, by its output.
    pub heard: Heard,
    /// What it changed so far in the open iteration; filled while somebody looks at it.
    pub diff: Vec<String>,
    /// Why its journal cannot be read any further.
    pub refused: Option<String>,
    last_seq: u64,
    state: State,
    /// The same with what no journal holds, where there is any.
    beside: Option<Box<State>>,
    gathered: Gathered,
    events: VecDeque<(u64, String)>,
    /// Events so far, those that are no longer kept included.
    pub(super) happened: u64,
}

/// An agent's output as far as it was read.
#[derive(Debug, Default)]
pub struct Heard {
    /// What it says.
    pub activity: Activity,
    /// Of which iteration it is.
    pub iteration: u32,
    /// Where in it the attempt begins, in bytes: what was printed before is booked.
    pub from: u64,
    /// How far it was read.
    pub at: u64,
}

impl Subject {
    /// An agent of which nothing was read yet.
    pub fn new(name: String, journal: String) -> Self {
        Self {
            name,
            journal,
            ..Self::default()
        }
    }

    /// Brings it up to date with one more record.
    pub fn add(&mut self, record: Record, clock: &Clock) {
        self.last_seq = record.seq;
        let open = self.state.open.as_ref();
        let said = open.and_then(|open| open.outcome.as_ref());
        let said = said.map_or("", |outcome| outcome.said.as_str());
        if let Some(line) = event::line(&record.event, said, clock) {
            if self.events.len() == EVENTS_MAX {
                self.events.pop_front();
            }
            self.events.push_back((record.stamp.t, line));
            self.happened += 1;
        }
        self.gathered.add(&mut self.state, record);
    }

    /// What no journal holds, as this finds it in the fold of the journal, counts until the next look.
    pub fn take_beside(&mut self, find: impl FnOnce(&State) -> Option<Record>) {
        self.beside = find(&self.state).map(|record| {
            let mut state = Box::new(self.state.clone());
            apply(&mut state, record);
            state
        });
    }

    /// The number of the last record that it was brought up to date with.
    pub fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// The fold of everything read.
    pub fn state(&self) -> &State {
        self.beside.as_deref().unwrap_or(&self.state)
    }

    /// Where it stands now. What a member's end needs of a person is its run's matter.
    pub fn status(&self) -> Status {
        let mut status = status::of(self.state(), &self.seen);
        if !self.journal.is_empty() {
            status.needs_you.clear();
        }
        status
    }

    /// About how many dollars it has spent in the open attempt, by its stream; once that ended they
    /// are booked.
    fn under_way_usd(&self) -> f64 {
        let open = self.state.open.as_ref();
        let open = open.filter(|open| open.outcome.is_none());
        let heard = open.is_some_and(|open| open.iteration == self.heard.iteration);
        let usd = || self.heard.activity.about_usd(self.state.priced);
        heard.then(usd).unwrap_or(0.0)
    }

    /// Is a part of what it has booked reckoned from tokens?
    pub(super) fn estimated(&self) -> bool {
        self.state.tasks.iter().any(|task| task.tally.estimated)
    }

    /// What is under way of a run with its members, wherever they stand among these.
    pub(super) fn open_usd<'s>(&self, all: impl Iterator<Item = &'s Self>) -> f64 {
        let members = all.filter(|other| self.member(other).is_some());
        self.under_way_usd() + members.map(Self::under_way_usd).sum::<f64>()
    }

    /// Which member of this run it is, if it is one.
    pub(super) fn member<'s>(&self, other: &'s Self) -> Option<&'s str> {
        let number = other.name.strip_prefix(self.name.as_str())?;
        number.strip_prefix(" member ")
    }

    /// Every iteration, oldest first.
    pub(super) fn iterations(&self) -> &[Line] {
        &self.gathered.iterations
    }

    /// What happened last, oldest first, with Unix times in milliseconds.
    pub(super) fn events(&self) -> impl DoubleEndedIterator<Item = &(u64, String)> {
        self.events.iter()
    }

    /// Milliseconds in which nothing was heard of it.
    pub(super) fn quiet_ms(&self) -> u64 {
        let heard = self.printed_ms.unwrap_or(0).max(self.state.updated);
        self.seen.now.saturating_sub(heard)
    }

    /// How urgent it is.
    pub fn urgency(&self, status: &Status) -> Urgency {
        if self.free {
            return Urgency::Ended;
        }
        let open = self.state.open.as_ref();
        let prints = open.is_some_and(|open| open.agent.is_some() && open.outcome.is_none());
        // A gate, or an agent in a session, is heard of only when it ends.
        let quiet_max = if prints {
            QUIET_MAX_MS
        } else {
            self.state.config.task_timeout_ms.saturating_add(60_000)
        };
        urgency(status, self.quiet_ms(), quiet_max)
    }
}
