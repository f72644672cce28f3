//! The line: the branch that finished work is merged into, on the leases' remote where there is
//! one, and in this clone.

use super::tree;
use crate::config;
use crate::git;
use crate::leases::{Kept, Leases};
use crate::state::Place;
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::run::members::line::{TRAILER, branch, done};
use overnight_core::run::task::TaskSpec;
use overnight_core::tasks::TaskId;
use overnight_core::text::one_line;
use std::path::{Path, PathBuf};

/// Merges that are looked through for what is done.
const MERGES_MAX: usize = 20_000;

/// The line of one run.
#[derive(Debug, Clone)]
pub(super) struct Line {
    place: Place,
    /// The branch that the run stands on, which is brought up to the line.
    standing_on: String,
    own_prefix: String,
    /// The line's name on the remote.
    remote_branch: String,
    /// The work tree in which branches are merged.
    pub(super) tree: PathBuf,
    folder: PathBuf,
}

/// How a try to move the line ended.
pub(super) enum Moved {
    /// It stands on the commit.
    Done,
    /// Somebody else moved it first.
    Raced,
    /// The lease is no longer ours.
    Lost,
}

impl Line {
    /// The line of a run that stands on the branch that is checked out in the project.
    pub(super) fn of(place: &Place, run: &str) -> Result<Self, Fault> {
        let standing_on = place.branch().ok_or_else(|| {
            Fault::new(
                Code::GitFailed,
                "members need a branch to bring their work to",
            )
            .hint("git switch -c auto/NAME")
        })?;
        if tree::tip(&place.top, &format!("refs/heads/{standing_on}"))?.is_none() {
            let reason = format!("the branch {standing_on} has no commit to start from");
            return Err(Fault::new(Code::GitFailed, reason).hint("commit something first"));
        }
        let own_prefix = config::load(Some(place)).settings.guard.branch_prefix;
        let folder = tree::folder(place, run)?;
        Ok(Self {
            remote_branch: branch(&own_prefix, &standing_on),
            own_prefix,
            standing_on,
            place: place.clone(),
            tree: folder.join("merge"),
            folder,
        })
    }

    /// What the names of our own branches start with.
    pub(super) fn own_prefix(&self) -> &str {
        &self.own_prefix
    }

    /// Removes the work tree in which branches were merged; the next run makes its own.
    pub(super) fn remove_tree(&self) {
        let tree = self.tree.to_string_lossy();
        let _ = git::run(&self.place.top, &["worktree", "remove", "--force", &tree]);
    }

    /// The newest commit of the line: what the remote has and what this clone has. Brings the
    /// project's branch up to it, if nothing there is in the way; gives what was.
    pub(super) fn sync(&self, leases: &Leases) -> Result<(String, Option<String>), Fault> {
        // Two fetches of one clone would move the same ref.
        let _lock = tree::lock(&self.place)?;
        let fetched = leases.fetch_branch(&self.remote_branch)?;
        let here = self.here()?;
        let there = fetched
            .map(|name| tree::tip(&self.place.top, &name))
            .transpose()?
            .flatten();
        let Some(there) = there else {
            return Ok((here, None));
        };
        if tree::holds(&self.place.top, &here, &there)? {
            return Ok((here, None));
        }
        if tree::holds(&self.place.top, &there, &here)? {
            let in_the_way = self.advance(&there)?.err();
            return Ok((there, in_the_way));
        }
        self.join(&there, &here).map(|commit| (commit, None))
    }

    /// The commit of the project's branch.
    pub(super) fn here(&self) -> Result<String, Fault> {
        let name = format!("refs/heads/{}", self.standing_on);
        tree::tip(&self.place.top, &name)?.ok_or_else(|| {
            let reason = format!("the branch {} is gone", self.standing_on);
            Fault::new(Code::GitFailed, reason)
        })
    }

    /// Both sides moved: a merge of the two, with the line as its first parent.
    fn join(&self, there: &str, here: &str) -> Result<String, Fault> {
        self.clean_tree(there)?;
        let message = format!("Merge {} into the line", self.standing_on);
        let mut merge = tree::named(&self.tree)?;
        merge.args([
            "merge",
            "--quiet",
            "--no-ff",
            "--no-verify",
            "-m",
            &message,
            here,
        ]);
        let merged = git::output(&mut merge, &[])?;
        if merged.ok() {
            return git::read(&self.tree, &["rev-parse", "--verify", "HEAD"]);
        }
        let _ = git::run(&self.tree, &["merge", "--abort"]);
        let (on, line) = (&self.standing_on, &self.remote_branch);
        let reason = format!("your branch {on} and the line {line} conflict");
        Err(Fault::new(Code::GitFailed, reason).hint(format!(
            "merge the remote's {line} into {on} by hand, then resume"
        )))
    }

    /// The run's branches that the line does not hold: work of a task that another driver did, or
    /// that is not done.
    pub(super) fn unmerged(&self, run: &str) -> Result<Vec<String>, Fault> {
        let pattern = format!("refs/heads/{}{run}/", self.own_prefix);
        let without = format!("--no-merged={}", self.here()?);
        let list = [
            "for-each-ref",
            "--format=%(refname:short)",
            &without,
            &pattern,
        ];
        let listed = git::read(&self.place.top, &list)?;
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// The merge work tree, checked out at a commit and emptied of what an earlier try left: no
    /// agent works there, and what it holds are merges of commits that stand elsewhere.
    pub(super) fn clean_tree(&self, commit: &str) -> Result<(), Fault> {
        tree::ensure(&self.place, (&self.folder, "merge"), commit)?;
        git::read(
            &self.tree,
            &["checkout", "--quiet", "--force", "--detach", commit],
        )?;
        git::read(&self.tree, &["clean", "--quiet", "--force", "-d"]).map(drop)
    }

    /// Those of the tasks that the line holds at `commit`, each with its merge.
    pub(super) fn done<'t>(
        &self,
        commit: &str,
        tasks: impl Iterator<Item = &'t TaskSpec>,
    ) -> Result<Vec<(String, String)>, Fault> {
        let format = format!("--format=%H %(trailers:key={TRAILER},valueonly,separator=%x20)");
        let grep = format!("--grep=^{TRAILER}: ");
        let most = format!("--max-count={MERGES_MAX}");
        let arguments = ["log", "--first-parent", &most, &grep, &format, commit, "--"];
        Ok(done(&git::read(&self.place.top, &arguments)?, tasks))
    }

    /// Moves the line to a commit that holds everything it held, if the lease is still ours: on
    /// the remote in one push with the lease, then in this clone. The text is what stands in the
    /// way of the project's own work tree, where the remote has the work already.
    pub(super) fn publish(
        &self,
        leases: &Leases,
        (task, token): (&TaskId, u64),
        commit: &str,
    ) -> Result<(Moved, Option<String>), Fault> {
        if leases.remote().is_some() {
            let refspec = format!("{commit}:refs/heads/{}", self.remote_branch);
            match leases.publish(task, token, &[refspec]) {
                Ok(Kept::Done(_)) => {}
                Ok(Kept::Lost(_)) => return Ok((Moved::Lost, None)),
                Err(fault)
                    if fault.code == Code::GitFailed && self.is_behind(leases, commit)? =>
                {
                    return Ok((Moved::Raced, None));
                }
                Err(fault) => return Err(fault),
            }
            let _lock = tree::lock(&self.place)?;
            // A branch that moved meanwhile is joined at the next look.
            let in_the_way = self.advance(commit)?.err();
            return Ok((Moved::Done, in_the_way));
        }
        if let Kept::Lost(_) = leases.renew(task, token, None)? {
            return Ok((Moved::Lost, None));
        }
        let _lock = tree::lock(&self.place)?;
        if !tree::holds(&self.place.top, commit, &self.here()?)? {
            return Ok((Moved::Raced, None));
        }
        match self.advance(commit)? {
            Ok(()) => Ok((Moved::Done, None)),
            Err(why) => Err(Fault::new(Code::InputPath, why)),
        }
    }

    /// Does the remote's line hold something that the commit does not?
    fn is_behind(&self, leases: &Leases, commit: &str) -> Result<bool, Fault> {
        let _lock = tree::lock(&self.place)?;
        let Some(name) = leases.fetch_branch(&self.remote_branch)? else {
            return Ok(false);
        };
        Ok(!tree::holds(&self.place.top, commit, &name)?)
    }

    /// Brings the project's branch forward, with its files where it is checked out. Never forced:
    /// the inner error is what stands in the way.
    fn advance(&self, commit: &str) -> Result<Result<(), String>, Fault> {
        let top: &Path = &self.place.top;
        let done = if self.place.branch().as_deref() == Some(&self.standing_on) {
            git::run(
                top,
                &["merge", "--quiet", "--ff-only", "--no-autostash", commit],
            )?
        } else {
            let refspec = format!("{commit}:refs/heads/{}", self.standing_on);
            git::run(top, &["push", "--quiet", "--no-verify", ".", &refspec])?
        };
        Ok(if done.ok() {
            Ok(())
        } else {
            let why = one_line(&done.stderr, 300);
            Err(format!(
                "{} cannot be brought to the merged work: {why}; commit or move your changes away",
                self.standing_on
            ))
        })
    }
}
