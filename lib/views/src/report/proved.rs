//! With what claims of a run were tried.

use super::clean;
use overnight_run::State;

/// Lines of the evening that are told.
const NOTES_MAX: usize = 20;

/// Files that decide, the set-up, and what was said in the evening (none where gates ran in place); which specialists
/// did not report.
pub(super) fn lines(state: &State) -> Vec<String> {
    let mut lines = evening(state);
    let late = state
        .history
        .iter()
        .filter(|past| !past.unreported.is_empty());
    lines.extend(late.map(|past| {
        let name = |agent: &String| clean(agent.rsplit(':').next().unwrap_or(agent));
        let whom: Vec<String> = past.unreported.iter().map(name).collect();
        let task = clean(&past.task);
        format!("{task} was done without a report of {}", whom.join(" and "))
    }));
    lines
}

fn evening(state: &State) -> Vec<String> {
    let Some(dusk) = &state.dusk else {
        return Vec::new();
    };
    let noun = if dusk.protected == 1 {
        "file decides"
    } else {
        "files decide"
    };
    let mut lines = vec![format!(
        "{} {noun}: claims were tried with them as they stood when the run began",
        dusk.protected
    )];
    let setup = state.config.setup.iter();
    lines.extend(setup.map(|command| format!("set-up: {}", clean(command))));
    let notes = dusk.notes.iter().take(NOTES_MAX);
    lines.extend(notes.map(|note| format!("said in the evening: {}", clean(note))));
    lines
}
