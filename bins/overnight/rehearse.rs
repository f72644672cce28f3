//! `overnight rehearse`: what would stop the night, found in the evening.

use crate::options::Options;
use overnight_base::duration;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::driver::goal;
use overnight_engine::rehearsal::{self, Rehearsal};
use overnight_host::{cli, config, state};
use overnight_run::options::{AGENT_PROMPT, JSON};
use overnight_views::doctor;
use serde_json::json;
use std::time::Duration;

/// Tries the night before it begins: gates, trust, remote, login, room on the disk
///
/// Takes the options of run. Exits with 0 when nothing is in the way, 1 with findings, 77 when a person
/// must act first.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What is to be done, in your words [default: what is in the goal's file]
    #[arg(value_name = "GOAL")]
    goal: Option<String>,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let given = &args.options.0;
    let place = state::here()?;
    let settings = config::load(Some(&place)).strict(|_| true)?.clone();
    let config = given.over(settings.run_config());
    let goal = goal::of(
        (&place, &place.top),
        args.goal.as_deref(),
        given.text(&AGENT_PROMPT),
    );
    let rehearsal = rehearsal::rehearse(&place, &config, goal);
    let exit = rehearsal.exit();
    if given.has(&JSON) {
        cli::print_json(&json!({
            "ok": exit == Exit::Yes, "exit": exit.status(), "findings": rehearsal.findings, "gates": rehearsal.gates,
            "forecast": rehearsal.forecast, "needs_person": rehearsal.needs_person,
        }))?;
        return Ok(exit);
    }
    cli::print(&doctor::text(&rehearsal.findings))?;
    cli::print(&forecast(&rehearsal))?;
    Ok(exit)
}

fn forecast(rehearsal: &Rehearsal) -> String {
    let Some(forecast) = &rehearsal.forecast else {
        return String::new();
    };
    let minutes = forecast.working_ms / 60_000;
    format!(
        "the last {} nights worked for {} and cost ${:.2} in the middle\n",
        forecast.nights,
        duration::show(Duration::from_mins(minutes)),
        forecast.cost_usd
    )
}
