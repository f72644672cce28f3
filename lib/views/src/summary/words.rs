//! What an agent said last, as it said it.

use super::clean;
use overnight_judge::{Decision, Source, Verdict};
use overnight_run::State;
use overnight_run::state::Iteration;
use overnight_run::steer::Told;

/// The reasons that the agent itself gave for not being done.
pub(super) fn reasons(verdict: &Verdict) -> &[String] {
    let own = verdict.source != Source::None
        && verdict.decision == Decision::Incomplete
        && verdict.gates.is_empty()
        && verdict.failure.is_none();
    if own { &verdict.reasons } else { &[] }
}

/// Its last words on a task: what it declared, else the end of its last message.
pub(super) fn last(state: &State, task: &str) -> Option<String> {
    let newest = state.history.iter().rev();
    let mut own = newest.filter(|iteration| iteration.task == task);
    own.find_map(of).map(|words| clean(&words))
}

fn of(iteration: &Iteration) -> Option<String> {
    let verdict = &iteration.verdict;
    let declared = verdict
        .summary
        .clone()
        .or_else(|| Some(reasons(verdict).join("; ")));
    let said = || Some(last_lines(&iteration.said));
    declared
        .filter(|words| !words.trim().is_empty())
        .or_else(said)
        .filter(|words| !words.trim().is_empty())
}

/// The last paragraph of a message: what it comes down to stands there. Bounded where it is cleaned.
fn last_lines(said: &str) -> String {
    let mut paragraphs = said.trim().rsplit("\n\n").map(str::trim);
    let last = paragraphs.find(|text| !text.is_empty());
    last.unwrap_or_default().to_owned()
}

/// What an agent gave as its reason twice in a row, if it did: its last two words on a task that say
/// why it is not done are the same, numbers apart.
/// A person's word since then answers it.
pub(super) fn repeated(state: &State, task: &str) -> Option<String> {
    let judged = state.last_on(task)?.ended;
    let own = |told: &&Told| told.task.as_deref() == Some(task) && told.at >= judged;
    if state.steering.about(task).any(|told| own(&told)) {
        return None;
    }
    let newest = state.history.iter().rev();
    let mut said = newest
        .filter(|iteration| iteration.task == task)
        .map(|iteration| reasons(&iteration.verdict).join("; "))
        .filter(|reason| !reason.trim().is_empty());
    let (last, before) = (said.next()?, said.next()?);
    (bare(&last) == bare(&before)).then(|| clean(&last))
}

/// A reason without what changes from time to time: case, space, numbers, punctuation.
fn bare(reason: &str) -> String {
    let kept = reason
        .chars()
        .filter(|c| c.is_alphabetic() || *c == '_')
        .flat_map(char::to_lowercase);
    kept.collect()
}
