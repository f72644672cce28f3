//! What each member of a run does: from the run's journal who has what, from the member's own how
//! far it is.

use super::{Breaker, Life, Limit, Seen, Vitals, breaker_of, limit};
use overnight_run::State;
use overnight_run::event::Context;
use overnight_run::members::{Assignment, name};
use serde::Serialize;

/// What is seen of the journal of a member that is at work.
#[derive(Debug, Clone, Default)]
pub struct MemberSeen {
    /// The name of its journal's folder.
    pub name: String,
    /// Its fold.
    pub state: State,
    /// Does its newest process live?
    pub alive: bool,
}

/// What a member does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// Its agent or a gate is at work, or about to be.
    Working,
    /// It waits, and goes on by itself.
    Waiting,
    /// Its task came to an end that the driver has not taken in yet.
    Ended,
    /// Its process is gone without a word.
    Dead,
    /// It has no task.
    Free,
}

impl Doing {
    /// Its name as in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
            Self::Dead => "dead",
            Self::Free => "free",
        }
    }
}

/// One member.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    /// Its number, from 1.
    pub member: u32,
    /// What it is called in the report, the trace and the live view.
    pub agent: String,
    /// What it does.
    pub state: Doing,
    /// Its task; of a free member the last one, if there was any.
    pub task: Option<String>,
    /// How a free member's last task ended: `done`, `stopped`, `lost`, `lease lost`, `interrupted`.
    pub last: Option<&'static str>,
    /// How often the task was given to an agent again because its branch could not be merged.
    pub rework: u32,
    /// The iteration under way on the task, or the last one.
    pub iteration: u32,
    /// Iterations at most, for each task.
    pub iterations_max: u32,
    /// Unix time in milliseconds since which it has the task, or is free.
    pub since_ms: u64,
    /// Milliseconds since then.
    pub for_ms: u64,
    /// Dollars spent on the task so far, as far as its journal knows.
    pub cost_usd: f64,
    /// How full the context window of its agent's last message was.
    pub context: Option<Context>,
    /// What it waits for.
    pub limit: Option<Limit>,
    /// Its task's circuit breaker.
    pub breaker: Option<Breaker>,
    /// The branch it works on.
    pub branch: Option<String>,
}

/// Every member of a run, by number; none for a run without members.
pub(super) fn members(state: &State, seen: &Seen) -> Vec<Member> {
    let now = seen.now;
    (1..=state.config.members)
        .map(|number| {
            let assignment = state
                .members
                .at_work
                .iter()
                .find(|assignment| assignment.member == number);
            assignment.map_or_else(
                || free(state, number, now),
                |assignment| at_work(state, assignment, seen),
            )
        })
        .collect()
}

/// The journal of a member at work, if it was read.
fn journal<'s>(seen: &'s [MemberSeen], assignment: &Assignment) -> Option<&'s MemberSeen> {
    let name = name(&assignment.task, assignment.round);
    seen.iter().find(|seen| seen.name == name)
}

/// What the members at work spent and judged since the run's journal last heard of it.
pub(crate) fn unbooked(state: &State, seen: &[MemberSeen]) -> (f64, u32) {
    let more = |assignment: &Assignment| {
        let own = &journal(seen, assignment)?.state;
        let key = name(&assignment.task, assignment.round);
        let booked = state.members.accounts.get(&key).copied();
        let booked = booked.unwrap_or_default();
        let usd = (own.spent_usd - booked.spent.usd).max(0.0);
        Some((usd, own.iterations.saturating_sub(booked.iterations)))
    };
    let all = state.members.at_work.iter().filter_map(more);
    all.fold((0.0, 0), |sum, more| {
        (sum.0 + more.0, u32::saturating_add(sum.1, more.1))
    })
}

/// What a member with a task does: by its own journal, as far as it has begun and whether its
/// process lives, by when it got the task, and by whether its driver lives.
pub(super) fn doing(own: Option<(Vitals, bool)>, started: u64, driven: bool, now: u64) -> Doing {
    match own {
        // What stands there is of an earlier process: this one is just starting.
        Some((own, alive)) if own.updated >= started => match own.life(alive, now) {
            Life::Running => Doing::Working,
            Life::Waiting | Life::Paused => Doing::Waiting,
            Life::Crashed => Doing::Dead,
            Life::Completed | Life::Blocked | Life::Stopped | Life::Interrupted => Doing::Ended,
        },
        // Its driver starts it, and ends with it.
        _ if driven => Doing::Working,
        _ => Doing::Dead,
    }
}

fn at_work(state: &State, assignment: &Assignment, seen: &Seen) -> Member {
    let now = seen.now;
    let journal = journal(&seen.members, assignment);
    let own = journal.map(|journal| (Vitals::of(&journal.state), journal.alive));
    let blank = Member {
        task: Some(assignment.task.clone()),
        rework: assignment.round,
        branch: Some(assignment.branch.clone()),
        state: doing(own, assignment.started, seen.alive, now),
        ..blank(state, assignment.member, (assignment.started, now))
    };
    let Some(journal) = journal else {
        return blank;
    };
    let own = &journal.state;
    let open = own.open.as_ref().map(|open| open.iteration);
    Member {
        iteration: open.unwrap_or(own.iterations),
        cost_usd: own.spent_usd,
        context: own.context,
        limit: limit(own),
        breaker: own
            .task(&assignment.task)
            .map(|task| breaker_of(own, task, now)),
        ..blank
    }
}

fn free(state: &State, number: u32, now: u64) -> Member {
    let last = state.members.last.get(&number);
    let begun = state.run.as_ref().map_or(0, |run| run.started);
    let since = last.map_or(begun, |last| last.ended);
    Member {
        task: last.map(|last| last.task.clone()),
        last: last.map(|last| last.end.word()),
        rework: last.map_or(0, |last| last.round),
        ..blank(state, number, (since, now))
    }
}

fn blank(state: &State, number: u32, (since, now): (u64, u64)) -> Member {
    Member {
        member: number,
        agent: format!("member {number}"),
        state: Doing::Free,
        task: None,
        last: None,
        rework: 0,
        iteration: 0,
        iterations_max: state.config.max_iterations,
        since_ms: since,
        for_ms: now.saturating_sub(since),
        cost_usd: 0.0,
        context: None,
        limit: None,
        breaker: None,
        branch: None,
    }
}
