//! `CMD | output-filter`.

use super::settings;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_tools::filter::{Plan, piped};

pub(crate) fn run(tool: Option<String>, json: bool) -> Result<Exit, Fault> {
    let settings = settings::strict()?;
    if !settings.enabled && !json {
        return piped::unchanged().map(|()| Exit::Yes);
    }
    piped::run(Plan::new(&settings, "", tool, json))?;
    Ok(Exit::Yes)
}
