//! `overnight watch`: what the agents do now.

mod draw;
pub(crate) mod screen;

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::watch::Watcher;
use overnight_host::signals::Signals;
use overnight_host::{cli, state, terminal};
use overnight_views::watch::Plain;
use std::time::{Duration, Instant};

/// How often the journals are looked at: once or twice a second is what a person sees.
const EVERY: Duration = Duration::from_millis(500);

/// Shows live what the agents do, those that need you first
///
/// Keys: arrows choose an agent and an iteration, page keys move through the lines, `/` searches
/// them, `f` follows the newest again; `o` shows the agent's output, `d` what it changed, `a` answers,
/// `t` tells, `p` holds, `?` helps, `q` ends the view.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest, and every one under way]
    run: Option<String>,
    /// Shows this member of the run alone
    #[arg(long, value_name = "N", requires = "run", value_parser = clap::value_parser!(u32).range(1..))]
    member: Option<u32>,
    /// Appends lines instead, until no run is under way; always so where stdout is no terminal
    #[arg(long)]
    plain: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let mut watcher = Watcher::new(state::here()?, args.run.as_deref(), args.member)?;
    let signals = Signals::install()?;
    if args.plain || !terminal::can_be_drawn_on() {
        plain(&mut watcher, &signals)?;
    } else {
        screen::show(&mut watcher, &signals, EVERY)?;
    }
    Ok(signals.interrupted().map_or(Exit::Yes, |signal| {
        Exit::Signal(u8::try_from(signal).unwrap_or(0))
    }))
}

fn plain(watcher: &mut Watcher, signals: &Signals) -> Result<(), Fault> {
    let mut said = Plain::default();
    loop {
        for line in said.news(watcher.subjects(), watcher.clock()) {
            cli::print(&format!("{line}\n"))?;
        }
        if !watcher.any_under_way() || signals.interrupted().is_some() {
            return Ok(());
        }
        signals.wait(Instant::now() + EVERY);
        watcher.refresh();
    }
}
