//! `overnight member`: what a driver with members starts for each hand-out.

pub(crate) mod fork;

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::members;
use overnight_host::cli;

/// Works on one task of a run in a work tree of its own; started by the driver
#[derive(clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    /// The run
    run: String,
    /// The name of its journal's folder
    member: String,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let here = std::env::current_dir()
        .map_err(|error| Fault::new(Code::InputPath, format!("current folder: {error}")))?;
    let reason = members::work::work(&here, &args.run, &args.member, cli::note)?;
    Ok(reason.exit())
}
