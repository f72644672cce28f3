//! `session-end`: ends the run of a session that was cleared.

use clap::Parser;
use overnight_core::fault::Fault;
use overnight_core::hook::Event;
use overnight_host::{door, hook, state};
use std::process::ExitCode;
use std::time::Duration;

/// Answers Claude Code's `SessionEnd` event, given as JSON on stdin
#[derive(Parser)]
#[command(version)]
struct Args {}

/// The client gives all `SessionEnd` hooks together 1.5 s (measured).
const PATIENCE: Duration = Duration::from_millis(1_200);

fn main() -> ExitCode {
    hook::main::<Args>(PATIENCE, |event| end(event).map(|()| None))
}

/// A cleared session's run ends with it. Any other end leaves the run to be continued: by the
/// resumed session, or outside by `overnight run --resume`.
fn end(event: &Event) -> Result<(), Fault> {
    let place = state::locate(&hook::folder(event))?;
    if event.text("reason") == Some("clear") {
        door::cleared(&place, hook::session(event)?)?;
    }
    Ok(())
}
