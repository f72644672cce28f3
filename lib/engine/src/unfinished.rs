//! What git has open in a work tree whose agent has ended: a merge, a rebase, a cherry-pick, entries
//! of the index that conflict. It is ended, never committed: a conflict that is added to the index
//! counts as resolved, with the markers that stand in the file.

use crate::files;
use crate::git::{self, Output};
use crate::state;
use crate::trees;
use crate::worktree::OWN;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Operations that leave something open: the command that forgets it, and the files of the work
/// tree's git folder that say so.
const OPEN: [(&str, &[&str]); 5] = [
    ("rebase", &["rebase-merge", "rebase-apply/rebasing"]),
    ("am", &["rebase-apply/applying"]),
    ("cherry-pick", &["CHERRY_PICK_HEAD"]),
    ("revert", &["REVERT_HEAD"]),
    ("merge", &["MERGE_HEAD"]),
];
/// Digits of a commit in the name of the ref that keeps it.
const DIGITS: usize = 12;

/// Ends what is open in `tree`. A merge, cherry-pick or revert whose conflicts are all resolved is
/// left for who commits it. Else everything is kept in a commit under `side` and the first digits of
/// that commit, which is given; the files that the operation touched are as `HEAD` has them, what
/// the agent changed beside it stays, and a rebase is left for `branch`.
pub(crate) fn settle(tree: &Path, branch: &str, side: &str) -> Result<Option<String>, Fault> {
    let Some(folder) = state::locate(tree)?.git else {
        return Ok(None);
    };
    let open = open(&folder);
    let unmerged = unmerged(tree)?;
    let moving = open.iter().any(|name| matches!(*name, "rebase" | "am"));
    if unmerged.is_empty() && !moving {
        return Ok(None);
    }
    let kept = keep_all(tree, &folder, side)?;
    // What an operation stages comes from elsewhere and makes no sense without the rest of it.
    let mut theirs = unmerged;
    if !open.is_empty() {
        theirs.extend(paths(&git::run(
            tree,
            &["diff", "--cached", "--name-only", "-z", "HEAD"],
        )?));
    }
    for name in open {
        git::read(tree, &[name, "--quit"])?;
    }
    git::read(tree, &["reset", "--quiet"])?;
    restore(tree, &theirs)?;
    let full = format!("refs/heads/{branch}");
    if moving && git::run(tree, &["rev-parse", "--verify", "--quiet", &full])?.ok() {
        git::read(tree, &["checkout", "--quiet", "--force", branch])?;
    }
    Ok(Some(kept))
}

/// The operations that a work tree with this folder of git's has open.
fn open(folder: &Path) -> Vec<&'static str> {
    let is_open =
        |(_, signs): &&(&str, &[&str])| signs.iter().any(|sign| folder.join(sign).exists());
    OPEN.iter().filter(is_open).map(|(name, _)| *name).collect()
}

/// The branch's commit, where one look tells that nothing is to be secured: the work tree is on the branch, which
/// stands where it was left, with nothing uncommitted and nothing open. So nearly every agent ends.
pub(crate) fn secured(tree: &Path, branch: &str) -> Result<Option<String>, Fault> {
    let Some(folder) = state::locate(tree)?.git else {
        return Ok(None);
    };
    if !open(&folder).is_empty() {
        return Ok(None);
    }
    let mut look = git::tame(tree);
    look.args(["status", "--porcelain=v2", "--branch", "-z", "--no-renames"]);
    look.args([
        "--untracked-files=all",
        "--ignore-submodules=dirty",
        "--",
        ".",
    ]);
    look.args(OWN.map(|own| format!(":(top,exclude){own}")));
    let told = git::output(&mut look, &[])?;
    let text = String::from_utf8_lossy(&told.stdout);
    let mut lines = text.split('\0').filter(|line| !line.is_empty());
    if !told.ok() || lines.clone().any(|line| !line.starts_with("# ")) {
        return Ok(None);
    }
    let mut after = |word: &str| lines.find_map(|line| line.strip_prefix(word));
    let tip = after("# branch.oid ").map(str::to_owned);
    let on = after("# branch.head ");
    let stands = |tip: &String| -> Result<bool, Fault> {
        let last = trees::last_move(tree)?;
        Ok(on == Some(branch) && last.is_none_or(|last| last == *tip))
    };
    match tip {
        Some(tip) if stands(&tip)? => Ok(Some(tip)),
        _ => Ok(None),
    }
}

/// The paths of the index that conflict.
fn unmerged(tree: &Path) -> Result<BTreeSet<PathBuf>, Fault> {
    // The index alone says it: no file is looked at, so that no filter is to be switched off.
    let listed = git::run(tree, &["ls-files", "--unmerged", "-z"])?;
    let entries = listed.stdout.split(|byte| *byte == 0);
    let behind_tab = |entry: &[u8]| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        Some(PathBuf::from(OsString::from_vec(entry[tab + 1..].to_vec())))
    };
    Ok(entries.filter_map(behind_tab).collect())
}

fn paths(listed: &Output) -> BTreeSet<PathBuf> {
    let names = listed.stdout.split(|byte| *byte == 0);
    names
        .filter(|name| !name.is_empty())
        .map(|name| PathBuf::from(OsString::from_vec(name.to_vec())))
        .collect()
}

/// Keeps the files as they stand, markers and all, where nothing merges them; gives the ref.
fn keep_all(tree: &Path, folder: &Path, side: &str) -> Result<String, Fault> {
    let index = folder.join("overnight-index");
    let with_index = |arguments: &[&str]| {
        let mut command = git::tame(tree);
        command.env("GIT_INDEX_FILE", &index).args(arguments);
        git::output(&mut command, &[])
    };
    let kept = (|| {
        with_index(&["read-tree", "HEAD"])?;
        let own = OWN.map(|own| format!(":(top,exclude){own}"));
        let mut add = vec!["add", "-A", "--sparse", "--", "."];
        add.extend(own.iter().map(String::as_str));
        with_index(&add)?;
        let written = with_index(&["write-tree"])?;
        if !written.ok() {
            let reason = format!("git write-tree: {}", written.stderr.trim());
            return Err(Fault::new(Code::GitFailed, reason));
        }
        Ok(written.text())
    })();
    let _ = std::fs::remove_file(&index);
    let commit = commit_tree(tree, &kept?)?;
    let name = format!("{side}-{}", &commit[..DIGITS.min(commit.len())]);
    git::read(tree, &["update-ref", "--no-deref", &name, &commit])?;
    Ok(name)
}

fn commit_tree(tree: &Path, content: &str) -> Result<String, Fault> {
    const MESSAGE: &str = "Keep what the agent left unfinished";
    let mut command = git::named(tree)?;
    command.args(["commit-tree", content, "-p", "HEAD"]);
    if git::run(tree, &["rev-parse", "--verify", "--quiet", "MERGE_HEAD"])?.ok() {
        command.args(["-p", "MERGE_HEAD"]);
    }
    command.args(["-m", MESSAGE]);
    let done = git::output(&mut command, &[])?;
    if done.ok() {
        return Ok(done.text());
    }
    let reason = format!("git commit-tree: {}", done.stderr.trim());
    Err(Fault::new(Code::GitFailed, reason))
}

/// Brings these files to what `HEAD` has, which the index already has too.
fn restore(tree: &Path, paths: &BTreeSet<PathBuf>) -> Result<(), Fault> {
    let mut listed = Vec::new();
    for path in paths {
        let known = git::run(
            tree,
            &[
                Path::new("ls-files"),
                Path::new("-z"),
                Path::new("--error-unmatch"),
                Path::new("--"),
                &literal(path),
            ],
        )?;
        if known.ok() {
            listed.extend_from_slice(path.as_os_str().as_encoded_bytes());
            listed.push(0);
        } else {
            remove(&tree.join(path))?;
        }
    }
    if listed.is_empty() {
        return Ok(());
    }
    let mut command = git::tame(tree);
    command.args([
        "--literal-pathspecs",
        "checkout",
        "--force",
        "--pathspec-from-file=-",
        "--pathspec-file-nul",
    ]);
    let done = git::output(&mut command, &listed)?;
    if done.ok() {
        return Ok(());
    }
    let reason = format!("git checkout: {}", done.stderr.trim());
    Err(Fault::new(Code::GitFailed, reason))
}

/// A path that is no pattern.
fn literal(path: &Path) -> PathBuf {
    let mut text = OsString::from(":(literal)");
    text.push(path);
    PathBuf::from(text)
}

fn remove(path: &Path) -> Result<(), Fault> {
    match std::fs::remove_file(path) {
        Err(error)
            if !matches!(
                error.kind(),
                std::io::ErrorKind::NotFound
                    | std::io::ErrorKind::NotADirectory
                    | std::io::ErrorKind::IsADirectory
            ) =>
        {
            Err(Fault::new(
                Code::FileWrite,
                format!("{}: {error}", path.display()),
            ))
        }
        _ => Ok(()),
    }
}

/// Points a linked work tree whose `.git` is gone, or is no longer the file that git wrote, to its
/// folder in `common` again; whatever stood there instead is moved aside. `false`: git's books do
/// not have it.
pub(crate) fn reconnect(common: &Path, tree: &Path) -> Result<bool, Fault> {
    let Ok(tree) = tree.canonicalize() else {
        return Ok(false);
    };
    let pointer = tree.join(".git");
    match entry(common, &pointer) {
        Some(folder) if folder.join("HEAD").is_file() => point(&pointer, &folder).map(|()| true),
        _ => Ok(false),
    }
}

/// The folder in git's books that names this `.git` of a work tree.
fn entry(common: &Path, pointer: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(common.join("worktrees"))
        .into_iter()
        .flatten()
        .flatten();
    let is_its = |folder: &PathBuf| {
        let named = std::fs::read_to_string(folder.join("gitdir")).unwrap_or_default();
        Path::new(named.trim_end()) == pointer
    };
    entries.map(|entry| entry.path()).find(is_its)
}

/// Enters a folder into git's books as a work tree with this `HEAD`: a commit, or `ref: ` and a branch.
pub(crate) fn register(common: &Path, tree: &Path, head: &str) -> Result<(), Fault> {
    let told = |path: &Path, error: &std::io::Error| {
        Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))
    };
    let tree = tree.canonicalize().map_err(|error| told(tree, &error))?;
    let pointer = tree.join(".git");
    let books = common.join("worktrees");
    let name = tree.file_name().unwrap_or_default().to_string_lossy();
    let names = (0..).map(|number: u32| books.join(format!("{name}{number}")));
    let free = || names.into_iter().find(|folder| !folder.exists());
    let Some(folder) = entry(common, &pointer).or_else(free) else {
        return Ok(());
    };
    std::fs::create_dir_all(&folder).map_err(|error| told(&folder, &error))?;
    let entries = [
        ("gitdir", pointer.display().to_string()),
        ("commondir", "../..".to_owned()),
        ("HEAD", head.to_owned()),
    ];
    for (name, text) in entries {
        let path = folder.join(name);
        std::fs::write(&path, format!("{text}\n")).map_err(|error| told(&path, &error))?;
    }
    point(&pointer, &folder)
}

/// Makes a work tree's `.git` lead to its folder in git's books; what stood there is moved aside.
fn point(pointer: &Path, folder: &Path) -> Result<(), Fault> {
    let text = format!("gitdir: {}\n", folder.display());
    if std::fs::read_to_string(pointer).is_ok_and(|found| found == text) {
        return Ok(());
    }
    if std::fs::symlink_metadata(pointer).is_ok() {
        let tree = pointer.parent().unwrap_or(pointer);
        let aside = (0..).map(|number: u32| tree.with_extension(format!("git-{number}")));
        let free = aside.into_iter().find(|path| !path.exists());
        if let Some(free) = free {
            std::fs::rename(pointer, &free).map_err(|error| {
                Fault::new(Code::FileWrite, format!("{}: {error}", free.display()))
            })?;
        }
    }
    files::write_atomic(pointer, text.as_bytes(), files::SHARED)
}

#[cfg(test)]
mod tests;
