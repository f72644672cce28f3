//! One run in figures.

use crate::status::{Life, MemberSeen, Seen, life};
use crate::summary::{self, Summary};
use overnight_guard::tally::Tally;
use overnight_run::event::Event;
use overnight_run::journal::Record;
use overnight_run::state::TaskState;
use overnight_run::step::WaitCause;
use overnight_run::task::Status;
use overnight_run::{Reason, State, apply};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a completed run ended.
const COMPLETED: &str = "completed";

/// Something of a run that a person reads: a need, or a refuted task's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// The run.
    pub run: String,
    /// Its task, if it is about one.
    pub task: Option<String>,
    /// In a line.
    pub what: String,
}

/// One run. Times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Unix time of its start.
    pub started_ms: u64,
    /// How it ended; none while it is under way.
    pub end: Option<&'static str>,
    /// Iterations judged.
    pub iterations: u32,
    /// The cause of each block.
    pub blocks: Vec<&'static str>,
    /// From the start to the first block.
    pub first_block_ms: Option<u64>,
    /// Agents at work.
    pub working_ms: u64,
    /// Waits, the usage limit left out.
    pub waiting_ms: u64,
    /// Waits for the usage limit.
    pub limited_ms: u64,
    /// Tool calls that were refused.
    pub refused: u64,
    /// What the guard decided.
    pub guard: Tally,
    /// Tasks in all.
    pub tasks_total: usize,
    /// Those that are done, by it or before.
    pub tasks_all_done: usize,
    /// Tasks that it finished.
    pub tasks_done: usize,
    /// Those of them that gates show.
    pub tasks_proved: usize,
    /// Dollars spent.
    pub cost_usd: f64,
    /// Is a part of them reckoned from tokens?
    pub estimated: bool,
    /// What waits for a person.
    pub needs: Vec<Mention>,
    /// The first line of what refuted each task that gates refute.
    pub refuted: Vec<Mention>,
}

/// A run's journals, read record by record; none is kept.
#[derive(Debug, Default)]
pub struct Reading {
    run: Run,
    begun: bool,
    state: State,
    /// By the name of each member's journal.
    members: BTreeMap<String, State>,
}

impl Reading {
    /// Takes the next record of the run's own journal.
    pub fn add(&mut self, record: Record) {
        if !std::mem::replace(&mut self.begun, true) {
            self.run.started_ms = record.stamp.t;
        }
        let (run, state, now) = (&mut self.run, &mut self.state, record.stamp.t);
        run.count(state, &record);
        let blocked = state.count(Status::Blocked);
        apply(state, record);
        if state.count(Status::Blocked) > blocked {
            let past = now.saturating_sub(run.started_ms);
            run.first_block_ms.get_or_insert(past);
            let task = state.history.last().and_then(|last| state.task(&last.task));
            run.blocks.push(task.map_or("unknown", cause));
        }
    }

    /// Takes the next record of a member's journal: its time at work, its waits and its refused calls
    /// are the run's.
    pub fn add_of_member(&mut self, journal: &str, record: Record) {
        if !self.members.contains_key(journal) {
            self.members.insert(journal.to_owned(), State::default());
        }
        if let Some(state) = self.members.get_mut(journal) {
            self.run.count(state, &record);
            apply(state, record);
        }
    }

    /// The state after the run's own records.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What they come to, with what is seen of the run from outside and what the guard decided.
    pub fn run(self, seen: Seen, guard: Tally) -> Run {
        let (mut run, state) = (self.run, self.state);
        if !self.begun {
            run.started_ms = seen.now;
        }
        let seen = Seen {
            members: self.members.into_iter().map(seen_member).collect(),
            ..seen
        };
        let night = summary::of(&state, &seen, None);
        (run.needs, run.refuted) = mentions(&night);
        (run.tasks_total, run.tasks_all_done) = (night.total, night.done.all());
        run.estimated = night.cost.estimated;
        run.tasks_done = night.done.by_this_run();
        run.tasks_proved = night.done.proved;
        run.iterations = night.iterations;
        run.cost_usd = night.cost.usd;
        run.guard = guard;
        run.end = end(&state, life(&state, seen.alive, seen.now));
        run
    }
}

impl Run {
    pub(super) fn completed(&self) -> bool {
        self.end == Some(COMPLETED)
    }

    /// The time from the last record to this one, by what the run did meanwhile.
    fn count(&mut self, before: &State, record: &Record) {
        let past = record.stamp.t.saturating_sub(before.updated);
        let at_work = before
            .open
            .as_ref()
            .is_some_and(|open| open.outcome.is_none());
        // While nobody drove the run, it neither worked nor waited.
        let driven = !matches!(record.event, Event::DriverStarted(_));
        match before
            .waiting
            .filter(|_| before.finished.is_none() && driven)
        {
            Some((_, WaitCause::UsageLimit)) => self.limited_ms += past,
            Some(_) => self.waiting_ms += past,
            None if at_work && driven => self.working_ms += past,
            None => {}
        }
        if let Event::Outcome(outcome) = &record.event {
            self.refused += u64::from(outcome.denials);
        }
    }
}

/// Needs, and messages of refuted tasks.
fn mentions(night: &Summary) -> (Vec<Mention>, Vec<Mention>) {
    let mention = |task: Option<&String>, what: &str| Mention {
        run: night.run.clone(),
        task: task.cloned(),
        what: what.to_owned(),
    };
    let needs = night.needs.iter();
    let refuted = night.open().filter_map(|task| {
        let gate = task.refuted_by.as_ref()?;
        // A gate that says nothing has its status.
        let message = gate.lines.first().unwrap_or(&gate.ended);
        Some(mention(Some(&task.id), message))
    });
    (
        needs
            .map(|need| mention(need.task.as_ref(), &need.what))
            .collect(),
        refuted.collect(),
    )
}

fn seen_member((name, state): (String, State)) -> MemberSeen {
    MemberSeen {
        name,
        alive: false,
        state,
    }
}

fn cause(task: &TaskState) -> &'static str {
    match &task.blocked {
        Some(block) if block.by_breaker => "circuit breaker",
        Some(_) if !task.unreadable.is_empty() => "unreadable decisions",
        _ => "failures in a row",
    }
}

fn end(state: &State, life: Life) -> Option<&'static str> {
    Some(match (&state.finished, life) {
        (Some(Reason::AllDone), _) => COMPLETED,
        (Some(Reason::MaxIterations), _) => "max_iterations",
        (Some(Reason::Blocked(_)), _) => "blocked",
        (Some(Reason::BreakerOpen(_)), _) => "breaker_open",
        (Some(Reason::BudgetSpent), _) => "budget_spent",
        (Some(Reason::MaxDuration), _) => "max_duration",
        (Some(Reason::UsageLimit(_)), _) => "usage_limit",
        (Some(Reason::NeedsPerson(_)), _) => "needs_person",
        (Some(Reason::SessionEnded), _) => "session_ended",
        (Some(Reason::Stopped), _) => "stopped",
        (Some(Reason::Interrupted(_)), _) | (None, Life::Interrupted) => "interrupted",
        (None, Life::Running | Life::Waiting | Life::Paused) => return None,
        (None, _) => "crashed",
    })
}
