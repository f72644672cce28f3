//! Receipts of what the run proved, kept with its commits.

use crate::proof::{dusk, receipt};
use crate::state::Place;
use overnight_base::fault::Fault;
use overnight_judge::Verdict;
use overnight_judge::proof::receipt::Receipt;
use overnight_run::State;
use std::path::Path;

/// Keeps a receipt with the commit that a verdict on this task proved.
pub(crate) fn keep(
    (place, folder): (&Place, &Path),
    state: &State,
    (task, verdict): (&str, &Verdict),
) -> Result<(), Fault> {
    let (Some(commit), Some(dusk)) = (proved(verdict), &state.dusk) else {
        return Ok(());
    };
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let named = (run, task, receipt::tree(place, commit)?);
    match Receipt::of(verdict, dusk, named, dusk::programs(folder)) {
        Some(made) => receipt::write(place, commit, &made),
        None => Ok(()),
    }
}

/// The same for finished tasks whose commit has none: a person let their changed tests count.
pub(crate) fn keep_missing(whose: (&Place, &Path), state: &State) -> Result<(), Fault> {
    for task in &state.tasks {
        let id = task.spec.id.as_str();
        let last = state.last_on(id).map(|last| &last.verdict);
        let Some(verdict) = last.filter(|verdict| verdict.complete()) else {
            continue;
        };
        let lacks = |commit: &str| receipt::read(whose.0, commit).is_none();
        if proved(verdict).is_some_and(lacks) {
            keep(whose, state, (id, verdict))?;
        }
    }
    Ok(())
}

fn proved(verdict: &Verdict) -> Option<&str> {
    let commit = verdict.commit.as_deref();
    commit.filter(|commit| !commit.is_empty())
}
