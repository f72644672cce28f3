//! `overnight keep`: what the service manager starts to look after a run.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::survive;
use overnight_host::{cli, runs, state};
use overnight_run::survive::Look;

/// Looks after a run: one whose driver died goes on; started by the service manager
#[derive(clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    /// The run
    run: String,
    /// Pushes nothing and opens no pull request when it goes on
    #[arg(long)]
    no_pr: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    runs::folder(&place, &args.run)?;
    let run = &args.run;
    let said = match survive::keep(&place, run, args.no_pr)? {
        Look::Over => format!("run {run} is over: nobody looks after it any longer"),
        Look::GoOn => format!("run {run} had no driver: it goes on"),
        Look::GiveUp => format!("run {run} died too often: nobody looks after it any longer"),
        Look::Quiet => format!("nothing is heard of run {run}"),
        Look::Well => format!("run {run} is at work"),
    };
    cli::print(&format!("{said}\n"))?;
    Ok(Exit::Yes)
}
