//! The summary as the progress files take it.

use super::{Standing, Summary, Task, screen};
use overnight_run::State;
use overnight_run::progress::{Phase, Snapshot, Standing as Listed, TaskLine};
use overnight_run::task::{SINGLE, Status};

/// What people read about this run now.
pub fn snapshot(state: &State, night: &Summary) -> Snapshot {
    let open = state.open.as_ref();
    let running = open.map_or(state.iterations, |open| open.iteration);
    let tasks = state.tasks.iter().filter_map(|task| {
        let id = super::clean(&task.spec.id);
        let told = night.tasks.iter().find(|told| told.id == id)?;
        let last = state.last_on(&task.spec.id);
        let summary = last.and_then(|last| last.verdict.summary.as_deref());
        Some(line(listed(state, task.status), told, summary))
    });
    Snapshot {
        phase: Phase::Implementation,
        iteration: (running, state.config.max_iterations),
        result: state.finished.as_ref().map(|_| result(night)),
        needs: night.needs.iter().map(|need| need.what.clone()).collect(),
        tasks: tasks.collect(),
    }
}

/// How it ended, and where its work was offered.
fn result(night: &Summary) -> String {
    let request = screen::request(night);
    let request = request.map_or(String::new(), |request| format!(" {request}"));
    format!("{}{request}", night.sentence)
}

/// What was begun and not finished is nobody's work once the run has ended: it comes next.
fn listed(state: &State, status: Status) -> Listed {
    match status {
        Status::Doing if state.finished.is_none() => Listed::Doing,
        Status::Todo | Status::Doing => Listed::Next,
        Status::Done => Listed::Done,
        Status::Blocked => Listed::Blocked,
    }
}

fn line(standing: Listed, task: &Task, summary: Option<&str>) -> TaskLine {
    let title = match task.title.as_str() {
        "" => task.id.clone(),
        title if task.id == SINGLE => title.to_owned(),
        title => format!("{}: {title}", task.id),
    };
    let silent = matches!(task.standing, Standing::AtWork | Standing::Waiting);
    let why = match standing {
        Listed::Done => summary.map(super::clean),
        _ => (!silent && !task.why.is_empty()).then(|| task.why.clone()),
    };
    TaskLine {
        title,
        standing,
        why,
    }
}
