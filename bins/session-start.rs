//! `session-start`: gives a session its progress back and checks the installation.

use clap::Parser;
use overnight_base::fault::Fault;
use overnight_base::hook::Event;
use overnight_base::vars;
use overnight_engine::session_loop;
use overnight_host::cli::Words;
use overnight_host::{
    cli, env, env_file, guard, hook, installation, leases, progress, random, state,
};
use overnight_run::restore;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// Answers Claude Code's `SessionStart` event, given as JSON on stdin
#[derive(Parser)]
#[command(name = "session-start", version)]
struct Args {}

pub(super) fn main(words: Words) -> ExitCode {
    hook::main::<Args>(words, Duration::from_secs(5), |event| {
        // The filter is a comfort; the session starts without it.
        env_file::install_filter(event.session())
            .unwrap_or_else(|fault| cli::note(&fault.to_string()));
        let mut answer = json!({});
        if let Some(text) = restored(event)? {
            answer["hookSpecificOutput"] =
                json!({"hookEventName": "SessionStart", "additionalContext": text});
        }
        let mut warnings: Vec<String> = installation::broken().into_iter().collect();
        warnings.extend(session_loop::taken_back(event)?);
        warnings.extend(guard::warnings(&hook::folder(event)));
        warnings.extend(leases::dead_here(event));
        if !warnings.is_empty() {
            answer["systemMessage"] = Value::from(warnings.join("\n"));
        }
        Ok((answer != json!({})).then_some(answer))
    })
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
