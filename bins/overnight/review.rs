//! `overnight review`: the desk.

pub(crate) mod screen;

use crate::run;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::value::Value;
use overnight_engine::{desk, person, sight};
use overnight_host::signals::Signals;
use overnight_host::state::Place;
use overnight_host::{cli, runs, state, terminal};
use overnight_run::options::{Given, MAX_ITERATIONS, RESUME};
use overnight_run::resume;
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
    /// The desk as a page in your browser, on this machine only
    ///
    /// The address opens it once. Approving on the page is confirmed in this terminal; the page ends
    /// with Ctrl-C, or when nobody used it for 30 minutes.
    #[arg(long)]
    web: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let run = runs::choose(&place, args.run.as_deref())?;
    if args.web {
        return web(&place, &run, args.now);
    }
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
    left(&place, run, (sent_back, args.now))
}

/// The desk as a page. An agent gets none, and no file gets its address.
fn web(place: &Place, run: &str, now: bool) -> Result<Exit, Fault> {
    person::not_an_agent("overnight review --web")?;
    if terminal::is_kept() {
        let reason = "the address is a secret, and stdout is a file";
        return Err(Fault::new(Code::NeedsTerminal, reason));
    }
    sight::note_look(place, run);
    let sent_back = desk::web::serve(place, run, &Signals::install()?)?;
    left(place, run.to_owned(), (sent_back, now))
}

/// What was sent back is worked on, or it is said how.
fn left(place: &Place, run: String, (sent_back, now): (bool, bool)) -> Result<Exit, Fault> {
    let state = runs::state(place, &run)?;
    if sent_back && now {
        let mut given = Given::default();
        given.set(&RESUME, Value::Text(run));
        if let Some(more) = resume::more_iterations(&state) {
            given.set(&MAX_ITERATIONS, Value::Count(more.into()));
        }
        return run::start(None, &given);
    }
    if sent_back {
        let resume = resume::command(&state);
        cli::note(&format!("what went back is worked on by: {resume}"));
    }
    Ok(Exit::Yes)
}

fn printed(desk: &Desk) -> String {
    let page = desk.page();
    let lines = page.head.iter().chain(&page.body);
    let texts: Vec<&str> = lines.map(|line| line.text.as_str()).collect();
    texts.join("\n") + "\n"
}
