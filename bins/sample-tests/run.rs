//! `sample-tests run`: draws and runs, and remembers what the tests took and which failed.

use super::draw::known;
use super::options::Options;
use super::{output, pytest, tee};
use clap::{Args, ValueEnum};
use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::files::{PRIVATE, create_private_folder, write_atomic};
use overnight_host::{cli, clock, state};
use overnight_sample::draw::{Known, Request, draw};
use overnight_sample::durations::{self, Times};
use overnight_sample::last;
use overnight_sample::listing::{self, Format};
use overnight_sample::outcomes::Outcomes;
use overnight_sample::ring::List;
use overnight_sample::runner::Runner;
use overnight_tools::sample::kept::Kept;
use overnight_tools::sample::{files, lister, runners};
use std::ffi::OsString;
use std::path::Path;

/// Draws a sample, runs it with the project's own runner, and remembers durations and failures
#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) options: Options,
    /// The project's runner; auto finds it by the files in this folder
    #[arg(long, value_enum, default_value = "auto")]
    runner: RunnerName,
    /// Arguments for the runner
    #[arg(last = true, value_name = "ARG")]
    pub(crate) own: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum RunnerName {
    Auto,
    Pytest,
    Nextest,
    Cargo,
    Go,
    Jest,
    Vitest,
}

impl From<RunnerName> for Option<Runner> {
    fn from(name: RunnerName) -> Self {
        match name {
            RunnerName::Auto => None,
            RunnerName::Pytest => Some(Runner::Pytest),
            RunnerName::Nextest => Some(Runner::Nextest),
            RunnerName::Cargo => Some(Runner::Cargo),
            RunnerName::Go => Some(Runner::Go),
            RunnerName::Jest => Some(Runner::Jest),
            RunnerName::Vitest => Some(Runner::Vitest),
        }
    }
}

/// The folder that is sampled and run in.
const HERE: &str = ".";

pub(crate) fn run(run: &Run) -> Result<Exit, Fault> {
    let here = Path::new(HERE);
    let runner = match run.runner.into() {
        Some(runner) => runner,
        None => runners::detect(here)?,
    };
    let kept = Kept::of(&state::locate(here)?, runner.name());
    if runner == Runner::Pytest {
        return pytest::run(run, &kept);
    }
    let request = run.options.request()?;
    let command: Vec<OsString> = runner.lister().into_iter().map(OsString::from).collect();
    let listing = lister::list(&command, here, !run.options.no_cache)?;
    let mut known = known_with(&run.options, &request, &kept)?;
    known.listing = listing.nanos();
    let ids = listing::parse(List::new(&listing.bytes, b'\n')?, Format::Auto)?;
    let ids = ids.below(&files::working_folder());
    let list = ids.list();
    let failed = last::matching(list.ids().map(|(_, id)| id), &kept.failed_elsewhere());
    known.always.extend(failed);
    let drawn = draw(&list, &request, &known)?;
    cli::note(&drawn.plan.line());
    output::write_plan(&drawn.plan, &run.options)?;
    let chosen = drawn.chosen();
    if chosen.is_empty() {
        return Ok(Exit::Yes);
    }
    create_private_folder(kept.folder())?;
    let report = path_in(&kept, "report")?;
    let config = path_in(&kept, "config.toml")?;
    if let Some((_, text)) = runner.config(&chosen, &report)? {
        write_atomic(Path::new(&config), text.as_bytes(), PRIVATE)?;
    }
    let steps = runner.steps(&chosen, &drawn.rest(), &run.own, [&report, &config])?;
    let copying = if runner.reports_on_stdout() {
        tee::words(&report)?
    } else {
        Vec::new()
    };
    let started = clock::mono_ms();
    let mut worst = Exit::Yes;
    for step in steps {
        let step = step.into_iter().map(OsString::from);
        let words: Vec<OsString> = copying.iter().cloned().chain(step).collect();
        let exit = runners::run(&words, here, &[])?;
        if worst.status() == 0 {
            worst = exit;
        }
    }
    let wall = nanos_since(started);
    remember(runner, &kept, Path::new(&report), (drawn.plan.n, wall));
    Ok(worst)
}

/// Nanoseconds since a moment of the monotonic clock in milliseconds.
pub(crate) fn nanos_since(started: u64) -> u64 {
    let millis = clock::mono_ms().saturating_sub(started);
    millis.saturating_mul(1_000_000)
}

/// What the command line says, and what is kept of earlier runs.
pub(crate) fn known_with(
    options: &Options,
    request: &Request,
    kept: &Kept,
) -> Result<Known, Fault> {
    let mut known = known(options)?;
    if known.times.is_none() {
        let durations = kept.durations(&request.seed, request.turn);
        known.times = durations.map(|(_, report)| Times::new(&[report]));
    }
    known.always.extend(kept.failed());
    Ok(known)
}

/// A file of this run in the state folder, as text, since it becomes an argument.
pub(crate) fn path_in(kept: &Kept, name: &str) -> Result<String, Fault> {
    let name = format!("{}-{name}", std::process::id());
    let path = kept.folder().join(name);
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Fault::new(Code::InputPath, "the state folder's path is no UTF-8"))
}

/// Takes over what the runner reported, with how many tests there were and the nanoseconds of the
/// run. A run without a report is not a failed one.
fn remember(runner: Runner, kept: &Kept, report: &Path, (collected, wall): (usize, u64)) {
    let Ok(text) = files::text(report, Code::SampleDurations) else {
        return;
    };
    let _ = std::fs::remove_file(report);
    let here = files::working_folder();
    let id = |class: &str, name: &str| {
        let id = runner.id(class, name);
        id.strip_prefix(&here).map(str::to_owned).unwrap_or(id)
    };
    let outcomes = durations::parse(&text).map(|mut report| {
        report.collected = Some(collected as u64);
        Outcomes::from_report(&report, wall, id)
    });
    if let Err(fault) = outcomes.and_then(|outcomes| kept.add(&outcomes)) {
        cli::note(&fault.to_string());
    }
}
