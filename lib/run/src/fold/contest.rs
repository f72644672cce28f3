//! Questions that tasks wait for: those that their agents came upon, and whether changed tests may count.

use super::{again, steer};
use crate::event::{Answered, Contested};
use crate::state::{Block, Open, State, TaskState};
use crate::steer::Instruction;
use crate::task::Status;
use overnight_judge::Decision;
use overnight_judge::proof::contest::Contest;

/// What the next iteration is told after a no.
const REFUSED: &str = "a person read how the tests were changed and said no: leave them as they were when the run began";

/// What a claim goes back for once.
pub(super) fn went_back(task: &mut TaskState, open: &Open) {
    let proof = open.gates.as_ref().and_then(|gates| gates.proof.as_ref());
    if let Some(proof) = proof {
        task.back.never_red |= proof.findings.never_red;
        task.back.special |= !proof.findings.special.is_empty();
        task.back.contested |= !proof.findings.contested.is_empty();
    }
    let review = open.review.as_ref().and_then(|came| came.review.as_ref());
    if review.is_some_and(|review| !review.accept) {
        task.back.reviewed += 1;
    }
}

/// The task waits for a person; what depends on it goes on.
pub(super) fn wait(task: &mut TaskState, contest: &Contest) {
    task.status = Status::Blocked;
    task.contest = Some(contest.clone());
    task.breaker.close();
    task.blocked = Some(Block {
        reason: "its tests were changed: a person says whether they may count".to_owned(),
        ..Block::default()
    });
}

/// The question has a number.
pub(super) fn asked(state: &mut State, event: &Contested) {
    let mut tasks = state.tasks.iter_mut();
    if let Some(task) = tasks.find(|task| task.spec.id == event.task) {
        task.asks = vec![event.ask];
    }
}

/// A person answered: with an approval the task that waited for it begins anew, or is done.
pub(super) fn answered(state: &mut State, event: &Answered) {
    let (mut contests, mut next) = (Vec::new(), Vec::new());
    for task in &mut state.tasks {
        if !task.asks.contains(&event.ask) {
            continue;
        }
        task.asks.retain(|ask| *ask != event.ask);
        if task.asks.is_empty() {
            next.push(task.spec.id.clone());
        }
        if let Some(contest) = task.contest.take() {
            again(task);
            contests.push((task.spec.id.clone(), contest));
        } else if event.approved && task.status == Status::Blocked {
            again(task);
            task.breaker.close();
        }
    }
    for task in next {
        steer::promptly(state, &task);
    }
    for (task, contest) in contests {
        if event.approved {
            grant(state, &task, contest);
        } else {
            refuse(state, &task);
        }
    }
}

/// The changed tests count, and with them the claim.
fn grant(state: &mut State, id: &str, contest: Contest) {
    let mut tasks = state.tasks.iter_mut();
    if let Some(task) = tasks.find(|task| task.spec.id == id) {
        task.status = Status::Done;
    }
    if let Some(last) = state.history.last_on_mut(id) {
        let verdict = &mut last.verdict;
        verdict.decision = Decision::Complete;
        verdict.standing = Some(contest.standing);
        verdict.contest = None;
        verdict.reasons = vec!["a person said that the changed tests may count".to_owned()];
    }
    state.granted.extend(contest.changes);
}

fn refuse(state: &mut State, id: &str) {
    let told = Instruction {
        id: format!("contest-{id}-{}", state.updated),
        text: REFUSED.to_owned(),
        task: Some(id.to_owned()),
        order: None,
        now: false,
        at: state.updated,
    };
    steer::instruct(state, &told);
}
