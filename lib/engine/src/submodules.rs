//! Submodules in a work tree of ours: from what the person's tree has of them, nothing is fetched.

use crate::git;
use overnight_base::fault::Fault;
use std::path::Path;

/// Submodules within submodules that are gone down to.
const DEPTH_MAX: u32 = 8;

/// Checks out in `tree` the submodules that are checked out in `top`.
pub(crate) fn provide(top: &Path, tree: &Path) -> Result<(), Fault> {
    below(top, tree, DEPTH_MAX)
}

fn below(top: &Path, tree: &Path, depth: u32) -> Result<(), Fault> {
    if depth == 0 || !tree.join(".gitmodules").is_file() {
        return Ok(());
    }
    let list = [
        "config",
        "--null",
        "--file",
        ".gitmodules",
        "--get-regexp",
        r"^submodule\..*\.path$",
    ];
    let listed = git::run(tree, &list)?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for (key, path) in listed
        .split('\0')
        .filter_map(|entry| entry.split_once('\n'))
    {
        let name = key.strip_prefix("submodule.").unwrap_or_default();
        let name = name.strip_suffix(".path").unwrap_or_default();
        let from = top.join(path);
        // What the person has not got, and what has no plain name, is left as git leaves it.
        if !from.join(".git").exists() || name.contains(['=', '\n']) {
            continue;
        }
        let folder = git::read(&from, &["rev-parse", "--absolute-git-dir"])?;
        let address = format!("submodule.{name}.url={folder}");
        let update = [
            "-c",
            "protocol.file.allow=always",
            "-c",
            &address,
            "submodule",
            "--quiet",
            "update",
            "--init",
            "--force",
            "--",
            path,
        ];
        git::read(tree, &update)?;
        below(&from, &tree.join(path), depth - 1)?;
    }
    Ok(())
}
