//! What a commit says that holds what an agent left uncommitted.

use crate::summary::clean;
use overnight_base::text::one_line;
use overnight_run::State;
use overnight_run::placed::title;
use overnight_run::task::SINGLE;

/// The message of a commit with what the agent of the newest iteration left: what it worked on, and
/// trailers that say whose it is.
pub fn message(state: &State) -> String {
    /// Of a subject git shows so much.
    const SUBJECT_CHARS_MAX: usize = 60;
    let run = state.run.as_ref();
    let (iteration, id) = match (&state.open, state.history.last()) {
        (Some(open), _) => (open.iteration, open.task.as_str()),
        (None, Some(last)) => (last.number, last.task.as_str()),
        (None, None) => (0, SINGLE),
    };
    let goal = run.map_or("", |run| run.goal.as_str());
    let task = state.task(id).filter(|_| id != SINGLE);
    let about = clean(title(task.map_or(goal, |task| &task.spec.objective)));
    let subject = match (task, about.as_str()) {
        (_, "") => format!("Keep what the agent of {id} left uncommitted"),
        (None, about) => about.to_owned(),
        (Some(_), about) => format!("{id}: {about}"),
    };
    format!(
        "{}\n\nOvernight-Run: {}\nOvernight-Iteration: {iteration}\nOvernight-Task: {id}\nOvernight-Note: left uncommitted by the agent",
        one_line(&subject, SUBJECT_CHARS_MAX),
        run.map_or("", |run| &run.id),
    )
}
