//! `overnight report`: what the night came to.

use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_host::{cli, files, report, runs, state};
use serde_json::json;
use std::path::PathBuf;

/// Tells what a run came to, worst first; Markdown on stdout unless a file is named
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    /// Writes one self-contained HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Writes a Markdown file, fit for a pull request
    #[arg(long, value_name = "FILE")]
    md: Option<PathBuf>,
    /// Prints the figures as a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::here()?;
    let full = report::of(&place, &runs::choose(&place, args.run.as_deref())?)?;
    if let Some(file) = &args.html {
        files::write_atomic(file, full.html().as_bytes(), files::SHARED)?;
    }
    if let Some(file) = &args.md {
        files::write_atomic(file, full.markdown().as_bytes(), files::SHARED)?;
    }
    if args.json {
        cli::print_json(&json!({"report": full.report, "facts": full.facts}))?;
    } else if args.html.is_none() && args.md.is_none() {
        cli::print(&full.markdown())?;
    }
    Ok(Exit::Yes)
}
