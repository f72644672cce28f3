//! What a person orders behind `/flow`: stop, pause, resume, status.

use super::{SessionLoop, StopAnswer};
use crate::session::{self, Armed};
use crate::sight;
use crate::state::Place;
use crate::steps;
use crate::{clock, runs, wish};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::event::Door as Through;
use overnight_run::flow::Order;
use overnight_run::hold::{Pause, Released, Wish};
use overnight_run::pausing;
use overnight_run::task::Status;
use overnight_views::status;

/// Does what the person ordered in this session.
pub fn obey(place: &Place, id: &str, order: Order) -> Result<StopAnswer, Fault> {
    match order {
        Order::Stop => wished(place, id, Wish::Stop),
        Order::Pause => wished(place, id, Wish::Pause),
        Order::Resume => resume(place, id),
        Order::Status => status(place, id),
    }
}

fn line(text: impl Into<String>) -> StopAnswer {
    StopAnswer::Ended(text.into(), None)
}

fn none_here() -> StopAnswer {
    line("overnight: this session has no run (overnight status shows the project's)")
}

/// Stops or pauses the session's run. While its Stop hook runs a gate, the wish waits for that.
fn wished(place: &Place, id: &str, wish: Wish) -> Result<StopAnswer, Fault> {
    let Some(armed) = session::armed(place, id)? else {
        return Ok(none_here());
    };
    let run = armed.run.clone();
    let mut session_loop = match SessionLoop::open(place, id, armed) {
        Err(fault) if fault.code == Code::RunBusy => {
            wish::leave(&runs::folder(place, &run)?, wish)?;
            let word = wish.word();
            return Ok(line(format!(
                "overnight: run {run} obeys ({word}) as soon as the gate that runs now has ended"
            )));
        }
        session_loop => session_loop?,
    };
    if !session_loop.is_ours() {
        session::disarm(place, id)?;
        return Ok(none_here());
    }
    if let Some(event) = pausing::grant(session_loop.journal.state(), wish) {
        session_loop.journal.append(event)?;
    }
    if let Some(told) = session_loop.stopped()? {
        return Ok(told);
    }
    steps::write_progress(&session_loop);
    Ok(line(session_loop.held()))
}

/// Goes on with the session's run, else with the newest of the project that stands still.
fn resume(place: &Place, id: &str) -> Result<StopAnswer, Fault> {
    let armed = match session::armed(place, id)? {
        Some(armed) => armed,
        None => match left(place) {
            Some(run) => Armed::new(run, 0),
            None => return Ok(line("overnight: no run of this project stands still")),
        },
    };
    let mut session_loop = SessionLoop::open(place, id, armed)?;
    if !session_loop.is_ours() || session_loop.armed.is_with_another_client() {
        session_loop.take_up()?;
    }
    if session_loop.journal.state().paused.is_some() {
        session_loop.journal.append(Released {})?;
    }
    session_loop.go_on()
}

/// The newest run that a session can take up: it lived in one, nobody is at work on it, and
/// something is left to do.
fn left(place: &Place) -> Option<String> {
    /// Older ones are asked for by nobody.
    const LOOKED_AT: usize = 20;
    let stands = |run: &String| runs::state(place, run).is_ok_and(|state| is_left(&state));
    runs::all(place)
        .into_iter()
        .rev()
        .take(LOOKED_AT)
        .find(stands)
}

fn is_left(state: &State) -> bool {
    let in_session = state
        .run
        .as_ref()
        .is_some_and(|run| run.door == Through::Session);
    let stands = state.finished.is_some()
        || state.paused == Some(Pause::SessionEnded)
        || !runs::driver_lives(state);
    // Of a run that ended with everything done a task may have been sent back.
    let done = state.tasks.iter().all(|task| task.status == Status::Done);
    in_session && stands && !done
}

/// Where the session's run stands, or the newest of the project.
fn status(place: &Place, id: &str) -> Result<StopAnswer, Fault> {
    let run = match session::armed(place, id)? {
        Some(armed) => armed.run,
        None => match sight::choose_living(place, None) {
            Ok(run) => run,
            Err(fault) if fault.code == Code::RunUnknown => return Ok(none_here()),
            Err(fault) => return Err(fault),
        },
    };
    let (state, seen) = sight::look(place, &run)?;
    let status = status::of(&state, &seen);
    let night = sight::summary(place, &state, &seen);
    Ok(line(status::text(
        &status,
        &night,
        seen.now,
        &clock::local_text,
    )))
}
