//! `overnight tasks`: the task list as a person checks, reads and changes it.

use clap::Subcommand;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_host::cli;
use overnight_host::state;
use overnight_host::tasklist::{ListFile, condition};
use overnight_run::done::Condition;
use overnight_tasks::{Problem, Status, Task, TaskId, TaskList, edit, problem};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Characters of an objective in the list that people read.
const OBJECTIVE_CHARS: usize = 80;
/// Characters of a condition that people are shown.
const ENTRY_CHARS: usize = 160;
/// Problems that people are shown at once; `--json` has all.
const PROBLEMS_SHOWN: usize = 100;

/// Checks, shows and changes the task list `tasks.json`
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Another file than tasks.json
    #[arg(long, global = true, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Prints a JSON object
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Checks syntax and schema; tells every problem with its place. Exit 65 if there is one
    Check {
        /// The file, or - for standard input
        path: Option<PathBuf>,
    },
    /// Shows every task with its status
    List,
    /// Adds a task behind the others
    Add(New),
    /// Marks tasks as done
    Done {
        /// The tasks' ids
        #[arg(required = true, value_parser = TaskId::parse)]
        task: Vec<TaskId>,
    },
}

#[derive(clap::Args)]
struct New {
    /// The task's id
    #[arg(value_name = "TASK", value_parser = TaskId::parse)]
    id: TaskId,
    /// What is to be reached
    #[arg(long)]
    objective: String,
    /// What must hold at the end: a command, or a sentence; may be repeated
    #[arg(long, required = true, value_name = "CONDITION")]
    done: Vec<String>,
    /// A tool that the agent may use without being asked; may be repeated
    #[arg(long, value_name = "TOOL")]
    tool: Vec<String>,
    /// A task that must be done before; may be repeated
    #[arg(long, value_name = "TASK", value_parser = TaskId::parse)]
    depends_on: Vec<TaskId>,
    /// A glob of files that the task may change; may be repeated [default: any file]
    #[arg(long, value_name = "GLOB")]
    path: Vec<String>,
    /// How many files the task may change [default: any number]
    #[arg(long, value_name = "N")]
    max_changed_files: Option<u64>,
    /// A glob of tests and the like that the task may change; may be repeated [default: none]
    #[arg(long, value_name = "GLOB")]
    may_change: Vec<String>,
    /// The model that works on it [default: that of the run]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let open = |path: Option<&PathBuf>| ListFile::of(&place, path.map(PathBuf::as_path));
    let file = open(args.file.as_ref());
    match &args.verb {
        Verb::Check { path } => {
            let file = open(path.as_ref().or(args.file.as_ref()));
            check(&file, &place.top, args.json)
        }
        Verb::List => list(&file.read()?, args.json),
        Verb::Add(new) => add(&file, new, args.json),
        Verb::Done { task } => {
            file.set_status(task, Status::Done)?;
            changed(&file, task, args.json)
        }
    }
}

fn check(file: &ListFile, top: &Path, json: bool) -> Result<Exit, Fault> {
    let name = file.name();
    let problems = match file.check()? {
        Ok(list) => return valid(&name, (&entries(&list, top), &list.warnings), json),
        Err(problems) => problems,
    };
    let fault = problem::fault(&name, &problems);
    if json {
        let mut value = fault.to_json();
        value["file"] = json!(name);
        value["valid"] = json!(false);
        value["errors"] = json!(problems);
        cli::print_json(&value)?;
    } else {
        let (count, code) = (problems.len(), fault.code.id());
        let noun = if count == 1 { "problem" } else { "problems" };
        cli::print(&problem_lines(&name, "", &problems))?;
        cli::note(&format!(
            "{name}: {count} {noun} (see: error-codes explain {code})"
        ));
    }
    Ok(fault.exit())
}

/// Each task's conditions: is it a command that is run, or a sentence that is answered?
type Entries<'l> = Vec<(&'l TaskId, Vec<Condition>)>;

fn entries<'l>(list: &'l TaskList, top: &Path) -> Entries<'l> {
    let of = |task: &'l Task| {
        let read = task.definition_of_done.iter();
        (&task.id, read.map(|entry| condition(top, entry)).collect())
    };
    list.tasks.iter().map(of).collect()
}

fn valid(
    name: &str,
    (tasks, warnings): (&Entries<'_>, &[Problem]),
    json: bool,
) -> Result<Exit, Fault> {
    let count = tasks.len();
    let of = |(id, conditions): &(&TaskId, Vec<Condition>)| {
        let told: Vec<_> = conditions
            .iter()
            .map(|condition| match condition {
                Condition::Gate(text) => (id.as_str().to_owned(), "command", text.clone()),
                Condition::Sentence(text) => (id.as_str().to_owned(), "sentence", text.clone()),
            })
            .collect();
        told
    };
    let told: Vec<_> = tasks.iter().flat_map(of).collect();
    if json {
        let shown = |(task, kind, text): &(String, &str, String)| json!({"task": task, "kind": kind, "entry": text});
        let entries: Vec<_> = told.iter().map(shown).collect();
        cli::print_json(
            &json!({"file": name, "valid": true, "tasks": count, "errors": [], "warnings": warnings, "entries": entries}),
        )?;
    } else {
        let noun = if count == 1 { "task" } else { "tasks" };
        let mut text = format!("{name}: valid, {count} {noun}\n");
        for (task, kind, entry) in &told {
            let entry = one_line(entry, ENTRY_CHARS);
            let _ = writeln!(text, "  {task}: {kind}: {entry}");
        }
        text += &problem_lines(name, "warning: ", warnings);
        cli::print(&text)?;
    }
    Ok(Exit::Yes)
}

fn problem_lines(name: &str, weight: &str, problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let place = format!("{name}:{}:{}", problem.line, problem.column);
        format!("{place}: {weight}{}\n", problem.what())
    };
    let mut text: String = problems.iter().take(PROBLEMS_SHOWN).map(line).collect();
    if problems.len() > PROBLEMS_SHOWN {
        let more = problems.len() - PROBLEMS_SHOWN;
        text.push_str("and ");
        text.push_str(&more.to_string());
        text.push_str(" more (--json shows all)\n");
    }
    text
}

fn list(list: &TaskList, json: bool) -> Result<Exit, Fault> {
    let none = BTreeSet::new();
    let ready: BTreeSet<_> = overnight_tasks::ready(list, &none)
        .into_iter()
        .map(|task| &task.id)
        .collect();
    if json {
        let describe = |task: &Task| {
            let mut value = json!(task);
            value["ready"] = json!(ready.contains(&task.id));
            value
        };
        let all: Vec<_> = list.tasks.iter().map(describe).collect();
        cli::print_json(&json!({"tasks": all}))?;
        return Ok(Exit::Yes);
    }
    let width = list
        .tasks
        .iter()
        .map(|task| task.id.as_str().len())
        .max()
        .unwrap_or(0);
    let line = |task: &Task| {
        let waits = task.status == Status::Todo && !ready.contains(&task.id);
        let after = if waits {
            format!(" (after {})", join(&task.depends_on))
        } else {
            String::new()
        };
        let objective = one_line(&task.objective, OBJECTIVE_CHARS);
        let (id, status) = (task.id.as_str(), task.status.word());
        format!("{status:<7}  {id:<width$}  {objective}{after}\n")
    };
    cli::print(&list.tasks.iter().map(line).collect::<Vec<_>>().concat())?;
    Ok(Exit::Yes)
}

fn join(ids: &[TaskId]) -> String {
    ids.iter()
        .map(TaskId::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

fn add(file: &ListFile, new: &New, json: bool) -> Result<Exit, Fault> {
    let task = Task {
        id: new.id.clone(),
        objective: new.objective.clone(),
        definition_of_done: new.done.clone(),
        allowed_tools: new.tool.clone(),
        status: Status::Todo,
        depends_on: new.depends_on.clone(),
        allowed_paths: new.path.clone(),
        max_changed_files: new.max_changed_files,
        may_change: new.may_change.clone(),
        model: new.model.clone(),
        proof: None,
        issue: None,
    };
    file.update(|text| text.map_or_else(|| edit::first(&task), |text| edit::add(text, &task)))?;
    changed(file, std::slice::from_ref(&task.id), json)
}

fn changed(file: &ListFile, ids: &[TaskId], json: bool) -> Result<Exit, Fault> {
    let list = file.read()?;
    let tasks: Vec<_> = ids.iter().filter_map(|id| list.get(id)).collect();
    if json {
        cli::print_json(&json!({"tasks": tasks}))?;
    } else {
        let line = |task: &&Task| format!("{}: {}\n", task.id, task.status.word());
        cli::print(&tasks.iter().map(line).collect::<Vec<_>>().concat())?;
    }
    Ok(Exit::Yes)
}
