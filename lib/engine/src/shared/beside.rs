//! What another run of this clone proved while this one is under way: where git holds the task list, its
//! copy of the list does not say so.

use crate::state::Place;
use crate::{glance, runs, sight};
use overnight_run::State;
use overnight_run::members::line;

/// Did a run beside this one prove the same task: with the same text, and since this one began, or while
/// it is at work itself?
pub(super) fn has_done(place: &Place, state: &State, task: &str) -> bool {
    let Some((own, task)) = state.run.as_ref().zip(state.task(task)) else {
        return false;
    };
    let key = line::key(&task.spec);
    let living = sight::living(place);
    let beside = |run: &String| {
        let since = || {
            glance::of(&place.run_folder(run))
                .is_ok_and(|glance| glance.vitals.updated >= own.started)
        };
        *run != own.id && (living.contains(run) || since())
    };
    let proved = |run: String| {
        let Ok(other) = runs::state(place, &run) else {
            return false;
        };
        let same = other.task(&task.spec.id);
        let same = same.is_some_and(|same| line::key(&same.spec) == key);
        let mut judged = other.history.iter();
        same && judged.any(|past| past.task == task.spec.id && past.verdict.complete())
    };
    runs::all(place).into_iter().filter(beside).any(proved)
}
