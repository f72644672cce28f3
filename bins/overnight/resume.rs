//! `overnight resume`: goes on with a run.

use crate::options::Again;
use crate::run;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::value::Value;
use overnight_engine::control::{self, Paused};
use overnight_host::state::{self, Place};
use overnight_host::{cli, runs};
use overnight_run::hold::{Pause, Wish};
use overnight_run::options::RESUME;

/// Goes on with a run: the same agent and limits, unless others are given
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    #[command(flatten)]
    options: Again,
}

pub(crate) fn run(mut args: Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let run = runs::choose(&place, args.run.as_deref())?;
    if goes_on_by_itself(&place, &run)? {
        cli::print(&format!("run {run} goes on\n"))?;
        return Ok(Exit::Yes);
    }
    args.options.0.set(&RESUME, Value::Text(run));
    run::start(None, &args.options.0)
}

/// Is it only paused, and does who works on it live? A session that stands still cannot be woken from
/// outside: that one's run is taken up.
fn goes_on_by_itself(place: &Place, run: &str) -> Result<bool, Fault> {
    let state = runs::state(place, run)?;
    let under_way = state
        .open
        .as_ref()
        .is_some_and(|open| open.outcome.is_none());
    let heard = state.session.is_none() || under_way;
    if state.paused != Some(Pause::Asked) || !heard {
        return Ok(false);
    }
    Ok(control::pause(place, run, Wish::GoOn)? != Paused::NothingThere)
}
