//! `overnight why`: why a run decided as it did.

use overnight_core::code::Code;
use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_core::run::why::{Why, why};
use overnight_host::{cli, clock, journal, runs, state};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// Says which rule decided, by which evidence and values
///
/// Without an iteration: the run's last decision, which is the one that ended it once it ended.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The run [default: the newest of this project]
    run: Option<String>,
    /// An iteration, from 1
    #[arg(requires = "run")]
    iteration: Option<u32>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let run = runs::choose(&place, args.run.as_deref())?;
    let records = journal::read(&runs::folder(&place, &run)?)?;
    let decisions = why(&records, args.iteration);
    if decisions.is_empty() {
        let what = args.iteration.map_or_else(
            || "nothing was decided yet".to_owned(),
            |number| format!("there is no iteration {number}"),
        );
        return Err(Fault::new(Code::RunUnknown, format!("run {run}: {what}")));
    }
    if args.json {
        cli::print_json(&json!({"run": run, "decisions": decisions}))?;
    } else {
        let text: String = decisions.iter().map(text).collect();
        cli::print(&format!("run {run}\n{text}"))?;
    }
    Ok(Exit::Yes)
}

fn text(why: &Why) -> String {
    let mut text = format!("\n{}  ", clock::local_text(why.t));
    if let Some((iteration, task)) = why.iteration.zip(why.task.as_deref()) {
        let _ = write!(text, "iteration {iteration} ({task}): ");
    }
    let _ = writeln!(
        text,
        "{}\n  rule      {}: {}",
        why.decided,
        why.rule.name(),
        why.because
    );
    for line in &why.evidence {
        let _ = writeln!(text, "  evidence  {line}");
    }
    for (name, value) in &why.values {
        let _ = writeln!(text, "  value     {name} = {value}");
    }
    if !why.same {
        let _ = writeln!(text, "  note      these rules would decide otherwise today");
    }
    text
}
