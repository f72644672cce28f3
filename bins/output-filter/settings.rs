//! The settings, strict for people's scripts, lenient for the client.

use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_filter::settings::Settings;
use overnight_host::{cli, config, env};
use overnight_views::config::resolve::{Origin, Resolved};

/// A wrong value in a variable is a fault; one in a file is named, and what else holds counts: no
/// repository may break the pipe.
pub(crate) fn strict() -> Result<Settings, Fault> {
    let resolved = config::here();
    resolved.strict(|wrong| concerns_us(wrong.section.as_deref()) && !is_file(&wrong.origin))?;
    Ok(settings(&resolved))
}

/// A wrong value is named, what else holds counts.
pub(crate) fn lenient() -> Settings {
    settings(&config::here())
}

fn settings(resolved: &Resolved) -> Settings {
    for wrong in &resolved.wrong {
        if concerns_us(wrong.section.as_deref()) {
            cli::note(&wrong.fault.to_string());
        }
    }
    let raw = env::get(&vars::FILTER_MODE).is_some_and(|mode| mode == "raw");
    Settings::of(&resolved.settings.filter, raw)
}

fn concerns_us(section: Option<&str>) -> bool {
    section == Some("filter")
}

fn is_file(origin: &Origin) -> bool {
    matches!(origin, Origin::Person(_) | Origin::Project(_))
}
