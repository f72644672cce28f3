//! Claims that changed tests: whether a person is to say that they may count.

use super::event::Gates;
use super::state::State;
use overnight_judge::gates::{Kind, Objection};
use overnight_judge::proof::Standing;
use overnight_judge::proof::contest::{Changed, Contest};

/// The claim as a question to a person, if dusk's version of what it changed is all that speaks against
/// it, and it went back for that before.
pub(super) fn of(
    state: &State,
    (task, ran): (&str, Option<&Gates>),
    (standing, objections): (Standing, &[Objection]),
) -> Option<Contest> {
    let findings = &ran?.proof.as_ref()?.findings;
    let known = state.task(task).is_some_and(|task| task.back.contested);
    let mut kinds = objections.iter().map(|objection| objection.kind);
    let alone = !objections.is_empty() && kinds.all(|kind| kind == Kind::Contested);
    (known && alone && !findings.contested.is_empty()).then(|| Contest {
        standing,
        changes: findings.contested.clone(),
    })
}

/// Changed tests that no longer count against a claim: a person let them, or is asked about them.
pub fn known(state: &State) -> Vec<Changed> {
    let asked = state.tasks.iter().filter_map(|task| task.contest.as_ref());
    let asked = asked.flat_map(|contest| contest.changes.iter().cloned());
    state.granted.iter().cloned().chain(asked).collect()
}
