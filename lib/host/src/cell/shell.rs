//! The second wall: a shell of the client's Bash tool stands in the client's cell and gets neither its
//! login nor its settings.

use super::{Cell, level, walls};
use crate::{config, env, homes, state};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::cell::{self as policy, Grant, reach};
use std::path::PathBuf;

/// The wall that a shell takes upon itself; none outside of the client's cell.
pub fn wall() -> Result<Option<Cell>, Fault> {
    if env::get(&vars::CELL).as_deref() != Some("agent") {
        return Ok(None);
    }
    let place = state::here().ok();
    let settings = config::load(place.as_ref()).settings.cell;
    let home = env::get_os(&vars::HOME).map(|home| homes::real(&PathBuf::from(home)));
    let folder = homes::client().map(|folder| homes::real(&folder));
    let (hidden, closed) = match &folder {
        Some(folder) => (
            policy::login(&settings, folder, home.as_deref()),
            policy::closed(folder, home.as_deref()),
        ),
        None => (Vec::new(), Vec::new()),
    };
    let open = reach(&closed, &walls::children);
    let grants: Vec<Grant> = open
        .into_iter()
        .map(|path| Grant::new(path, "all but the client's own"))
        .collect();
    Ok(Some(Cell {
        walls: walls::Walls::build(level(), &grants, &hidden)?,
        environment: vec![(vars::CELL.name.into(), "shell".into())],
        gone: policy::login_variables(&settings),
    }))
}
