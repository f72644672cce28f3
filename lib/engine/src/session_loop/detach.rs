//! A run that the session leaves to a driver.

use crate::agent::own_program;
use crate::{files, random, state};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_run::flow::Request;
use overnight_run::options::{AGENT_PROMPT, DETACH};
use std::path::Path;
use std::process::{Command, Stdio};

/// Longest line of the driver that is shown.
const LINE_CHARS_MAX: usize = 600;

/// Starts `overnight run --detach` in this folder; gives what it says about the run.
pub fn detach(folder: &Path, request: &Request) -> Result<String, Fault> {
    let program = own_program()?;
    let mut command = Command::new(&program);
    command.current_dir(folder).args(["run", "--detach"]);
    command.args(request.run.passed_on());
    let goal = goal(folder, request)?;
    command.args(goal.map(|goal| format!("--{}={goal}", AGENT_PROMPT.name)));
    let done = command.stdin(Stdio::null()).output().map_err(|error| {
        Fault::new(
            Code::CommandStart,
            format!("{}: {error}", program.display()),
        )
    })?;
    let said = if done.status.success() {
        done.stdout
    } else {
        done.stderr
    };
    let said = one_line(&String::from_utf8_lossy(&said), LINE_CHARS_MAX);
    if done.status.success() {
        let why = if request.run.has(&DETACH) {
            ""
        } else {
            "with --members the run works outside this session: "
        };
        return Ok(format!("overnight: {why}{said}"));
    }
    Err(Fault::new(
        Code::CommandStart,
        format!("the run was not started: {said}"),
    ))
}

/// The goal's file; a typed goal is written to one beside the runs.
fn goal(folder: &Path, request: &Request) -> Result<Option<String>, Fault> {
    if request.what.trim().is_empty() {
        return Ok(request.run.text(&AGENT_PROMPT).map(str::to_owned));
    }
    let place = state::locate(folder)?;
    let path = place
        .state
        .join("goals")
        .join(format!("{}.md", random::hex::<8>()?));
    files::write_atomic(&path, request.what.as_bytes(), files::PRIVATE)?;
    Ok(Some(path.to_string_lossy().into_owned()))
}
