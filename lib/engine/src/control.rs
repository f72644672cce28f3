//! The runs that are under way: which one is meant, and stopping or pausing it from outside.

use crate::runs::{self, driver_lives, folder, living_driver, state};
use crate::state::Place;
use crate::{process, session_loop, wish};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::hold::Wish;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// How long a driver that was asked to end may take: its agent's group gets less than 2 s.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// What came of stopping a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Its driver ended, or its session lets go.
    Yes,
    /// A gate runs in its session: it is stopped as soon as that has ended.
    AfterGate,
    /// Nothing was at work.
    NothingToStop,
}

/// Ends a run for now: asks its driver to end and waits for it. Where a session drives it, the
/// client is a person's and goes on; its Stop hook hands out nothing more.
pub fn stop(place: &Place, run: &str) -> Result<Stopped, Fault> {
    const LOOK: Duration = Duration::from_millis(10);
    let state = state(place, run)?;
    if state.session.is_some() {
        return Ok(match state.finished {
            Some(_) => Stopped::NothingToStop,
            None if session_loop::end_from_outside(place, run, &state)? => Stopped::Yes,
            None => Stopped::AfterGate,
        });
    }
    let Some(driver) = living_driver(&state) else {
        return Ok(Stopped::NothingToStop);
    };
    process::signal(driver, Signal::TERM);
    let asked = Instant::now();
    while driver.is_alive() {
        if asked.elapsed() > WAIT_MAX {
            let reason = format!(
                "the driver of run {run} (process {}) does not end",
                driver.pid
            );
            return Err(
                Fault::new(Code::RunBusy, reason).hint("end it by hand; the next start tidies up")
            );
        }
        std::thread::sleep(LOOK);
    }
    Ok(Stopped::Yes)
}

/// What came of pausing a run, or of letting it go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paused {
    /// It is so.
    Yes,
    /// It is so as soon as whoever works on it looks: after what is under way.
    Soon,
    /// Nothing is at work.
    NothingThere,
}

/// Pauses a run, or lets a paused one go on. What is under way ends by itself.
pub fn pause(place: &Place, run: &str, wish: Wish) -> Result<Paused, Fault> {
    let state = state(place, run)?;
    if state.finished.is_some() || !driver_lives(&state) {
        return Ok(Paused::NothingThere);
    }
    if state.session.is_none() {
        wish::leave(&folder(place, run)?, wish)?;
        return Ok(Paused::Soon);
    }
    Ok(if session_loop::pause_from_outside(place, run, wish)? {
        Paused::Yes
    } else {
        Paused::Soon
    })
}

/// May a driver take this run up? See [`runs::may_take_up`], which is asked again once it has the journal.
pub fn may_take_up(place: &Place, run: &str) -> Result<(), Fault> {
    runs::may_take_up(&state(place, run)?, run)
}
