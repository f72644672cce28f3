//! Ignored files that gates need (dependencies, `.env`) come along into a run's own work tree.

use crate::worktree::OWN;
use crate::{files, git};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Folders of machine state in a project that are no dependency of it.
const STATE: [&str; 3] = [".overnight", ".claude", ".git"];
/// Marks a folder that can be built anew at any time (<https://bford.info/cachedir/>).
const CACHE: &str = "CACHEDIR.TAG";

/// Copies what git ignores at `from` to the same places in `to`; what can be built anew and
/// repositories of their own are left out.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Fault> {
    let list = [
        "ls-files",
        "-z",
        "--others",
        "--ignored",
        "--exclude-standard",
        "--directory",
    ];
    let listed = git::run(from, &list)?;
    for name in listed.stdout.split(|byte| *byte == 0) {
        let name = Path::new(OsStr::from_bytes(name));
        let first = name
            .components()
            .next()
            .map(|part| part.as_os_str().to_owned());
        let Some(first) = first else { continue };
        let ours = OWN.iter().chain(&STATE).any(|own| first == *own);
        if !ours {
            tree(&from.join(name), &to.join(name))?;
        }
    }
    Ok(())
}

fn tree(from: &Path, to: &Path) -> Result<(), Fault> {
    let failed =
        |error: std::io::Error| Fault::new(Code::FileWrite, format!("{}: {error}", to.display()));
    let Ok(about) = from.symlink_metadata() else {
        return Ok(());
    };
    if about.is_dir() {
        if from.join(CACHE).exists() || from.join(".git").exists() {
            return Ok(());
        }
        files::create_folder(to)?;
        for entry in std::fs::read_dir(from).map_err(failed)?.flatten() {
            tree(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        files::create_folder(folder)?;
    }
    if about.is_symlink() {
        let target = std::fs::read_link(from).map_err(failed)?;
        return match std::os::unix::fs::symlink(target, to) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(error)),
            _ => Ok(()),
        };
    }
    // Sockets and pipes are nothing that could be copied.
    if about.is_file() && !to.exists() {
        std::fs::copy(from, to).map_err(failed)?;
    }
    Ok(())
}
