//! `flow-start`: what was typed behind `/flow`, turned into one pass, an armed run, or a refusal.

use clap::Parser;
use overnight_base::fault::Fault;
use overnight_base::hook::{Event, block, context, shown};
use overnight_host::door::{self, Told};
use overnight_host::{hook, state};
use overnight_run::flow::{brief, request};
use serde_json::Value;
use std::process::ExitCode;
use std::time::Duration;

/// Answers Claude Code's `UserPromptExpansion` event, given as JSON on stdin
#[derive(Parser)]
#[command(name = env!("CARGO_BIN_NAME"), version)]
struct Args {}

/// Below the hook's time-out in hooks.json: arming runs the gates once.
const PATIENCE: Duration = Duration::from_mins(55);

fn main() -> ExitCode {
    hook::main::<Args>(PATIENCE, |event| {
        if !is_flow(event) {
            return Ok(None);
        }
        // A person waits for an answer: what goes wrong is told there, not on stderr.
        let answer = start(event).unwrap_or_else(|fault| block(&fault.to_string()));
        Ok(Some(answer))
    })
}

/// Ours, and not a command of the same name that the project or the person has.
fn is_flow(event: &Event) -> bool {
    match event.text("command_name") {
        Some("overnight:flow") => true,
        Some("flow") => event.text("command_source") == Some("plugin"),
        _ => false,
    }
}

fn start(event: &Event) -> Result<Value, Fault> {
    let request = match request::parse(event.text("command_args").unwrap_or_default()) {
        Ok(request) => request,
        Err(message) => return Ok(block(&message)),
    };
    let folder = hook::folder(event);
    let told = if !request.autonomous {
        Told::Next(brief::one_pass(&request))
    } else if request.leaves_session() {
        Told::Ended(door::detach(&folder, &request)?, None)
    } else {
        let place = state::locate(&folder)?;
        door::arm(&place, hook::session(event)?, &folder, &request)?
    };
    let answer = match told {
        Told::Next(text) => context("UserPromptExpansion", &text),
        Told::Ended(line, _) => block(&line),
    };
    Ok(shown(answer, brief::taken_as(&request)))
}
