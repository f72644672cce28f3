//! `flow-start`: what was typed behind `/flow`, and prompts in the middle of a session's run.

mod prompt;
mod typed;

use clap::Parser;
use overnight_base::hook::{Event, block};
use overnight_host::cli::Words;
use overnight_host::hook;
use std::process::ExitCode;
use std::time::Duration;

/// Answers Claude Code's `UserPromptExpansion` and `UserPromptSubmit` events, given as JSON on stdin
#[derive(Parser)]
#[command(name = "flow-start", version)]
struct Args {}

/// Below the hook's time-out in hooks.json: arming runs the gates once.
const WAIT_MAX: Duration = Duration::from_mins(55);

pub(super) fn main(words: Words) -> ExitCode {
    hook::main::<Args>(words, WAIT_MAX, |event| {
        if event.name() == "UserPromptSubmit" {
            return prompt::heard(event);
        }
        if !is_flow(event) {
            return Ok(None);
        }
        // A person waits for an answer: what goes wrong is told there, not on stderr.
        let answer = typed::answer(event).unwrap_or_else(|fault| block(&fault.to_string()));
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
