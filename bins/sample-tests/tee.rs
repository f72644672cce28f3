//! Between a runner and the output filter: what the runner prints goes into a file as well.

use clap::Args;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::agent::own_words;
use overnight_host::child;
use overnight_tools::sample::copy;
use std::ffi::OsString;
use std::path::PathBuf;

/// The verb.
const TEE: &str = "tee";

/// Runs a command and appends what it prints to a file; started by `run`
#[derive(Args)]
pub(crate) struct Tee {
    file: PathBuf,
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// What stands before a command whose output goes to `file` as well.
pub(crate) fn words(file: &str) -> Result<Vec<OsString>, Fault> {
    let mut words = own_words("sample-tests")?;
    words.extend([TEE.into(), file.into(), "--".into()]);
    Ok(words)
}

pub(crate) fn run(tee: &Tee) -> Result<Exit, Fault> {
    let Some((program, arguments)) = tee.command.split_first() else {
        return Err(child::no_command());
    };
    match copy::run(program, arguments, &tee.file)? {
        Ok(status) => Ok(child::end_as(status)),
        Err(error) => Ok(child::not_started(program, &error)),
    }
}
