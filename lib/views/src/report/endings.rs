//! Sums of a run, and what is left.

use super::{Left, Totals};
use crate::summary::{NeedKind, Standing, Summary, Task};
use overnight_run::task::Status;
use overnight_run::{State, resume};

pub(super) fn totals(state: &State, night: &Summary, gathered: Totals) -> Totals {
    Totals {
        tasks: night.total,
        done: night.done.all(),
        blocked: state.count(Status::Blocked),
        cost_usd: night.cost.usd,
        iterations: night.iterations,
        ..gathered
    }
}

/// The tasks that are not done, and what to do about each.
pub(super) fn left(state: &State, night: &Summary) -> Vec<Left> {
    let resume = resume::command(state);
    let asked = |task: &Task| {
        use NeedKind::{Agent, Question, Words};
        night.needs.iter().any(|need| {
            need.task.as_ref() == Some(&task.id) && matches!(need.kind, Question | Agent | Words)
        })
    };
    let open = night.open();
    open.map(|task| left_one(&resume, task, asked(task)))
        .collect()
}

fn left_one(resume: &str, task: &Task, asked: bool) -> Left {
    let next = match task.standing {
        Standing::NeedsYou => "answer, then go on",
        _ if asked => "answer it as said above, then go on",
        _ if task.blocked => {
            "read its last iterations below, change the task or its gate, then go on"
        }
        Standing::Waiting => "it comes when that is done",
        _ => "go on",
    };
    let standing = match (task.standing, task.why.as_str()) {
        (standing, "") => standing.words().to_owned(),
        (Standing::Waiting, why) => why.to_owned(),
        (standing, why) if task.blocked && standing == Standing::Refuted => {
            format!("{}, given up: {why}", standing.words())
        }
        (standing, why) => format!("{}: {why}", standing.words()),
    };
    Left {
        task: task.id.clone(),
        why: standing,
        next: next.to_owned(),
        command: resume.to_owned(),
    }
}
