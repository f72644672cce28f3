//! Where a run works: in a work tree of its own, on a branch of its own, away from the person's.

mod branch;
mod left_out;
mod tree;

use crate::fleet;
use crate::leases::{Leases, Options};
use crate::sight;
use crate::state::{self, Place};
use crate::trees;
use crate::{config, exclude, git, journal::Journal, runs, snapshot};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_run::State;
use overnight_run::members::line;
use overnight_run::placed::{self, Placed};
use std::path::{Path, PathBuf};

pub(crate) use branch::commit_left;
pub use branch::{advance, bring, hide_progress, keep_written};
pub use left_out::leave_out;
pub use tree::leave;

pub use crate::snapshot::RUNS as SNAPSHOTS;

/// What a person wants of the place where the run works.
#[derive(Debug, Clone, Copy)]
pub struct Wish<'a> {
    /// In the person's own work tree.
    pub here: bool,
    /// With the person's uncommitted work.
    pub with_changes: bool,
    /// With members, which have work trees of their own.
    pub members: bool,
    /// The remote with the line that every machine of this branch shares; none: on a branch of its
    /// own.
    pub joins: Option<&'a str>,
}

/// The place where a run works, made if it is not there: its own work tree, or the person's where
/// that was wished or there is no commit to begin at.
pub fn settle(place: &Place, run: &str, wish: Wish<'_>, say: fn(&str)) -> Result<Place, Fault> {
    let state = runs::state(place, run)?;
    if let Some(placed) = &state.placed {
        return tree::ensure(place, run, placed);
    }
    if state.epoch > 0 || wish.here || place.git_common.is_none() {
        return in_place(place, run, (&state, wish), say);
    }
    let prefix = config::load(Some(place)).settings.guard.branch_prefix;
    let stands_on = place.branch();
    let own = stands_on
        .clone()
        .filter(|branch| branch.starts_with(&prefix) && branch.len() > prefix.len());
    // The line is brought along where it is checked out: `engine::members`.
    if wish.members
        && let Some(line) = &own
    {
        if let Some(remote) = wish.joins {
            fleet::join(place, run, (&leases_of(place, remote)?, line))?;
        }
        return Ok(place.clone());
    }
    let Some(head) = trees::tip(&place.top, "HEAD")? else {
        say("there is no commit yet to begin at: the run works in this work tree");
        return Ok(place.clone());
    };
    // Nothing is made for a run that may not begin.
    crate::pinned::read(place)?;
    if let Some(remote) = wish.joins {
        return join(place, run, (remote, &head, &prefix), say);
    }
    let base = base(place, (run, &head), wish, say)?;
    let goal = state.run.as_ref().map_or("", |run| run.goal.as_str());
    let placed = Placed {
        tree: own_tree(place, run)?.display().to_string(),
        home: place.top.display().to_string(),
        theirs: own.is_some(),
        branch: own
            .clone()
            .unwrap_or_else(|| placed::branch(&prefix, goal, run)),
        onto: stands_on.filter(|_| own.is_none()),
        base,
    };
    Journal::open(&place.run_folder(run), runs::WAIT_MAX)?.append(placed.clone())?;
    let of_run = tree::ensure(place, run, &placed)?;
    say(&format!(
        "works on {} in {}; your work tree stays as it is",
        placed.branch, placed.tree
    ));
    Ok(of_run)
}

/// A run on the line of the branch that the person stands on, as it is on the remote by now.
fn join(
    place: &Place,
    run: &str,
    (remote, head, prefix): (&str, &str, &str),
    say: fn(&str),
) -> Result<Place, Fault> {
    let onto = place.branch().map_or_else(|| default_branch(place), Ok)?;
    let branch = line::branch(prefix, &onto);
    let leases = leases_of(place, remote)?;
    let there = leases.fetch_branch(&branch)?;
    let there = there
        .map(|name| trees::tip(&place.top, &name))
        .transpose()?
        .flatten();
    let placed = Placed {
        tree: own_tree(place, run)?.display().to_string(),
        home: place.top.display().to_string(),
        theirs: false,
        base: there.unwrap_or_else(|| head.to_owned()),
        branch,
        onto: Some(onto),
    };
    Journal::open(&place.run_folder(run), runs::WAIT_MAX)?.append(placed.clone())?;
    fleet::join(place, run, (&leases, &placed.branch))?;
    let own = tree::ensure(place, run, &placed)?;
    say(&format!("works on the shared line {}", placed.branch));
    Ok(own)
}

fn leases_of(place: &Place, remote: &str) -> Result<Leases, Fault> {
    let options = Options {
        remote: Some(remote.to_owned()),
        ..Options::default()
    };
    Leases::open(&place.top, &options)
}

/// The remote's default branch, where a clone has none checked out.
fn default_branch(place: &Place) -> Result<String, Fault> {
    let head = ["symbolic-ref", "--short", "refs/remotes/origin/HEAD"];
    let done = git::run(&place.top, &head)?;
    let text = done.text();
    match text.strip_prefix("origin/").filter(|_| done.ok()) {
        Some(branch) => Ok(branch.to_owned()),
        None => {
            Err(Fault::new(Code::GitFailed, "no branch is checked out here")
                .hint("git switch BRANCH"))
        }
    }
}

/// Where a run's own tree is. Some tools call a project by its folder, so that it has the project's name; in a
/// folder of its own, for a project may be called as a member's tree is.
fn own_tree(place: &Place, run: &str) -> Result<PathBuf, Fault> {
    let name = place.top.file_name();
    let name = name.map_or_else(|| "tree".into(), PathBuf::from);
    Ok(trees::folder(place, run)?.join("own").join(name))
}

/// The commit that the night begins at.
fn base(
    place: &Place,
    (run, head): (&str, &str),
    wish: Wish<'_>,
    say: fn(&str),
) -> Result<String, Fault> {
    let count = uncommitted(place)?;
    if count == 0 {
        return Ok(head.to_owned());
    }
    if wish.with_changes {
        let name = format!("{SNAPSHOTS}/{run}/with-changes");
        let message = "Take uncommitted work along";
        return Ok(snapshot::keep(place, &name, message)?.commit);
    }
    say(&format!(
        "the run begins at {}; {count} uncommitted {} here, untouched (--with-changes takes them along)",
        &head[..head.len().min(12)],
        if count == 1 {
            "file stays"
        } else {
            "files stay"
        },
    ));
    Ok(head.to_owned())
}

/// Files that are changed, staged or untracked, ours left out.
pub(crate) fn uncommitted(place: &Place) -> Result<usize, Fault> {
    let mut status = git::tame(&place.top);
    status.args(["status", "--porcelain", "-z", "--no-renames", "--", "."]);
    status.args(exclude::own_paths());
    let done = git::output(&mut status, &[])?;
    if done.ok() {
        return Ok(done.stdout.split(|byte| *byte == 0).count() - 1);
    }
    let reason = format!("git status: {}", one_line(&done.stderr, 300));
    Err(Fault::new(Code::GitFailed, reason))
}

/// A run in the person's own work tree: nobody else may be at work there, and what they have
/// uncommitted is kept first.
fn in_place(
    place: &Place,
    run: &str,
    (state, wish): (&State, Wish<'_>),
    say: fn(&str),
) -> Result<Place, Fault> {
    let top = place.top.display().to_string();
    let others = sight::living(place)
        .into_iter()
        .filter(|other| other != run);
    for other in others {
        let there = runs::state(place, &other)?;
        // One that was refused before it began has neither a driver nor a session.
        let begun = there.session.is_some() || runs::living_driver(&there).is_some();
        let same = there.placed.is_none() && there.run.as_ref().is_some_and(|run| run.top == top);
        if begun && same {
            let reason = format!("run {other} works in this work tree");
            return Err(Fault::new(Code::RunBusy, reason)
                .hint("leave out --here, or end it: overnight stop"));
        }
    }
    if wish.here && state.epoch == 0 && place.git_common.is_some() && uncommitted(place)? > 0 {
        let name = format!("{SNAPSHOTS}/{run}/before");
        let kept = snapshot::keep(place, &name, "Uncommitted work before the run")?;
        say(&format!("your uncommitted work is kept as {}", kept.name));
    }
    Ok(place.clone())
}

/// The place of a run: its own work tree if it has one that is there, else the person's.
pub fn of(place: &Place, state: &State) -> Place {
    let own = state.placed.as_ref().map(|placed| &placed.tree);
    own.and_then(|tree| state::locate(Path::new(tree)).ok())
        .filter(|own| own.state == place.state)
        .unwrap_or_else(|| place.clone())
}

/// Keeps the tree as it is after this iteration of a run, 0 before the first, as a ref of its own. Without git there
/// is nothing to keep it in.
pub(crate) fn keep_tree(place: &Place, run: &str, number: u32) -> Result<(), Fault> {
    if place.git_common.is_none() {
        return Ok(());
    }
    let name = format!("{SNAPSHOTS}/{run}/{number}");
    let message = format!("Iteration {number} of run {run}");
    snapshot::keep(place, &name, &message).map(drop)
}
