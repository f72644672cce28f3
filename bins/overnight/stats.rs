//! `overnight stats`: figures over the project's runs.

use overnight_base::duration;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::sight;
use overnight_host::{cli, clock, runs, state};
use overnight_views::stats;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// Counts how this project's runs went; a run that cannot be read is named and left out
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Counts runs that began within this time, for example 24h or 30d
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = duration::parse)]
    since: Duration,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let span = u64::try_from(args.since.as_millis()).unwrap_or(u64::MAX);
    let since = clock::wall_ms().saturating_sub(span);
    let mut counted = Vec::new();
    for run in runs::all(&place) {
        match sight::figures(&place, &run) {
            Ok(figures) => counted.push(figures),
            Err(fault) => cli::note(&format!("{run} is left out: {fault}")),
        }
    }
    counted.retain(|run| run.started_ms >= since);
    let stats = stats::of(&counted, sight::filter_saved(&place)?);
    if args.json {
        cli::print_json(&json!(stats))?;
    } else {
        cli::print(&stats::text(&stats))?;
    }
    Ok(Exit::Yes)
}
