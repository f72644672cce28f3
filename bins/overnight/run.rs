//! `overnight run`: one autonomous run.

use clap::ValueEnum;
use overnight_core::code::Code;
use overnight_core::duration;
use overnight_core::exit::Exit;
use overnight_core::fault::Fault;
use overnight_core::lease::TTL_S_MAX;
use overnight_core::run::config::{Config, OnLimit};
use overnight_core::run::event::Door;
use overnight_core::run::members::ITERATIONS_MAX;
use overnight_core::run::{Reason, progress};
use overnight_host::agent::Agent;
use overnight_host::driver::{self, Driver, Orders};
use overnight_host::members::Crew;
use overnight_host::state::{self, Place};
use overnight_host::tmux::{self, Panes};
use overnight_host::{cli, config, detach, journal, members, pull_request, runs};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Works on a goal until it is proved done, or a limit or a person is needed
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Args {
    /// Iterations at most [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    max_iterations: Option<u32>,
    /// The file that says what is to be done
    #[arg(long, value_name = "FILE", default_value = "AGENT_PROMPT.md")]
    agent_prompt: PathBuf,
    /// A command that proves the work done by its exit status (repeatable)
    #[arg(long, value_name = "CMD")]
    gate: Vec<String>,
    /// Who works: claude, scripted:FILE or command:CMD [default: claude]
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Goes on with a run instead of beginning one
    #[arg(long, value_name = "RUN")]
    pub(crate) resume: Option<String>,
    /// Leaves the run at work in the background and prints its id
    #[arg(long)]
    detach: bool,
    /// Dollars at most
    #[arg(long, value_name = "USD", value_parser = dollars)]
    budget_usd: Option<f64>,
    /// Tokens of all kinds at most; counted when an iteration ends
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    budget_tokens: Option<u64>,
    /// Dollars within any hour at most: a run that burns faster stops
    #[arg(long, value_name = "USD", value_parser = dollars)]
    usd_per_hour: Option<f64>,
    /// Longest time of one iteration [default: 30m]
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    task_timeout: Option<u64>,
    /// Longest time of the whole run [default: none]
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    max_duration: Option<u64>,
    /// Least time between two starts [default: 0]
    #[arg(long, value_name = "TIME", value_parser = milliseconds)]
    interval: Option<u64>,
    /// Agent starts an hour at most [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    calls_per_hour: Option<u32>,
    /// Goes on in the client session of the iteration before, for up to a day [default: a fresh one]
    #[arg(long)]
    continue_session: bool,
    /// What to do at the account's usage limit [default: wait]
    #[arg(long, value_enum, value_name = "WHAT")]
    on_limit: Option<Limit>,
    /// Agents at work at the same time, each in a work tree of its own
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    members: Option<u32>,
    /// The remote that holds the members' leases and merged work, or none [default: origin if there is one]
    #[arg(long, value_name = "NAME", requires = "members")]
    remote: Option<String>,
    /// Time to live of the members' leases, renewed at a third of it [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = lease_seconds, requires = "members")]
    ttl: Option<u64>,
    /// Shows the run in tmux: the status in one pane, each member in one of its own
    #[arg(long)]
    tmux: bool,
    /// Leaves the terminal's session; given to the driver that `--detach` starts
    #[arg(long, hide = true)]
    own_session: bool,
    /// Pushes nothing and opens no pull request at the end
    #[arg(long)]
    no_pr: bool,
    /// Prints the outcome as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Limit {
    Wait,
    Exit,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let folder = std::env::current_dir()
        .map_err(|error| Fault::new(Code::InputPath, format!("current folder: {error}")))?;
    let place = state::locate(&folder)?;
    let settings = config::load(Some(&place)).strict(|_| true)?.clone();
    let named = agent_of(args, &place)?;
    let agent = Agent::parse(&named)?;
    let run = match &args.resume {
        Some(run) => run.clone(),
        None => driver::create(
            &place,
            &goal(&place.top, &folder, &args.agent_prompt),
            Door::Driver,
        )?,
    };
    if args.detach {
        return detached(args, &place, &run);
    }
    if args.own_session {
        detach::leave_terminal();
    }
    let config =
        |old: Option<Config>| changed(old.unwrap_or_else(|| settings.run_config()), args, &named);
    let orders = Orders {
        place: place.clone(),
        agent,
        config: &config,
        say: cli::note,
    };
    let count = members_of(args, &place)?;
    let panes = panes(args, &place, &run, count);
    let ended = if count > 0 {
        members::take_over(orders, &run).and_then(Crew::run)
    } else {
        driver::take_over(orders, &run).and_then(Driver::run)
    };
    panes.into_iter().for_each(Panes::close);
    let (reason, state) = ended?;
    // Who stopped the run waits for it to end, and did not ask for anything to be published.
    if !args.no_pr && !matches!(reason, Reason::Interrupted(_)) {
        pull_request(&place, &run);
    }
    let sentence = progress::sentence(&reason);
    if args.json {
        let tasks: Vec<_> = state
            .tasks
            .iter()
            .map(|task| json!({"id": task.spec.id, "status": task.status}))
            .collect();
        cli::print_json(&json!({
            "run": run, "exit": reason.exit().status(), "reason": reason, "summary": sentence,
            "iterations": state.iterations, "tasks": tasks, "cost_usd": state.spent_usd, "tokens": state.spent_tokens, "journal": place.run_folder(&run).join(journal::FILE),
        }))?;
    } else {
        cli::print(&format!("run {run}: {sentence}\n"))?;
    }
    Ok(reason.exit())
}

/// The members in tmux, if that was asked for. That it fails changes nothing about the run.
fn panes(args: &Args, place: &Place, run: &str, members: u32) -> Option<Panes> {
    if !args.tmux {
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
    place.top.join("agent_logs").join(run).join("driver.log")
}

/// Offers the work as a pull request. That it fails changes nothing about the run.
fn pull_request(place: &Place, run: &str) {
    let body = place.top.join("agent_logs").join(run).join("report.md");
    match pull_request::offer(place, run, &body) {
        Ok(Some(said)) => cli::note(&said),
        Ok(None) => {}
        Err(fault) => cli::note(&format!("no pull request: {fault}")),
    }
}

/// Who works: as asked for, else who worked on the resumed run, else the client.
fn agent_of(args: &Args, place: &Place) -> Result<String, Fault> {
    match (&args.agent, &args.resume) {
        (Some(agent), _) => Ok(agent.clone()),
        (None, Some(run)) => Ok(runs::state(place, run)?.config.agent),
        (None, None) => Ok(Config::default().agent),
    }
}

/// How many members the run has: as asked for, or as the resumed run had; 0 for a run without.
fn members_of(args: &Args, place: &Place) -> Result<u32, Fault> {
    match (args.members, &args.resume) {
        (Some(count), _) => Ok(count),
        (None, Some(run)) => Ok(runs::state(place, run)?.config.members),
        (None, None) => Ok(0),
    }
}

/// The goal's file: as named from here, else at the top of the project.
fn goal(top: &Path, folder: &Path, named: &Path) -> PathBuf {
    let here = folder.join(named);
    if here.exists() || named.is_absolute() {
        here
    } else {
        top.join(named)
    }
}

/// The limits in force: those that the run has (or the settings), changed by what was asked for.
fn changed(old: Config, args: &Args, agent: &str) -> Config {
    // What a person set counts; the default is another one for a member.
    let begins = args.members.is_some()
        && old.members == 0
        && old.max_iterations == Config::default().max_iterations;
    let iterations = if begins {
        ITERATIONS_MAX
    } else {
        old.max_iterations
    };
    let on_limit = args.on_limit.map(|limit| match limit {
        Limit::Wait => OnLimit::Wait,
        Limit::Exit => OnLimit::Exit,
    });
    Config {
        agent: agent.to_owned(),
        max_iterations: args.max_iterations.unwrap_or(iterations),
        members: args.members.unwrap_or(old.members),
        remote: args.remote.clone().or(old.remote),
        lease_ttl_s: args.ttl.unwrap_or(old.lease_ttl_s),
        task_timeout_ms: args.task_timeout.unwrap_or(old.task_timeout_ms),
        max_duration_ms: args.max_duration.or(old.max_duration_ms),
        interval_ms: args.interval.unwrap_or(old.interval_ms),
        calls_per_hour: args.calls_per_hour.unwrap_or(old.calls_per_hour),
        budget_usd: args.budget_usd.or(old.budget_usd),
        budget_tokens: args.budget_tokens.or(old.budget_tokens),
        usd_per_hour: args.usd_per_hour.or(old.usd_per_hour),
        continue_session: args.continue_session || old.continue_session,
        on_limit: on_limit.unwrap_or(old.on_limit),
        gates: if args.gate.is_empty() {
            old.gates
        } else {
            args.gate.clone()
        },
        ..old
    }
}

/// Starts the same driver in the background, in a session of its own.
fn detached(args: &Args, place: &Place, run: &str) -> Result<Exit, Fault> {
    let log = driver_log(place, run);
    detach::driver(&passed_on(args, run), &log)?;
    if args.json {
        cli::print_json(&json!({"run": run, "log": log}))?;
    } else {
        cli::print(&format!(
            "run {run} is at work; it writes to {}\n",
            log.display()
        ))?;
    }
    Ok(Exit::Yes)
}

/// The arguments of the driver in the background: the same, for the run that exists now.
fn passed_on(args: &Args, run: &str) -> Vec<String> {
    let mut words = vec!["run".to_owned(), "--own-session".to_owned()];
    let mut add = |name: &str, value: Option<String>| {
        words.extend(value.map(|value| format!("--{name}={value}")));
    };
    let ms = |time: Option<u64>| time.map(|ms| format!("{ms}ms"));
    add("resume", Some(run.to_owned()));
    add("agent", args.agent.clone());
    add(
        "max-iterations",
        args.max_iterations.map(|count| count.to_string()),
    );
    add(
        "budget-usd",
        args.budget_usd.map(|dollars| dollars.to_string()),
    );
    add(
        "budget-tokens",
        args.budget_tokens.map(|count| count.to_string()),
    );
    add(
        "usd-per-hour",
        args.usd_per_hour.map(|dollars| dollars.to_string()),
    );
    add("members", args.members.map(|count| count.to_string()));
    add("remote", args.remote.clone());
    add("ttl", args.ttl.map(|seconds| format!("{seconds}s")));
    add("task-timeout", ms(args.task_timeout));
    add("max-duration", ms(args.max_duration));
    add("interval", ms(args.interval));
    add(
        "calls-per-hour",
        args.calls_per_hour.map(|count| count.to_string()),
    );
    add(
        "on-limit",
        args.on_limit
            .and_then(|limit| limit.to_possible_value())
            .map(|value| value.get_name().to_owned()),
    );
    for gate in &args.gate {
        add("gate", Some(gate.clone()));
    }
    if args.continue_session {
        words.push("--continue-session".to_owned());
    }
    if args.no_pr {
        words.push("--no-pr".to_owned());
    }
    if args.tmux {
        words.push("--tmux".to_owned());
    }
    words
}

fn milliseconds(text: &str) -> Result<u64, String> {
    let duration = duration::parse(text).map_err(|error| error.to_string())?;
    u64::try_from(duration.as_millis()).map_err(|error| error.to_string())
}

/// A lease's time to live: from 5 s on, so that a third of it is longer than a slow push.
fn lease_seconds(text: &str) -> Result<u64, String> {
    match duration::parse(text).map(|duration| duration.as_secs()) {
        Ok(seconds @ 5..=TTL_S_MAX) => Ok(seconds),
        Ok(_) => Err("expected 5 s to 7 days".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(dollars) if dollars.is_finite() && dollars > 0.0 && dollars <= 1e6 => Ok(dollars),
        _ => Err("expected dollars above 0, at most 1000000".to_owned()),
    }
}
