//! `stop-gate`: may this session stop, or does its run go on?

use clap::Parser;
use overnight_base::fault::Fault;
use overnight_base::hook::{Event, context, message};
use overnight_engine::session_loop::{self, StopAnswer};
use overnight_engine::team;
use overnight_host::cli::Words;
use overnight_host::state::{self, Place};
use overnight_host::{clock, hook, progress};
use serde_json::Value;
use std::process::ExitCode;
use std::time::Duration;

/// Answers Claude Code's `Stop`, `StopFailure` and `SubagentStop` events, and those of agent teams, given as
/// JSON on stdin
#[derive(Parser)]
#[command(name = "stop-gate", version)]
struct Args {}

/// Proving a claim runs the project's gates; below the hook's time-out in hooks.json.
const WAIT_MAX: Duration = Duration::from_mins(55);

pub(super) fn main(words: Words) -> ExitCode {
    hook::main::<Args>(words, WAIT_MAX, answer)
}

fn answer(event: &Event) -> Result<Option<Value>, Fault> {
    let place = state::locate(&hook::folder(event))?;
    match event.name() {
        "SubagentStop" => return report(&place, event).map(|()| None),
        "TaskCreated" | "TaskCompleted" | "TeammateIdle" => return team::answer(&place, event),
        _ => {}
    }
    let session = hook::session(event)?;
    if event.name() == "StopFailure" {
        // What became of a subagent the main thread is told, and its turn goes on.
        if event.in_subagent() {
            return Ok(None);
        }
        return session_loop::failed(&place, session, &event.json()).map(|()| None);
    }
    // Not `decision: block`: that tells the model twice and looks like an error to the person.
    Ok(
        session_loop::stop(&place, session, event)?.map(|told| match told {
            StopAnswer::Next(text) => context("Stop", &text),
            StopAnswer::Ended(line, sequence) => message(&line, sequence.as_deref()),
        }),
    )
}

/// What a specialist agent found goes to `progress/`; no subagent is held.
fn report(place: &Place, event: &Event) -> Result<(), Fault> {
    let agent = event.text("agent_type").unwrap_or_default();
    let said = event.text("last_assistant_message").unwrap_or_default();
    progress::keep_report(place, agent, &clock::stamp_text(clock::wall_ms()), said)
}
