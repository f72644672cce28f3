//! Tasks that a person opens again: sent back to be done better, or with their work taken away.

use crate::state::Place;
use crate::tasklist::ListFile;
use crate::{clock, night, report, runs, sight};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::steer::SentBack;
use overnight_run::task::Status;

/// The task begins anew with the comments as the person's words.
pub(crate) fn send_back(
    place: &Place,
    run: &str,
    task: &str,
    comments: &[String],
) -> Result<(), Fault> {
    let event = SentBack {
        task: task.to_owned(),
        comments: comments.to_vec(),
        taken_out: false,
        at: clock::wall_ms(),
    };
    again(place, run, event)
}

fn again(place: &Place, run: &str, event: SentBack) -> Result<(), Fault> {
    if sight::living(place).iter().any(|living| living == run) {
        let reason = format!("run {run} is under way");
        return Err(Fault::new(Code::RunBusy, reason)
            .hint("tell it: overnight tell; or end it first: overnight stop"));
    }
    let task = event.task.clone();
    runs::note(place, run, event)?;
    open_again(&night::of(place, &runs::state(place, run)?), &task)?;
    report::refresh(&night::of(place, &runs::state(place, run)?), run)
}

/// The work of these tasks is no longer there: those that were done are to be done again.
pub(crate) fn without(
    place: &Place,
    run: &str,
    state: &State,
    gone: &[String],
) -> Result<(), Fault> {
    let done = |id: &&String| {
        state
            .task(id)
            .is_some_and(|task| task.status == Status::Done)
    };
    gone.iter().filter(done).try_for_each(|task| {
        let event = SentBack {
            task: task.clone(),
            comments: Vec::new(),
            taken_out: true,
            at: clock::wall_ms(),
        };
        again(place, run, event)
    })
}

/// The task list says that the task is to be done, where it names it.
fn open_again(place: &Place, task: &str) -> Result<(), Fault> {
    let file = ListFile::of(place, None);
    let Some(bytes) = file.bytes()? else {
        return Ok(());
    };
    // A list that a person is just rewriting is left alone.
    let listed = overnight_tasks::parse(&bytes).map(|list| list.tasks);
    let listed = listed.unwrap_or_default().into_iter();
    let ids: Vec<_> = listed
        .map(|listed| listed.id)
        .filter(|id| id.as_str() == task)
        .collect();
    if ids.is_empty() {
        return Ok(());
    }
    file.set_status(&ids, overnight_tasks::Status::Todo)
        .map(drop)
}
