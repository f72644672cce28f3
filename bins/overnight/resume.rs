//! `overnight resume`: goes on with a run.

use crate::run;
use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_host::{runs, state};

/// Goes on with a run: the same agent and limits, unless others are given
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    #[command(flatten)]
    with: run::Args,
}

pub(crate) fn run(mut args: Args) -> Result<Exit, Fault> {
    let run = runs::choose(&state::here()?, args.run.as_deref())?;
    args.with.resume = Some(run);
    run::run(&args.with)
}
