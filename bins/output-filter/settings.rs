//! The settings, strict for people's scripts, lenient for the client.

use overnight_core::fault::Fault;
use overnight_core::filter::settings::Settings;
use overnight_host::{cli, env};

/// A wrong value is a fault.
pub(crate) fn strict() -> Result<Settings, Fault> {
    let (settings, faults) = Settings::read(env::get);
    faults.into_iter().next().map_or(Ok(settings), Err)
}

/// A wrong value is named, its default holds.
pub(crate) fn lenient() -> Settings {
    let (settings, faults) = Settings::read(env::get);
    for fault in faults {
        cli::note(&fault.to_string());
    }
    settings
}
