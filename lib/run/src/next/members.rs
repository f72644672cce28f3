//! State to the next step of a run with members.

use super::{spent, stuck, unmeasured};
use crate::Config;
use crate::budget::Share;
use crate::closing;
use crate::members::{Asked, NO_REMOTE, again_at};
use crate::rule::{Decision, Rule};
use crate::state::{State, TaskState};
use crate::step::{Members, Reason, Step};
use crate::task::Status;
use std::collections::BTreeSet;

/// A member whose work tree could not be had is passed over for so long, where there are others.
const TREELESS_MS: u64 = 60_000;

/// What is to be done now, at this Unix time in milliseconds: a new driver looks first what the
/// line holds; what is finished is merged; then every free member gets a task; then it waits.
pub(super) fn next(state: &State, config: &Config, now: u64) -> Decision {
    let members = &state.members;
    if members.look.0 == 0 {
        return (Rule::Look, Step::Members(Members::Look));
    }
    let idle = members.at_work.is_empty() && members.queue.batch.is_empty();
    if idle && state.tasks.iter().all(|task| task.status == Status::Done) {
        let done = (Rule::AllDone, Reason::AllDone);
        return close(state, config, done, now);
    }
    let stopped = members.ending.clone().map(|reason| (Rule::Stopped, reason));
    let stopped = stopped.or_else(|| spent(state, config, now));
    let released = stopped.is_some() && members.at_work.is_empty();
    let tasks = members.queue.due(now, released);
    if !tasks.is_empty() {
        return (Rule::Merge, Step::Members(Members::Merge { tasks }));
    }
    match stopped {
        Some(end) if idle && members.queue.entries.is_empty() => return finish(state, end),
        Some(_) => return attend(earliest(state, None, now)),
        None => {}
    }
    if let Some(commands) = unmeasured(state, config) {
        return (Rule::Baseline, Step::Baseline(commands));
    }
    if let Some(step) = assign(state, config, now) {
        return (Rule::Assigned, Step::Members(step));
    }
    // Others may hold what is left of the budget, and give some of it back.
    let shares = share(state, config) == Share::Wait && open_tasks(state).next().is_some();
    let asks = open_tasks(state).any(|task| members.asked.contains_key(&task.spec.id));
    let waits = asks || shares;
    if idle && !waits && members.queue.entries.is_empty() {
        let (rule, step) = stuck(state);
        return match step {
            Step::Finish(reason) => close(state, config, (rule, reason), now),
            step => (rule, step),
        };
    }
    let look = look_at(state, config);
    if look.is_some_and(|at| at <= now) {
        return (Rule::Look, Step::Members(Members::Look));
    }
    attend(earliest(state, look, now))
}

fn attend(until: Option<u64>) -> Decision {
    (Rule::Attend, Step::Members(Members::Attend { until }))
}

/// Nothing ends before what is called done was proved once more where it stands now.
fn finish(state: &State, (rule, reason): (Rule, Reason)) -> Decision {
    let members = &state.members;
    if members.queue.proved.is_none() && !members.merged.is_empty() {
        return (Rule::FinalProof, Step::Members(Members::Prove));
    }
    (rule, Step::Finish(reason))
}

/// Nobody can go on, and what is done was proved on the line: how much of the change do its gates prove?
fn close(state: &State, config: &Config, end: (Rule, Reason), now: u64) -> Decision {
    let decision = finish(state, end);
    let stopped = state.members.ending.is_some() || spent(state, config, now).is_some();
    if stopped || state.members.queue.proved.is_none() {
        return decision;
    }
    let done = state
        .tasks
        .iter()
        .filter(|task| task.status == Status::Done);
    let own = done.flat_map(|task| &task.spec.gates);
    let all: BTreeSet<&String> = own.chain(&config.gates).collect();
    closing::hunk(state, config, all.into_iter().cloned().collect()).unwrap_or(decision)
}

/// What the next member may spend: the budget that is neither spent nor reserved, split among the
/// members that are free.
fn share(state: &State, config: &Config) -> Share {
    let at_work = u32::try_from(state.members.at_work.len()).unwrap_or(u32::MAX);
    state.share(config, config.members.saturating_sub(at_work))
}

/// The first task that may be worked on, for the first member that is free.
fn assign(state: &State, config: &Config, now: u64) -> Option<Members> {
    let members = &state.members;
    let busy = |number: &u32| {
        members
            .at_work
            .iter()
            .any(|assignment| assignment.member == *number)
    };
    let treeless = |number: &u32| {
        let since = members.treeless.get(number);
        since.is_some_and(|since| now < since.saturating_add(TREELESS_MS))
    };
    let sound = (1..=config.members).any(|number| !treeless(&number));
    let mut free = (1..=config.members).filter(|number| !busy(number));
    // One whose folder cannot be made would be refused every task, while the others wait.
    let member = free.find(|number| !sound || !treeless(number))?;
    let Share::Of(share) = share(state, config) else {
        return None;
    };
    let due = |task: &&TaskState| {
        let asked = members.asked.get(&task.spec.id);
        asked.is_none_or(|asked| asked.until <= now)
    };
    let ready: Vec<_> = open_tasks(state).filter(due).collect();
    let rework = |task: &&&TaskState| members.queue.repair(&task.spec.id).is_some();
    let begun = |task: &&&TaskState| task.status == Status::Doing;
    let mut wishes = state.steering.first.iter();
    let task = wishes
        .find_map(|id| ready.iter().find(|task| task.spec.id == *id))
        .or_else(|| ready.iter().find(rework))
        .or_else(|| ready.iter().find(begun))
        .or(ready.first())?;
    let id = task.spec.id.clone();
    let round = members
        .rounds
        .get(&id)
        .copied()
        .filter(|_| members.queue.repair(&id).is_some());
    Some(Members::Assigned {
        task: id,
        member,
        round: round.unwrap_or(0),
        share,
    })
}

/// Tasks that may be worked on and that no member of ours has: their dependencies are done.
fn open_tasks(state: &State) -> impl Iterator<Item = &TaskState> {
    let members = &state.members;
    let taken = |id: &str| {
        members
            .at_work
            .iter()
            .any(|assignment| assignment.task == id)
            || members.queue.has(id)
    };
    let done = |id: &String| {
        state
            .task(id)
            .is_some_and(|task| task.status == Status::Done)
    };
    state.tasks.iter().filter(move |task| {
        matches!(task.status, Status::Todo | Status::Doing)
            && !taken(&task.spec.id)
            && !state.steering.held.contains(&task.spec.id)
            && task.spec.depends_on.iter().all(done)
    })
}

/// When to look what others merged; `None` when nobody else is at work on this list.
fn look_at(state: &State, config: &Config) -> Option<u64> {
    let others = state.members.asked.values().any(|asked| asked.held);
    let shared = config.remote.as_deref() != Some(NO_REMOTE);
    let (last, idle) = state.members.look;
    (others && shared).then(|| again_at(idle, last))
}

/// The next moment at which something may have become possible by itself.
fn earliest(state: &State, look: Option<u64>, now: u64) -> Option<u64> {
    let members = &state.members;
    let asked = members.asked.values().map(|Asked { until, .. }| *until);
    let treeless = members.treeless.values();
    asked
        .chain(treeless.map(|since| since.saturating_add(TREELESS_MS)))
        .chain(members.queue.next_at(now))
        .chain(look)
        // What is due already waits for a member that ends.
        .filter(|at| *at > now && *at != u64::MAX)
        .min()
}
