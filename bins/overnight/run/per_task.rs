//! `overnight run --per-task`: a run for each task, one after the other.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::apart::{self, Part};
use overnight_host::agent::own_program;
use overnight_host::process::{self, Identity};
use overnight_host::signals::Signals;
use overnight_host::state::{self, Place};
use overnight_host::{cli, clock, detach, runs};
use overnight_run::options::{AGENT_PROMPT, DETACH, Given, JSON, OWN_SESSION, PER_TASK};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// SIGINT: a terminal sends it to the run as well.
const FROM_TERMINAL: i32 = 2;

/// Works on each part of the list in a run of its own; says how the first that did not end well ended.
pub(crate) fn run(given: &Given) -> Result<Exit, Fault> {
    let place = state::here()?;
    let parts = apart::parts(&place, &place.top, given.text(&AGENT_PROMPT))?;
    if given.has(&DETACH) {
        return detached(given, &place);
    }
    if given.has(&OWN_SESSION) {
        detach::leave_terminal();
    }
    let signals = Signals::install()?;
    let mut left = given.clone();
    let mut ended = 0;
    for part in &parts {
        cli::note(&format!("works on {}", part.tasks.join(", ")));
        let status = work(part, &left, &signals)?;
        if ended == 0 {
            ended = status;
        }
        // The limit of the account, a person, and a budget that is spent are the whole's end.
        let over = [Exit::TempFail, Exit::BudgetSpent].map(|exit| i32::from(exit.status()));
        if over.contains(&status) || signals.interrupted().is_some() || status > 128 {
            break;
        }
        let state = runs::state(&place, &runs::choose(&place, None)?)?;
        let Some(rest) = left.after((state.spent_usd, state.spent_tokens)) else {
            ended = i32::from(Exit::BudgetSpent.status());
            break;
        };
        left = rest;
    }
    Ok(match u8::try_from(ended) {
        Ok(0) => Exit::Yes,
        Ok(status) => Exit::Child(status),
        Err(_) => Exit::No,
    })
}

/// One run, to its end.
fn work(part: &Part, given: &Given, signals: &Signals) -> Result<i32, Fault> {
    let mut command = Command::new(own_program()?);
    command.arg("run").args(given.passed_on());
    command.args(part.tasks.iter().map(|task| format!("--task={task}")));
    if given.has(&JSON) {
        command.arg("--json");
    }
    command.arg("--").arg(&part.goal).stdin(Stdio::null());
    let failed = |error: std::io::Error| Fault::new(Code::CommandStart, error.to_string());
    let mut child = command.spawn().map_err(failed)?;
    let mut told = false;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status.code().unwrap_or(130));
        }
        // What a terminal sends reaches the run, too; what was sent to this process alone is handed on.
        if let Some(signal) = signals.interrupted().filter(|_| !told) {
            told = true;
            if signal != FROM_TERMINAL {
                process::terminate(Identity::of(child.id()));
            }
        }
        signals.wait(Instant::now() + Duration::from_secs(1));
    }
}

/// Starts the same in the background, in a session of its own.
fn detached(given: &Given, place: &Place) -> Result<Exit, Fault> {
    let name = format!("per-task-{}.log", clock::wall_ms());
    let log = place.home.join("agent_logs").join(name);
    let mut words = vec![
        "run".to_owned(),
        format!("--{}", PER_TASK.name),
        format!("--{}", OWN_SESSION.name),
    ];
    let named = given.text(&AGENT_PROMPT);
    words.extend(named.map(|file| format!("--{}={file}", AGENT_PROMPT.name)));
    words.extend(given.passed_on());
    detach::driver(&words, &log)?;
    cli::print(&format!(
        "the tasks are worked on one after the other; what is said goes to {}\n",
        log.display()
    ))?;
    Ok(Exit::Yes)
}
