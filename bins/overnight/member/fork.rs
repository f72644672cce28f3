//! `overnight fork`: what a driver starts for each way in which a stuck task is tried.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::driver::forks;
use overnight_host::cli;

/// Tries a task of a run in one way; started by the driver
#[derive(clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    /// The run
    run: String,
    /// The task
    task: String,
    /// The iteration of the run
    iteration: u32,
    /// The way's number, from 1
    number: u32,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let here = std::env::current_dir()
        .map_err(|error| Fault::new(Code::InputPath, format!("current folder: {error}")))?;
    let what = (args.run.as_str(), args.task.as_str());
    let reason = forks::work(&here, what, (args.iteration, args.number), cli::note)?;
    Ok(reason.exit())
}
