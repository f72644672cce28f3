//! `session-start`: gives a session its progress back, checks the installation, and sees to it that the
//! session's shells are led where a run needs it.

use clap::Parser;
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_base::vars;
use overnight_engine::session_loop;
use overnight_host::cell::armed;
use overnight_host::cli::Words;
use overnight_host::{
    cli, config, env, env_file, guard, hook, installation, leases, progress, random, session, state,
};
use overnight_run::restore;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// Answers Claude Code's `SessionStart` and `FileChanged` events, given as JSON on stdin
#[derive(Parser)]
#[command(name = "session-start", version)]
struct Args {}

pub(super) fn main(words: Words) -> ExitCode {
    hook::main::<Args>(words, Duration::from_secs(5), |event| {
        if event.name() == "FileChanged" {
            lead(event);
            return Ok(None);
        }
        let taken_back = session_loop::taken_back(event);
        lead(event);
        let mut answer = json!({});
        if let Some(text) = restored(event)? {
            answer["hookSpecificOutput"] =
                json!({"hookEventName": "SessionStart", "additionalContext": text});
        }
        if let Some(mark) = env_file::watched() {
            answer["hookSpecificOutput"]["hookEventName"] = json!("SessionStart");
            answer["hookSpecificOutput"]["watchPaths"] = json!([mark]);
        }
        let mut warnings: Vec<String> = installation::broken().into_iter().collect();
        warnings.extend(taken_back?);
        warnings.extend(guard::warnings(&hook::folder(event)));
        warnings.extend(leases::dead_here(event));
        if !warnings.is_empty() {
            answer["systemMessage"] = Value::from(warnings.join("\n"));
        }
        Ok((answer != json!({})).then_some(answer))
    })
}

/// Leads the session's shells through the filter, and into a run's cell, where something needs it: a run, or
/// the person's settings. It is a comfort; the session starts without it.
fn lead(event: &Event) {
    let place = state::locate(&hook::folder(event)).ok();
    let filter = config::load(place.as_ref()).settings.filter;
    let in_run = || {
        let place = place.as_ref()?;
        session::armed_here(place, event.session()?).ok()?
    };
    let wanted = filter.enabled && filter.attended == "on"
        || env::get(&vars::RUN).is_some()
        || in_run().is_some();
    let cell = event.session().and_then(armed::file);
    env_file::settle(cell.as_deref(), wanted).unwrap_or_else(|fault| cli::note(&fault.to_string()));
}

/// The summary as data. An agent of a driver has it in its prompt already.
fn restored(event: &Event) -> Result<Option<String>, Fault> {
    if env::get(&vars::RUN).is_some() {
        return Ok(None);
    }
    let place = state::locate(&hook::folder(event))?;
    let origin = format!("{}/{}", progress::FOLDER, progress::SUMMARY);
    let mark = random::hex::<8>()?;
    let summary = progress::summary(&place)?;
    Ok(summary.map(|summary| restore::as_data(&summary, &origin, &mark)))
}
