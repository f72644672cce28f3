//! Members in a report: each one's journals beside the run's, and who did what when.

use super::assignments::{Assignment, Assignments};
use super::gather::Gathered;
use super::{Line, Opening, Pause, Totals, clean};
use overnight_run::State;
use overnight_run::budget::to_micros;
use overnight_run::journal::Record;
use serde::Serialize;
use std::collections::BTreeMap;

/// What one member came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct MemberSum {
    /// Its number, from 1.
    pub member: u32,
    /// Tasks that it did.
    pub done: u32,
    /// Iterations that it began.
    pub iterations: u32,
    /// Dollars of its iterations.
    pub cost_usd: f64,
    /// Milliseconds in which it had a task.
    pub at_work_ms: u64,
    /// Milliseconds of its waits, those at the usage limit included.
    pub waited_ms: u64,
}

/// The members as far as they were read.
#[derive(Debug, Default)]
pub(super) struct Crew {
    pub(super) assignments: Assignments,
    /// By the name of the journal's folder.
    journals: BTreeMap<String, (Gathered, State)>,
}

/// What the members' journals come to together.
#[derive(Debug, Default)]
pub(super) struct Together {
    pub(super) iterations: Vec<Line>,
    pub(super) pauses: Vec<Pause>,
    pub(super) openings: Vec<Opening>,
    pub(super) wrong: BTreeMap<String, u64>,
    /// What the walls of their cells refused, and the limits that ended them.
    pub(super) walled: BTreeMap<String, u32>,
    pub(super) limited: BTreeMap<String, u32>,
    pub(super) totals: Totals,
    pub(super) assignments: Vec<Assignment>,
    pub(super) members: Vec<MemberSum>,
}

/// Counts these, too.
pub(super) fn add(all: &mut BTreeMap<String, u32>, more: &BTreeMap<String, u32>) {
    for (what, times) in more {
        *all.entry(what.clone()).or_default() += times;
    }
}

impl Crew {
    /// A record of the member's journal of this name.
    pub(super) fn add(&mut self, journal: &str, record: Record) {
        if !self.journals.contains_key(journal) {
            self.journals.insert(journal.to_owned(), Default::default());
        }
        if let Some((gathered, state)) = self.journals.get_mut(journal) {
            gathered.add(state, record);
        }
    }

    /// Everything in the order of time; `ended` is the end of what is still open.
    pub(super) fn together(mut self, ended: u64) -> Together {
        let mut all = Together::default();
        for (journal, (gathered, state)) in std::mem::take(&mut self.journals) {
            let who = |at: u64| self.assignments.who(&journal, at);
            let lines = gathered.iterations.into_iter().map(|line| Line {
                member: who(line.started),
                log: format!("{journal}/{}", line.log),
                ..line
            });
            all.iterations.extend(lines);
            let pauses = gathered.pauses.into_iter().map(|pause| Pause {
                member: who(pause.from),
                ..pause
            });
            all.pauses.extend(pauses);
            all.openings.extend(gathered.openings);
            for (what, times) in gathered.wrong {
                *all.wrong.entry(what).or_default() += times;
            }
            add(&mut all.walled, &state.walled);
            add(&mut all.limited, &state.limited);
            all.totals.worked_ms += gathered.totals.worked_ms;
            all.totals.waited_ms += gathered.totals.waited_ms;
            all.totals.limited_ms += gathered.totals.limited_ms;
        }
        all.iterations
            .sort_by(|a, b| (a.started, &a.task).cmp(&(b.started, &b.task)));
        all.pauses.sort_by_key(|pause| pause.from);
        all.openings.sort_by_key(|opening| opening.at);
        all.members = self.sums(&all, ended);
        all.assignments = self.assignments.0;
        for assignment in &mut all.assignments {
            assignment.task = clean(&assignment.task);
        }
        all
    }

    fn sums(&self, all: &Together, ended: u64) -> Vec<MemberSum> {
        let mut sums: BTreeMap<u32, MemberSum> = BTreeMap::new();
        for assignment in &self.assignments.0 {
            let sum = sums.entry(assignment.member).or_default();
            sum.member = assignment.member;
            sum.done += u32::from(assignment.end == Some("done"));
            let until = assignment.until.unwrap_or(ended);
            sum.at_work_ms += until.saturating_sub(assignment.from);
        }
        for line in &all.iterations {
            if let Some(sum) = line.member.and_then(|member| sums.get_mut(&member)) {
                sum.iterations += 1;
                sum.cost_usd = to_micros(sum.cost_usd + line.cost_usd);
            }
        }
        for pause in &all.pauses {
            if let Some(sum) = pause.member.and_then(|member| sums.get_mut(&member)) {
                sum.waited_ms += pause.until.saturating_sub(pause.from);
            }
        }
        sums.into_values().collect()
    }
}
