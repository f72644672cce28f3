//! Members' work trees: entered into git's books one at a time, used again, never emptied of work that
//! stands nowhere else.

mod spare;

use crate::files::{self, Content, FileLock};
use crate::furnish;
use crate::git::{self, Output};
use crate::guard::MEMBER_MARK;
use crate::homes;
use crate::state::{self, Place};
use crate::unfinished;
use crate::worktree::OWN;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a change of work trees or of the run's branch waits for another one in this clone.
const WAIT_MAX: Duration = Duration::from_mins(2);

/// One change of work trees, branches and the project's own tree at a time: git's own lock of its
/// configuration fails at once instead of waiting.
pub(crate) fn lock(place: &Place) -> Result<FileLock, Fault> {
    let path = place.state.join("members.lock");
    FileLock::acquire(&path, WAIT_MAX)?.ok_or_else(|| {
        let reason = "another process of this clone is busy with work trees";
        Fault::new(Code::LockWait, reason)
    })
}

/// The folder of a run's work trees: outside the project, where no tool of the project looks, and
/// outside the git folder, where the client does not edit.
pub(crate) fn folder(place: &Place, run: &str) -> Result<PathBuf, Fault> {
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
pub(crate) fn ensure(place: &Place, whose: (&Path, &str), commit: &str) -> Result<PathBuf, Fault> {
    let stands = stake(place, whose, commit)?;
    if !stands.whole {
        fill(&stands.tree, 1)?;
    }
    Ok(stands.tree)
}

/// A work tree in git's books.
pub(crate) struct Stands {
    pub(crate) tree: PathBuf,
    /// Or is it still to be filled?
    pub(crate) whole: bool,
}

/// Enters the work tree of this name at a commit into git's books, if it is not there: with the files of
/// an earlier night, or none. The caller holds the lock.
pub(crate) fn stake(
    place: &Place,
    (folder, name): (&Path, &str),
    commit: &str,
) -> Result<Stands, Fault> {
    let tree = folder.join(name);
    if reconnect(place, &tree)? {
        let whole = !half(&tree).exists();
        return Ok(Stands { tree, whole });
    }
    files::create_private_folder(folder)?;
    set_aside(&tree)?;
    furnish::forget(&tree);
    files::replace(&half(&tree), b"", files::PRIVATE)?;
    if !spare::take(place, &tree, commit)? {
        let path = tree.to_string_lossy();
        // Forced, because a work tree whose folder somebody removed is still in git's books.
        let add = ["worktree", "add", "--quiet", "--force", "--detach"];
        git::read(
            &place.top,
            &[&add[..], &["--no-checkout", &path, commit]].concat(),
        )?;
    }
    Ok(Stands { tree, whole: false })
}

/// Brings the files of a new work tree to its commit, one of so many that are filled at once. Nobody worked
/// in it yet, and no lock is needed.
pub(crate) fn fill(tree: &Path, at_once: usize) -> Result<(), Fault> {
    unlock(tree)?;
    // As many writers as there are processors, in all.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = format!("checkout.workers={}", (processors / at_once).max(1));
    let filled = || {
        let mut reset = git::tame(tree);
        reset.args(["-c", &workers, "reset", "--hard", "--quiet"]);
        git::output(&mut reset, &[])
    };
    let mut done = filled()?;
    if !done.ok()
        && let Some(books) = state::locate(tree)?.git
    {
        // Without the index of an earlier night every file is written, and what it knew goes.
        let _ = std::fs::remove_file(books.join("index"));
        done = filled()?;
        git::read(tree, &["clean", "-ffdxq"])?;
    }
    if !done.ok() {
        let reason = format!("git reset: {}", one_line(&done.stderr, 300));
        return Err(Fault::new(Code::GitFailed, reason));
    }
    let note = half(tree);
    std::fs::remove_file(&note)
        .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", note.display())))
}

/// Stands beside a work tree that is not whole.
fn half(tree: &Path) -> PathBuf {
    let name = tree.file_name().unwrap_or_default().to_string_lossy();
    tree.with_file_name(format!("{name}.half"))
}

/// Is there a work tree whose `.git` leads to its folder in git's books, put back if need be?
pub(crate) fn reconnect(place: &Place, tree: &Path) -> Result<bool, Fault> {
    match &place.git_common {
        Some(common) => unfinished::reconnect(common, tree),
        None => Ok(false),
    }
}

/// Moves away what stands where a work tree is to be made and git's books know nothing of.
fn set_aside(tree: &Path) -> Result<(), Fault> {
    // A folder without anything in it is none that git minds.
    if std::fs::remove_dir(tree).is_ok() || tree.symlink_metadata().is_err() {
        return Ok(());
    }
    let aside = (0..).map(|number: u32| tree.with_extension(format!("lost-{number}")));
    let Some(free) = aside.into_iter().find(|path| !path.exists()) else {
        return Ok(());
    };
    std::fs::rename(tree, &free)
        .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", free.display())))
}

/// Is there a work tree, made one of git's again with this branch if its folder in git's books is
/// gone? A branch that is gone too begins at `base` again.
pub(crate) fn recover(
    place: &Place,
    tree: &Path,
    (branch, base): (&str, &str),
) -> Result<bool, Fault> {
    if reconnect(place, tree)? {
        return Ok(true);
    }
    let (Some(common), true) = (&place.git_common, tree.is_dir()) else {
        return Ok(false);
    };
    let full = format!("refs/heads/{branch}");
    if tip(&place.top, &full)?.is_none() {
        keep(&place.top, &full, base)?;
    }
    unfinished::register(common, tree, &format!("ref: {full}"))?;
    // The index of what the branch has; the files stay as they are.
    git::read(tree, &["reset", "--quiet"])?;
    Ok(true)
}

/// Marks the work tree as a member's, so that the guard knows that it can be thrown away.
pub(crate) fn mark(tree: &Path) -> Result<(), Fault> {
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

/// Is this a member's work tree?
pub(crate) fn is_members(place: &Place) -> bool {
    let git = place.git.as_ref();
    git.is_some_and(|git| git.join(MEMBER_MARK).is_file())
}

/// Checks out a branch, made at the commit `base` if it is new. Gives the commit that it stands on.
pub(crate) fn switch(tree: &Path, branch: &str, base: &str) -> Result<String, Fault> {
    let new = ["switch", "--quiet", "--no-track", "-c", branch];
    let head = git::loose(&state::locate(tree)?, "HEAD");
    // Where git is told no commit it looks at no file.
    let elsewhere = (head.as_deref() != Some(base)).then_some(base);
    let made = git::read(tree, &[&new[..], elsewhere.as_slice()].concat());
    if made.is_err() && tip(tree, &format!("refs/heads/{branch}"))?.is_some() {
        git::read(tree, &["switch", "--quiet", "--no-guess", branch])?;
        return git::read(tree, &["rev-parse", "--verify", "HEAD"]);
    }
    made.map(|_| base.to_owned())
}

/// Checks out a branch; gives the line's commit below the work that it may hold from before.
pub(crate) fn stand(tree: &Path, branch: &str, base: &str) -> Result<String, Fault> {
    let head = switch(tree, branch, base)?;
    if head == base {
        return Ok(head);
    }
    let below = git::run(tree, &["merge-base", base, &head])?;
    Ok(if below.ok() { below.text() } else { head })
}

/// Removes the locks that a git of the agent left when it was killed. Its agents have ended.
pub(crate) fn unlock(tree: &Path) -> Result<(), Fault> {
    match state::locate(tree)?.git {
        Some(folder) => git::unlock(&folder),
        None => Ok(()),
    }
}

/// Where the branch of a work tree was moved to last from within it, as its own log tells; `None`
/// where there is no log.
pub(crate) fn last_move(tree: &Path) -> Result<Option<String>, Fault> {
    const LOG_BYTES_MAX: u64 = 64 << 20;
    let Some(folder) = state::locate(tree)?.git else {
        return Ok(None);
    };
    let log = match files::read_bounded(&folder.join("logs/HEAD"), LOG_BYTES_MAX)? {
        Content::Bytes(bytes) => bytes,
        // Where references are kept in tables, their logs are, too.
        Content::Missing => {
            let asked = git::run(tree, &["log", "-g", "-1", "--format=%H", "HEAD"])?;
            let last = asked.text();
            return Ok((asked.ok() && !last.is_empty()).then_some(last));
        }
        Content::Refused(_) => return Ok(None),
    };
    let text = String::from_utf8_lossy(&log);
    let mut words = text.lines().next_back().unwrap_or_default().split(' ');
    let (before, after) = (words.next(), words.next());
    // A branch that was deleted from within its own work tree went to zeros: it stood before that.
    let is_commit = |oid: &&str| oid.bytes().any(|byte| byte != b'0');
    let last = after.filter(is_commit).or(before.filter(is_commit));
    Ok(last.map(str::to_owned))
}

/// Leaves the branch: git lets only one work tree have it.
pub(crate) fn detach(tree: &Path) -> Result<(), Fault> {
    git::read(tree, &["switch", "--quiet", "--detach"]).map(drop)
}

/// The commit of a ref or name; `None` when there is none.
pub(crate) fn tip(folder: &Path, name: &str) -> Result<Option<String>, Fault> {
    let commit = format!("{name}^{{commit}}");
    let done = git::run(folder, &["rev-parse", "--verify", "--quiet", &commit])?;
    Ok(done.ok().then(|| done.text()))
}

/// Does `descendant` hold everything of `ancestor`?
pub(crate) fn holds(folder: &Path, descendant: &str, ancestor: &str) -> Result<bool, Fault> {
    Ok(git::run(
        folder,
        &["merge-base", "--is-ancestor", ancestor, descendant],
    )?
    .ok())
}

/// Commits what an agent left uncommitted, and brings its branch to where it committed. Work that
/// is not on the branch is kept under `side`. Gives the branch's commit.
pub(crate) fn secure(tree: &Path, branch: &str, side: &str) -> Result<Secured, Fault> {
    if let Some(tip) = unfinished::secured(tree, branch)? {
        return Ok(Secured {
            head: tip.clone(),
            tip,
        });
    }
    put_back(tree, branch, side)?;
    unfinished::settle(tree, branch, side)?;
    let mut add = git::tame(tree);
    add.args(["add", "-A", "--sparse", "--", "."]);
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
        // The agent left its branch and deleted it: what it leads to is the work all the same.
        keep(tree, &full, &head)?;
        return Ok(Secured {
            tip: head.clone(),
            head,
        });
    };
    if tip == head || holds(tree, &tip, &head)? {
        return Ok(Secured { tip, head });
    }
    if holds(tree, &head, &tip)? {
        git::read(tree, &["update-ref", "--no-deref", &full, &head, &tip])?;
        return Ok(Secured {
            tip: head.clone(),
            head,
        });
    }
    keep(tree, side, &head)?;
    Ok(Secured { tip, head })
}

/// A branch whose agent began a history of its own, which nothing could merge, comes to follow the
/// line's commit that it was given; its files stay. Gives the branch's commit.
pub(crate) fn graft(tree: &Path, (branch, tip): (&str, &str), base: &str) -> Result<String, Fault> {
    if git::run(tree, &["merge-base", base, tip])?.ok() {
        return Ok(tip.to_owned());
    }
    let mut command = git::named(tree)?;
    let files = format!("{tip}^{{tree}}");
    let message = "Take up what the agent began anew";
    command.args(["commit-tree", &files, "-p", base, "-p", tip, "-m", message]);
    let made = made(&mut command)?;
    let full = format!("refs/heads/{branch}");
    git::read(tree, &["update-ref", "--no-deref", &full, &made, tip])?;
    Ok(made)
}

/// A branch that something outside of its work tree moved or deleted stands again where its agent
/// left it; what it was moved to is kept.
pub(crate) fn put_back(tree: &Path, branch: &str, side: &str) -> Result<(), Fault> {
    let full = format!("refs/heads/{branch}");
    let on = git::run(tree, &["symbolic-ref", "--quiet", "HEAD"])?;
    let (true, Some(last)) = (on.text() == full, last_move(tree)?) else {
        return Ok(());
    };
    let found = tip(tree, &full)?;
    if found.as_ref() == Some(&last) || tip(tree, &last)?.is_none() {
        return Ok(());
    }
    if let Some(found) = found {
        keep(tree, &format!("{side}-{}", &found[..12]), &found)?;
    }
    git::read(tree, &["update-ref", "--no-deref", &full, &last]).map(drop)
}

/// Where an agent's work stands.
pub(crate) struct Secured {
    /// The branch's commit.
    pub(crate) tip: String,
    /// The work tree's commit.
    pub(crate) head: String,
}

/// Keeps a commit under a ref of ours.
pub(crate) fn keep(tree: &Path, side: &str, commit: &str) -> Result<(), Fault> {
    git::read(tree, &["update-ref", "--no-deref", side, commit]).map(drop)
}

/// Commits what is staged, under the person's name, or ours where git knows none.
pub(crate) fn commit(tree: &Path, arguments: &[&str]) -> Result<(), Fault> {
    let mut command = git::named(tree)?;
    command.args(["commit", "--quiet", "--no-verify", "--allow-empty"]);
    command.args(arguments);
    let done = git::output(&mut command, &[])?;
    if done.ok() {
        return Ok(());
    }
    let reason = format!("git commit: {}", one_line(&done.stderr, 300));
    Err(Fault::new(Code::GitFailed, reason))
}

/// A commit of a tree on top of another, in the person's name.
pub(crate) fn commit_tree(
    place: &Place,
    (tree, parent): (&str, &str),
    message: &str,
) -> Result<String, Fault> {
    let mut command = git::named(&place.top)?;
    command.args(["commit-tree", tree, "-p", parent, "-m", message]);
    made(&mut command)
}

/// The commit that `git commit-tree` makes.
fn made(command: &mut Command) -> Result<String, Fault> {
    let made = git::output(command, &[])?;
    if made.ok() {
        return Ok(made.text());
    }
    let reason = format!("git commit-tree: {}", one_line(&made.stderr, 300));
    Err(Fault::new(Code::GitFailed, reason))
}

/// Puts the files of a member's work tree aside for the next night, or removes it. One that holds something
/// that is not in `merged` stays. The caller holds the lock.
pub(crate) fn retire(place: &Place, tree: &Path, merged: &str) -> Result<bool, Fault> {
    let note = half(tree);
    if note.exists() {
        // Nobody worked in it.
        let path = tree.to_string_lossy();
        let removed = git::run(&place.top, &["worktree", "remove", "--force", &path])?.ok();
        let _ = std::fs::remove_file(&note);
        return Ok(removed);
    }
    if !tree.join(".git").is_file() {
        return Ok(true);
    }
    if !holds_nothing(tree, merged)? {
        return Ok(false);
    }
    files::replace(&note, b"", files::PRIVATE)?;
    let kept = spare::put(place, tree);
    let _ = std::fs::remove_file(&note);
    if kept? {
        return Ok(true);
    }
    remove(place, tree, merged)
}

/// Has it nothing uncommitted, and no commit that is not in `merged`?
fn holds_nothing(tree: &Path, merged: &str) -> Result<bool, Fault> {
    let clean = git::run(tree, &["status", "--porcelain", "--untracked-files=all"])?;
    let head = git::read(tree, &["rev-parse", "--verify", "HEAD"])?;
    Ok(clean.ok() && clean.stdout.is_empty() && holds(tree, merged, &head)?)
}

/// Removes a work tree that holds nothing that is not in `merged`; any other stays.
pub(crate) fn remove(place: &Place, tree: &Path, merged: &str) -> Result<bool, Fault> {
    if !tree.join(".git").is_file() {
        return Ok(true);
    }
    if !holds_nothing(tree, merged)? {
        return Ok(false);
    }
    // Not forced: git refuses a tree that has changed since; but one with submodules it never removes.
    let path = tree.to_string_lossy();
    let mut remove = vec!["worktree", "remove"];
    if tree.join(".gitmodules").is_file() {
        remove.push("--force");
    }
    remove.push(&path);
    let removed = git::run(&place.top, &remove)?.ok();
    if removed {
        furnish::forget(tree);
    }
    Ok(removed)
}

fn with_stderr(fault: Fault, output: &Output) -> Fault {
    let reason = format!("{} {}", fault.reason, one_line(&output.stderr, 200));
    Fault { reason, ..fault }
}
