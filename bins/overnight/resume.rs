//! `overnight resume`: goes on with a run.

use crate::options::Options;
use crate::run;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::value::Value;
use overnight_host::{runs, state};
use overnight_run::options::RESUME;

/// Goes on with a run: the same agent and limits, unless others are given
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(mut args: Args) -> Result<Exit, Fault> {
    let run = runs::choose(&state::here()?, args.run.as_deref())?;
    args.options.0.set(&RESUME, Value::Text(run));
    run::start(None, &args.options.0)
}
