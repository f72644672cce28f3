//! Members' events to state. Total, as the whole fold is: what does not fit changes nothing.

use super::steer;
use super::tally::spend;
use super::wait_for_person;
use crate::budget::Amount;
use crate::members::event::{Answer, Assigned, Elsewhere, End, Looked, MemberEnded, Merging};
use crate::members::{Account, Asked, Assignment, Last, Merged, again_at, name};
use crate::queue::Entry;
use crate::state::{Block, Iteration, State, TaskState};
use crate::step::Reason;
use crate::task::Status;

/// Members that may be lost on one task; then something is wrong with it.
const LOST_MAX: u32 = 10;
/// Times in a row that a work tree may not be had.
const REFUSED_MAX: u32 = 6;
/// How long the remote may not answer before a person is asked: as long as a lease lasts by default,
/// for then the tasks are others'.
const SILENCE_MAX_MS: u64 = 3_600_000;

/// A new driver: nothing of what the last one waited for counts any more.
pub(super) fn driver_started(state: &mut State) {
    let members = &mut state.members;
    members.queue.batch.clear();
    members.queue.chances.clear();
    members.ending = None;
    members.asked.clear();
    members.treeless.clear();
    members.lost.clear();
    members.silent_since = None;
    members.look = (0, 0);
    for entry in &mut members.queue.entries {
        entry.again = 0;
        entry.half.clear();
    }
}

/// A task was asked for.
pub(super) fn assign(state: &mut State, event: &Assigned, now: u64) {
    let members = &mut state.members;
    if !matches!(event.answer, Answer::Unreachable { .. }) {
        members.silent_since = None;
    }
    match &event.answer {
        Answer::Granted {
            token,
            branch,
            work_tree,
            base,
        } => {
            members.asked.remove(&event.task);
            members.treeless.remove(&event.member);
            members.at_work.push(Assignment {
                member: event.member,
                task: event.task.clone(),
                round: event.round,
                token: *token,
                branch: branch.clone(),
                work_tree: work_tree.clone(),
                base: base.clone(),
                share: event.share,
                started: now,
            });
            let held = Amount {
                usd: event.share.usd.unwrap_or(0.0),
                tokens: event.share.tokens.unwrap_or(0),
            };
            state.reserved.insert(seat(event.member), held);
            set_status(state, &event.task, Status::Doing);
        }
        Answer::Held { by, until } => ask_again(state, &event.task, by, (true, *until)),
        Answer::Done { tasks } => done_elsewhere(state, tasks),
        Answer::Unreachable { why, until } => {
            unreachable(state, why, now);
            ask_again(state, &event.task, why, (false, *until));
        }
        Answer::Refused { why } => {
            members.treeless.insert(event.member, now);
            refused(state, &event.task, why, now);
        }
    }
}

/// The remote did not answer. Gives how long it has been silent, in milliseconds.
pub(super) fn unreachable(state: &mut State, why: &str, now: u64) -> u64 {
    let since = *state.members.silent_since.get_or_insert(now);
    let silent = now.saturating_sub(since);
    if silent >= SILENCE_MAX_MS {
        end_with(state, Reason::NeedsPerson(why.to_owned()));
    }
    silent
}

/// A work tree that cannot be had may be had later; one that never can be is a person's matter.
fn refused(state: &mut State, task: &str, why: &str, now: u64) {
    let times = state.members.asked.get(task).map_or(0, |asked| asked.times);
    if times + 1 >= REFUSED_MAX {
        block(state, task, why.to_owned(), false);
    } else {
        ask_again(state, task, why, (false, again_at(times, now)));
    }
}

/// A member's process ended.
pub(super) fn member_ended(state: &mut State, event: &MemberEnded, now: u64) {
    let members = &mut state.members;
    let at = members
        .at_work
        .iter()
        .position(|assignment| assignment.member == event.member && assignment.task == event.task);
    let Some(assignment) = at.map(|at| members.at_work.remove(at)) else {
        return;
    };
    account(state, &assignment, event, now);
    let members = &mut state.members;
    let before = Last {
        task: assignment.task.clone(),
        round: assignment.round,
        end: event.end.clone(),
        ended: now,
    };
    members.last.insert(assignment.member, before);
    match &event.end {
        End::Done => {
            members.lost.remove(&event.task);
            members.queue.entries.push(Entry {
                task: event.task.clone(),
                branch: assignment.branch,
                tip: event.tip.clone(),
                token: assignment.token,
                said: event.said.clone(),
                changed: event.changed.clone(),
                ..Entry::default()
            });
        }
        End::Stopped(reason) => {
            let needs = event.verdict.as_ref().and_then(|last| last.needs.as_ref());
            match (needs, task_mut(state, &event.task)) {
                (Some(needs), Some(task)) => wait_for_person(task, needs),
                _ => stopped(state, &event.task, reason),
            }
        }
        End::Lost => {
            let lost = members.lost.entry(event.task.clone()).or_default();
            *lost += 1;
            if *lost >= LOST_MAX {
                let why = format!("its member was lost {lost} times");
                block(state, &event.task, why, false);
            }
        }
        End::LeaseLost { .. } => {
            let until = again_at(0, now);
            ask_again(state, &event.task, "the lease was lost", (true, until));
        }
        End::Interrupted => {}
    }
    steer::purge(state);
}

/// A member's own run stopped before its task was done.
fn stopped(state: &mut State, task: &str, reason: &Reason) {
    match reason {
        Reason::MaxIterations => block(state, task, "its iterations are used up".to_owned(), false),
        Reason::Blocked(why) => block(state, task, own(task, why), false),
        Reason::BreakerOpen(why) => block(state, task, own(task, why), true),
        // What it had reserved is spent; it may get another share.
        Reason::BudgetSpent
        | Reason::Interrupted(_)
        | Reason::SessionEnded
        | Reason::Stopped
        | Reason::AllDone => {}
        Reason::MaxDuration | Reason::UsageLimit(_) | Reason::NeedsPerson(_) => {
            end_with(state, reason.clone());
        }
    }
}

/// A reason of the member's run without the task's name, which the run's own sentence adds.
fn own(task: &str, why: &str) -> String {
    let prefix = format!("{task}: ");
    why.strip_prefix(&prefix).unwrap_or(why).to_owned()
}

/// Books what the member's journal came to since it was last read.
fn account(state: &mut State, assignment: &Assignment, event: &MemberEnded, now: u64) {
    state.reserved.remove(&seat(assignment.member));
    let total = Account {
        spent: event.spent,
        iterations: event.iterations,
    };
    let key = name(&assignment.task, assignment.round);
    let before = state
        .members
        .accounts
        .insert(key, total)
        .unwrap_or_default();
    let more = Amount {
        usd: total.spent.usd - before.spent.usd,
        tokens: total.spent.tokens.saturating_sub(before.spent.tokens),
    };
    spend(state, more, now);
    let iterations = total.iterations.saturating_sub(before.iterations);
    state.iterations = state.iterations.saturating_add(iterations);
    if let Some(verdict) = event.verdict.clone().filter(|_| iterations > 0) {
        state.history.push(Iteration {
            number: state.iterations,
            attempts: 1,
            task: assignment.task.clone(),
            model: None,
            started: assignment.started,
            ended: now,
            verdict,
            unreported: Vec::new(),
            timed_out: None,
            changed: 0,
            cost_usd: more.usd,
            said: event.said.clone(),
        });
    }
    if let Some(task) = task_mut(state, &assignment.task) {
        task.iterations = task.iterations.saturating_add(iterations);
        let worked = now.saturating_sub(assignment.started);
        task.tally.member((more.usd, worked), now);
    }
}

/// Who holds a share of the budget.
fn seat(member: u32) -> String {
    format!("m{member}")
}

/// A batch begins.
pub(super) fn merging(state: &mut State, event: &Merging) {
    state.members.queue.batch.clone_from(&event.tasks);
}

/// The driver looked what others merged.
pub(super) fn looked(state: &mut State, event: &Looked, now: u64) {
    let (last, idle) = state.members.look;
    let first = last == 0;
    let idle = if first || !event.done.is_empty() {
        0
    } else {
        idle.saturating_add(1)
    };
    state.members.look = (now, idle);
    done_elsewhere(state, &event.done);
}

fn done_elsewhere(state: &mut State, tasks: &[Elsewhere]) {
    let own = state.run.as_ref().map(|run| run.id.clone());
    for seen in tasks {
        let Elsewhere { task, commit, run } = seen;
        if own.as_ref() == Some(run) && super::queue::landed_unheard(state, seen) {
            continue;
        }
        let members = &mut state.members;
        // What this driver lands right now is its own, whoever sees it on the line first.
        if members.queue.batch.contains(task) {
            continue;
        }
        members.asked.remove(task);
        members.queue.repairs.retain(|repair| repair.task != *task);
        members.queue.entries.retain(|entry| entry.task != *task);
        if (members.elsewhere)
            .insert(task.clone(), run.clone())
            .is_none()
        {
            members.queue.proved = None;
            members.merged.push(Merged {
                task: task.clone(),
                commit: commit.clone(),
                said: String::new(),
                way: String::new(),
            });
        }
        set_status(state, task, Status::Done);
    }
}

fn ask_again(state: &mut State, task: &str, why: &str, (held, until): (bool, u64)) {
    let before = state.members.asked.get(task).map_or(0, |asked| asked.times);
    let asked = Asked {
        why: why.to_owned(),
        held,
        times: before.saturating_add(1),
        until,
    };
    state.members.asked.insert(task.to_owned(), asked);
}

/// The first reason to end counts, unless a person is needed.
fn end_with(state: &mut State, reason: Reason) {
    let ending = &mut state.members.ending;
    if ending.is_none() || matches!(reason, Reason::NeedsPerson(_)) {
        *ending = Some(reason);
    }
}

fn block(state: &mut State, id: &str, reason: String, by_breaker: bool) {
    // Nobody puts it right any more: what waited for that goes on.
    state
        .members
        .queue
        .repairs
        .retain(|repair| repair.task != id);
    if let Some(task) = task_mut(state, id) {
        task.status = Status::Blocked;
        task.blocked = Some(Block {
            reason,
            by_breaker,
            ..Block::default()
        });
    }
}

fn set_status(state: &mut State, id: &str, status: Status) {
    if let Some(task) = task_mut(state, id) {
        task.status = status;
        if status == Status::Done {
            task.blocked = None;
        }
    }
}

fn task_mut<'a>(state: &'a mut State, id: &str) -> Option<&'a mut TaskState> {
    state.tasks.iter_mut().find(|task| task.spec.id == id)
}
