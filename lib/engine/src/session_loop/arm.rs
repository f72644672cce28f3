//! A run begins in a session.

use super::{SessionLoop, StopAnswer, end, snapshots};
use crate::pinned;
use crate::rehearsal::{self, Needs};
use crate::session::Armed;
use crate::state::Place;
use crate::{cell, config, driver, night, session, shared};
use overnight_base::fault::Fault;
use overnight_run::Config;
use overnight_run::event::Door as Through;
use overnight_run::flow::{Request, kind};
use overnight_run::options::AGENT_PROMPT;
use overnight_run::task::SINGLE;
use std::path::Path;

/// Begins a run for what was typed behind `/flow` and arms it in this session; an older run of the
/// session ends. Gives the first iteration, and what would stop the run that is known by then.
pub fn arm(
    place: &Place,
    session: &str,
    folder: &Path,
    request: &Request,
) -> Result<(StopAnswer, Vec<String>), Fault> {
    let typed = Some(request.what.as_str()).filter(|what| !what.trim().is_empty());
    let goal = driver::goal::of((place, folder), typed, request.run.text(&AGENT_PROMPT))?;
    let limits = config::load(Some(place)).strict(|_| true)?.run_config();
    // The client is there.
    let needs = Needs {
        client: false,
        remote: true,
    };
    let early = rehearsal::at_start(place, &request.run.over(limits.clone()), needs);
    let mut tasks = pinned::read(place)?;
    let green = kind::detect(&request.what).0.keeps_green();
    for task in tasks.iter_mut().filter(|task| task.id == SINGLE) {
        task.green |= green;
    }
    let config = Config {
        leased: shared::is_shared(place),
        ..request.run.over(limits)
    };
    cell::demand(config.cell)?;
    end::replaced(place, session)?;
    let run = driver::begin(place, goal, Through::Session, config.clone())?;
    let client = session::client();
    let armed = Armed::new(&run, 1).within(client);
    let mut session_loop = SessionLoop::open(place, session, armed.clone())?;
    session_loop.begins(config, tasks)?;
    night::hide_progress(place)?;
    // What the first iteration is compared with.
    snapshots(place, &session_loop.folder).take()?;
    session_loop.keep_tree(0);
    session::arm(place, session, &armed)?;
    let answer = session_loop.advance()?;
    let mut found = early.lines();
    let dusk = session_loop.journal.state().dusk.as_ref();
    found.extend(dusk.into_iter().flat_map(|dusk| dusk.notes.iter().cloned()));
    Ok((answer, found))
}
