//! `completion-check signals`.

use clap::Args as Arguments;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::{cli, message};
use overnight_judge::signals::{self, Input};
use serde_json::json;
use std::path::PathBuf;

#[derive(Arguments)]
pub(crate) struct Args {
    /// A JSON object with any of `fix_plan`, `loops`, `tasks_json`, `tasks_text`, `verify` and
    /// `max_iterations`; `-` or nothing for stdin, unless --plan or --tasks is given
    input: Option<PathBuf>,
    /// A plan file: a Markdown check list
    #[arg(long)]
    plan: Option<PathBuf>,
    /// A task list
    #[arg(long)]
    tasks: Option<PathBuf>,
    /// It prints JSON anyway; scripts may say so
    #[arg(long, hide = true)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let only_files = args.input.is_none() && (args.plan.is_some() || args.tasks.is_some());
    let mut input = Input::default();
    if !only_files {
        let text = message::bounded(args.input.as_deref())?;
        input = serde_json::from_str(&text).map_err(|error| {
            Fault::new(
                Code::InputData,
                format!("the signals are no JSON object of the expected shape: {error}"),
            )
        })?;
    }
    if let Some(path) = &args.plan {
        input.fix_plan = Some(message::bounded(Some(path))?);
    }
    if let Some(path) = &args.tasks {
        input.tasks_text = Some(message::bounded(Some(path))?);
    }
    let answer = signals::judge(&input);
    cli::print_json(&json!(answer))?;
    Ok(if answer.exit { Exit::Yes } else { Exit::No })
}
