//! The machines of a list in lines: who works, who ended, who is gone.

use super::{Summary, clean};
use crate::report::words::{count, dollars, length};
use overnight_run::fleet::{Machine, Standing};
use overnight_run::state::TaskState;
use overnight_run::{State, fleet};
use serde::Serialize;
use std::fmt::Write;

/// Machines that are told of one by one; of more, those that ended are counted.
const TOLD_MAX: usize = 16;
/// What a report says below the machines.
pub const ALONE: &str =
    "Waits, iterations, what went wrong and what changed are told of this machine alone.";
/// Tasks at work that are named of one machine.
const NAMED_MAX: usize = 4;

/// What one machine does, or came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfMachine {
    /// Its name.
    pub name: String,
    /// Its run.
    pub run: String,
    /// Is it this one?
    pub here: bool,
    /// `at work`, `ended`, `gone` or `not understood`.
    pub standing: &'static str,
    /// Milliseconds since a word of it came last; 0 here.
    pub silent_ms: u64,
    /// Why its journal cannot be read.
    pub refused: Option<String>,
    /// Tasks that it did.
    pub done: usize,
    /// Tasks that its members have.
    pub at_work: Vec<String>,
    /// Dollars, without those of its members at work.
    pub cost_usd: f64,
}

/// The machines of the run of this state, its own first; that is `here` where the run is one of this
/// clone. `all`: what they came to together.
pub(super) fn of(
    (own, all): (&State, &State),
    (is_here, own_lives): (bool, bool),
    machines: &[Machine],
    now: u64,
) -> Vec<OfMachine> {
    let first = Machine {
        run: own
            .run
            .as_ref()
            .map_or_else(String::new, |run| run.id.clone()),
        name: (own.fleet.joined.as_ref()).map_or_else(String::new, |joined| joined.machine.clone()),
        state: own.clone(),
        heard_ms: now,
        refused: None,
    };
    let standing = match (own_lives, own.ended) {
        (true, _) => Standing::AtWork,
        (false, Some(_)) => Standing::Ended,
        (false, None) => Standing::Gone,
    };
    let first = of_one(all, &first, is_here, (standing, now));
    let others = machines.iter();
    let others = others.map(|machine| of_one(all, machine, false, (machine.standing(now), now)));
    [first].into_iter().chain(others).collect()
}

fn of_one(
    all: &State,
    machine: &Machine,
    here: bool,
    (standing, now): (Standing, u64),
) -> OfMachine {
    let state = &machine.state;
    let did = |task: &&TaskState| task.tally.run.as_ref() == Some(&machine.run);
    let done = all.tasks.iter().filter(did);
    let at_work = state.members.at_work.iter();
    let at_work = at_work.filter(|_| standing == Standing::AtWork);
    OfMachine {
        name: clean(&machine.name),
        run: clean(&machine.run),
        here,
        standing: standing.words(),
        silent_ms: now.saturating_sub(machine.heard_ms),
        refused: machine.refused.as_deref().map(clean),
        done: done.count(),
        at_work: at_work.map(|assignment| clean(&assignment.task)).collect(),
        cost_usd: machine.spent().usd,
    }
}

impl OfMachine {
    /// Nothing is heard of it, and its run is not over.
    pub fn is_gone(&self) -> bool {
        self.standing == Standing::Gone.words()
    }

    /// Is it at work by its last word, and has failed to say so again three times?
    fn is_silent(&self) -> bool {
        const SILENT_MS: u64 = 6 * 60_000;
        self.standing == Standing::AtWork.words() && self.silent_ms > SILENT_MS
    }

    fn line(&self, summary: &Summary) -> String {
        let mut same = summary.machines.iter().filter(|one| one.name == self.name);
        let run = if same.nth(1).is_some() {
            format!(" ({})", self.run)
        } else {
            String::new()
        };
        let mut line = format!("{}{run}: {}", self.name, self.standing);
        if !self.at_work.is_empty() {
            let named: Vec<&str> = self
                .at_work
                .iter()
                .take(NAMED_MAX)
                .map(String::as_str)
                .collect();
            let more = self.at_work.len() - named.len();
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            line.push_str(" on ");
            line.push_str(&named.join(", "));
            line.push_str(&more);
        }
        if (self.is_gone() || self.is_silent()) && !self.here {
            let _ = write!(line, ", last heard of {} ago", length(self.silent_ms));
        }
        let end = self.refused.as_ref().map_or_else(
            || {
                let done = count(self.done, "task");
                format!(", {done} done, {}", dollars(self.cost_usd))
            },
            |why| format!(": {why}"),
        );
        line + &end
    }
}

/// A line for each machine: those that are gone first.
pub fn lines(summary: &Summary) -> Vec<String> {
    let ended = |one: &&OfMachine| one.standing == Standing::Ended.words();
    let (ended, mut told): (Vec<&OfMachine>, Vec<&OfMachine>) =
        summary.machines.iter().partition(ended);
    told.sort_by_key(|one| !one.is_gone());
    let room = TOLD_MAX.saturating_sub(told.len());
    let listed = told.iter().take(TOLD_MAX).chain(ended.iter().take(room));
    let mut lines: Vec<String> = listed.map(|one| one.line(summary)).collect();
    let more = summary.machines.len() - lines.len();
    if more > 0 {
        lines.push(format!("and {}", count(more, "more machine")));
    }
    lines
}

/// `4 machines, 1 of them gone`; nothing of a run that is alone.
pub fn words(summary: &Summary) -> Option<String> {
    let all = summary.machines.len();
    let gone = summary.machines.iter().filter(|one| one.is_gone()).count();
    let gone = if gone > 0 {
        format!(", {gone} of them gone")
    } else {
        String::new()
    };
    (all > 0).then(|| format!("{}{gone}", count(all, "machine")))
}

/// What all machines came to together, as a state; and is any of them at work?
pub(super) fn together(
    own: &State,
    own_lives: bool,
    machines: &[Machine],
    now: u64,
) -> (State, bool) {
    let all = fleet::together(own, own_lives, machines, now);
    (
        all,
        own_lives || machines.iter().any(|machine| machine.lives(now)),
    )
}
