//! `overnight notify`: are you reached?

use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::notify::{self, trial};
use overnight_host::{cli, state};
use serde_json::json;
use std::path::Path;

/// Tries every channel that you set for notices, and says what came back
///
/// Exit status: 0 each channel took the notice; 1 one did not, or none is set.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Sends a notice by each channel
    #[arg(long, required_unless_present = "held_until")]
    test: bool,
    /// Sends what quiet hours held back, at this Unix time in milliseconds
    #[arg(long, value_name = "MS", hide = true)]
    held_until: Option<u64>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    if let Some(until) = args.held_until {
        notify::wait_and_send(&place, until)?;
        return Ok(Exit::Yes);
    }
    let answers = trial::all(&place);
    let ok = !answers.is_empty() && answers.iter().all(|answer| answer.ok);
    if args.json {
        let channels: Vec<_> = answers
            .iter()
            .map(|answer| json!({"channel": answer.channel, "ok": answer.ok, "said": answer.said}))
            .collect();
        cli::print_json(&json!({ "channels": channels }))?;
    } else if answers.is_empty() {
        cli::print("no channel is set: see [notify] in your config.toml\n")?;
    } else {
        let line = |answer: &trial::Answer| format!("{:<9} {}\n", answer.channel, answer.said);
        let text: String = answers.iter().map(line).collect();
        cli::print(&text)?;
    }
    Ok(if ok { Exit::Yes } else { Exit::No })
}
