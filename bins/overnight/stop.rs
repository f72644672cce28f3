//! `overnight stop`: ends a run for now.

use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_host::{cli, runs, state};
use serde_json::json;

/// Ends a run's driver and its agent; `overnight resume` goes on later
///
/// Exits with 0 when the driver was ended, 1 when none was at work.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let run = runs::choose(&place, args.run.as_deref())?;
    let stopped = runs::stop(&place, &run)?;
    if args.json {
        cli::print_json(&json!({"run": run, "stopped": stopped}))?;
    } else if stopped {
        cli::print(&format!(
            "run {run} is stopped; overnight resume {run} goes on\n"
        ))?;
    } else {
        cli::print(&format!("no driver works on run {run}\n"))?;
    }
    Ok(if stopped { Exit::Yes } else { Exit::No })
}
