//! Sums of a run, and what is left.

use super::{Left, Totals};
use crate::summary::{Standing, Summary, Task};
use overnight_run::State;
use overnight_run::task::Status;

pub(super) fn totals(state: &State, gathered: Totals) -> Totals {
    Totals {
        tasks: state.tasks.len(),
        done: state.count(Status::Done),
        blocked: state.count(Status::Blocked),
        cost_usd: state.spent_usd.max(gathered.cost_usd),
        ..gathered
    }
}

/// The tasks that are not done, and what to do about each.
pub(super) fn left(night: &Summary) -> Vec<Left> {
    night.open().map(|task| left_one(night, task)).collect()
}

fn left_one(night: &Summary, task: &Task) -> Left {
    let next = match task.standing {
        _ if task.blocked => {
            "read its last iterations below, change the task or its gate, then go on"
        }
        Standing::NeedsYou => "answer, then go on",
        Standing::Waiting => "it comes when that is done",
        _ => "go on",
    };
    let standing = match (task.standing, task.why.as_str()) {
        (standing, "") => standing.words().to_owned(),
        (Standing::Waiting, why) => why.to_owned(),
        (_, why) if task.blocked => format!("blocked: {why}"),
        (standing, why) => format!("{}: {why}", standing.words()),
    };
    Left {
        task: task.id.clone(),
        why: standing,
        next: next.to_owned(),
        command: format!("overnight run --resume {}", night.run),
    }
}
