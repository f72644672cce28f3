//! `overnight stop`: ends a run for now.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::control::{self, Stopped};
use overnight_engine::{sight, survive};
use overnight_host::{cli, state};
use serde_json::json;

/// Stops a run; `overnight resume` goes on later
///
/// A driver and its agent are ended. A run in a session is let go by the session, whose client is
/// never ended. Exits with 0 when the run is stopped, 1 when nothing was at work.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the one under way]
    run: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let run = sight::choose_living(&place, args.run.as_deref())?;
    survive::remove(&place, &run);
    let came = control::stop(&place, &run)?;
    let stopped = came != Stopped::NothingToStop;
    if args.json {
        cli::print_json(&json!({"run": run, "stopped": stopped}))?;
    } else {
        cli::print(&match came {
            Stopped::Yes => format!("run {run} is stopped; overnight resume {run} goes on\n"),
            Stopped::AfterGate => {
                format!("run {run} is stopped as soon as the gate that runs now has ended\n")
            }
            Stopped::NothingToStop => format!("no driver works on run {run}\n"),
        })?;
    }
    Ok(if stopped { Exit::Yes } else { Exit::No })
}
