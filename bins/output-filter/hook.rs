//! `output-filter hook`: what the env file did not catch, after the fact.

use super::settings;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_base::vars;
use overnight_filter::hook::{Case, answer, case, printed};
use overnight_host::cell::armed;
use overnight_host::{cli, env, failsafe, hook, off, session, state};
use overnight_tools::filter::{Plan, after};
use std::time::Duration;

/// An event holds at most the client's own limits of output, some times over.
const EVENT_BYTES_MAX: u64 = 16 << 20;
const WAIT_MAX: Duration = Duration::from_secs(20);

pub(crate) fn run() -> Result<Exit, Fault> {
    // Whatever goes wrong: status 1, which leaves the tool's output as it is.
    let _deadline = failsafe::arm(Exit::No.status(), WAIT_MAX, "")?;
    let settings = settings::lenient();
    let bytes = failsafe::stdin(EVENT_BYTES_MAX)
        .ok()
        .flatten()
        .unwrap_or_default();
    let Some(event) = Event::parse(&bytes) else {
        cli::note("ERROR: output-filter hook is started by Claude Code, with an event on stdin");
        return Ok(Exit::No);
    };
    if off::here(&hook::folder(&event), event.session()) {
        return Ok(Exit::Yes);
    }
    note_refusals(&event);
    let limits = (settings.lines_max, overnight_digest::BYTES_MAX);
    let limits = (settings.attended || in_run(&event)).then_some(limits);
    let Some(case) = case(&event, limits).filter(|_| settings.enabled) else {
        return Ok(Exit::Yes);
    };
    let command = event.command().unwrap_or_default();
    let plan = Plan::new(&settings, command, None, false).of_shell(command);
    if let Some(digest) = after::digest(plan, source(&case), case.end()) {
        cli::print_json(&answer(&event, &case, &digest))?;
    }
    Ok(Exit::Yes)
}

/// Is it a call of a run: of its driver's agent, or in a session in which it is armed?
fn in_run(event: &Event) -> bool {
    let armed = || {
        let place = state::locate(&hook::folder(event)).ok()?;
        session::armed(&place, event.session()?).ok()?
    };
    env::get(&vars::RUN).is_some() || armed().is_some()
}

/// What the walls of the session's shells refused is told to the next iteration.
fn note_refusals(event: &Event) {
    if let Some(session) = event.session() {
        let noted = armed::note(session, &hook::folder(event), || printed(event));
        noted.unwrap_or_else(|fault| cli::note(&fault.to_string()));
    }
}

fn source(case: &Case) -> after::Source<'_> {
    match case {
        Case::Success {
            persisted: Some(path),
            text,
            ..
        } => after::Source::File(path, text),
        Case::Success { text, .. } | Case::Failure { text, .. } => after::Source::Text(text),
    }
}
