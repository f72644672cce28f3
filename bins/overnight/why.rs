//! `overnight why`: why a run decided as it did.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::sight;
use overnight_host::state::Place;
use overnight_host::{cli, clock, journal, runs, state};
use overnight_run::journal::Record;
use overnight_run::why::{Why, why};
use overnight_views::summary::screen;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;

/// Says which rule decided, by which evidence and values
///
/// Without an iteration: the run's last decision, which is the one that ended it once it ended. With
/// a task: what refuted it and what its agent said, then the decisions of its last iteration.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The run [default: the newest of this project]
    run: Option<String>,
    /// An iteration, from 1, or a task
    #[arg(requires = "run", value_name = "ITERATION|TASK")]
    which: Option<String>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let run = runs::choose(&place, args.run.as_deref())?;
    let records = journal::read(&runs::folder(&place, &run)?)?;
    let which = args.which.as_deref();
    let number = which.and_then(|which| which.parse().ok());
    if let Some(task) = which.filter(|_| number.is_none()) {
        return of_task(&place, &run, (&records, task), args.json);
    }
    let decisions = why(&records, number);
    if decisions.is_empty() {
        let what = number.map_or_else(
            || "nothing was decided yet".to_owned(),
            |number: u32| format!("there is no iteration {number}"),
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

/// A task: message and words first, then what was decided in its last iteration.
fn of_task(
    place: &Place,
    run: &str,
    (records, id): (&[Record], &str),
    json: bool,
) -> Result<Exit, Fault> {
    let (state, seen) = sight::look(place, run)?;
    let night = sight::summary(place, &state, &seen);
    let Some(task) = night.tasks.iter().find(|task| task.id == id) else {
        let reason = format!("run {run}: there is no task {id}");
        return Err(Fault::new(Code::RunUnknown, reason));
    };
    let last = state.last_on(id).map(|last| last.number);
    // A member's iterations are decided in a journal of its own.
    let decisions = last
        .filter(|_| state.config.members == 0)
        .map_or_else(Vec::new, |number| why(records, Some(number)));
    if json {
        cli::print_json(&json!({"run": run, "task": task, "decisions": decisions}))?;
    } else {
        let lines = screen::of_task(task, usize::MAX).join("\n");
        let text: String = decisions.iter().map(text).collect();
        cli::print(&format!(
            "run {run}\n{lines}\n  log: overnight logs {run} --task {id}\n{text}"
        ))?;
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
