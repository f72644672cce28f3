//! `overnight doctor`: looks at this machine and this project; the core concludes.

mod client;
mod project;

use crate::client::find_program;
use crate::{config, state};
use overnight_views::doctor::Finding;
use std::path::Path;

/// What was looked at of the project alone.
pub fn project(place: &state::Place) -> Vec<Finding> {
    project::findings(place)
}

/// Can agents of the client be started?
pub(crate) fn client() -> Vec<Finding> {
    client::usable(find_program("claude").as_deref())
}

/// Does the remote answer?
pub(crate) fn remote(place: &state::Place) -> Finding {
    project::remote(&place.top)
}

/// Everything that was looked at, in the order in which a person would.
pub fn findings(folder: &Path) -> Vec<Finding> {
    let place = state::locate(folder);
    let top = place.as_ref().ok().map(|place| place.top.as_path());
    let mut findings = client::findings(top.unwrap_or(folder));
    match &place {
        Ok(place) => findings.extend(project::findings(place)),
        Err(fault) => findings.push(Finding::fault("project", fault)),
    }
    let wrong = config::load(place.as_ref().ok()).wrong;
    if wrong.is_empty() {
        findings.push(Finding::good("settings", "all are in their ranges"));
    }
    for wrong in wrong {
        findings.push(Finding::fault("settings", &wrong.fault));
    }
    findings
}
