//! `overnight report`: what the night came to.

use clap::ValueEnum;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::report::{self, Full};
use overnight_engine::sight;
use overnight_host::state::Place;
use overnight_host::{cli, files, runs, state, terminal};
use overnight_views::report::Ending;
use serde_json::json;
use std::io::IsTerminal;
use std::path::PathBuf;

/// Tells what a run came to, worst first; on a terminal to be read there, else as Markdown
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    /// Writes one self-contained HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Writes a Markdown file: what `overnight report > FILE` does
    #[arg(long, value_name = "FILE", hide = true)]
    md: Option<PathBuf>,
    /// How it is printed [default: text on a terminal, else md]
    #[arg(long, value_enum, value_name = "HOW")]
    format: Option<Format>,
    /// Prints the figures as a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// To be read on a terminal
    Text,
    /// Markdown
    Md,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let full = match runs::choose(&place, args.run.as_deref()) {
        Ok(run) => of_run(&place, &run, args.json)?,
        Err(fault) if args.run.is_some() => return Err(fault),
        Err(fault) => report::elsewhere(&place)?.ok_or(fault)?,
    };
    if let Some(file) = &args.html {
        files::write_atomic(file, full.html().as_bytes(), files::SHARED)?;
    }
    if let Some(file) = &args.md {
        files::write_atomic(file, full.markdown().as_bytes(), files::SHARED)?;
    }
    if args.json {
        cli::print_json(
            &json!({"report": full.report, "facts": full.facts, "night": full.report.night}),
        )?;
    } else if args.html.is_none() && args.md.is_none() {
        let on_terminal = std::io::stdout().is_terminal();
        let markdown = args
            .format
            .map_or(!on_terminal, |format| format == Format::Md);
        if markdown {
            cli::print(&full.markdown())?;
        } else {
            terminal::page(&full.terminal(terminal::paper()))?;
        }
    }
    Ok(Exit::Yes)
}

/// The report of a run of this clone, with what other machines of its list did.
fn of_run(place: &Place, run: &str, json: bool) -> Result<Full, Fault> {
    let (full, unheard) = report::of_far(place, run)?;
    if let Some(why) = &unheard {
        cli::note(why);
    }
    if !json && full.report.ending != Ending::Running {
        sight::note_look(place, run);
    }
    Ok(full)
}
