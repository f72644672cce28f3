//! `overnight logs`: what agents said and ran.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::{runs, state};
use overnight_tools::prints;
use std::path::Path;

/// Shows what the agents of a run said and ran, oldest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest of this project]
    run: Option<String>,
    /// Only what was done on this task
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Goes on until the run ends
    #[arg(short, long)]
    follow: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let run = runs::choose(&place, args.run.as_deref())?;
    prints::show(&place, &run, args.task.as_deref(), args.follow)?;
    Ok(Exit::Yes)
}
