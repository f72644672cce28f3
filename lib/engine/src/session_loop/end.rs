//! A session's turn failed, or the session ended.

use super::SessionLoop;
use crate::cell::armed;
use crate::session::Armed;
use crate::state::Place;
use crate::steps;
use crate::{clock, env, notify, progress, session};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_host::off;
use overnight_judge::Verdict;
use overnight_run::Reason;
use overnight_run::classify::{Channel, Class, Failure, Report, classify};
use overnight_run::event::{Ended, Finished, Outcome};
use overnight_run::hold::Pause;
use overnight_run::pausing;
use overnight_run::progress::Stamp;
use std::collections::BTreeMap;

/// Records why the service ended the turn. The run stays armed: it goes on when the person writes
/// again, or outside the session. `event` is the hook's whole event, as JSON.
pub fn failed(place: &Place, id: &str, event: &str) -> Result<(), Fault> {
    let Some(armed) = session::armed_here(place, id)? else {
        return Ok(());
    };
    let mut session_loop = SessionLoop::open(place, id, armed)?;
    let under_way = session_loop
        .journal
        .state()
        .open
        .clone()
        .filter(|open| open.outcome.is_none());
    let Some(open) = under_way.filter(|_| session_loop.is_ours()) else {
        return Ok(());
    };
    let now = clock::wall_ms();
    let failure = classified(Channel::StopFailureHook, event);
    // A failure that cannot be classified is a failure still.
    let class = if failure.class == Class::None {
        Class::Unknown
    } else {
        failure.class
    };
    session_loop.journal.append(Outcome {
        limit: failure.limit,
        resets_at: failure.resets_at,
        session: Some(id.to_owned()),
        duration_ms: now.saturating_sub(open.started),
        ..Outcome::of(
            Ended::Exited(1),
            class,
            Verdict::nothing("the service ended the turn"),
        )
    })?;
    // What this hook answers the client passes on to nobody: only the desktop is left.
    let state = session_loop.journal.state();
    notify::tell(place, &session_loop.armed.run, state, notify::Way::Desktop);
    Ok(())
}

/// What the client says stopped it, of which nothing worked on.
pub(super) fn classified(channel: Channel, text: &str) -> Failure {
    classify(&Report {
        channel,
        text,
        exit: Some(1),
        now: i64::try_from(clock::wall_ms() / 1_000).unwrap_or(i64::MAX),
        local: &clock::zone(),
        zones: &clock::zone_named,
    })
}

/// The session was cleared: its run ends.
pub fn cleared(place: &Place, id: &str) -> Result<(), Fault> {
    match session::armed_here(place, id)? {
        Some(armed) => end(place, id, armed),
        None => Ok(()),
    }
}

/// The session begins another run: the armed one ends, whichever client has it.
pub(super) fn replaced(place: &Place, id: &str) -> Result<(), Fault> {
    match session::armed(place, id)? {
        Some(armed) => end(place, id, armed),
        None => Ok(()),
    }
}

fn end(place: &Place, id: &str, armed: Armed) -> Result<(), Fault> {
    session::disarm(place, id)?;
    let mut session_loop = SessionLoop::open(place, id, armed)?;
    if session_loop.is_ours() {
        let reason = Reason::SessionEnded;
        session_loop.journal.append(Finished { reason })?;
        steps::settle(&session_loop);
        session_loop.keep_written();
        steps::write_report(&session_loop);
    }
    Ok(())
}

/// The session ended and its run may be continued: it is paused, progress tells how far it came, and
/// others may have what it held.
pub fn saved(place: &Place, id: &str) -> Result<(), Fault> {
    if let Some(run) = session::armed_here(place, id)? {
        let mut session_loop = SessionLoop::open(place, id, run)?;
        if session_loop.is_ours()
            && let Some(paused) = pausing::pause(session_loop.journal.state(), Pause::SessionEnded)
        {
            session_loop.journal.append(paused)?;
        }
        armed::hold(id);
        steps::write_progress(&session_loop);
        if session_loop.journal.state().config.leased {
            steps::share(&session_loop)?.settle(&BTreeMap::new());
        }
        return Ok(());
    }
    // An agent's driver writes it, and a session that is switched off leaves no trace.
    if env::get(&vars::RUN).is_some() || off::here(&place.top, Some(id)) {
        return Ok(());
    }
    let session = id.split('-').next().unwrap_or(id).to_owned();
    let when = clock::stamp_text(clock::wall_ms());
    progress::sign(place, &Stamp { session, when })
}
