//! `overnight statusline`: one line for the client's status line.

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::sight;
use overnight_host::{cli, runs, state, terminal};
use overnight_views::status;
use serde::Deserialize;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::time::Duration;

/// The client's status is some kilobytes.
const STDIN_BYTES_MAX: u64 = 1 << 18;

/// Prints one line for the client's status line; nothing when no run is under way
#[derive(clap::Args)]
pub(crate) struct Args {}

/// How long the client may take to begin with it: nobody waits for a line that is drawn all the time.
const STDIN_WAIT_MAX: Duration = Duration::from_millis(100);

/// What is of use in the client's status.
#[derive(Deserialize)]
struct Input {
    cwd: Option<PathBuf>,
}

/// Never an error: it is run every few hundred milliseconds in front of a person.
pub(crate) fn run() -> Result<Exit, Fault> {
    let folder = folder().unwrap_or_else(|| PathBuf::from("."));
    let line = || {
        let place = state::locate(&folder).ok()?;
        let newest = runs::choose(&place, None).ok()?;
        let (glance, beside) = sight::glance(&place, &newest).ok()?;
        Some(status::line(&glance, &beside)).filter(|line| !line.is_empty())
    };
    if let Some(line) = line() {
        cli::print(&format!("{line}\n"))?;
    }
    Ok(Exit::Yes)
}

/// The client's working folder, if it says one.
fn folder() -> Option<PathBuf> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() || !terminal::has_input(STDIN_WAIT_MAX) {
        return None;
    }
    // One object, whether or not the other end is closed behind it.
    let bytes = stdin.lock().take(STDIN_BYTES_MAX);
    let mut objects = serde_json::Deserializer::from_reader(bytes).into_iter::<Input>();
    let input = objects.next()?.ok()?;
    input.cwd.filter(|folder| folder.is_dir())
}
