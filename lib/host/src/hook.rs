//! Hooks that must never hold a session up: one event in, at most one JSON document out, and
//! whatever goes wrong is one line on stderr.

use crate::{cli, failsafe, off};
use clap::Parser;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Larger events do not come; an assistant's last message is the largest part of one.
const EVENT_BYTES_MAX: u64 = 16 << 20;
/// How long the client may take to send the event.
const EVENT_WAIT_MAX: Duration = Duration::from_secs(5);

/// Runs a hook that takes no arguments: [`answer`] with the program's way of ending.
pub fn main<A: Parser>(
    words: cli::Words,
    wait_max: Duration,
    work: impl FnOnce(&Event) -> Result<Option<Value>, Fault>,
) -> ExitCode {
    cli::main(words, |_: A| answer(wait_max, work))
}

/// Answers the event on stdin. `work` has `wait_max` to answer; an error, a panic and a passed
/// deadline end the process with status 1, which to the client means: go on.
pub fn answer(
    wait_max: Duration,
    work: impl FnOnce(&Event) -> Result<Option<Value>, Fault>,
) -> Result<Exit, Fault> {
    let deadline = failsafe::arm(Exit::No.status(), EVENT_WAIT_MAX, "")?;
    let Ok(Some(bytes)) = failsafe::stdin(EVENT_BYTES_MAX) else {
        return Ok(unreadable());
    };
    deadline.extend(wait_max);
    let Some(event) = Event::parse(&bytes) else {
        return Ok(unreadable());
    };
    // What a person types is looked at by who answers it; the end of a session tidies.
    let always = matches!(event.name(), "UserPromptExpansion" | "SessionEnd");
    if !always && off::here(&folder(&event), event.session()) {
        return Ok(Exit::Yes);
    }
    if let Some(answer) = work(&event)? {
        cli::print_json(&answer)?;
    }
    Ok(Exit::Yes)
}

fn unreadable() -> Exit {
    cli::note("ERROR: this program is started by Claude Code, with an event as JSON on stdin");
    Exit::No
}

/// The folder that the session works in.
pub fn folder(event: &Event) -> PathBuf {
    PathBuf::from(event.text("cwd").unwrap_or("."))
}

/// The session's id; every event of the client has one.
pub fn session(event: &Event) -> Result<&str, Fault> {
    event
        .session()
        .ok_or_else(|| Fault::new(Code::InputMissing, "the event names no session"))
}
