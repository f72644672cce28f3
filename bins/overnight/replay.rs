//! `overnight replay`: decides again what a journal records.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_host::runs;
use overnight_host::{cli, journal as stored, state};
use overnight_run::replay::{Decided, Replay};
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
        (Some(run), _) => of_run(&folder(run)?),
        (None, None) => {
            let place = state::here()?;
            of_run(&place.run_folder(&runs::choose(&place, None)?))
        }
        (None, Some(file)) if !file.exists() => {
            let reason = format!("{}: there is no such file", file.display());
            return Err(Fault::new(Code::InputMissing, reason));
        }
        (None, Some(file)) => vec![(None, file.clone())],
    };
    let set = args
        .set
        .iter()
        .map(|entry| setting(entry))
        .collect::<Result<Vec<_>, _>>()?;
    change(&Config::default(), &set)?;
    let mut told = Told::default();
    for (member, journal) in &journals {
        if let (Some(member), false) = (member, args.json) {
            let _ = writeln!(told.text, "member {member}");
        }
        let mut replay = Replay::new(|config| change(&config, &set).unwrap_or(config));
        let read = stored::visit_file(journal, |record| {
            if told.goes_on()
                && let Some(decided) = replay.add(&record)
            {
                told.tell(&decided, member.as_deref(), args.json);
            }
        });
        if told.goes_on() {
            read?;
        }
    }
    told.print();
    if let Some(fault) = told.fault {
        return Err(fault);
    }
    if told.differs {
        return Ok(Exit::No);
    }
    if !args.json {
        cli::print(&format!("{} decisions, all as recorded\n", told.count))?;
    }
    Ok(Exit::Yes)
}

/// What is told of the decisions, until one differs.
#[derive(Default)]
struct Told {
    text: String,
    count: usize,
    differs: bool,
    /// Why no more can be printed.
    fault: Option<Fault>,
}

impl Told {
    fn goes_on(&self) -> bool {
        !self.differs && self.fault.is_none()
    }

    fn tell(&mut self, decided: &Decided, member: Option<&str>, json: bool) {
        line(&mut self.text, decided, member, json);
        self.count += 1;
        self.differs = !decided.same();
        if self.text.len() >= PRINT_BYTES {
            self.print();
        }
    }

    fn print(&mut self) {
        self.fault = self.fault.take().or(cli::print(&self.text).err());
        self.text.clear();
    }
}

/// A journal's file, with the member's name unless it is the run's own.
type Journal = (Option<String>, PathBuf);

/// The run's own journal and those of its members.
fn of_run(folder: &Path) -> Vec<Journal> {
    let file = |folder: &Path| folder.join(stored::FILE);
    let members = runs::member_journals(folder).into_iter();
    let members = members.map(|(name, folder)| (Some(name), file(&folder)));
    [(None, file(folder))].into_iter().chain(members).collect()
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

fn line(text: &mut String, decided: &Decided, member: Option<&str>, json: bool) {
    let same = decided.same();
    let (seq, recorded, now) = (decided.seq, &decided.recorded, &decided.now);
    let _ = if json {
        let (recorded, now) = (format!("{recorded:?}"), format!("{now:?}"));
        writeln!(
            text,
            "{}",
            json!({"member": member, "seq": seq, "t": decided.t, "same": same, "recorded": recorded, "decided": now})
        )
    } else if same {
        writeln!(text, "{seq:>6}  {now:?}")
    } else {
        writeln!(
            text,
            "{seq:>6}  recorded {recorded:?}\n        decided  {now:?}"
        )
    };
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
