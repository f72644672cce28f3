//! Plays a session of a scripted agent: in its own process, so that time-outs, signals and kills
//! are real.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::cli;
use overnight_host::files;
use overnight_judge::Decision;
use overnight_run::script::{Session, Step};
use rustix::process::Signal;
use serde_json::json;
use std::path::{Component, Path};
use std::process::Command;
use std::time::Duration;

/// What a scripted agent needs to declare a decision.
#[derive(Debug)]
pub struct Check<'a> {
    /// The nonce of the judgement.
    pub id: &'a str,
    /// Where the decision goes.
    pub file: &'a Path,
}

/// Plays the steps in `folder`; the exit status is the session's.
pub fn play(session: &Session, folder: &Path, check: Option<&Check>) -> Result<Exit, Fault> {
    for step in &session.steps {
        match step {
            Step::Say(text) => cli::print(&format!("{text}\n"))?,
            Step::Write { path, text } => write(folder, path, text)?,
            Step::Run(text) => run(folder, text)?,
            Step::SleepMs(ms) => std::thread::sleep(Duration::from_millis(*ms)),
            Step::Declare { decision, reason } => declare(check, *decision, reason)?,
            Step::Exit(status) => return Ok(Exit::Child(*status)),
            Step::Signal(number) => die_by(*number)?,
            Step::Hang(_) => hang()?,
        }
    }
    Ok(Exit::Yes)
}

fn write(folder: &Path, path: &str, text: &str) -> Result<(), Fault> {
    let inside = Path::new(path)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if !inside || path.is_empty() {
        return Err(Fault::new(
            Code::InputTraversal,
            format!("write: {path:?} is not below the project"),
        ));
    }
    files::write_atomic(&folder.join(path), text.as_bytes(), files::SHARED)
}

fn run(folder: &Path, text: &str) -> Result<(), Fault> {
    let status = Command::new("/bin/sh")
        .args(["-c", text])
        .current_dir(folder)
        .status()
        .map_err(|error| Fault::new(Code::CommandStart, format!("{text:?}: {error}")))?;
    cli::print(&format!("$ {text}\n[{status}]\n"))
}

fn declare(check: Option<&Check>, decision: Decision, reason: &str) -> Result<(), Fault> {
    let check = check.ok_or_else(|| {
        Fault::new(
            Code::InputMissing,
            "declare: no check id in the environment",
        )
    })?;
    let reasons: Vec<&str> = [reason]
        .into_iter()
        .filter(|reason| !reason.is_empty())
        .collect();
    let record = json!({"decision": decision, "check_id": check.id, "reasons": reasons});
    files::write_atomic(check.file, format!("{record}\n").as_bytes(), files::PRIVATE)
}

fn die_by(number: i32) -> Result<(), Fault> {
    let signal = Signal::from_named_raw(number)
        .ok_or_else(|| Fault::new(Code::InputRange, format!("signal: {number} is none")))?;
    let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    // A signal that is ignored by default leaves us here.
    Ok(())
}

/// Waits for ever. TERM is taken and forgotten: only KILL ends it.
fn hang() -> Result<(), Fault> {
    let taken = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, taken)
        .map_err(|error| Fault::new(Code::Defect, format!("hang: {error}")))?;
    loop {
        std::thread::sleep(Duration::from_hours(1));
    }
}
