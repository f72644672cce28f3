//! Who works here: one answer for leases and for samples.

use crate::env;
use overnight_base::vars;

/// The name that was given, else `AGENT_ID`, else the run and its member, else the client's session (the one
/// that a hook was told of first). Nobody is known in a shell of a person's.
pub fn works(given: Option<&str>, session: Option<&str>) -> Option<String> {
    let session = || {
        Some(format!(
            "session-{}",
            session.map_or_else(|| env::get(&vars::SESSION_ID), |id| Some(id.to_owned()))?
        ))
    };
    given
        .map(str::to_owned)
        .or_else(|| env::get(&vars::AGENT_ID))
        .or_else(of_run)
        .or_else(session)
}

/// An agent of a run is the same one in each of its iterations, whatever session it has; its driver's leases
/// have another name.
fn of_run() -> Option<String> {
    let run = env::get(&vars::RUN)?;
    Some(match env::get(&vars::MEMBER) {
        Some(member) => format!("agent-{run}-{member}"),
        None => format!("agent-{run}"),
    })
}
