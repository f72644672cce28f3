//! `overnight replay`: decides again what a journal records.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::runs;
use overnight_host::{cli, journal as stored, state};
use overnight_run::journal::{self, Record};
use overnight_run::replay::{Decided, replay};
use overnight_run::{Config, id};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// So much is printed at once.
const PRINT_BYTES: usize = 1 << 16;

/// Folds a run's events and compares each decision with the recorded one
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The run [default: the newest]
    run: Option<String>,
    /// A journal file instead of a run
    #[arg(long, value_name = "FILE", conflicts_with = "run")]
    events: Option<PathBuf>,
    /// Decides with another setting, for example `max_iterations=20` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Prints one JSON object a decision
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let journals = match (&args.run, &args.events) {
        (Some(run), _) => of_run(&folder(run)?)?,
        (None, None) => {
            let place = state::here()?;
            of_run(&place.run_folder(&runs::choose(&place, None)?))?
        }
        (None, Some(file)) => {
            let bytes = std::fs::read(file).map_err(|error| {
                Fault::new(Code::InputMissing, format!("{}: {error}", file.display()))
            })?;
            vec![(None, journal::decode(&bytes)?.records)]
        }
    };
    let set = args
        .set
        .iter()
        .map(|entry| setting(entry))
        .collect::<Result<Vec<_>, _>>()?;
    change(&Config::default(), &set)?;
    let (mut count, mut text) = (0, String::new());
    for (member, records) in &journals {
        if let (Some(member), false) = (member, args.json) {
            let _ = writeln!(text, "member {member}");
        }
        let decisions = replay(records, |config| change(&config, &set).unwrap_or(config));
        for decided in &decisions {
            text += &line(decided, member.as_deref(), args.json);
            if !decided.same() {
                cli::print(&text)?;
                return Ok(Exit::No);
            }
            if text.len() >= PRINT_BYTES {
                cli::print(&text)?;
                text.clear();
            }
        }
        count += decisions.len();
    }
    cli::print(&text)?;
    if !args.json {
        cli::print(&format!("{count} decisions, all as recorded\n"))?;
    }
    Ok(Exit::Yes)
}

/// A journal's records, with the member's name unless it is the run's own.
type Journal = (Option<String>, Vec<Record>);

/// The run's own journal and those of its members.
fn of_run(folder: &Path) -> Result<Vec<Journal>, Fault> {
    let mut journals = vec![(None, stored::read(folder)?)];
    for (name, folder) in runs::member_journals(folder) {
        journals.push((Some(name), stored::read(&folder)?));
    }
    Ok(journals)
}

fn folder(run: &str) -> Result<PathBuf, Fault> {
    let here = std::env::current_dir()
        .map_err(|error| Fault::new(Code::InputPath, format!("current folder: {error}")))?;
    let folder = state::locate(&here)?.run_folder(run);
    if id::is_valid(run) {
        Ok(folder)
    } else {
        Err(Fault::new(Code::RunUnknown, format!("{run:?} is no run")))
    }
}

fn line(decided: &Decided, member: Option<&str>, json: bool) -> String {
    let same = decided.same();
    if json {
        let (recorded, now) = (
            format!("{:?}", decided.recorded),
            format!("{:?}", decided.now),
        );
        return format!(
            "{}\n",
            json!({"member": member, "seq": decided.seq, "t": decided.t, "same": same, "recorded": recorded, "decided": now})
        );
    }
    if same {
        format!("{:>6}  {:?}\n", decided.seq, decided.now)
    } else {
        format!(
            "{:>6}  recorded {:?}\n        decided  {:?}\n",
            decided.seq, decided.recorded, decided.now
        )
    }
}

/// `KEY=VALUE` with the value as JSON, or as text where it is none.
fn setting(entry: &str) -> Result<(String, serde_json::Value), Fault> {
    let (key, value) = entry.split_once('=').ok_or_else(|| {
        Fault::new(
            Code::InputInvalid,
            format!("--set {entry:?} is not KEY=VALUE"),
        )
    })?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((key.to_owned(), value))
}

/// The configuration with these settings; an unknown key or a wrong value is named.
fn change(config: &Config, set: &[(String, serde_json::Value)]) -> Result<Config, Fault> {
    let wrong = |what: String| Fault::new(Code::InputInvalid, format!("--set: {what}"));
    let mut fields = serde_json::to_value(config).map_err(|error| wrong(error.to_string()))?;
    for (key, value) in set {
        let field = fields
            .get_mut(key)
            .ok_or_else(|| wrong(format!("no setting {key:?}")))?;
        *field = value.clone();
    }
    serde_json::from_value(fields).map_err(|error| wrong(error.to_string()))
}
