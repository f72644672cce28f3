//! `circuit-breaker record`, `status` and `reset`: one state file under one lock.

use clap::Args as Arguments;
use overnight_base::duration;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::breaker::{StateFile, TimeSource};
use overnight_host::{cli, message};
use overnight_run::breaker::{Config, Observation, State};
use overnight_run::classify::error;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Arguments)]
pub(crate) struct Target {
    /// The state file
    #[arg(long)]
    state: PathBuf,
    /// The time now, in Unix seconds
    #[arg(long)]
    now: Option<u64>,
    /// It prints JSON anyway; scripts may say so
    #[arg(long, hide = true)]
    json: bool,
}

/// Those that are not given are as set: the variables `CB_…_THRESHOLD`, else the settings `breaker.…`.
#[derive(Arguments)]
struct Limits {
    /// Iterations in a row without progress that open it; 0 for never [default: as set, else 3]
    #[arg(long)]
    no_progress: Option<u32>,
    /// Iterations in a row with the same error that open it; 0 for never [default: as set, else 5]
    #[arg(long)]
    same_error: Option<u32>,
    /// Decline of the output in per cent that counts as a sign of being stuck; 0 for never
    /// [default: as set, else 70]
    #[arg(long)]
    output_decline: Option<u32>,
    /// Iterations in a row with denied permissions that open it; 0 for never [default: as set, else 2]
    #[arg(long)]
    denial_limit: Option<u32>,
    /// The first cool-down; it doubles with each failed probe [default: as set, else 30m]
    #[arg(long, value_parser = duration::parse)]
    cool_down: Option<Duration>,
}

impl Limits {
    fn over(&self, set: &Config) -> Config {
        Config {
            no_progress: self.no_progress.unwrap_or(set.no_progress),
            same_error: self.same_error.unwrap_or(set.same_error),
            output_decline: self.output_decline.unwrap_or(set.output_decline),
            denials: self.denial_limit.unwrap_or(set.denials),
            cool_down_ms: self.cool_down.map_or(set.cool_down_ms, |time| {
                u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
            }),
        }
    }
}

#[derive(Arguments)]
pub(crate) struct Record {
    #[command(flatten)]
    place: Target,
    #[command(flatten)]
    limits: Limits,
    /// Files that the iteration changed
    #[arg(long)]
    changed: u64,
    /// Bytes that the agent printed
    #[arg(long)]
    output_bytes: u64,
    /// The iteration's error
    #[arg(long, conflicts_with = "output")]
    error: Option<String>,
    /// The iteration's output, in which errors are looked for; `-` for stdin
    #[arg(long)]
    output: Option<PathBuf>,
    /// The work tree's hash afterwards: one seen before is no progress
    #[arg(long)]
    tree: Option<String>,
    /// Commits made
    #[arg(long, default_value_t = 0)]
    commits: u64,
    /// Tasks ticked off
    #[arg(long, default_value_t = 0)]
    ticked: u64,
    /// Failing tests: fewer than before are progress
    #[arg(long)]
    failing: Option<u64>,
    /// Permissions that the agent was denied
    #[arg(long, default_value_t = 0)]
    denials: u64,
    /// The iteration failed for no fault of the agent's (usage limit, network): it counts for nothing
    #[arg(long)]
    excused: bool,
}

pub(crate) fn record(args: &Record) -> Result<Exit, Fault> {
    let output = args
        .output
        .as_deref()
        .map(|path| message::bounded(Some(path)))
        .transpose()?;
    let text = output
        .as_deref()
        .or(args.error.as_deref())
        .unwrap_or_default();
    // An output's prose is no error; a text given as the error is one, whatever it looks like.
    let error = match (&output, &args.error) {
        (Some(text), _) => error::of_output(text),
        (None, Some(text)) => error::fingerprint_of(text),
        (None, None) => None,
    };
    let seen = Observation {
        changed: args.changed,
        unseen: false,
        tree: args.tree.clone(),
        commits: args.commits,
        ticked: args.ticked,
        failing: args.failing,
        output_bytes: args.output_bytes,
        error,
        denials: args.denials,
        excused: args.excused || error::excuses(text, output.is_some()),
    };
    let config = args.limits.over(&settings());
    let mut file = open(&args.place)?;
    file.breaker = file.breaker.step(&config, &seen, file.now_ms());
    file.write()?;
    answer(&file, &config)
}

pub(crate) fn status(args: &Target) -> Result<Exit, Fault> {
    answer(&open(args)?, &settings())
}

pub(crate) fn reset(args: &Target) -> Result<Exit, Fault> {
    let mut file = open(args)?;
    file.breaker = overnight_run::breaker::Breaker::default();
    file.write()?;
    answer(&file, &settings())
}

fn open(place: &Target) -> Result<StateFile, Fault> {
    let source = place.now.map_or(TimeSource::Clock, TimeSource::Given);
    let file = StateFile::open(&place.state, source)?;
    if let Some(note) = file.note {
        cli::note(&format!(
            "circuit-breaker: {}: {note}",
            place.state.display()
        ));
    }
    Ok(file)
}

fn settings() -> Config {
    overnight_host::config::here().settings.run_config().breaker
}

fn answer(file: &StateFile, config: &Config) -> Result<Exit, Fault> {
    let (breaker, now) = (&file.breaker, file.now_ms());
    let state = breaker.at(now);
    let counters = &breaker.counters;
    cli::print_json(&json!({
        "state": state,
        "reason": breaker.reason,
        "detail": breaker.reason.map(overnight_run::breaker::Reason::sentence),
        "advice": breaker.advice(config),
        "remaining_s": breaker.remaining_ms(now).div_ceil(1000),
        "counters": {
            "iterations": counters.iterations,
            "no_progress": counters.no_progress,
            "same_error": counters.same_error,
            "denials": counters.denials,
            "output_decline": counters.output_decline,
            "openings": breaker.openings,
        },
        "note": file.note,
    }))?;
    Ok(if state == State::Open {
        Exit::No
    } else {
        Exit::Yes
    })
}
