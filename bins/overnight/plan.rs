//! `overnight plan`: a leader writes the task list.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::pull_request;
use overnight_host::agent::Agent;
use overnight_host::cli;
use overnight_host::files::{self, Content};
use overnight_host::state::{self, Place};
use overnight_host::tasklist::ListFile;
use overnight_tasks::issue::{self, Issue, Source};
use overnight_tasks::model;
use overnight_tasks::plan::{self, MATERIAL_BYTES_MAX};
use overnight_tools::planner::{self, Planned};
use serde_json::json;
use std::path::Path;

/// The goal of a project, when none is given.
const GOAL_FILE: &str = "AGENT_PROMPT.md";

/// Lets an agent write the task list `tasks.json` for a goal, and checks it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What is to be reached [default: what `AGENT_PROMPT.md` or --from says]
    goal: Option<String>,
    /// What the goal is about: a file with a check list, the number or address of an issue, or
    /// label:NAME for the open issues of a label
    #[arg(long, value_name = "FILE|ISSUE|LABEL")]
    from: Option<String>,
    /// Stops at the first answer that is no valid list, instead of telling the agent what is wrong
    /// with it (at most twice)
    #[arg(long)]
    no_retry: bool,
    /// Who plans: `claude`, or `command:CMD` that reads the question on standard input
    #[arg(long, default_value = "claude")]
    agent: String,
    /// The model that plans [default: the client's own choice]
    #[arg(long, value_name = "MODEL", value_parser = name)]
    model: Option<String>,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

fn name(text: &str) -> Result<String, String> {
    model::is_name(text)
        .then(|| text.to_owned())
        .ok_or_else(|| "expected the name of a model".to_owned())
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let file = ListFile::of(&place, None);
    let present = || {
        Fault::new(Code::InputPath, "there is a tasks.json already")
            .hint("add to it with overnight tasks add, or move it away first")
    };
    if file.bytes()?.is_some() {
        return Err(present());
    }
    let (material, issues) = match &args.from {
        Some(from) => about(&place, from)?,
        None => (None, Vec::new()),
    };
    let goal = goal(args, &place, material.is_some())?;
    let rule = if issues.is_empty() {
        String::new()
    } else {
        issue::rule(&issues)
    };
    let prompt = plan::prompt(&goal, material.as_deref(), &rule);
    let agent = Agent::parse(&args.agent)?;
    let planned = planner::ask(
        &place,
        (&agent, args.model.as_deref()),
        (&prompt, &issues),
        !args.no_retry,
    )?;
    file.update(|text| match text {
        Some(_) => Err(present()),
        None => Ok(planned.text.clone()),
    })?;
    show(&planned, args.json)
}

/// What the plan is about, and the issues among that.
fn about(place: &Place, from: &str) -> Result<(Option<String>, Vec<Issue>), Fault> {
    let path = Path::new(from);
    let source = Source::read(from, path.exists());
    if source == Source::File {
        return Ok((Some(read(path)?), Vec::new()));
    }
    let issues = pull_request::issues(place, &source)?;
    Ok((Some(issue::material(&issues)), issues))
}

fn goal(args: &Args, place: &Place, quoted: bool) -> Result<String, Fault> {
    if let Some(goal) = args.goal.as_deref().filter(|goal| !goal.trim().is_empty()) {
        return Ok(goal.to_owned());
    }
    if quoted {
        return Ok("Do what the quoted text asks for.".to_owned());
    }
    let path = place.top.join(GOAL_FILE);
    if !path.exists() {
        let reason =
            format!("there is no goal: neither given, nor in {GOAL_FILE}, nor --from a file");
        return Err(Fault::new(Code::InputMissing, reason).hint("overnight plan \"GOAL\""));
    }
    read(&path)
}

fn read(path: &Path) -> Result<String, Fault> {
    let name = path.display();
    match files::read_bounded(path, MATERIAL_BYTES_MAX)? {
        Content::Bytes(bytes) => String::from_utf8(bytes)
            .map_err(|_| Fault::new(Code::InputData, format!("{name} is not UTF-8"))),
        Content::Missing => Err(Fault::new(
            Code::InputMissing,
            format!("there is no {name}"),
        )),
        Content::Refused(what) => Err(Fault::new(Code::InputPath, format!("{name} is {what}"))),
    }
}

fn show(planned: &Planned, json: bool) -> Result<Exit, Fault> {
    let tasks = &planned.list.tasks;
    if json {
        cli::print_json(
            &json!({"file": "tasks.json", "answers": planned.answers, "tasks": tasks}),
        )?;
    } else {
        let count = tasks.len();
        let noun = if count == 1 { "task" } else { "tasks" };
        cli::print(&format!("tasks.json: {count} {noun}\n"))?;
        cli::note("its commands run only after you read them: overnight trust tasks.json");
    }
    Ok(Exit::Yes)
}
