//! `overnight off` and `overnight on`: the plugin in sessions that are nobody's run.

pub(crate) mod uninstall;

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::off::{self, Scope};
use overnight_host::{cli, state};

/// Switches the plugin off: its hooks do nothing in your sessions, the guard included
///
/// Runs keep their guard. In a session, `/overnight:off` switches it off for that session alone.
#[derive(clap::Args)]
pub(crate) struct Off {
    #[command(flatten)]
    scope: Where,
}

/// Switches the plugin on again
#[derive(clap::Args)]
pub(crate) struct On {
    #[command(flatten)]
    scope: Where,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Where {
    /// In this repository
    #[arg(long)]
    project: bool,
    /// In every project of yours
    #[arg(long)]
    global: bool,
}

pub(crate) fn off(args: &Off) -> Result<Exit, Fault> {
    switch(&args.scope, true)
}

pub(crate) fn on(args: &On) -> Result<Exit, Fault> {
    switch(&args.scope, false)
}

fn switch(to: &Where, off: bool) -> Result<Exit, Fault> {
    let (scope, name) = match to {
        Where { global: true, .. } => (Scope::Global, "in every project"),
        Where { .. } => (Scope::Project, "in this project"),
    };
    let changed = off::switch(&state::here()?, scope, off)?;
    let word = if off { "off" } else { "on" };
    let already = if changed { "" } else { " already" };
    cli::print(&format!("overnight is{already} {word} {name}\n"))?;
    Ok(Exit::Yes)
}
