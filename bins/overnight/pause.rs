//! `overnight pause`: holds a run until somebody says go on.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::control::{self, Paused};
use overnight_engine::sight;
use overnight_host::{cli, state};
use overnight_run::hold::Wish;
use serde_json::json;

/// Begins nothing more in a run; `overnight resume` goes on
///
/// What is under way ends by itself. Exits with 0 when the run is paused, 1 when nothing was at work.
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
    let came = control::pause(&place, &run, Wish::Pause)?;
    let paused = came != Paused::NothingThere;
    if args.json {
        cli::print_json(&json!({"run": run, "paused": paused}))?;
    } else {
        cli::print(&match came {
            Paused::Yes => format!("run {run} is paused; overnight resume {run} goes on\n"),
            Paused::Soon => {
                format!("run {run} is paused as soon as what is under way has ended\n")
            }
            Paused::NothingThere => format!("nothing is at work on run {run}\n"),
        })?;
    }
    Ok(if paused { Exit::Yes } else { Exit::No })
}
