//! `output-filter shell`: the client's shell, led here by the env-file guard or by
//! `CLAUDE_CODE_SHELL_PREFIX`.

use super::settings;
use overnight_base::exit::Exit;
use overnight_base::vars;
use overnight_filter::reexec;
use overnight_filter::route::{Route, route};
use overnight_host::{cell, cli, env, off};
use overnight_tools::filter::{Plan, launch};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a shell's command string with its output filtered
///
/// The string and the shell come from the guard that session-start writes, or the string is given.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file that is there while a run is armed in the client's session
    #[arg(long, value_name = "FILE", hide = true)]
    armed: Option<PathBuf>,
    /// The whole string, as `CLAUDE_CODE_SHELL_PREFIX` passes it
    string: Option<OsString>,
}

pub(crate) fn run(args: &Args) -> Exit {
    let guarded = env::get_os(&vars::FILTER_STRING);
    let from_guard = args.string.is_none();
    let string = args.string.clone().or(guarded).unwrap_or_default();
    let shell = env::get_os(&vars::FILTER_SHELL)
        .or_else(|| env::get_os(&vars::SHELL))
        .unwrap_or_else(|| OsString::from("/bin/sh"));
    let mut command = Command::new(shell);
    command
        .arg("-c")
        .arg(&string)
        .env(vars::FILTER_ACTIVE.name, "1");
    command
        .env_remove(vars::FILTER_STRING.name)
        .env_remove(vars::FILTER_SHELL.name);
    let text = string.to_string_lossy();
    let cwd = reexec::cwd_file(&text).map(PathBuf::from);
    let within = match cell::shell::wall(args.armed.as_deref(), cwd.as_deref()) {
        Ok(within) => within,
        Err(fault) => {
            cli::note(&fault.to_string());
            return fault.code.exit();
        }
    };
    let typed = reexec::typed(&text);
    let settings = settings::lenient();
    // A string that the client did not make for its Bash tool may be a hook's, whose output is read
    // by the client itself.
    let foreign = typed.is_none() && !from_guard;
    let typed = typed.unwrap_or_else(|| text.into_owned());
    let off = || {
        let session = env::get(&vars::SESSION_ID);
        off::here(Path::new("."), session.as_deref())
    };
    if foreign || !settings.enabled || route(&typed) != Route::Filter || off() {
        return launch::directly(command, within.as_ref());
    }
    let plan = Plan::new(&settings, &typed, None, false).of_shell(&typed);
    launch::run(command, &plan, within.as_ref())
}
