//! The specialist agents that look at what a task changed: whom the iteration is to start, and what they found.

use crate::progress::{reported_since, reports_since};
use crate::state::Place;
use overnight_judge::Verdict;
use overnight_run::State;
use overnight_run::flow::specialists::{again, brief, due};
use overnight_run::task::SINGLE;

/// What specialist agents reported since this run began.
pub(crate) fn found(place: &Place, state: &State) -> String {
    let begun = state.run.as_ref().map_or(u64::MAX, |run| run.started);
    reports_since(place, begun)
}

/// Those that were to look at what is claimed to be done now, and did not report since it was begun.
pub(crate) fn unreported(place: &Place, state: &State, verdict: &Verdict) -> Vec<String> {
    let (Some(open), true) = (&state.open, verdict.complete()) else {
        return Vec::new();
    };
    let Some(words) = words(state, &open.task).filter(|_| state.config.specialists) else {
        return Vec::new();
    };
    let came = reported_since(place, open.started);
    let due = due(words).iter().filter(|agent| !came.contains(**agent));
    due.map(|agent| (*agent).to_owned()).collect()
}

/// What a task asks for.
fn words<'s>(state: &'s State, task: &str) -> Option<&'s str> {
    let goal = state.run.as_ref().map(|run| run.goal.as_str());
    let known = state.task(task)?;
    Some(match known.spec.id.as_str() {
        SINGLE => goal.unwrap_or_default(),
        _ => known.spec.objective.as_str(),
    })
}

/// What is said of the specialist agents that look at this task's work, where some are wanted.
pub(crate) fn specialists(state: &State, task: &str, in_session: bool) -> String {
    let Some(words) = words(state, task).filter(|_| state.config.specialists) else {
        return String::new();
    };
    let late = state
        .history
        .last()
        .filter(|last| !last.unreported.is_empty());
    let late = late.map(|last| again(&last.task, &last.unreported));
    let said: Vec<String> = late.into_iter().chain(brief(words, in_session)).collect();
    match said.join("\n\n") {
        said if said.is_empty() || in_session => said,
        said => format!("\n## Specialists\n\n{said}\n"),
    }
}
