//! `overnight install-links`: the names of the programs beside `overnight`, for a PATH.

use overnight_base::code::Code;
use overnight_base::exit::Exit;
use overnight_base::fault::Fault;
use overnight_base::programs::{NAMES, PROGRAM};
use overnight_host::agent::own_program;
use overnight_host::cli;
use std::path::{Path, PathBuf};

/// Links the names of the programs beside overnight into a folder, for example task-lock
///
/// A name that is taken by something else is left alone and said; the exit status is then 1.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder of your PATH; by default the one of this program
    folder: Option<PathBuf>,
    /// Takes those links away again
    #[arg(long)]
    remove: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Fault> {
    let program = own_program()?;
    let beside = program.parent().unwrap_or(Path::new("/"));
    let folder = args.folder.as_deref().unwrap_or(beside);
    if !args.remove {
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
    }
    let here = folder
        .canonicalize()
        .map_err(|error| cannot(folder, &error))?;
    // Beside the program a link stays right when the folder moves.
    let target = match program.strip_prefix(&here) {
        Ok(name) => name.to_owned(),
        Err(_) => program.clone(),
    };
    let mut names = NAMES.to_vec();
    if here != beside {
        names.push(PROGRAM);
    }
    let mut taken = Vec::new();
    for name in names {
        let link = here.join(name);
        if !put(&link, &target, &program, args.remove).map_err(|error| cannot(&link, &error))? {
            taken.push(name);
        }
    }
    if taken.is_empty() {
        let done = if args.remove { "removed" } else { "laid" };
        cli::note(&format!("links in {} {done}", here.display()));
        return Ok(Exit::Yes);
    }
    cli::note(&format!(
        "{}: not ours and left alone: {}",
        here.display(),
        taken.join(", ")
    ));
    Ok(Exit::No)
}

/// Lays or removes one link; gives whether nothing else stands in its place.
fn put(link: &Path, target: &Path, program: &Path, remove: bool) -> std::io::Result<bool> {
    match std::fs::symlink_metadata(link) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
        Ok(_) if !ours(link, program) => return Ok(false),
        Ok(_) if remove => return std::fs::remove_file(link).map(|()| true),
        Ok(_) => {
            let part = link.with_extension(std::process::id().to_string());
            std::os::unix::fs::symlink(target, &part)?;
            return std::fs::rename(&part, link).map(|()| true);
        }
    }
    if !remove {
        std::os::unix::fs::symlink(target, link)?;
    }
    Ok(true)
}

/// A link to this program, or to an earlier one of its name that is gone.
fn ours(link: &Path, program: &Path) -> bool {
    let Ok(to) = std::fs::read_link(link) else {
        return false;
    };
    match link.canonicalize() {
        Ok(at) => at == program || at.file_name() == Some(PROGRAM.as_ref()),
        Err(_) => to.file_name() == Some(PROGRAM.as_ref()),
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> Fault {
    let hint = "name a folder that you may write to: overnight install-links ~/.local/bin";
    Fault::new(Code::FileWrite, format!("{}: {error}", path.display())).hint(hint)
}
