//! A run's own work tree: made, found again, given back.

use super::branch;
use crate::furnish;
use crate::state::{self, HOME, Place};
use crate::tasklist;
use crate::trees;
use crate::{exclude, files, git, progress, runs};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_run::placed::Placed;
use std::path::Path;

/// The run's work tree with its branch, both made if they are not there.
pub(super) fn ensure(place: &Place, run: &str, placed: &Placed) -> Result<Place, Fault> {
    let _lock = trees::lock(place)?;
    let path = Path::new(&placed.tree);
    let full = format!("refs/heads/{}", placed.branch);
    if trees::tip(&place.top, &full)?.is_none() {
        // All zeros: only if nobody made it meanwhile.
        let zeros = "0".repeat(placed.base.len());
        git::read(
            &place.top,
            &["update-ref", "--no-deref", &full, &placed.base, &zeros],
        )?;
    }
    if !path.join(".git").is_file() {
        add(place, path, placed)?;
    }
    furnish::furnish(place, &place.run_folder(run), path)?;
    let own = state::locate(path)?;
    let folder = linked(&own)?;
    files::replace(&folder.join(HOME), placed.home.as_bytes(), files::PRIVATE)?;
    exclude::ensure(&own)?;
    share(place, &own)?;
    check_out(&own, placed)?;
    state::locate(path)
}

fn add(place: &Place, path: &Path, placed: &Placed) -> Result<(), Fault> {
    if let Some(folder) = path.parent() {
        files::create_private_folder(folder)?;
    }
    let tree = path.to_string_lossy();
    // Where the person takes their uncommitted work along, the branch stands on it already.
    let from = if placed.theirs {
        placed.base.clone()
    } else {
        format!("refs/heads/{}", placed.branch)
    };
    // Forced, because a work tree whose folder somebody removed is still in git's books.
    let add = [
        "worktree", "add", "--quiet", "--force", "--detach", &tree, &from,
    ];
    furnish::forget(path);
    git::read(&place.top, &add).map(drop)
}

/// The git folder of a linked work tree.
fn linked(own: &Place) -> Result<std::path::PathBuf, Fault> {
    let git = own.git.clone();
    git.filter(|git| Some(git) != own.git_common.as_ref())
        .ok_or_else(|| {
            let reason = format!("{} is no linked work tree", own.top.display());
            Fault::new(Code::GitFailed, reason)
        })
}

/// What the person keeps in git is the tree's own; what they do not is shown and read in theirs.
fn share(place: &Place, own: &Place) -> Result<(), Fault> {
    let listed = ["ls-files", "-z", "--", tasklist::FILE, progress::FOLDER];
    let listed = git::read(&own.top, &listed)?;
    let mut names = listed.split('\0');
    let progress = names.any(|name| name.starts_with(progress::FOLDER));
    let list = listed.split('\0').any(|name| name == tasklist::FILE);
    state::mark(own, state::OWN_PROGRESS, progress)?;
    state::mark(own, state::OWN_LIST, list)?;
    if !progress {
        exclude::progress(place)?;
    }
    // The list as the person has it now, also where they have not committed it.
    if list && let Ok(bytes) = std::fs::read(place.top.join(tasklist::FILE)) {
        let there = own.top.join(tasklist::FILE);
        if std::fs::read(&there).is_ok_and(|now| now != bytes) {
            files::write_atomic(&there, &bytes, files::SHARED)?;
        }
    }
    Ok(())
}

/// Checks the branch out, unless it is checked out elsewhere; then the tree stands on its commit.
fn check_out(own: &Place, placed: &Placed) -> Result<(), Fault> {
    if own.branch().is_some() {
        // Where an agent of the last driver left it.
        return Ok(());
    }
    let full = format!("refs/heads/{}", placed.branch);
    let head = trees::tip(&own.top, "HEAD")?;
    let tip = trees::tip(&own.top, &full)?;
    if !placed.theirs && head == tip && branch::checked_out(placed)?.is_none() {
        // It stands there already: git would look at every file once more.
        return git::read(
            &own.top,
            &["symbolic-ref", "-m", "overnight: begin", "HEAD", &full],
        )
        .map(drop);
    }
    let switch = ["switch", "--quiet", "--no-guess", placed.branch.as_str()];
    if !placed.theirs && git::run(&own.top, &switch)?.ok() {
        return Ok(());
    }
    // Behind the branch, and nothing in the way: it goes on from where the branch is.
    if let (Some(head), Some(tip)) = (head, tip)
        && head != tip
        && trees::holds(&own.top, &tip, &head)?
    {
        let done = git::run(&own.top, &["merge", "--quiet", "--ff-only", &tip])?;
        if !done.ok() {
            let reason = format!("{}: {}", placed.tree, one_line(&done.stderr, 300));
            return Err(Fault::new(Code::GitFailed, reason));
        }
    }
    Ok(())
}

/// At the end of a driver: the branch is free to be checked out; a tree that nothing is lost with is
/// removed when the run is `over`.
pub fn leave(place: &Place, run: &str, over: bool) -> Result<(), Fault> {
    let Some(placed) = runs::state(place, run)?.placed else {
        return Ok(());
    };
    let path = Path::new(&placed.tree);
    if !path.join(".git").is_file() {
        return Ok(());
    }
    let home = state::locate(Path::new(&placed.home))?;
    let _lock = trees::lock(place)?;
    if over && trees::remove(&home, path, &placed.branch)? {
        for folder in path.ancestors().skip(1).take(2) {
            // Others may have theirs in it.
            let _ = std::fs::remove_dir(folder);
        }
        return Ok(());
    }
    trees::detach(path)
}
