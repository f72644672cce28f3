//! A person stopped a run that lives in a session: nothing more is handed out, the client goes on.

use super::{SessionLoop, StopAnswer};
use crate::journal::Journal;
use crate::session::Armed;
use crate::state::Place;
use crate::steps;
use crate::{runs, session, wish};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::hold::Wish;
use overnight_run::{Reason, State};
use std::time::Duration;

/// How long a Stop hook that is just answering is waited for. One that runs a gate takes longer, and
/// takes the wish in before it decides.
const WAIT_MAX: Duration = Duration::from_secs(3);

/// Stops a session's run from outside the session. Gives whether it is stopped already; where not,
/// it is as soon as the gate that runs now has ended.
pub fn end(place: &Place, run: &str, state: &State) -> Result<bool, Fault> {
    let folder = runs::folder(place, run)?;
    wish::leave(&folder, Wish::Stop)?;
    // From here on the guard refuses the session's agent every tool: its turn ends, and the Stop
    // hook lets go.
    runs::write_epoch(&folder, state.epoch.saturating_add(1))?;
    let mut journal = match Journal::open(&folder, WAIT_MAX) {
        Ok(journal) => journal,
        Err(fault) if fault.code == Code::RunBusy => return Ok(false),
        Err(fault) => return Err(fault),
    };
    wish::hear(&mut journal, &folder)?;
    let session_loop = SessionLoop {
        place,
        session: state.session.as_deref().unwrap_or_default(),
        armed: Armed::new(run, state.epoch),
        folder,
        journal,
        waited: Duration::ZERO,
        notes: Vec::new(),
    };
    steps::settle(&session_loop);
    steps::write_report(&session_loop);
    Ok(true)
}

/// Pauses a session's run, or lets it go on, from outside the session. Gives whether that is so
/// already; where not, it is as soon as the gate that runs now has ended.
pub fn pause(place: &Place, run: &str, wish: Wish) -> Result<bool, Fault> {
    let folder = runs::folder(place, run)?;
    wish::leave(&folder, wish)?;
    match Journal::open(&folder, runs::WAIT_MAX) {
        Ok(mut journal) => wish::hear(&mut journal, &folder).map(|()| true),
        Err(fault) if fault.code == Code::RunBusy => Ok(false),
        Err(fault) => Err(fault),
    }
}

impl SessionLoop<'_> {
    /// What the session is told when a person stopped its run; it is no run of the session's any
    /// more.
    pub(super) fn stopped(&mut self) -> Result<Option<StopAnswer>, Fault> {
        let state = self.journal.state();
        let by_person = state.finished == Some(Reason::Stopped);
        if !by_person || state.epoch != self.armed.epoch {
            return Ok(None);
        }
        steps::settle(self);
        session::disarm(self.place, self.session)?;
        steps::write_report(self);
        let run = &self.armed.run;
        let line =
            format!("overnight: run {run} is stopped; outside, overnight resume {run} goes on");
        Ok(Some(StopAnswer::Ended(line, None)))
    }
}
