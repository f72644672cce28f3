//! Agents: how each kind is started for one attempt, and how what it printed is read.

use crate::client::{self, Client};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::programs::{NAMES, PROGRAM};
use overnight_base::vars;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Who does the work of an iteration.
#[derive(Debug, Clone)]
pub enum Agent {
    /// A fresh `claude -p`.
    Claude(Client),
    /// A file of steps, played without an account.
    Scripted(PathBuf),
    /// Any command that reads the prompt on stdin.
    Command(String),
}

/// One attempt, as an agent needs to know it.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Folder it works in.
    pub top: &'a Path,
    /// Folder of the run's machine state.
    pub run_folder: &'a Path,
    /// The run's id.
    pub run: &'a str,
    /// The driver's number.
    pub epoch: u64,
    /// Iteration and attempt.
    pub number: (u32, u32),
    /// How often the task was worked on before, plus one.
    pub visit: u32,
    /// The task's id.
    pub task: &'a str,
    /// Tools it may use; empty: the default set.
    pub allowed_tools: &'a [String],
    /// The nonce of the judgement.
    pub check_id: &'a str,
    /// Where the decision is to be written.
    pub decision_file: &'a Path,
    /// The prompt, and the file that holds it.
    pub prompt: (&'a str, &'a Path),
    /// The client session that it goes on in; none: a fresh one.
    pub continues: Option<&'a str>,
    /// The model that works; none: the client's own choice.
    pub model: Option<&'a str>,
    /// Dollars that are left.
    pub budget_left_usd: Option<f64>,
}

impl Agent {
    /// Reads `claude`, `scripted:FILE` or `command:CMD`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match text.split_once(':') {
            None if text == "claude" => Ok(Self::Claude(Client::find()?)),
            Some(("scripted", file)) if !file.is_empty() => {
                let path = Path::new(file).canonicalize();
                let missing = |error| {
                    Fault::new(
                        Code::InputMissing,
                        format!("--agent scripted: {file}: {error}"),
                    )
                };
                Ok(Self::Scripted(path.map_err(missing)?))
            }
            Some(("command", command)) if !command.trim().is_empty() => {
                Ok(Self::Command(command.to_owned()))
            }
            _ => Err(Fault::new(
                Code::InputInvalid,
                format!("--agent {text:?} is none of claude, scripted:FILE, command:CMD"),
            )),
        }
    }

    /// The process of one attempt, ready to be started: program, arguments, environment.
    pub fn command(&self, launch: &Launch) -> Result<Command, Fault> {
        let mut command = match self {
            Self::Claude(client) => client.command(launch)?,
            Self::Scripted(file) => {
                let mut command = Command::new(own_program()?);
                command.arg("scripted-agent").arg(file);
                command
            }
            Self::Command(text) => {
                let mut command = Command::new("/bin/sh");
                command.args(["-c", text]);
                command
            }
        };
        let numbers = [
            (vars::EPOCH.name, launch.epoch),
            (vars::ITERATION.name, u64::from(launch.number.0)),
            (vars::ATTEMPT.name, u64::from(launch.number.1)),
            (vars::VISIT.name, u64::from(launch.visit)),
        ];
        command
            .current_dir(launch.top)
            .envs(numbers.map(|(name, number)| (name, number.to_string())))
            .env(vars::RUN.name, launch.run)
            .env(vars::RUN_DIR.name, launch.run_folder)
            .env(vars::TASK.name, launch.task)
            .envs(launch.model.map(|model| (vars::MODEL.name, model)))
            .env(vars::CHECK_ID.name, launch.check_id)
            .env(vars::DECISION_FILE.name, launch.decision_file)
            .env(vars::PROMPT_FILE.name, launch.prompt.1)
            .env(vars::PATH.name, path_with_own_tools()?);
        Ok(command)
    }

    /// Does this agent print the client's `stream-json`?
    pub fn streams_json(&self) -> bool {
        matches!(self, Self::Claude(_))
    }

    /// Does it read the prompt on its stdin? The client gets it as an argument.
    pub fn reads_stdin(&self) -> bool {
        !matches!(self, Self::Claude(_))
    }
}

/// This program's own file, whatever link it was started by.
pub fn own_program() -> Result<PathBuf, Fault> {
    let program = std::env::current_exe().map_err(|error| {
        Fault::new(
            Code::Defect,
            format!("cannot find this program's file: {error}"),
        )
    })?;
    // macOS gives the link. Gone, because a newer one took its place, it is still told.
    let program = program.canonicalize().unwrap_or(program);
    // A copy under another name, as tools make them that do not keep links, would be that program.
    let named = |name: &&str| program.file_name() == Some(name.as_ref());
    if NAMES.iter().any(named) {
        let beside = program.with_file_name(PROGRAM);
        if beside.is_file() {
            return Ok(beside);
        }
    }
    Ok(program)
}

/// What starts this program under one of its names: the link beside it, else that name as a word.
pub fn own_words(name: &str) -> Result<Vec<OsString>, Fault> {
    let program = own_program()?;
    let link = program.with_file_name(name);
    if link.is_file() {
        return Ok(vec![link.into_os_string()]);
    }
    Ok(vec![program.into_os_string(), name.into()])
}

/// A command of [`own_words`].
pub fn own_command(name: &str) -> Result<Command, Fault> {
    let words = own_words(name)?;
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    Ok(command)
}

/// The person's PATH with the folder of our tools at its end, so that agents find
/// `completion-check` and the person's own programs still win.
fn path_with_own_tools() -> Result<OsString, Fault> {
    let program = own_program()?;
    let own = program.parent().unwrap_or(Path::new("/"));
    let path = crate::env::get_os(&vars::PATH).unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([own.to_owned()]);
    std::env::join_paths(folders)
        .map_err(|error| Fault::new(Code::InputPath, format!("{}: {error}", own.display())))
}

pub use client::plugin_folder;
