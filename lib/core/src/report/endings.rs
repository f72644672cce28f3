//! How the run ended, in one sentence; what waits for a person; what is left.

use super::words::{count, dollars, length, reason};
use super::{Ending, Left, Report, Totals, clean};
use crate::run::state::TaskState;
use crate::run::step::Reason;
use crate::run::task::Status;
use crate::run::{State, progress};
use crate::status::{Life, cause_name};

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
    let (word, why) = match (&state.finished, state.interrupted, report.ending) {
        (Some(Reason::AllDone), ..) => (report.ending.word(), all_done(state)),
        (Some(reason), ..) => {
            // The sentence begins with such a word already.
            let said = clean(&progress::sentence(reason));
            let bare = ["stopped: ", "needs you: ", "interrupted by "];
            let bare = bare.iter().find_map(|word| said.strip_prefix(word));
            // Its task's block says so once more.
            let why = bare.unwrap_or(&said).replace("circuit breaker open: ", "");
            (report.ending.word(), why)
        }
        (None, Some(signal), _) => {
            let why = format!("signal {signal} ended the driver");
            (report.ending.word(), why)
        }
        (None, None, Ending::Running) => match report.needs.first() {
            Some(need) => (
                Ending::NeedsYou.word(),
                format!("at work, but {}", need.what),
            ),
            None => (report.ending.word(), at_work(state)),
        },
        (None, None, ending) => {
            let why = "the driver died without recording an end";
            (ending.word(), why.to_owned())
        }
    };
    let totals = &report.totals;
    let blocked = if totals.blocked > 0 {
        format!(", {} blocked", totals.blocked)
    } else {
        String::new()
    };
    format!(
        "{word}: {why}; {} of {} done{blocked}, {} in {}, {}.",
        totals.done,
        count(totals.tasks, "task"),
        count(totals.iterations, "iteration"),
        length(report.ended.saturating_sub(report.started)),
        dollars(totals.cost_usd),
    )
}

/// Every task is done; a task that no gate checked is done by its agent's word alone.
fn all_done(state: &State) -> String {
    let unproved = |task: &&TaskState| {
        let last = state.last_on(&task.spec.id);
        last.is_some_and(|last| last.verdict.gates.is_empty())
    };
    let unproved = state.tasks.iter().filter(unproved).count();
    match unproved {
        0 => "every task is proved done".to_owned(),
        n if n == state.tasks.len() => {
            "every task is done by the agent's word alone, no gate checked it".to_owned()
        }
        n => format!("every task is done, {n} of them by the agent's word alone"),
    }
}

/// What a driver that lives does.
fn at_work(state: &State) -> String {
    let at_work = state.members.at_work.len();
    match (state.waiting, &state.open) {
        (Some((_, cause)), _) => format!("the driver waits ({})", cause_name(cause)),
        (None, _) if at_work > 0 => format!("{} at work", count(at_work, "member")),
        (None, Some(open)) => clean(&format!(
            "iteration {} of {} on {}",
            open.iteration, state.config.max_iterations, open.task
        )),
        (None, None) => "the driver is at work".to_owned(),
    }
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
    let open = state.tasks.iter();
    let mut open: Vec<&TaskState> = open.filter(|task| task.status != Status::Done).collect();
    open.sort_by_key(|task| match task.status {
        Status::Blocked => 0,
        Status::Doing => 1,
        _ => 2,
    });
    open.into_iter().map(|task| left_one(state, task)).collect()
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
            let last = tried.map_or(String::new(), |tried| format!("; last: {}", reason(tried)));
            let next = "read its last iterations below, change the task or its gate, then go on";
            (format!("blocked: {}{last}", block.reason), next)
        }
        _ if !waits_for.is_empty() => (
            format!("waits for {}", waits_for.join(", ")),
            "it comes when that is done",
        ),
        (_, Status::Doing) => {
            let why = tried.map_or("an iteration was begun".to_owned(), |tried| reason(tried));
            (format!("in work: {why}"), "go on")
        }
        _ => ("not begun".to_owned(), "go on"),
    };
    Left {
        task: clean(&task.spec.id),
        why: clean(&why),
        next: next.to_owned(),
        command: format!("overnight run --resume {run}"),
    }
}
