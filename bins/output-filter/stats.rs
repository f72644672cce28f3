//! `output-filter stats`: what was saved so far in this project.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_filter::stats::Stats;
use overnight_host::files::{self, Content};
use overnight_host::logs::STATS;
use overnight_host::{cli, state};
use std::path::Path;

/// Far above the size at which records are added up.
const BYTES_MAX: u64 = 4 << 20;

/// Adds up the lines and bytes that came in and went out
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(json: bool) -> Result<Exit, Fault> {
    let path = state::locate(Path::new("."))?.state.join(STATS);
    let records = match files::read_bounded(&path, BYTES_MAX)? {
        Content::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Content::Missing | Content::Refused(_) => String::new(),
    };
    let sum = Stats::sum(&records);
    if json {
        let mut value = serde_json::json!(sum);
        value["tokens_saved"] = sum.tokens_saved().into();
        value["tokens_are"] = "bytes / 4".into();
        cli::print_json(&value)?;
    } else {
        cli::print(&sum.text())?;
    }
    Ok(Exit::Yes)
}
