//! `overnight status`: where a run stands.

use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_core::status::{self, Status};
use overnight_host::state::Place;
use overnight_host::{cli, clock, runs, sight, state};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// Says where a run stands, and with its exit status too
///
/// Exit status: 0 completed, or under way and well; 1 stopped with work left, blocked or crashed;
/// 3 circuit breaker; 4 budget spent; 66 no such run; 75 stopped at the usage limit; 77 a person is
/// needed (also while it is under way: a question waits); 78 written by a newer version;
/// 130 or 143 interrupted.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The run [default: the newest of this project]
    run: Option<String>,
    /// Lists every run of this project, newest first
    #[arg(long, conflicts_with = "run")]
    all: bool,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    if args.all {
        return list(&place, args.json);
    }
    let run = runs::choose(&place, args.run.as_deref())?;
    let (state, seen) = sight::look(&place, &run)?;
    let status = named(status::of(&state, &seen), &run);
    if args.json {
        cli::print_json(&json!(status))?;
    } else {
        cli::print(&status::text(&status, seen.now, &clock::local_text))?;
    }
    Ok(status.exit(&state))
}

/// Every run in one line; one that cannot be read says why.
fn list(place: &Place, json: bool) -> Result<Exit, Fault> {
    let mut listed = Vec::new();
    let mut text = String::new();
    for run in runs::all(place).into_iter().rev() {
        match sight::look(place, &run) {
            Ok((state, seen)) => {
                let status = named(status::of(&state, &seen), &run);
                let _ = writeln!(
                    text,
                    "{run}  {:<11}  {:>3} of {:<3}  {}",
                    status.state.name(),
                    status.iteration,
                    status.iterations_max,
                    status.goal
                );
                listed.push(json!(status));
            }
            Err(fault) => {
                let _ = writeln!(text, "{run}  {fault}");
                listed.push(json!({"run": run, "error": fault.to_json()}));
            }
        }
    }
    if json {
        cli::print_json(&json!({"runs": listed}))?;
    } else if listed.is_empty() {
        cli::print("no runs\n")?;
    } else {
        cli::print(&text)?;
    }
    Ok(Exit::Yes)
}

/// A run that crashed before its first record has its name from its folder.
fn named(status: Status, run: &str) -> Status {
    Status {
        run: run.to_owned(),
        ..status
    }
}
