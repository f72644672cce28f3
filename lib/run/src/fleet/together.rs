//! The states of all machines of a list as one, for every view. Pure: the same words give the same
//! night, in whatever order they came.

use super::{Machine, plus};
use crate::budget::Amount;
use crate::members::line;
use crate::state::{Iteration, State, TaskState};
use crate::step::Reason;
use crate::task::Status;
use std::collections::BTreeSet;

/// A machine's state beside the others'.
struct Side<'s> {
    name: &'s str,
    run: &'s str,
    state: &'s State,
    /// Is its driver at work?
    lives: bool,
}

/// What the run of this state and these machines came to together. The tasks are those of `own`: what
/// others say of a task with another text is about another task.
pub fn together(own: &State, own_lives: bool, machines: &[Machine], now: u64) -> State {
    let joined = own.fleet.joined.as_ref();
    let mut sides = vec![Side {
        name: joined.map_or("", |joined| joined.machine.as_str()),
        run: own.run.as_ref().map_or("", |run| run.id.as_str()),
        state: own,
        lives: own_lives,
    }];
    let readable = |machine: &&Machine| machine.refused.is_none();
    sides.extend(machines.iter().filter(readable).map(|machine| Side {
        name: &machine.name,
        run: &machine.run,
        state: &machine.state,
        lives: machine.lives(now),
    }));
    // Sums of one and the same machines are the same to the last digit.
    sides[1..].sort_by_key(|side| side.run);
    let mut all = own.clone();
    if !own_lives {
        all.members.at_work.clear();
    }
    let refuted: BTreeSet<&String> = sides
        .iter()
        .flat_map(|side| &side.state.members.queue.refuted)
        .collect();
    let (mut before, mut last) = (Vec::new(), Vec::new());
    for task in &mut all.tasks {
        let chosen = task_of(task, &sides, &refuted);
        let (of_chosen, of_others) = history(&task.spec.id, &sides, chosen);
        last.extend(of_chosen);
        before.extend(of_others);
        if task.tally.run.as_deref() == Some(sides[chosen].run) {
            all.members.elsewhere.remove(&task.spec.id);
        }
    }
    before.append(&mut last);
    all.history = before.into_iter().collect();
    sums(&mut all, &sides[1..]);
    end(&mut all, &sides);
    all
}

/// Makes of a task what all know of it; gives whose word counts.
fn task_of(task: &mut TaskState, sides: &[Side<'_>], refuted: &BTreeSet<&String>) -> usize {
    let key = line::key(&task.spec);
    let known = |side: &Side<'_>| {
        let known = side.state.task(&task.spec.id)?;
        (line::key(&known.spec) == key).then(|| known.clone())
    };
    let known: Vec<Option<TaskState>> = sides.iter().map(known).collect();
    let merged_by = merged_by(task, sides, &known, refuted);
    let rank = |at: &usize| {
        let one = known[*at].as_ref();
        let rank = one.map(|one| rank(one, &sides[*at], (refuted, merged_by.as_deref())));
        (rank, std::cmp::Reverse(sides[*at].run))
    };
    let chosen = (0..sides.len()).max_by_key(rank).unwrap_or(0);
    let (spec, asks) = (task.spec.clone(), task.asks.clone());
    let mut sum = known[chosen].clone().unwrap_or_else(|| task.clone());
    sum.iterations = 0;
    (sum.tally.usd, sum.tally.worked_ms) = (0.0, 0);
    for one in known.iter().flatten() {
        let tally = &one.tally;
        sum.iterations = sum.iterations.saturating_add(one.iterations);
        sum.tally.usd = plus(
            Amount {
                usd: sum.tally.usd,
                tokens: 0,
            },
            Amount {
                usd: tally.usd,
                tokens: 0,
            },
        )
        .usd;
        sum.tally.worked_ms = sum.tally.worked_ms.saturating_add(tally.worked_ms);
        sum.tally.estimated |= tally.estimated;
    }
    credit(&mut sum, &sides[chosen], (sides, merged_by));
    // Numbers of questions are each machine's own.
    (sum.spec, sum.asks) = (spec, asks);
    *task = sum;
    chosen
}

/// The run that brought a task to the line, as any machine saw it there that did not bring it itself. It may
/// have died before it said so.
fn merged_by(
    task: &TaskState,
    sides: &[Side<'_>],
    known: &[Option<TaskState>],
    refuted: &BTreeSet<&String>,
) -> Option<String> {
    let seen = sides.iter().zip(known).filter_map(|(side, known)| {
        known
            .as_ref()
            .filter(|known| known.status == Status::Done)?;
        let mut merged = side.state.members.merged.iter();
        let merged = merged.find(|merged| merged.task == task.spec.id)?;
        let run = side.state.members.elsewhere.get(&task.spec.id)?;
        (!run.is_empty() && !refuted.contains(&merged.commit)).then_some(run)
    });
    seen.min().cloned()
}

/// Says who did a task: the machine that tells so, else the one that the line names.
fn credit(task: &mut TaskState, chosen: &Side<'_>, (sides, by): (&[Side<'_>], Option<String>)) {
    let by = by.filter(|_| !did(chosen.state, task));
    let (run, name) = match by {
        Some(run) => {
            let side = sides.iter().find(|side| side.run == run);
            let name = side.map_or(run.clone(), |side| side.name.to_owned());
            (task.status, task.blocked) = (Status::Done, None);
            (run, name)
        }
        None if task.status == Status::Done && !did(chosen.state, task) => return,
        None => (chosen.run.to_owned(), chosen.name.to_owned()),
    };
    if task.status == Status::Done {
        task.tally.run = Some(run);
    } else if task.tally.member.is_none() {
        return;
    }
    task.tally.machine = Some(name);
}

/// Did the run of this state do the task, which it knows as this? What it only saw on the line somebody
/// else did.
fn did(state: &State, task: &TaskState) -> bool {
    let id = &task.spec.id;
    let seen = state.members.elsewhere.contains_key(id);
    task.status == Status::Done && !seen && state.last_on(id).is_some()
}

/// How much a machine's word about a task counts: who did it, who is at it, who knows it done, who
/// tried. What the line lost since is no longer done.
fn rank(
    task: &TaskState,
    side: &Side<'_>,
    (refuted, merged_by): (&BTreeSet<&String>, Option<&str>),
) -> (u8, u32) {
    let id = &task.spec.id;
    let tried = side.state.last_on(id).is_some();
    let mut at_work = side.state.members.at_work.iter();
    let mut merged = task.tally.merged.iter();
    let first = if task.status == Status::Done && merged.any(|commit| refuted.contains(commit)) {
        0
    } else if did(side.state, task) || (tried && merged_by == Some(side.run)) {
        5
    } else if side.lives && at_work.any(|assignment| assignment.task == *id) {
        4
    } else if task.status == Status::Done {
        3
    } else if tried {
        2
    } else {
        1
    };
    (first, task.iterations)
}

/// The iterations on a task: those of the machine whose word counts, and the others'.
fn history(task: &str, sides: &[Side<'_>], chosen: usize) -> (Vec<Iteration>, Vec<Iteration>) {
    let of = |state: &State| {
        let own = state.history.on(task);
        own.cloned().collect::<Vec<_>>()
    };
    let others = sides.iter().enumerate().filter(|(at, _)| *at != chosen);
    let others = others.flat_map(|(_, side)| of(side.state)).collect();
    (of(sides[chosen].state), others)
}

/// Adds what the others spent, did and have at work.
fn sums(all: &mut State, others: &[Side<'_>]) {
    let mut spent = Amount {
        usd: all.spent_usd,
        tokens: all.spent_tokens,
    };
    for side in others {
        let own = Amount {
            usd: side.state.spent_usd,
            tokens: side.state.spent_tokens,
        };
        spent = plus(spent, own);
        all.iterations = all.iterations.saturating_add(side.state.iterations);
        if side.lives {
            let at_work = side.state.members.at_work.iter().cloned();
            all.members.at_work.extend(at_work);
        }
        let entries = &side.state.members.queue.entries;
        all.members.queue.entries.extend(entries.iter().cloned());
        all.published = all
            .published
            .take()
            .or_else(|| side.state.published.clone());
    }
    (all.spent_usd, all.spent_tokens) = (spent.usd, spent.tokens);
    let tasks = &all.tasks;
    let is_done = |id: &String| {
        let mut done = tasks.iter().filter(|task| task.status == Status::Done);
        done.any(|task| task.spec.id == *id)
    };
    all.members
        .queue
        .entries
        .retain(|entry| !is_done(&entry.task));
}

/// It is over when nobody is at work, and done when one machine proved all of it.
fn end(all: &mut State, sides: &[Side<'_>]) {
    if sides.iter().any(|side| side.lives) {
        (all.finished, all.interrupted, all.ended) = (None, None, None);
        return;
    }
    let proved = |side: &&Side<'_>| side.state.finished == Some(Reason::AllDone);
    let done = all.tasks.iter().all(|task| task.status == Status::Done);
    if let Some(side) = sides.iter().find(proved).filter(|_| done) {
        (all.finished, all.interrupted) = (Some(Reason::AllDone), None);
        all.ended = all.ended.or(side.state.ended);
    }
}
