//! `overnight fleet`: machines of a scheduler that exists already.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_engine::person;
use overnight_host::state::Place;
use overnight_host::{cli, files, git, state};
use overnight_views::fleet::{self, Engine, Fleet};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

/// Writes the job that starts machines on a scheduler that you have
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Init(Init),
}

/// Writes the files of a job whose machines clone this repository and join
///
/// Nothing is overwritten. Credentials come from the scheduler's own secrets: none is written.
#[derive(clap::Args)]
struct Init {
    /// The scheduler
    #[arg(long, value_name = "ENGINE")]
    on: On,
    /// Machines
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=256))]
    machines: u32,
    /// Members on each machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    members: u32,
    /// Prints a JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum On {
    /// A workflow with a matrix
    GithubActions,
    /// An indexed Job with a Containerfile
    Kubernetes,
    /// A job array
    Slurm,
    /// A list of hosts
    Ssh,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let Command::Init(init) = &args.command;
    person::not_an_agent("overnight fleet init")?;
    let place = state::here()?;
    let engine = match init.on {
        On::GithubActions => Engine::GithubActions,
        On::Kubernetes => Engine::Kubernetes,
        On::Slurm => Engine::Slurm,
        On::Ssh => Engine::Ssh,
    };
    let url = git::run(&place.top, &["remote", "get-url", "origin"])?;
    if !url.ok() {
        let reason = "machines share a list over a remote, and this clone has no remote origin";
        return Err(
            Fault::new(Code::InputInvalid, reason).hint("git remote add origin URL, and push")
        );
    }
    let branch = place.branch().ok_or_else(|| {
        Fault::new(Code::GitFailed, "no branch is checked out here").hint("git switch BRANCH")
    })?;
    let fleet = Fleet {
        machines: init.machines,
        members: init.members,
        url: &url.text(),
        branch: &branch,
    };
    let (mut written, mut kept) = (Vec::new(), Vec::new());
    for (name, text) in fleet::files(engine, &fleet) {
        if write(&place, name, &text)? {
            written.push(name);
        } else {
            kept.push(name);
        }
    }
    if init.json {
        cli::print_json(&json!({"written": written, "kept": kept}))?;
        return Ok(Exit::Yes);
    }
    for name in &written {
        cli::print(&format!("{name}: written\n"))?;
    }
    for name in &kept {
        cli::note(&format!("{name}: there already, left as it is"));
    }
    cli::note("next: read it, commit and push it with tasks.json; how to start it stands in it");
    Ok(Exit::Yes)
}

/// Writes a file that is not there; a script can be started.
fn write(place: &Place, name: &str, text: &str) -> Result<bool, Fault> {
    let path = place.top.join(name);
    if path.symlink_metadata().is_ok() {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        files::create_folder(folder)?;
    }
    files::write_atomic(&path, text.as_bytes(), files::SHARED)?;
    if text.starts_with("#!") {
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode)
            .map_err(|error| Fault::new(Code::FileWrite, format!("{name}: {error}")))?;
    }
    Ok(true)
}
