//! What tasks and members took, what became of their branches, and what an agent met in its cell.

use crate::budget::{Amount, to_micros};
use crate::event::Outcome;
use crate::members::event::{Answer, Assigned, MergeAnswer, MergeEnded};
use crate::placed::LeftOut;
use crate::review::Reviewed;
use crate::state::{CALLS_REMEMBERED_MAX, State};
use crate::tally::Tally;

/// What the walls refused an agent, and the limit that ended it.
pub(super) fn cell(state: &mut State, event: &Outcome) {
    for path in &event.walled {
        *state.walled.entry(path.clone()).or_default() += 1;
    }
    if let Some(limit) = &event.limited {
        *state.limited.entry(limit.to_string()).or_default() += 1;
    }
}

/// What a task that was given up left is on a branch of its own.
pub(super) fn left_out(state: &mut State, event: &LeftOut) {
    if let Some(tally) = of(state, &event.task) {
        tally.left_out = Some(event.branch.clone());
    }
}

/// Counts what was spent.
pub(super) fn spend(state: &mut State, spent: Amount, now: u64) {
    let usd = spent.usd.max(0.0);
    state.spent_usd = to_micros(state.spent_usd + usd);
    state.spent_tokens = state.spent_tokens.saturating_add(spent.tokens);
    if state.costs.len() == CALLS_REMEMBERED_MAX {
        state.costs.pop_front();
    }
    state.costs.push_back((now, usd));
}

/// A claim was reviewed.
pub(super) fn reviewed(state: &mut State, event: &Reviewed, now: u64) {
    let spent = Amount {
        usd: event.cost_usd,
        tokens: event.tokens,
    };
    spend(state, spent, now);
    let Some(open) = &mut state.open else { return };
    open.review = Some(event.clone());
    let id = open.task.clone();
    if let Some(tally) = of(state, &id) {
        tally.usd = to_micros(tally.usd + event.cost_usd.max(0.0));
    }
}

/// A task was handed to a member.
pub(super) fn assign(state: &mut State, event: &Assigned, now: u64) {
    let Answer::Granted { branch, .. } = &event.answer else {
        return;
    };
    if let Some(tally) = of(state, &event.task) {
        tally.member = Some(event.member);
        tally.branch = Some(branch.clone());
        tally.began.get_or_insert(now);
    }
}

/// A merge ended.
pub(super) fn merge_ended(state: &mut State, event: &MergeEnded) {
    let conflict = match &event.answer {
        MergeAnswer::Merged { .. } => None,
        MergeAnswer::Conflict { why, .. } | MergeAnswer::Red { why } => Some(why.clone()),
        MergeAnswer::World { .. }
        | MergeAnswer::Unreachable { .. }
        | MergeAnswer::Moved { .. }
        | MergeAnswer::Halve { .. } => {
            return;
        }
    };
    if let MergeAnswer::Merged { commit, .. } = &event.answer {
        merged(state, &event.task, commit);
    } else if let Some(tally) = of(state, &event.task) {
        tally.conflict = conflict;
    }
}

/// A task's work is on the line.
pub(super) fn merged(state: &mut State, task: &str, commit: &str) {
    if let Some(tally) = of(state, task) {
        (tally.conflict, tally.merged) = (None, Some(commit.to_owned()));
    }
}

fn of<'a>(state: &'a mut State, id: &str) -> Option<&'a mut Tally> {
    let mut tasks = state.tasks.iter_mut();
    tasks
        .find(|task| task.spec.id == id)
        .map(|task| &mut task.tally)
}
