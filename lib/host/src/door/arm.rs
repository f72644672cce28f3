//! A run begins in a session.

use super::{Door, Told, end, snapshots};
use crate::session::Armed;
use crate::state::Place;
use crate::{config, driver, session, shared};
use overnight_base::fault::Fault;
use overnight_run::Config;
use overnight_run::event::Door as Through;
use overnight_run::flow::Request;
use overnight_run::options::AGENT_PROMPT;
use std::path::Path;

/// Begins a run for what was typed behind `/flow` and arms it in this session; an older run of the
/// session ends. Gives the first iteration.
pub fn arm(place: &Place, session: &str, folder: &Path, request: &Request) -> Result<Told, Fault> {
    let goal = goal(place, folder, request)?;
    let limits = config::load(Some(place)).strict(|_| true)?.run_config();
    let tasks = driver::read_tasks(place)?;
    end::replaced(place, session)?;
    let run = driver::begin(place, goal, Through::Session)?;
    let client = session::client();
    let armed = Armed::new(&run, 1).within(client);
    let mut door = Door::open(place, session, armed.clone())?;
    let config = Config {
        leased: shared::is_shared(place),
        ..request.run.over(limits)
    };
    door.begins(config, tasks)?;
    // What the first iteration is compared with.
    snapshots(place, &door.folder).take()?;
    session::arm(place, session, &armed)?;
    door.advance()
}

/// The typed goal, else that of the named file, else of `AGENT_PROMPT.md`.
fn goal(place: &Place, folder: &Path, request: &Request) -> Result<String, Fault> {
    if !request.what.trim().is_empty() {
        return Ok(request.what.clone());
    }
    let named = request.run.text(&AGENT_PROMPT);
    let named = named.unwrap_or(AGENT_PROMPT.default);
    let here = folder.join(named);
    let path = if here.exists() {
        here
    } else {
        place.top.join(named)
    };
    driver::read_goal(&path)
}
