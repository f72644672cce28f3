//! What a night came to: a function of the journal's records, rendered as Markdown and HTML.
//!
//! Every text in a [`Report`] is one bounded line without control characters, with secrets
//! replaced; a renderer escapes for its own format.

mod acceptance;
pub(crate) mod assignments;
mod crew;
mod endings;
pub mod facts;
pub(crate) mod gather;
pub mod html;
pub mod markdown;
mod proved;
pub mod terminal;
pub(crate) mod words;

use crate::status::{Need, Seen};
use crate::summary::{self, Summary};
pub use crate::summary::{Ending, clean};
use overnight_run::journal::Record;
use serde::Serialize;
use std::collections::BTreeMap;

pub use assignments::Assignment;
use crew::Crew;
pub use crew::MemberSum;
pub use facts::Facts;
use gather::Gathered;
use overnight_run::State;
pub use words::Clock;

/// Does a criterion hold?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Met {
    /// Shown by a gate, or claimed in a verdict whose gates all agree.
    Met,
    /// Shown not to hold.
    NotMet,
    /// Nobody looked.
    NotChecked,
}

/// One line of the acceptance table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Criterion {
    /// The task it belongs to.
    pub task: String,
    /// The condition.
    pub text: String,
    /// Does it hold?
    pub met: Met,
    /// What shows it.
    pub evidence: String,
}

/// One iteration.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Line {
    /// Its number.
    pub number: u32,
    /// Its task.
    pub task: String,
    /// Unix time in milliseconds of its first attempt.
    pub started: u64,
    /// Unix time in milliseconds of its judgement; `None` while it is open.
    pub ended: Option<u64>,
    /// Was it judged complete? `None` while it is open.
    pub complete: Option<bool>,
    /// What it came to: its summary, the verdict's first reason, or the agent's words.
    pub reason: String,
    /// How many attempts it took.
    pub attempts: u32,
    /// Dollars of all its attempts, as far as they were reported.
    pub cost_usd: f64,
    /// Files that the last attempt changed.
    pub changed: u64,
    /// Did a deadline end an attempt?
    pub timed_out: bool,
    /// The member whose iteration it was; `None` in a run without.
    pub member: Option<u32>,
    /// The file of what its agent printed, by its path in the run's log folder.
    #[serde(skip)]
    pub log: String,
}

/// A stretch in which nothing was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pause {
    /// Unix time in milliseconds.
    pub from: u64,
    /// Unix time in milliseconds: when the next thing happened, else when it is to end.
    pub until: u64,
    /// Why.
    pub cause: String,
    /// Unix time in milliseconds at which the usage limit resets, as it was known then; `None` for
    /// another wait.
    pub resets: Option<u64>,
    /// The member that waited; `None` for the run itself.
    pub member: Option<u32>,
}

/// A circuit breaker opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Opening {
    /// Unix time in milliseconds.
    pub at: u64,
    /// Of which task.
    pub task: String,
    /// Why.
    pub reason: String,
}

/// A task that is not done, and what comes next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The task.
    pub task: String,
    /// Why it is not done.
    pub why: String,
    /// What to do about it.
    pub next: String,
    /// The command with which it goes on then.
    pub command: String,
}

/// Sums over the run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Iterations judged.
    pub iterations: u32,
    /// Tasks in all.
    pub tasks: usize,
    /// Tasks proved done.
    pub done: usize,
    /// Tasks that are blocked.
    pub blocked: usize,
    /// Dollars.
    pub cost_usd: f64,
    /// Milliseconds in which agents worked.
    pub worked_ms: u64,
    /// Milliseconds of waits, usage limits left out.
    pub waited_ms: u64,
    /// Milliseconds of waits at a usage limit.
    pub limited_ms: u64,
}

/// What a night came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The run's id; empty for a journal without a first record.
    pub run: String,
    /// The first line of its goal.
    pub goal: String,
    /// Where it stands.
    pub ending: Ending,
    /// All of it in one sentence, worst first.
    pub sentence: String,
    /// Unix time in milliseconds of the first record.
    pub started: u64,
    /// Unix time in milliseconds of the last record; now, for a run at work.
    pub ended: u64,
    /// What waits for a person.
    pub needs: Vec<Need>,
    /// Is each condition met? Those that are not come first, then those that nobody checked.
    pub acceptance: Vec<Criterion>,
    /// Every iteration, oldest first.
    pub iterations: Vec<Line>,
    /// Every wait, oldest first.
    pub pauses: Vec<Pause>,
    /// Every opening of a breaker, oldest first.
    pub openings: Vec<Opening>,
    /// What went wrong, and how often.
    pub wrong: BTreeMap<String, u64>,
    /// With what claims were tried: files that decide, the set-up, what was said of it in the evening.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proved_with: Vec<String>,
    /// What the walls kept that agents and gates worked in; none where they worked without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walls: Option<String>,
    /// Paths that they refused, and in how many attempts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub walled: BTreeMap<String, u32>,
    /// Limits of the cell that ended agents, and how often.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub limited: BTreeMap<String, u32>,
    /// Sums.
    pub totals: Totals,
    /// What is not done.
    pub left: Vec<Left>,
    /// What each member came to; none in a run without.
    pub members: Vec<MemberSum>,
    /// Which member had which task when, oldest first.
    #[serde(rename = "stints")]
    pub assignments: Vec<Assignment>,
    /// What every view prints; its JSON stands beside the report's.
    #[serde(skip)]
    pub night: Summary,
}

/// A run's records, taken one after the other and not kept: there may be a hundred thousand.
#[derive(Debug, Default)]
pub struct Reading {
    gathered: Gathered,
    state: State,
    first: Option<u64>,
    crew: Crew,
}

impl Reading {
    /// Takes the next record.
    pub fn add(&mut self, record: Record) {
        self.first.get_or_insert(record.stamp.t);
        self.crew.assignments.note(&record);
        self.gathered.add(&mut self.state, record);
    }

    /// Takes the next record of a member's journal, by the name of that journal's folder.
    pub fn add_of_member(&mut self, journal: &str, record: Record) {
        self.crew.add(journal, record);
    }

    /// The state after them.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What they come to, with what is seen of the run from outside.
    pub fn report(self, seen: &Seen, work: Option<&facts::Changes>) -> Report {
        let (mut gathered, state) = (self.gathered, self.state);
        let night = summary::of(&state, seen, work);
        let ending = night.ending;
        gathered.torn(seen.torn_bytes);
        if ending == Ending::Crashed {
            gathered.crashed();
        }
        let ended = night.ended_ms;
        let crew = self.crew.together(ended);
        gathered.join(&crew);
        let (mut walled, mut limited) = (state.walled.clone(), state.limited.clone());
        crew::add(&mut walled, &crew.walled);
        crew::add(&mut limited, &crew.limited);
        let all = summary::together(&state, seen);
        let all = all.as_ref().unwrap_or(&state);
        let totals = endings::totals(all, &night, gathered.totals);
        Report {
            run: night.run.clone(),
            goal: night.goal.clone(),
            ending,
            sentence: night.sentence.clone(),
            started: self.first.unwrap_or_default(),
            ended,
            needs: night.needs.clone(),
            acceptance: acceptance::table(all),
            iterations: gathered.iterations,
            pauses: gathered.pauses,
            openings: gathered.openings,
            wrong: gathered.wrong,
            proved_with: proved::lines(&state),
            walls: state.config.walls.clone(),
            walled,
            limited,
            totals,
            left: endings::left(all, &night),
            members: crew.members,
            assignments: crew.assignments,
            night,
        }
    }
}

/// What these records come to, with what is seen of the run from outside.
pub fn figures(records: &[Record], seen: &Seen) -> Report {
    let mut reading = Reading::default();
    for record in records {
        reading.add(record.clone());
    }
    reading.report(seen, None)
}

/// The report of a run of which only the state is known: without iterations and waits.
#[cfg(test)]
pub(crate) fn of_state(state: &State, seen: &Seen) -> Report {
    let reading = Reading {
        state: state.clone(),
        ..Reading::default()
    };
    reading.report(seen, None)
}

impl Report {
    /// What went wrong, the most frequent first.
    pub fn worst(&self) -> Vec<(&str, u64)> {
        let counted = self.wrong.iter();
        let mut counted: Vec<_> = counted.map(|(what, n)| (what.as_str(), *n)).collect();
        counted.sort_by_key(|(what, n)| (std::cmp::Reverse(*n), *what));
        counted
    }

    /// How many criteria are met, not met and not checked.
    pub fn checked(&self) -> [usize; 3] {
        [Met::Met, Met::NotMet, Met::NotChecked]
            .map(|met| self.acceptance.iter().filter(|row| row.met == met).count())
    }

    /// Its figures, as the reports of later runs show them.
    pub fn past(&self) -> facts::Past {
        facts::Past {
            run: self.run.clone(),
            iterations: self.totals.iterations,
            cost_usd: self.totals.cost_usd,
            lasted_ms: self.ended.saturating_sub(self.started),
            done: self.ending == Ending::Done,
        }
    }
}

#[cfg(test)]
mod tests;
