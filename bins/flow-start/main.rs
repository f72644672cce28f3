//! `flow-start`: what was typed behind `/flow`, and prompts in the middle of a session's run.

mod prompt;
mod switch;
mod typed;

use clap::Parser;
use overnight_base::hook::{Event, block};
use overnight_host::cli::Words;
use overnight_host::{env_file, hook, off};
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
        if let Some(off) = switched(event) {
            let answer = switch::answer(event, off);
            return Ok(Some(
                answer.unwrap_or_else(|fault| block(&fault.to_string())),
            ));
        }
        if !is_ours(event, "flow") {
            return Ok(None);
        }
        if off::here(&hook::folder(event), event.session()) {
            let line = "overnight is switched off here: /overnight:on for this session, overnight on --project or --global";
            return Ok(Some(block(line)));
        }
        // A person waits for an answer: what goes wrong is told there, not on stderr.
        let answer = typed::answer(event).unwrap_or_else(|fault| block(&fault.to_string()));
        if let Some(session) = event.session() {
            env_file::wait_until_led(session);
        }
        Ok(Some(answer))
    })
}

/// `/overnight:off` and `/overnight:on`.
fn switched(event: &Event) -> Option<bool> {
    let off = is_ours(event, "off");
    (off || is_ours(event, "on")).then_some(off)
}

/// Ours, and not a command of the same name that the project or the person has.
fn is_ours(event: &Event, name: &str) -> bool {
    let command = event.text("command_name").unwrap_or_default();
    match command.strip_prefix("overnight:") {
        Some(command) => command == name,
        None => command == name && event.text("command_source") == Some("plugin"),
    }
}
