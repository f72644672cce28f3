//! `overnight trust`: which files of the repository may name commands that run.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::person;
use overnight_host::state::{self, Place};
use overnight_host::trust::{self, Trust};
use overnight_host::{cli, clock};
use overnight_run::trusted::Record;
use overnight_shell::shown;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Files whose commands Overnight runs, when none is named.
const USUAL: &[&str] = &["tasks.json", "overnight.toml"];
/// Bytes of one command on the terminal.
const LINE_BYTES_MAX: usize = 2_000;

/// Records that you have read a file of the repository and trust the commands in it
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The files; without any: tasks.json and overnight.toml, those that exist
    file: Vec<PathBuf>,
    /// Lists what is trusted
    #[arg(long, conflicts_with_all = ["revoke", "file"])]
    list: bool,
    /// Takes trust back
    #[arg(long)]
    revoke: bool,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let place = state::locate(Path::new("."))?;
    let trust = Trust::of(&place)?;
    if args.list {
        return list(&trust, &place, args.json);
    }
    person::not_an_agent("overnight trust")?;
    if args.revoke {
        return revoke(&trust, &place, args);
    }
    let mut records = Vec::new();
    for file in chosen(args, &place)? {
        let (name, content) = trust::read_file(&place, &file)?;
        let record = trust.add(&name, &content)?;
        if !args.json {
            let line = |command: &String| format!("    {}\n", shown(command, LINE_BYTES_MAX));
            let commands: String = trust::commands(&content).iter().map(line).collect();
            cli::print(&format!(
                "trusted: {}\n{commands}",
                shown(&name, LINE_BYTES_MAX)
            ))?;
        }
        records.push(record);
    }
    if args.json {
        print_json(&records)?;
    }
    Ok(Exit::Yes)
}

fn chosen(args: &Args, place: &Place) -> Result<Vec<PathBuf>, Fault> {
    if !args.file.is_empty() {
        return Ok(args.file.clone());
    }
    let usual: Vec<PathBuf> = USUAL
        .iter()
        .map(|name| place.top.join(name))
        .filter(|path| path.is_file())
        .collect();
    if usual.is_empty() {
        return Err(Fault::new(
            Code::InputMissing,
            "there is neither tasks.json nor overnight.toml here",
        )
        .hint("name the file"));
    }
    Ok(usual)
}

fn list(trust: &Trust, place: &Place, as_json: bool) -> Result<Exit, Fault> {
    let records = trust.list();
    if as_json {
        print_json(&records)?;
        return Ok(Exit::Yes);
    }
    if records.is_empty() {
        cli::print("nothing is trusted here\n")?;
    }
    for record in records {
        let now = trust::read_file(place, &place.top.join(&record.name));
        let standing = match now {
            Ok((_, content)) if record.covers(&content) => "as it stands",
            Ok(_) => "changed since",
            Err(_) => "gone",
        };
        cli::print(&format!(
            "{}  {}  {} commands, {standing}\n",
            clock::local_text(record.at_ms),
            shown(&record.name, LINE_BYTES_MAX),
            record.commands.len(),
        ))?;
    }
    Ok(Exit::Yes)
}

fn revoke(trust: &Trust, place: &Place, args: &Args) -> Result<Exit, Fault> {
    let names: Vec<String> = if args.file.is_empty() {
        trust.list().into_iter().map(|record| record.name).collect()
    } else {
        args.file.iter().map(|file| name_of(place, file)).collect()
    };
    let mut missing = Vec::new();
    for name in &names {
        if !trust.revoke(name)? {
            missing.push(name.as_str());
        }
    }
    if args.json {
        cli::print_json(
            &json!({"revoked": names.iter().filter(|name| !missing.contains(&name.as_str())).collect::<Vec<_>>()}),
        )?;
    }
    match missing.first() {
        Some(name) => Err(
            Fault::new(Code::NotTrusted, format!("{name} is not trusted"))
                .hint("overnight trust --list shows what is"),
        ),
        None => Ok(Exit::Yes),
    }
}

/// The name under which a file is recorded, also when it is gone.
fn name_of(place: &Place, file: &Path) -> String {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let real = absolute.canonicalize().unwrap_or(absolute);
    let name = real.strip_prefix(&place.top).unwrap_or(file);
    name.to_string_lossy().into_owned()
}

fn print_json(records: &[Record]) -> Result<(), Fault> {
    let describe = |record: &Record| json!({"file": record.name, "sha256": record.sha256, "commands": record.commands.len(), "at_ms": record.at_ms});
    cli::print_json(&json!({"trusted": records.iter().map(describe).collect::<Vec<_>>()}))
}
