//! `overnight tell`: a word to a run under way.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::sight;
use overnight_engine::{messages, person};
use overnight_host::{cli, runs, state};
use overnight_run::overview::end_now;
use overnight_run::{Reason, id, steer::Order};
use serde_json::json;

/// Tells a run under way something: its next iteration is told, in a session at the next stop
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run, where several are under way, and the message
    #[arg(value_name = "[RUN] MESSAGE", num_args = 0..=2)]
    words: Vec<String>,
    /// Only for this task; one that is blocked is tried again
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    /// Ends the attempt under way and begins it again with the message
    #[arg(long)]
    now: bool,
    /// Puts a task before the others
    #[arg(long, value_name = "TASK", group = "order")]
    first: Option<String>,
    /// Leaves a task alone until it is released
    #[arg(long, value_name = "TASK", group = "order")]
    hold: Option<String>,
    /// Lets a held task be worked on again
    #[arg(long, value_name = "TASK", group = "order")]
    release: Option<String>,
    /// Takes a task out of the run
    #[arg(long, value_name = "TASK", group = "order")]
    drop: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    person::not_an_agent("overnight tell")?;
    let place = state::here()?;
    let (named, text) = match args.words.as_slice() {
        [run, text] => (Some(run.as_str()), text.as_str()),
        [run] if id::is_valid(run) => (Some(run.as_str()), ""),
        [text] => (None, text.as_str()),
        _ => (None, ""),
    };
    let orders = [
        (&args.first, Order::First),
        (&args.hold, Order::Hold),
        (&args.release, Order::Release),
        (&args.drop, Order::Drop),
    ];
    let order = orders
        .into_iter()
        .find_map(|(task, order)| Some((task.as_deref()?, order)));
    if text.trim().is_empty() && order.is_none() {
        return Err(Fault::new(
            Code::InputInvalid,
            "say what the run is to be told",
        ));
    }
    let run = sight::choose_living(&place, named)?;
    let about = runs::state(&place, &run)?;
    let task = order.map(|(task, _)| task).or(args.task.as_deref());
    if let Some(task) = task.filter(|task| about.task(task).is_none()) {
        let reason = format!("run {run} has no task {task:?}");
        return Err(Fault::new(Code::TaskUnknown, reason));
    }
    messages::leave(
        &place,
        &run,
        text,
        (task, order.map(|(_, order)| order), args.now),
    )?;
    let lives = sight::living(&place).contains(&run);
    if !lives {
        messages::note(&place, &run)?;
    }
    if args.json {
        cli::print_json(&json!({"run": run, "task": task, "under_way": lives}))?;
    } else if lives {
        cli::print(&format!("run {run} is told\n"))?;
    } else if end_now(&about) == Some(Reason::AllDone) {
        cli::print(&format!(
            "run {run} is done: it hears that once a task of it is sent back (overnight review {run}) or added\n"
        ))?;
    } else {
        cli::print(&format!(
            "run {run} is told when it goes on: overnight resume {run}\n"
        ))?;
    }
    Ok(Exit::Yes)
}
