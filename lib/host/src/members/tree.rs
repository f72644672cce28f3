//! Members' work trees: made one at a time, used again, never emptied of work that stands nowhere
//! else.

use crate::files::{self, FileLock};
use crate::git::{self, Output};
use crate::guard::MEMBER_MARK;
use crate::homes;
use crate::state::{self, Place};
use crate::worktree::OWN;
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::text::one_line;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a change of work trees or of the run's branch waits for another one in this clone.
const PATIENCE: Duration = Duration::from_mins(2);

/// One change of work trees, branches and the project's own tree at a time: git's own lock of its
/// configuration fails at once instead of waiting.
pub(super) fn lock(place: &Place) -> Result<FileLock, Fault> {
    let path = place.state.join("members.lock");
    FileLock::acquire(&path, PATIENCE)?.ok_or_else(|| {
        let reason = "another process of this clone is busy with work trees";
        Fault::new(Code::LockWait, reason)
    })
}

/// The folder of a run's work trees: outside the project, where no tool of the project looks, and
/// outside the git folder, where the client does not edit.
pub(super) fn folder(place: &Place, run: &str) -> Result<PathBuf, Fault> {
    let root = homes::outside(place, "worktrees").ok_or_else(|| {
        Fault::new(
            Code::FileWrite,
            "there is no folder outside the project for members' work trees",
        )
        .hint("set HOME, or XDG_STATE_HOME to a folder outside the project")
    })?;
    Ok(root.join(homes::repository_key(place)).join(run))
}

/// The work tree of this name at a commit, made if it is not there. The caller holds the lock.
pub(super) fn ensure(
    place: &Place,
    (folder, name): (&Path, &str),
    commit: &str,
) -> Result<PathBuf, Fault> {
    let tree = folder.join(name);
    if !tree.join(".git").is_file() {
        files::create_private_folder(folder)?;
        let path = tree.to_string_lossy();
        // Forced, because a work tree whose folder somebody removed is still in git's books.
        let add = [
            "worktree", "add", "--quiet", "--force", "--detach", &path, commit,
        ];
        git::read(&place.top, &add)?;
    }
    Ok(tree)
}

/// Marks the work tree as a member's, so that the guard knows that it can be thrown away.
pub(super) fn mark(tree: &Path) -> Result<(), Fault> {
    let place = state::locate(tree)?;
    let linked = place
        .git
        .filter(|git| Some(git) != place.git_common.as_ref());
    let git = linked.ok_or_else(|| {
        Fault::new(
            Code::GitFailed,
            format!("{} is no linked work tree", tree.display()),
        )
    })?;
    let mark = git.join(MEMBER_MARK);
    if mark.is_file() {
        return Ok(());
    }
    files::replace(&mark, b"", files::PRIVATE)
}

/// Checks out a branch, made at `base` if it is new. Gives the commit that it stands on.
pub(super) fn switch(tree: &Path, branch: &str, base: &str) -> Result<String, Fault> {
    let full = format!("refs/heads/{branch}");
    if tip(tree, &full)?.is_some() {
        git::read(tree, &["switch", "--quiet", "--no-guess", branch])?;
    } else {
        git::read(
            tree,
            &["switch", "--quiet", "--no-track", "-c", branch, base],
        )?;
    }
    git::read(tree, &["rev-parse", "--verify", "HEAD"])
}

/// Removes the lock that a git of the agent left when it was killed. Its agents have ended.
pub(super) fn unlock(tree: &Path) -> Result<(), Fault> {
    let lock = state::locate(tree)?.git.map(|git| git.join("index.lock"));
    match lock.map(std::fs::remove_file) {
        Some(Err(error)) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::new(
            Code::FileWrite,
            format!("{}: {error}", tree.display()),
        )),
        _ => Ok(()),
    }
}

/// Leaves the branch: git lets only one work tree have it.
pub(super) fn detach(tree: &Path) -> Result<(), Fault> {
    git::read(tree, &["switch", "--quiet", "--detach"]).map(drop)
}

/// The commit of a ref or name; `None` when there is none.
pub(super) fn tip(folder: &Path, name: &str) -> Result<Option<String>, Fault> {
    let commit = format!("{name}^{{commit}}");
    let done = git::run(folder, &["rev-parse", "--verify", "--quiet", &commit])?;
    Ok(done.ok().then(|| done.text()))
}

/// Does `descendant` hold everything of `ancestor`?
pub(super) fn holds(folder: &Path, descendant: &str, ancestor: &str) -> Result<bool, Fault> {
    Ok(git::run(
        folder,
        &["merge-base", "--is-ancestor", ancestor, descendant],
    )?
    .ok())
}

/// Commits what an agent left uncommitted, and brings its branch to where it committed. Work that
/// is not on the branch is kept under `side`. Gives the branch's commit.
pub(super) fn secure(tree: &Path, branch: &str, side: &str) -> Result<Secured, Fault> {
    let mut add = git::command(tree);
    add.args(["add", "-A", "--", "."]);
    add.args(OWN.map(|own| format!(":(top,exclude){own}")));
    let added = git::output(&mut add, &[])?;
    let staged = !git::run(tree, &["diff", "--cached", "--quiet"])?.ok();
    let merging = tip(tree, "MERGE_HEAD")?.is_some();
    if staged || merging {
        commit(tree, &["--message=Keep what the agent left uncommitted"])
            .map_err(|fault| with_stderr(fault, &added))?;
    }
    let head = git::read(tree, &["rev-parse", "--verify", "HEAD"])?;
    let full = format!("refs/heads/{branch}");
    let Some(tip) = tip(tree, &full)? else {
        keep(tree, side, &head)?;
        return Ok(Secured { tip: None, head });
    };
    if tip == head || holds(tree, &tip, &head)? {
        return Ok(Secured {
            tip: Some(tip),
            head,
        });
    }
    if holds(tree, &head, &tip)? {
        git::read(tree, &["update-ref", "--no-deref", &full, &head, &tip])?;
        return Ok(Secured {
            tip: Some(head.clone()),
            head,
        });
    }
    keep(tree, side, &head)?;
    Ok(Secured {
        tip: Some(tip),
        head,
    })
}

/// Where an agent's work stands.
pub(super) struct Secured {
    /// The branch's commit.
    pub(super) tip: Option<String>,
    /// The work tree's commit.
    pub(super) head: String,
}

/// Keeps a commit under a ref of ours.
pub(super) fn keep(tree: &Path, side: &str, commit: &str) -> Result<(), Fault> {
    git::read(tree, &["update-ref", "--no-deref", side, commit]).map(drop)
}

/// Commits what is staged, under the person's name, or ours where git knows none.
pub(super) fn commit(tree: &Path, arguments: &[&str]) -> Result<(), Fault> {
    let mut command = named(tree)?;
    command.args(["commit", "--quiet", "--no-verify", "--allow-empty"]);
    command.args(arguments);
    let done = git::output(&mut command, &[])?;
    if done.ok() {
        return Ok(());
    }
    let reason = format!("git commit: {}", one_line(&done.stderr, 300));
    Err(Fault::new(Code::GitFailed, reason))
}

/// A git command that may make commits.
pub(super) fn named(tree: &Path) -> Result<std::process::Command, Fault> {
    let known = git::run(tree, &["var", "GIT_COMMITTER_IDENT"])?.ok();
    let mut command = git::command(tree);
    if !known {
        command.args([
            "-c",
            "user.name=Overnight",
            "-c",
            "user.email=overnight@localhost.invalid",
        ]);
    }
    Ok(command)
}

/// Files with conflict markers that came in since `base`.
pub(super) fn markers(tree: &Path, base: &str) -> Result<Vec<String>, Fault> {
    let done = git::run(tree, &["diff", "--check", base, "HEAD", "--"])?;
    let text = done.text();
    let mut files: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_suffix(": leftover conflict marker"))
        .filter_map(|place| place.rsplit_once(':').map(|(file, _)| one_line(file, 200)))
        .collect();
    files.dedup();
    Ok(files)
}

/// Removes a work tree that holds nothing that is not in `merged`; any other stays.
pub(super) fn remove(place: &Place, tree: &Path, merged: &str) -> Result<bool, Fault> {
    if !tree.join(".git").is_file() {
        return Ok(true);
    }
    let clean = git::run(tree, &["status", "--porcelain", "--untracked-files=all"])?;
    let head = git::read(tree, &["rev-parse", "--verify", "HEAD"])?;
    if !clean.ok() || !clean.stdout.is_empty() || !holds(tree, merged, &head)? {
        return Ok(false);
    }
    // Not forced: git refuses a tree that has changed since.
    Ok(git::run(&place.top, &["worktree", "remove", &tree.to_string_lossy()])?.ok())
}

fn with_stderr(fault: Fault, output: &Output) -> Fault {
    let reason = format!("{} {}", fault.reason, one_line(&output.stderr, 200));
    Fault { reason, ..fault }
}
