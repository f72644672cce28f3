//! What the answers to candidates mean for the queue and its tasks.

use super::members::unreachable;
use crate::hunks::Hunks;
use crate::members::event::{Elsewhere, LineProved, LineSeen, MergeAnswer, MergeEnded, Refuted};
use crate::members::{Merged, again_at};
use crate::queue::{Chances, Entry, REPAIRS_MAX, Repair, WORLD_MAX};
use crate::state::{Block, State};
use crate::step::Reason;
use crate::task::Status;
use overnight_judge::GateOutcome;

/// Pauses between two tries to reach a remote: as long as it has been silent, within these bounds.
const SOON_MS: u64 = 2_000;
const LATER_MS: u64 = 30_000;

/// A candidate came to an answer.
pub(super) fn answered(state: &mut State, event: &MergeEnded, now: u64) {
    let queue = &mut state.members.queue;
    queue.batch.retain(|task| *task != event.task);
    let at = queue
        .entries
        .iter()
        .position(|entry| entry.task == event.task);
    let Some(at) = at else { return };
    let chances = queue.chances.entry(event.task.clone()).or_default();
    match event.answer {
        MergeAnswer::World { .. } => {}
        MergeAnswer::Unreachable { .. } => chances.world = 0,
        _ => {
            chances.world = 0;
            state.members.silent_since = None;
        }
    }
    match &event.answer {
        MergeAnswer::Merged { commit, gates, way } => {
            let entry = queue.entries.remove(at);
            landed(state, entry, (commit, gates, way));
        }
        MergeAnswer::Conflict { why, paths } => {
            // Whoever reserved one of the paths first is put right first; it costs nothing to wait.
            let entry = &mut queue.entries[at];
            entry.half.clear();
            let touched = Entry {
                changed: Some(paths.clone()),
                ..entry.clone()
            };
            if queue.holder(&touched, now).is_some() {
                return add_changed(state, at, paths);
            }
            chance(state, at, (why, paths), |chances| &mut chances.conflict);
        }
        MergeAnswer::Red { why } => {
            let paths = queue.entries[at].changed.clone().unwrap_or_default();
            chance(state, at, (why, &paths), |chances| &mut chances.red);
        }
        MergeAnswer::World { why } => {
            chances.world += 1;
            let world = chances.world;
            if world > WORLD_MAX {
                return give_up(state, at, &format!("{why} ({WORLD_MAX} times tried again)"));
            }
            queue.entries[at].again = again_at(world - 1, now);
        }
        MergeAnswer::Unreachable { why } => {
            let silent = unreachable(state, why, now);
            state.members.queue.entries[at].again = now + silent.clamp(SOON_MS, LATER_MS);
        }
        MergeAnswer::Moved { until } => queue.entries[at].again = until.unwrap_or(0),
        MergeAnswer::Halve { half } => queue.entries[at].half.push(*half),
    }
}

/// What conflicts is a path that the change touches, though it may have another name there.
fn add_changed(state: &mut State, at: usize, paths: &[String]) {
    if let Some(changed) = &mut state.members.queue.entries[at].changed {
        changed.extend_from_slice(paths);
    }
}

/// The work goes to an agent once more, if it may; its paths are reserved meanwhile.
fn chance(
    state: &mut State,
    at: usize,
    (why, paths): (&str, &[String]),
    counter: impl Fn(&mut Chances) -> &mut u32,
) {
    let queue = &mut state.members.queue;
    let task = queue.entries[at].task.clone();
    let used = counter(queue.chances.entry(task.clone()).or_default());
    *used += 1;
    if *used > REPAIRS_MAX {
        let agents = if REPAIRS_MAX == 1 {
            "an agent"
        } else {
            "agents"
        };
        return give_up(
            state,
            at,
            &format!("{why} ({REPAIRS_MAX} times given to {agents})"),
        );
    }
    let entry = queue.entries.remove(at);
    let repair = Repair {
        task: task.clone(),
        why: why.to_owned(),
        paths: paths.to_vec(),
        tip: entry.tip,
    };
    put(&mut queue.repairs, repair);
    *state.members.rounds.entry(task).or_default() += 1;
}

/// A repair keeps its age when it is needed again.
fn put(repairs: &mut Vec<Repair>, repair: Repair) {
    match repairs.iter_mut().find(|known| known.task == repair.task) {
        Some(known) => *known = repair,
        None => repairs.push(repair),
    }
}

fn give_up(state: &mut State, at: usize, why: &str) {
    let queue = &mut state.members.queue;
    let entry = queue.entries.remove(at);
    queue.repairs.retain(|repair| repair.task != entry.task);
    queue.chances.remove(&entry.task);
    block(state, &entry.task, why.to_owned(), Some(entry.branch));
}

fn block(state: &mut State, id: &str, reason: String, unmerged: Option<String>) {
    if let Some(task) = state.tasks.iter_mut().find(|task| task.spec.id == id) {
        task.status = Status::Blocked;
        task.blocked = Some(Block {
            reason,
            by_breaker: false,
            unmerged,
        });
    }
}

fn set_status(state: &mut State, id: &str, status: Status) {
    if let Some(task) = state.tasks.iter_mut().find(|task| task.spec.id == id) {
        task.status = status;
        task.blocked = None;
    }
}

fn landed(state: &mut State, entry: Entry, (commit, gates, way): (&str, &[GateOutcome], &str)) {
    let members = &mut state.members;
    members
        .queue
        .repairs
        .retain(|repair| repair.task != entry.task);
    members.queue.line = Some(commit.to_owned());
    members.queue.proved = None;
    state.hunks = Hunks::default();
    let members = &mut state.members;
    members.merged.push(Merged {
        task: entry.task.clone(),
        commit: commit.to_owned(),
        said: entry.said,
        way: way.to_owned(),
    });
    set_status(state, &entry.task, Status::Done);
    // What the gates said of the merged tree is what counts of them.
    let last = state.history.last_on_mut(&entry.task);
    if let Some(last) = last.filter(|_| !gates.is_empty()) {
        last.verdict.gates = gates.to_vec();
    }
}

/// What this driver brought to the line is its own, though its push or its own death left that without an
/// answer. Is it such a one?
pub(super) fn landed_unheard(state: &mut State, seen: &Elsewhere) -> bool {
    let queue = &mut state.members.queue;
    let at = queue
        .entries
        .iter()
        .position(|entry| entry.task == seen.task);
    let Some(at) = at.filter(|_| !queue.batch.contains(&seen.task)) else {
        return false;
    };
    let entry = queue.entries.remove(at);
    landed(state, entry, (&seen.commit, &[], ""));
    super::tally::merged(state, &seen.task, &seen.commit);
    true
}

/// The line was found elsewhere than this driver left it.
pub(super) fn line_seen(state: &mut State, event: &LineSeen) {
    let queue = &mut state.members.queue;
    if queue.line.as_ref() != Some(&event.commit) {
        queue.proved = None;
        state.hunks = Hunks::default();
    }
    queue.line = Some(event.commit.clone());
    for refuted in &event.refuted {
        reopen(state, refuted);
    }
}

/// Every gate of what is done was run once more on the line.
pub(super) fn line_proved(state: &mut State, event: &LineProved) {
    state.members.queue.line = Some(event.commit.clone());
    state.members.queue.proved = Some(event.commit.clone());
    for refuted in &event.refuted {
        reopen(state, refuted);
    }
    if let (Some(why), None) = (&event.red, &state.members.ending) {
        state.members.ending = Some(Reason::Blocked(why.clone()));
    }
}

/// A task that was done is not any more: it goes to an agent again, from what the line has now.
fn reopen(state: &mut State, refuted: &Refuted) {
    let members = &mut state.members;
    let at = members
        .merged
        .iter()
        .position(|merged| merged.task == refuted.task);
    let Some(at) = at else { return };
    let merged = members.merged.remove(at);
    members.elsewhere.remove(&refuted.task);
    members.queue.refuted.insert(merged.commit.clone());
    let chances = members
        .queue
        .chances
        .entry(refuted.task.clone())
        .or_default();
    chances.reopened += 1;
    if chances.reopened > REPAIRS_MAX {
        let why = format!("{} ({REPAIRS_MAX} times done again)", refuted.why);
        return block(state, &refuted.task, why, None);
    }
    put(
        &mut members.queue.repairs,
        Repair {
            task: refuted.task.clone(),
            why: reopened_text(refuted),
            paths: Vec::new(),
            tip: Some(merged.commit),
        },
    );
    *members.rounds.entry(refuted.task.clone()).or_default() += 1;
    set_status(state, &refuted.task, Status::Todo);
}

/// What a reopened task's agent and the person are told.
fn reopened_text(refuted: &Refuted) -> String {
    format!("it was done and is not any more: {}", refuted.why)
}
