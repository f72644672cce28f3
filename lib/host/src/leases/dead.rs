//! Leases whose agents are gone, said in one line when a session starts.

use super::{Entry, Leases};
use crate::hook;
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_base::text::one_line;
use overnight_lease::Record;
use overnight_run::members::line::QUEUE;

/// How many dead leases are named.
const SHOWN: usize = 5;
/// An agent's name is shown so far.
const AGENT_CHARS_MAX: usize = 60;

/// One line about leases whose agents are gone, by what this clone knows; `None` when there are
/// none. `current_tasks/` shows the others. What cannot be known is no reason not to start.
pub fn dead_here(event: &Event) -> Option<String> {
    let read = || -> Result<Vec<Entry>, Fault> {
        let mut all = Vec::new();
        for side in Leases::of_session(&hook::folder(event), hook::session(event)?)? {
            let known = side.known()?;
            side.mirror_known(&known);
            all.extend(known);
        }
        Ok(all)
    };
    read().map_or_else(|fault| Some(fault.to_string()), |known| sentence(&known))
}

fn sentence(known: &[Entry]) -> Option<String> {
    let dead: Vec<_> = known
        .iter()
        .filter(|entry| entry.state == "expired" && !entry.task.as_str().starts_with(QUEUE))
        .filter_map(|entry| Some((entry.task.as_str(), entry.record.as_ref()?)))
        .collect();
    let name = |(task, record): &(&str, &Record)| {
        let agent = one_line(&record.agent, AGENT_CHARS_MAX);
        format!("{task} (held by {agent})")
    };
    let names: Vec<_> = dead.iter().take(SHOWN).map(name).collect();
    let more = match dead.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names.join(", ");
    (!dead.is_empty())
        .then(|| format!("overnight: leases of agents that are gone, free to take: {names}{more}"))
}
