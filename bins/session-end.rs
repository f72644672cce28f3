//! `session-end`: ends a cleared session's run, saves progress, gives leases back, tidies logs.

use clap::Parser;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_engine::session_loop;
use overnight_host::cli::Words;
use overnight_host::off::{self, Scope};
use overnight_host::{cli, ending, hook, state};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Answers Claude Code's `SessionEnd` event, given as JSON on stdin
#[derive(Parser)]
#[command(name = "session-end", version)]
struct Args {
    /// Does the slow part for this session; given to the process that the hook leaves behind
    #[arg(long, hide = true, value_name = "SESSION")]
    after: Option<String>,
}

/// The client gives all `SessionEnd` hooks together 1.5 s (measured).
const WAIT_MAX: Duration = Duration::from_millis(1_200);
/// How long of that is waited for the leases.
const LEASES_WAIT_MAX: Duration = Duration::from_millis(800);

pub(super) fn main(words: Words) -> ExitCode {
    cli::main(words, |args: Args| match args.after {
        Some(session) => {
            let here = Path::new(".");
            ending::slow(&state::locate(here)?, here, &session).map(|()| Exit::Yes)
        }
        None => hook::answer(WAIT_MAX, |event| end(event).map(|()| None)),
    })
}

/// A cleared session's run ends with it. Any other end leaves the run to be continued: by the
/// resumed session, or outside by `overnight resume`.
fn end(event: &Event) -> Result<(), Fault> {
    let (folder, session) = (hook::folder(event), hook::session(event)?);
    let reason = event.text("reason").unwrap_or("other");
    let place = state::locate(&folder)?;
    let slow = ending::start_slow(&folder, session);
    let saved = match reason {
        "clear" => session_loop::cleared(&place, session),
        _ => session_loop::saved(&place, session),
    };
    let released = match slow {
        Ok(slow) => slow.leases_released(LEASES_WAIT_MAX),
        Err(fault) => {
            cli::note(&fault.to_string());
            None
        }
    };
    ending::count(&place, session, reason, released)?;
    off::switch(&place, Scope::Session(session), false)?;
    saved
}
