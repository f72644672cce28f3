//! The person's own grammars for the digest, from `grammars.toml` in their configuration folder. A
//! repository has none: its patterns could hide what its tests say.

use crate::config;
use crate::{cli, homes};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_digest::custom::{self, Custom};

/// The file in the person's configuration folder.
pub const FILE: &str = "grammars.toml";

/// What the file says; a file that cannot be used is named on stderr and left out, because the
/// output must be shown all the same.
pub fn load() -> Vec<Custom> {
    let Some(path) = homes::config().map(|folder| folder.join(FILE)) else {
        return Vec::new();
    };
    let text = match config::person(&path) {
        Ok(Some(text)) => text,
        Ok(None) => return Vec::new(),
        Err(why) => return left_out(&path.display().to_string(), &why),
    };
    custom::parse(&text).unwrap_or_else(|why| left_out(&path.display().to_string(), &why))
}

fn left_out(name: &str, why: &str) -> Vec<Custom> {
    let reason = format!("{name}: ignored: {why}");
    cli::note(&Fault::new(Code::SettingInvalid, reason).to_string());
    Vec::new()
}
