//! `output-filter -- CMD ARG…`.

use super::settings;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_filter::pipeline;
use overnight_host::child;
use overnight_tools::filter::{Plan, launch};
use std::ffi::OsString;
use std::process::Command;

pub(crate) fn run(words: &[OsString], tool: Option<String>, json: bool) -> Result<Exit, Fault> {
    let settings = settings::strict()?;
    let (program, arguments) = words.split_first().ok_or_else(child::no_command)?;
    let mut command = Command::new(program);
    command.args(arguments);
    if !settings.enabled && !json {
        return Ok(launch::directly(command, None));
    }
    let typed: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let plan = Plan::new(&settings, &typed.join(" "), tool, json);
    let words: Vec<&str> = typed.iter().map(AsRef::as_ref).collect();
    let plan = match pipeline::string_of(&words) {
        Some(string) => plan.of_shell(string),
        None => plan,
    };
    Ok(launch::run(command, &plan, None))
}
