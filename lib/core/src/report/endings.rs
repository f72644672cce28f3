//! How the run ended, in one sentence; what waits for a person; what is left.

use super::words::{count, dollars, length};
use super::{Ending, Left, Need, Report, Totals, clean};
use crate::run::state::TaskState;
use crate::run::step::Reason;
use crate::run::task::Status;
use crate::run::{State, progress};

pub(super) fn ending(state: &State, alive: bool) -> Ending {
    match &state.finished {
        Some(Reason::AllDone) => Ending::Done,
        Some(Reason::NeedsPerson(_)) => Ending::NeedsYou,
        Some(Reason::Interrupted(_)) => Ending::Interrupted,
        Some(_) => Ending::Stopped,
        None if state.interrupted.is_some() => Ending::Interrupted,
        None if alive => Ending::Running,
        None => Ending::Crashed,
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

pub(super) fn needs(state: &State, ending: Ending) -> Vec<Need> {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    let resume = format!("overnight resume {run}");
    let need = |what: String, command: String| Need {
        what: clean(&what),
        command,
    };
    match (&state.finished, ending) {
        (Some(Reason::NeedsPerson(what)), _) => {
            vec![need(format!("{what}; then go on"), resume)]
        }
        (Some(Reason::BudgetSpent), _) => {
            let command = format!("{resume} --budget-usd N");
            vec![need(
                "The budget is spent: give it more, or leave it".to_owned(),
                command,
            )]
        }
        (_, Ending::Crashed) => {
            vec![need(
                "The driver died: go on where it stopped".to_owned(),
                resume,
            )]
        }
        _ => Vec::new(),
    }
}

pub(super) fn totals(state: &State, gathered: Totals) -> Totals {
    Totals {
        tasks: state.tasks.len(),
        done: state.count(Status::Done),
        blocked: state.count(Status::Blocked),
        cost_usd: state.spent_usd,
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
        next: format!("{next} overnight resume {run}"),
    }
}
