//! `overnight review`: the desk.

mod screen;

use crate::run;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::value::Value;
use overnight_engine::{desk, sight};
use overnight_host::signals::Signals;
use overnight_host::{cli, runs, state, terminal};
use overnight_run::options::{Given, RESUME};
use overnight_views::review::Desk;

/// The desk in the morning: what needs you, what failed, and the change hunk by hunk
///
/// `a` answers, `y` and `n` approve and deny, `b` sends a task back with your comments, `u` takes it
/// out again, `enter` shows its hunks; there `a` marks one as read and `c` comments it. Without a
/// terminal the desk is printed.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    /// Works on what was sent back as soon as the desk is left
    #[arg(long)]
    now: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let run = runs::choose(&place, args.run.as_deref())?;
    let mut desk = desk::of(&place, &run)?;
    if !terminal::can_be_drawn_on() {
        cli::print(&printed(&desk))?;
        return Ok(Exit::Yes);
    }
    sight::note_look(&place, &run);
    let mut sent_back = false;
    {
        // Given back before a driver installs its own.
        let signals = Signals::install()?;
        screen::show(&mut desk, &signals, |desk, wish| {
            sent_back |= desk::grant(&place, &run, desk, wish);
        })?;
    }
    if sent_back && args.now {
        let mut given = Given::default();
        given.set(&RESUME, Value::Text(run));
        return run::start(None, &given);
    }
    if sent_back {
        cli::note(&format!(
            "what went back is worked on by: overnight run --resume {run}"
        ));
    }
    Ok(Exit::Yes)
}

fn printed(desk: &Desk) -> String {
    let page = desk.page();
    let lines = page.head.iter().chain(&page.body);
    let texts: Vec<&str> = lines.map(|line| line.text.as_str()).collect();
    texts.join("\n") + "\n"
}
