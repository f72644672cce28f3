//! A budget that is reached in the middle of a session's iteration ends it there: before the next call of a
//! tool, about which the client asks in any case.

use super::{SessionLoop, StopAnswer, snapshots, stop};
use crate::state::Place;
use crate::{runs, session};
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_run::State;
use overnight_run::budget::Share;
use overnight_run::classify::{Class, ClientLimit};

/// Ends the turn, with a line for the person and a sequence for their terminal; `None`: it goes on.
/// A subagent's ends without more: it goes back to its parent, whose own turn ends there.
pub fn midway(
    place: &Place,
    id: &str,
    event: &Event,
) -> Result<Option<(String, Option<String>)>, Fault> {
    let Some(run) = session::armed(place, id)? else {
        return Ok(None);
    };
    if run.is_with_another_client() {
        return Ok(None);
    }
    // Read without the journal's lock: nearly always nothing follows.
    let state = runs::state(place, &run.run)?;
    let at_work = state
        .open
        .as_ref()
        .is_some_and(|open| open.outcome.is_none());
    let ours = state.epoch == run.epoch && state.finished.is_none() && state.paused.is_none();
    let passed = (at_work && ours)
        .then(|| passed(&state, id, event))
        .flatten();
    let Some(limit) = passed else {
        return Ok(None);
    };
    if event.in_subagent() {
        let line = format!("overnight: run {} has reached its budget", run.run);
        return Ok(Some((line, None)));
    }
    let folder = runs::folder(place, &run.run)?;
    let seen = snapshots(place, &folder).take().ok();
    let mut session_loop = SessionLoop::open(place, id, run)?;
    session_loop.record(event, seen, (Class::Budget, Some(limit)))?;
    Ok(match session_loop.advance()? {
        StopAnswer::Ended(line, sequence) => Some((line, sequence)),
        // Nothing was spent by the rules of the run: the turn goes on with what was handed out.
        StopAnswer::Next(_) => None,
    })
}

/// Which limit of the run the session has passed by now, by its transcript.
fn passed(state: &State, id: &str, event: &Event) -> Option<ClientLimit> {
    let Share::Of(left) = state.share(&state.config, 1) else {
        return None;
    };
    if left.usd.is_none() && left.tokens.is_none() {
        return None;
    }
    let (tokens, _, usd) = stop::spent(state, id, event);
    if left.tokens.is_some_and(|most| tokens >= most) {
        return Some(ClientLimit::Tokens);
    }
    left.usd
        .is_some_and(|most| usd >= most)
        .then_some(ClientLimit::Dollars)
}
