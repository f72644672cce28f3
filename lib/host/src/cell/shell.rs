//! The second wall: a shell of the client's Bash tool stands in the client's cell and gets neither its
//! login nor its settings.

use super::plan::Plan;
use super::walls;
use super::{Cell, ephemeral, level};
use crate::{config, env, homes, state};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_run::cell::{self as policy, Gives, Network, reach};
use std::path::PathBuf;

/// The wall that a shell takes upon itself; none outside of the client's cell.
pub fn wall() -> Result<Option<Cell>, Fault> {
    if !walls::STACK || env::get(&vars::CELL).as_deref() != Some("agent") {
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
    let mut plan = Plan {
        grants: reach(&closed, &walls::children),
        hidden,
        abi: level().abi(),
        ..Plan::default()
    };
    // Nobody mounts anything in the client's cell: its shells cannot ask for namespaces of that kind.
    plan.space.offline = settings.network == Network::None && walls::has_networks();
    // What is open but for desks is kept by the client's own wall.
    if !plan.space.offline && settings.network != Network::Open {
        let gives = Gives {
            level: level(),
            namespaces: false,
        };
        plan.ports = gives.ports(&settings.network, ephemeral);
    }
    Ok(Some(Cell {
        walls: walls::Walls::build(plan)?,
        environment: vec![(vars::CELL.name.into(), "shell".into())],
        gone: policy::login_variables(&settings),
        limits: None,
    }))
}
