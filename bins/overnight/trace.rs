//! `overnight trace`: a run for a trace viewer.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::{runs, state};
use overnight_tools::trace;

/// Prints a run as a trace in Chrome's format, for example for ui.perfetto.dev: agents as tracks;
/// iterations, attempts, tools, gates and waits as slices
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let run = runs::choose(&place, args.run.as_deref())?;
    trace::write(&place, &run, std::io::stdout().lock())?;
    Ok(Exit::Yes)
}
