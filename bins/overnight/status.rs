//! `overnight status`: where a run stands.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::{fleet, sight};
use overnight_host::state::Place;
use overnight_host::{cli, clock, runs, state};
use overnight_run::State;
use overnight_views::status::{self, Seen, Status};
use overnight_views::summary;
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
    /// The run [default: the one under way, else the newest; several under way are listed]
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
        let all = runs::all(&place).into_iter().rev().collect();
        return list(&place, all, args.json);
    }
    let meant = match &args.run {
        Some(named) => runs::choose(&place, Some(named)).map(|run| vec![run]),
        None => sight::meant(&place),
    };
    let mut meant = match (meant, &args.run) {
        (Ok(meant), _) => meant,
        (Err(fault), None) => {
            let (state, seen) = fleet::elsewhere(&place)?.ok_or(fault)?;
            return show(&place, (&state, &seen), None, args.json);
        }
        (Err(fault), Some(_)) => return Err(fault),
    };
    let run = match meant.len() {
        1 => meant.remove(0),
        _ => return list(&place, meant, args.json),
    };
    let (state, seen, unheard) = sight::look_far(&place, &run)?;
    if let Some(why) = &unheard {
        cli::note(why);
    }
    show(&place, (&state, &seen), Some(&run), args.json)
}

/// Shows where a run stands; one of this clone has its name from its folder.
fn show(
    place: &Place,
    (state, seen): (&State, &Seen),
    run: Option<&str>,
    json: bool,
) -> Result<Exit, Fault> {
    let night = match run {
        Some(_) => sight::summary(place, state, seen),
        None => summary::of(state, seen, None),
    };
    let whole = summary::together(state, seen);
    let whole = whole.as_ref().unwrap_or(state);
    let status = status::of(state, seen).with_fleet(&night, whole);
    let status = match run {
        Some(run) => named(status, run),
        None => status,
    };
    if let Some(run) = run.filter(|_| !json && !status.state.is_under_way()) {
        sight::note_look(place, run);
    }
    if json {
        let mut object = json!(status);
        object["night"] = json!(night);
        cli::print_json(&object)?;
    } else {
        let text = status::text(&status, &night, seen.now, &clock::local_text);
        cli::print(&text)?;
    }
    Ok(status.exit(whole))
}

/// Each run in one line; one that cannot be read says why.
fn list(place: &Place, runs: Vec<String>, json: bool) -> Result<Exit, Fault> {
    let mut listed = Vec::new();
    let mut text = String::new();
    for run in runs {
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
