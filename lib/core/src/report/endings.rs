//! How the run ended, in one sentence; what waits for a person; what is left.

use super::words::{count, dollars, length};
use super::{Ending, Left, Report, Totals, clean};
use crate::run::state::TaskState;
use crate::run::step::Reason;
use crate::run::task::Status;
use crate::run::{State, progress};
use crate::status::Life;

pub(super) fn ending(state: &State, life: Life) -> Ending {
    match life {
        Life::Completed => Ending::Done,
        Life::Stopped if matches!(state.finished, Some(Reason::NeedsPerson(_))) => Ending::NeedsYou,
        Life::Stopped | Life::Blocked => Ending::Stopped,
        Life::Interrupted => Ending::Interrupted,
        Life::Crashed => Ending::Crashed,
        Life::Running | Life::Waiting => Ending::Running,
    }
}

pub(super) fn sentence(state: &State, report: &Report) -> String {
    let why = match (&state.finished, state.interrupted, report.ending) {
        (Some(Reason::AllDone), ..) => "every task is proved done".to_owned(),
        (Some(reason), ..) => {
            // The sentence begins with such a word already.
            let said = clean(&progress::sentence(reason));
            let bare = said
                .strip_prefix("stopped: ")
                .or(said.strip_prefix("needs you: "));
            bare.map_or(said.clone(), str::to_owned)
        }
        (None, Some(signal), _) => format!("signal {signal} ended the driver"),
        (None, None, Ending::Running) => "the driver is at work".to_owned(),
        (None, None, _) => "the driver died without recording an end".to_owned(),
    };
    let totals = &report.totals;
    let blocked = if totals.blocked > 0 {
        format!(", {} blocked", totals.blocked)
    } else {
        String::new()
    };
    format!(
        "{}: {why}; {} of {} done{blocked}, {} in {}, {}.",
        report.ending.word(),
        totals.done,
        count(totals.tasks, "task"),
        count(totals.iterations, "iteration"),
        length(report.ended.saturating_sub(report.started)),
        dollars(totals.cost_usd),
    )
}

pub(super) fn totals(state: &State, gathered: Totals) -> Totals {
    Totals {
        tasks: state.tasks.len(),
        done: state.count(Status::Done),
        blocked: state.count(Status::Blocked),
        cost_usd: state.spent_usd.max(gathered.cost_usd),
        ..gathered
    }
}

pub(super) fn left(state: &State) -> Vec<Left> {
    let open = state
        .tasks
        .iter()
        .filter(|task| task.status != Status::Done);
    open.map(|task| left_one(state, task)).collect()
}

fn left_one(state: &State, task: &TaskState) -> Left {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let last = state.last_on(&task.spec.id);
    let tried = last.and_then(|last| last.verdict.reasons.first());
    let waits_for: Vec<&str> = task
        .spec
        .depends_on
        .iter()
        .filter(|id| {
            state
                .task(id)
                .is_none_or(|other| other.status != Status::Done)
        })
        .map(String::as_str)
        .collect();
    let (why, next) = match (&task.blocked, task.status) {
        (Some(block), Status::Blocked) => {
            let last = tried.map_or(String::new(), |tried| format!("; last: {tried}"));
            let next = "read its last iterations below, change the task or its gate, then";
            (format!("blocked: {}{last}", block.reason), next)
        }
        _ if !waits_for.is_empty() => (
            format!("waits for {}", waits_for.join(", ")),
            "finish what it waits for:",
        ),
        (_, Status::Doing) => {
            let why = tried.map_or("begun", String::as_str);
            (format!("in work: {why}"), "go on:")
        }
        _ => ("not begun".to_owned(), "go on:"),
    };
    Left {
        task: clean(&task.spec.id),
        why: clean(&why),
        next: format!("{next} overnight run --resume {run}"),
    }
}
