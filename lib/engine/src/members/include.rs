//! Ignored files that work trees of ours need: those that `.worktreeinclude` names and git ignores.

use super::written;
use crate::git;
use overnight_base::fault::Fault;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The file at the top of the project that names them, with patterns as in `.gitignore`.
const FILE: &str = ".worktreeinclude";

/// Copies them from the project into a work tree. What stands there already stays.
pub(super) fn provide(top: &Path, tree: &Path) -> Result<(), Fault> {
    if !top.join(FILE).is_file() {
        return Ok(());
    }
    let exclude = format!("--exclude-from={FILE}");
    let named = ["ls-files", "-z", "--others", "--ignored", &exclude];
    let named = git::run(top, &named)?;
    if named.stdout.is_empty() {
        return Ok(());
    }
    let mut ignored = git::command(top);
    ignored.args(["check-ignore", "-z", "--stdin"]);
    let ignored = git::output(&mut ignored, &named.stdout)?;
    for name in ignored.stdout.split(|byte| *byte == 0) {
        let path = Path::new(OsStr::from_bytes(name));
        let (from, to) = (top.join(path), tree.join(path));
        let is_file = std::fs::symlink_metadata(&from).is_ok_and(|about| about.is_file());
        if name.is_empty() || !is_file || to.exists() {
            continue;
        }
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(|error| written(folder, &error))?;
        }
        std::fs::copy(&from, &to).map_err(|error| written(&to, &error))?;
    }
    Ok(())
}
