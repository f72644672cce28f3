//! The specialist agents that look at what a task changed: whom the iteration is to start, and what they found.

use crate::progress::reports_since;
use crate::state::Place;
use overnight_run::State;
use overnight_run::flow::specialists::brief;
use overnight_run::task::SINGLE;

/// What specialist agents reported since this run began.
pub(crate) fn found(place: &Place, state: &State) -> String {
    let begun = state.run.as_ref().map_or(u64::MAX, |run| run.started);
    reports_since(place, begun)
}

/// What is said of the specialist agents that look at this task's work, where some are wanted.
pub(crate) fn specialists(state: &State, task: &str, in_session: bool) -> String {
    let Some(known) = state.task(task).filter(|_| state.config.specialists) else {
        return String::new();
    };
    let goal = state.run.as_ref().map(|run| run.goal.as_str());
    let words = match known.spec.id.as_str() {
        SINGLE => goal.unwrap_or_default(),
        _ => known.spec.objective.as_str(),
    };
    match brief(words, in_session) {
        Some(said) if in_session => said,
        Some(said) => format!("\n## Specialists\n\n{said}\n"),
        None => String::new(),
    }
}
