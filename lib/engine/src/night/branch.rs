//! The run's branch: what the agent left is committed, and the branch is brought to it.

use crate::state::Place;
use crate::trees;
use crate::{exclude, git, progress, tasklist, unfinished};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_run::State;
use overnight_run::placed::Placed;
use overnight_views::left;
use std::path::{Path, PathBuf};

/// Commits what is uncommitted in the run's own work tree, then brings its branch there. Gives what the
/// person is told.
pub fn bring(own: &Place, placed: &Placed, state: &State) -> Result<Vec<String>, Fault> {
    let run = state.run.as_ref().map_or("", |run| run.id.as_str());
    // What is unmerged is never committed with its markers.
    unfinished::settle(&own.top, "", &format!("refs/overnight/lost/{run}"))?;
    commit_left(&own.top, &left::message(state))?;
    let _lock = trees::lock(own)?;
    let full = format!("refs/heads/{}", placed.branch);
    let head = tip(own, "HEAD")?;
    let Some(stands) = trees::tip(&own.top, &full)? else {
        let zeros = "0".repeat(head.len());
        move_to(own, &full, (&zeros, &head))?;
        return Ok(Vec::new());
    };
    if stands == head || trees::holds(&own.top, &stands, &head)? {
        return Ok(Vec::new());
    }
    if !trees::holds(&own.top, &head, &stands)? {
        return beside(own, (placed, run), &head).map(|note| vec![note]);
    }
    advance(own, placed, (&stands, &head))
}

/// Moves the branch on by compare-and-swap. A work tree of the person's that has it checked out and
/// nothing uncommitted follows; one with uncommitted work stays on the commit that it stands on.
pub fn advance(
    own: &Place,
    placed: &Placed,
    (stands, head): (&str, &str),
) -> Result<Vec<String>, Fault> {
    let mut notes = Vec::new();
    if let Some(theirs) = checked_out(placed)? {
        if is_clean(&theirs)? {
            let follow = ["merge", "--quiet", "--ff-only", "--no-autostash", head];
            if git::run(&theirs, &follow)?.ok() {
                return Ok(notes);
            }
        }
        // Its files and its index stay as they are, and so does the commit that they belong to.
        git::read(&theirs, &["update-ref", "--no-deref", "HEAD", stands])?;
        notes.push(format!(
            "{} moved on; {} has uncommitted work and stays at {}: git switch {} follows",
            placed.branch,
            theirs.display(),
            &stands[..stands.len().min(12)],
            placed.branch
        ));
    }
    let full = format!("refs/heads/{}", placed.branch);
    move_to(own, &full, (stands, head))?;
    Ok(notes)
}

fn tip(own: &Place, name: &str) -> Result<String, Fault> {
    trees::tip(&own.top, name)?.ok_or_else(|| {
        let reason = format!("{} has no commit", own.top.display());
        Fault::new(Code::GitFailed, reason)
    })
}

/// Moves a ref by compare-and-swap.
pub(super) fn move_to(own: &Place, full: &str, (from, to): (&str, &str)) -> Result<(), Fault> {
    git::read(&own.top, &["update-ref", "--no-deref", full, to, from]).map(drop)
}

/// Somebody else moved the branch, or the agent wrote its history anew: the work gets another one.
fn beside(own: &Place, (placed, run): (&Placed, &str), head: &str) -> Result<String, Fault> {
    let name = format!("{}-{run}", placed.branch);
    let full = format!("refs/heads/{name}");
    git::read(&own.top, &["update-ref", "--no-deref", &full, head])?;
    Ok(format!(
        "{} moved meanwhile; what the run has beside it is on {name}",
        placed.branch
    ))
}

/// Commits what the agent left, Overnight's own files left out; nothing of git's configuration that
/// starts programs is asked.
pub(crate) fn commit_left(tree: &Path, message: &str) -> Result<(), Fault> {
    trees::unlock(tree)?;
    let mut add = git::tame(tree);
    add.args(["add", "-A", "--sparse", "--ignore-errors", "--", "."]);
    add.args(exclude::own_paths());
    let added = git::output(&mut add, &[])?;
    let staged = !git::run(tree, &["diff", "--cached", "--quiet"])?.ok();
    if !staged && trees::tip(tree, "MERGE_HEAD")?.is_none() {
        return Ok(());
    }
    trees::commit(tree, &[&format!("--message={message}")]).map_err(|fault| {
        let reason = format!("{} {}", fault.reason, one_line(&added.stderr, 200));
        Fault { reason, ..fault }
    })
}

/// Commits what git holds of the files that Overnight writes, as they stand at the end: the task list
/// and progress, where they are this tree's. Whoever takes the work has what is done with it.
pub fn keep_written(own: &Place, (run, iteration): (&str, u32)) -> Result<(), Fault> {
    let written = [
        (own.list_folder(), tasklist::FILE),
        (own.progress_folder(), progress::FOLDER),
    ];
    let mut only = vec!["--"];
    for (folder, path) in written {
        if folder == own.top && holds(own, path)? {
            only.push(path);
        }
    }
    if only.len() == 1 {
        return Ok(());
    }
    // Files of progress that are new, and what an earlier run told git to ignore.
    git::read(
        &own.top,
        &[&["add", "--sparse", "--force"][..], &only].concat(),
    )?;
    let changed = [&["diff", "--quiet", "HEAD"][..], &only].concat();
    if git::run(&own.top, &changed)?.ok() {
        return Ok(());
    }
    let message = "--message=Bring the task list and progress up to date";
    trees::commit(
        &own.top,
        &[&[message, &trailers(run, iteration)][..], &only].concat(),
    )
}

/// Keeps progress that git does not hold out of its sight.
pub fn hide_progress(place: &Place) -> Result<(), Fault> {
    if place.git_common.is_none() || holds(place, progress::FOLDER)? {
        return Ok(());
    }
    exclude::progress(place)
}

/// Does git hold this file of ours, or any of this folder, in the tree?
fn holds(place: &Place, path: &str) -> Result<bool, Fault> {
    let listed = git::read(&place.top, &["ls-files", "--", path])?;
    Ok(!listed.is_empty())
}

fn trailers(run: &str, iteration: u32) -> String {
    format!("--message=Overnight-Run: {run}\nOvernight-Iteration: {iteration}")
}

/// The work tree that has the branch checked out, other than the run's own.
pub(super) fn checked_out(placed: &Placed) -> Result<Option<PathBuf>, Fault> {
    let listed = git::read(
        Path::new(&placed.home),
        &["worktree", "list", "--porcelain", "-z"],
    )?;
    let wanted = format!("branch refs/heads/{}", placed.branch);
    let entries = listed.split("\0\0");
    let mut trees = entries.filter(|entry| entry.split('\0').any(|line| line == wanted));
    let path = trees.find_map(|entry| {
        entry
            .split('\0')
            .find_map(|line| line.strip_prefix("worktree "))
    });
    Ok(path
        .map(PathBuf::from)
        .filter(|path| path != Path::new(&placed.tree)))
}

/// Files that a person writes for the night.
const FOR_THE_NIGHT: [&str; 2] = ["AGENT_PROMPT.md", "overnight.toml"];

/// Is nothing changed, staged or untracked there but what is ours?
fn is_clean(tree: &Path) -> Result<bool, Fault> {
    let mut status = git::tame(tree);
    status.args(["status", "--porcelain", "--", "."]);
    status.args(exclude::own_paths());
    // What a person writes for the night is uncommitted as a rule; git itself keeps it when it is in
    // the way.
    status.args(FOR_THE_NIGHT.map(|name| format!(":(top,exclude){name}")));
    let done = git::output(&mut status, &[])?;
    Ok(done.ok() && done.stdout.is_empty())
}
