//! `overnight diff`, `undo` and `bisect`: the iterations of a run as states to go back to.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::past::{self, Found};
use overnight_engine::person;
use overnight_host::{cli, runs, state};
use serde_json::json;

/// Shows what a run changed, or one of its iterations
#[derive(clap::Args)]
pub(crate) struct Diff {
    /// The run [default: the newest]
    run: Option<String>,
    /// The iteration, or the first and the last: 3, 2..5 [default: all]
    #[arg(value_name = "N[..M]")]
    range: Option<String>,
    /// Names the files only
    #[arg(long)]
    stat: bool,
}

/// Goes back to an earlier state of a run
///
/// On the run's own branch this is a new commit; what is there now is kept as a snapshot first.
#[derive(clap::Args)]
pub(crate) struct Undo {
    /// The run [default: the newest]
    run: Option<String>,
    /// The iteration whose end is gone back to; 0: the start [default: the last but one]
    #[arg(long, value_name = "N")]
    to: Option<u32>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// Finds the iteration after which a command fails
///
/// Exits with 0 when it is found, 1 when the command does not pass at first and fail at last.
#[derive(clap::Args)]
pub(crate) struct Bisect {
    /// The run [default: the newest]
    run: Option<String>,
    /// The command
    #[arg(long, value_name = "CMD")]
    gate: String,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn diff(args: &Diff) -> Result<Exit, Fault> {
    let place = state::here()?;
    // `overnight diff 3` means the newest run.
    let (run, range) = match (&args.run, &args.range) {
        (Some(range), None)
            if range.starts_with(|c: char| c.is_ascii_digit())
                && !overnight_run::id::is_valid(range) =>
        {
            (None, Some(range))
        }
        (run, range) => (run.as_deref(), range.as_ref()),
    };
    let run = runs::choose(&place, run)?;
    let range = range.map(|range| read(range)).transpose()?;
    cli::print(&past::diff(&place, &run, range, args.stat)?)?;
    Ok(Exit::Yes)
}

/// `3` is what the third iteration did, `2..5` what lies between the end of the second and that of
/// the fifth.
fn read(range: &str) -> Result<(u32, u32), Fault> {
    let wrong = || {
        let reason = format!("{range:?} is no iteration: use for example 3 or 2..5");
        Fault::new(Code::InputInvalid, reason)
    };
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    match range.split_once("..") {
        Some((from, to)) => Ok((number(from)?, number(to)?)),
        None => number(range).map(|number| (number.saturating_sub(1), number)),
    }
}

pub(crate) fn undo(args: &Undo) -> Result<Exit, Fault> {
    person::not_an_agent("overnight undo")?;
    let place = state::here()?;
    let run = runs::choose(&place, args.run.as_deref())?;
    let undone = past::undo(&place, &run, args.to)?;
    if args.json {
        cli::print_json(&json!({
            "run": run, "to": undone.to, "commit": undone.commit, "branch": undone.branch, "kept": undone.kept,
        }))?;
        return Ok(Exit::Yes);
    }
    let whither = undone.branch.as_deref().unwrap_or("the work tree");
    cli::print(&format!(
        "{whither} is as it was after iteration {}; what was there before is kept as {}\n",
        undone.to, undone.kept
    ))?;
    for note in undone.notes {
        cli::note(&note);
    }
    Ok(Exit::Yes)
}

pub(crate) fn bisect(args: &Bisect) -> Result<Exit, Fault> {
    let place = state::here()?;
    let run = runs::choose(&place, args.run.as_deref())?;
    let found = past::bisect(&place, &run, &args.gate, cli::note)?;
    let (text, exit) = match found {
        Found::Broken(number) => (
            format!("iteration {number} broke it: overnight diff {run} {number}"),
            Exit::Yes,
        ),
        Found::NeverPassed => ("it fails at the start already".to_owned(), Exit::No),
        Found::Passes => ("it passes at the end".to_owned(), Exit::No),
    };
    if args.json {
        let iteration = match found {
            Found::Broken(number) => Some(number),
            _ => None,
        };
        cli::print_json(&json!({"run": run, "iteration": iteration, "summary": text}))?;
    } else {
        cli::print(&format!("{text}\n"))?;
    }
    Ok(exit)
}
