//! `/overnight:off` and `/overnight:on`: the plugin in this session.

use overnight_base::fault::Fault;
use overnight_base::hook::{Event, block};
use overnight_host::off::{self, Scope};
use overnight_host::{hook, state};
use serde_json::Value;

/// Switches; the person is told, the model hears nothing of it.
pub(crate) fn answer(event: &Event, off: bool) -> Result<Value, Fault> {
    let (folder, session) = (hook::folder(event), hook::session(event)?);
    let place = state::locate(&folder)?;
    if off && place.session_file(session).is_file() {
        return Ok(block(
            "overnight: a run is under way in this session and keeps its guard: /flow stop first",
        ));
    }
    off::switch(&place, Scope::Session(session), off)?;
    Ok(block(match (off, off::here(&folder, Some(session))) {
        (true, _) => {
            "overnight is off in this session, its guard too; /overnight:on switches it on"
        }
        (false, true) => {
            "overnight stays off here: it is switched off for the project (overnight on --project) or everywhere (overnight on --global)"
        }
        (false, false) => "overnight is on in this session",
    }))
}
