//! `overnight run`: one autonomous run.

pub(crate) mod keep;
mod per_task;

use crate::options::Options;
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::control;
use overnight_engine::driver::{self, Driver, Orders, goal};
use overnight_engine::members::Crew;
use overnight_engine::night::{self, Wish};
use overnight_engine::rehearsal::{self, Early, Needs};
use overnight_engine::survive::{self, Awake};
use overnight_engine::{members, notify, pull_request, report, sight};
use overnight_host::agent::Agent;
use overnight_host::state::{self, Place};
use overnight_host::{cell, cli, clock, config, detach, journal, runs, terminal};
use overnight_run::event::Door;
use overnight_run::options::{
    AGENT, AGENT_PROMPT, DETACH, Given, HERE, JSON, MEMBERS, NO_PR, OWN_SESSION, PER_TASK, REMOTE,
    RESUME, SURVIVE, TASK, TMUX, WITH_CHANGES,
};
use overnight_run::{Config, Reason, State};
use overnight_tools::tmux::{self, Panes};
use overnight_views::config::settings::Settings;
use overnight_views::report::Clock;
use overnight_views::summary::{self, screen};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Works on a goal until it is proved done, or a limit or a person is needed
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What is to be done, in your words [default: what is in the goal's file]
    #[arg(value_name = "GOAL", conflicts_with_all = [AGENT_PROMPT.name, RESUME.name])]
    goal: Option<String>,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    if args.options.0.has(&PER_TASK) {
        if args.goal.is_some() || args.options.0.has(&RESUME) {
            let reason = "--per-task takes its goals from the task list";
            return Err(Fault::new(Code::InputInvalid, reason));
        }
        return per_task::run(&args.options.0);
    }
    start(args.goal.as_deref(), &args.options.0)
}

/// Whose line a run with members brings its work to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// The run's, unless the person stands on one.
    Own,
    /// That of everybody who works on this branch.
    Shared,
}

/// Begins or resumes a run on a line of its own.
pub(crate) fn start(goal: Option<&str>, given: &Given) -> Result<Exit, Fault> {
    start_on(goal, given, Line::Own)
}

/// Begins the run that these options describe, or goes on with it.
pub(crate) fn start_on(goal: Option<&str>, given: &Given, line: Line) -> Result<Exit, Fault> {
    let (folder, place) = here(given)?;
    let settings = config::load(Some(&place)).strict(|_| true)?.clone();
    let named = agent_of(given, &place)?;
    let agent = Agent::parse(&named)?;
    cell::demand(given.over(settings.run_config()).cell)?;
    let run = match given.text(&RESUME) {
        Some(run) => resumed(run, (&place, &folder), given)?,
        None => driver::begin(
            &place,
            goal::of((&place, &folder), goal, given.text(&AGENT_PROMPT))?,
            Door::Driver,
            begun_with((&settings, &named), given, None),
        )?,
    };
    let begun = work((&place, &run), given, (&settings, named, agent), line);
    if let Err(fault) = &begun {
        // What it is refused for is told below; that it could not be written down changes nothing.
        let _ = driver::refuse(&place, &run, fault);
    }
    begun
}

/// The limits of a run: those that it has, or the settings', with the options over them.
fn begun_with((settings, named): (&Settings, &str), given: &Given, old: Option<Config>) -> Config {
    Config {
        agent: named.to_owned(),
        ..given.over(old.unwrap_or_else(|| settings.run_config()))
    }
}

/// Carries the run to its end, or leaves it at work in the background.
fn work(
    (place, run): (&Place, &str),
    given: &Given,
    (settings, named, agent): (&Settings, String, Agent),
    line: Line,
) -> Result<Exit, Fault> {
    let wish = Wish {
        here: given.has(&HERE),
        with_changes: given.has(&WITH_CHANGES),
        members: members_of(given, place)? > 0,
        joins: given.text(&REMOTE).filter(|_| line == Line::Shared),
    };
    // Whoever began the driver in the background has said it.
    let needs = Needs {
        client: named == Config::default().agent,
        remote: !given.has(&NO_PR),
    };
    let now = given.over(settings.run_config());
    let early = (!given.has(&OWN_SESSION)).then(|| rehearsal::at_start(place, &now, needs));
    let place = night::settle(place, run, wish, cli::note)?;
    let early = early.map_or_else(Vec::new, Early::lines);
    for line in &early {
        cli::note(line);
    }
    if given.has(&DETACH) {
        return detached(given, &place, run);
    }
    if given.has(&OWN_SESSION) {
        detach::leave_terminal();
    }
    let config = |old: Option<Config>| begun_with((settings, &named), given, old);
    let orders = Orders {
        place: place.clone(),
        agent,
        config: &config,
        say: cli::note,
    };
    let count = members_of(given, &place)?;
    let panes = panes(given, &place, run, count);
    let awake = Awake::hold(&place, run);
    let ended = if count > 0 {
        members::take_over(orders, run).and_then(Crew::run)
    } else {
        driver::take_over(orders, run).and_then(Driver::run)
    };
    panes.into_iter().for_each(Panes::close);
    let over = matches!(ended, Ok((Reason::AllDone, _)));
    let told = match &ended {
        Ok((reason, _)) => ended_with(given, (&place, run), reason),
        Err(_) => Ok(Exit::No),
    };
    drop(awake);
    // What a signal ended may have been the machine's own end.
    if matches!(&ended, Ok((reason, _)) if !matches!(reason, Reason::Interrupted(_))) {
        survive::remove(&place, run);
    }
    let left = night::leave(&place, run, over);
    ended?;
    left?;
    told
}

/// This folder and its project, where the run that is to be resumed may be taken up.
fn here(given: &Given) -> Result<(PathBuf, Place), Fault> {
    let folder = std::env::current_dir()
        .map_err(|error| Fault::new(Code::InputPath, format!("current folder: {error}")))?;
    let place = state::locate(&folder)?;
    if let Some(run) = given.text(&RESUME) {
        control::may_take_up(&place, run)?;
    }
    Ok((folder, place))
}

/// A run that is gone on with: a goal's file that is named changes its goal.
fn resumed(run: &str, (place, folder): (&Place, &Path), given: &Given) -> Result<String, Fault> {
    keeps_its_tasks(&runs::state(place, run)?, run, given)?;
    if given.has(&AGENT_PROMPT) {
        driver::change_goal(
            place,
            run,
            goal::of((place, folder), None, given.text(&AGENT_PROMPT))?,
        )?;
    }
    Ok(run.to_owned())
}

/// A run that forgot tasks of its own would call itself done without them.
fn keeps_its_tasks(state: &State, run: &str, given: &Given) -> Result<(), Fault> {
    let asked = given.over(Config::default()).only;
    if !given.has(&TASK) || state.tasks.is_empty() || asked == state.config.only {
        return Ok(());
    }
    let reason = format!("--task: {run} has its tasks already");
    Err(Fault::new(Code::InputInvalid, reason).hint(format!(
        "overnight run --task {} begins a run of its own",
        asked.join(" --task ")
    )))
}

/// What is done when it is over: the pull request, the notice, the last screen.
fn ended_with(given: &Given, (place, run): (&Place, &str), reason: &Reason) -> Result<Exit, Fault> {
    // Who stopped the run waits for it to end, and did not ask for anything to be published.
    if !given.has(&NO_PR) && !matches!(reason, Reason::Interrupted(_)) {
        pull_request(place, run);
    }
    let (state, seen) = sight::look(place, run)?;
    // Told with the pull request's link, so after it.
    notify::tell(place, run, &state, notify::Way::Desktop);
    let sentence = summary::ended(&state, reason, &Clock(clock::zone()));
    if given.has(&JSON) {
        let tasks: Vec<_> = state
            .tasks
            .iter()
            .map(|task| json!({"id": task.spec.id, "status": task.status}))
            .collect();
        let published = state.published.as_ref();
        cli::print_json(&json!({
            "run": run, "exit": reason.exit().status(), "reason": reason, "summary": sentence,
            "iterations": state.iterations, "tasks": tasks, "cost_usd": state.spent_usd, "tokens": state.spent_tokens, "journal": place.run_folder(run).join(journal::FILE),
            "branch": state.placed.as_ref().map(|placed| &placed.branch),
            "pull_request": published.and_then(|published| published.url.as_ref()),
        }))?;
    } else {
        let night = sight::summary(place, &state, &seen);
        let said = format!("run {run}: {sentence}");
        let lines = screen::lines(&night, &said, terminal::paper());
        cli::print(&(lines.join("\n") + "\n"))?;
    }
    Ok(reason.exit())
}

/// The members in tmux, if that was asked for. That it fails changes nothing about the run.
fn panes(given: &Given, place: &Place, run: &str, members: u32) -> Option<Panes> {
    if !given.has(&TMUX) {
        return None;
    }
    cli::note(&format!("tmux attach -t {}", tmux::session(run)));
    let log = driver_log(place, run);
    let panes = Panes::open(&place.top, run, members, &log);
    panes
        .inspect_err(|fault| cli::note(&format!("no panes: {}", fault.reason)))
        .ok()
}

fn driver_log(place: &Place, run: &str) -> PathBuf {
    place.home.join("agent_logs").join(run).join("driver.log")
}

/// Offers the work as a pull request. That it fails changes nothing about the run.
fn pull_request(place: &Place, run: &str) {
    let offered = pull_request::offer(place, run).and_then(|offer| {
        let Some(offer) = offer else { return Ok(()) };
        cli::note(&offer.said);
        let Some(event) = offer.published else {
            return Ok(());
        };
        runs::note(place, run, event)?;
        report::refresh(place, run)
    });
    if let Err(fault) = offered {
        cli::note(&format!("no pull request: {fault}"));
    }
}

/// Who works: as asked for, else who worked on the resumed run, else the client.
fn agent_of(given: &Given, place: &Place) -> Result<String, Fault> {
    match (given.text(&AGENT), given.text(&RESUME)) {
        (Some(agent), _) => Ok(agent.to_owned()),
        (None, Some(run)) => Ok(runs::state(place, run)?.config.agent),
        (None, None) => Ok(Config::default().agent),
    }
}

/// How many members the run has: as asked for, or as the resumed run had; 0 for a run without.
fn members_of(given: &Given, place: &Place) -> Result<u32, Fault> {
    match (given.get(&MEMBERS), given.text(&RESUME)) {
        (Some(count), _) => Ok(count.typed()),
        (None, Some(run)) => Ok(runs::state(place, run)?.config.members),
        (None, None) => Ok(0),
    }
}

/// Starts the same driver in the background, in a session of its own.
fn detached(given: &Given, place: &Place, run: &str) -> Result<Exit, Fault> {
    let log = driver_log(place, run);
    let mut words = vec!["run".to_owned(), format!("--{}", OWN_SESSION.name)];
    words.push(format!("--{}={run}", RESUME.name));
    words.extend(given.passed_on());
    if given.has(&SURVIVE) {
        cli::note(&survive::install(place, run, given.has(&NO_PR))?);
    }
    detach::driver(&words, &log)?;
    if given.has(&JSON) {
        cli::print_json(&json!({"run": run, "log": log}))?;
    } else {
        cli::print(&format!(
            "run {run} is at work; it writes to {}\n",
            log.display()
        ))?;
    }
    Ok(Exit::Yes)
}
