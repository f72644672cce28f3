//! The line: the branch that finished work is merged into, on the leases' remote where there is
//! one, and in this clone.

use super::objects::Objects;
use crate::config;
use crate::git;
use crate::known::Known;
use crate::leases::{Kept, Leases};
use crate::left_lock;
use crate::state::Place;
use crate::trees;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use overnight_run::members::event::Elsewhere;
pub(super) use overnight_run::members::line::WAY;
use overnight_run::members::line::{RUN, TRAILER, branch, done, queue, told};
use overnight_run::task::TaskSpec;
use overnight_tasks::TaskId;
use rustix::fs::{Access, access};
use std::path::Path;

/// Merges that are looked through for what is done.
const MERGES_MAX: usize = 20_000;

/// What the last commits of lines say is done, by the commit and the repository.
static MERGES: Known<String> = Known::new(4);

/// The line of one run.
#[derive(Debug, Clone)]
pub(super) struct Line {
    place: Place,
    /// The branch that the run stands on, which is brought up to the line.
    standing_on: String,
    own_prefix: String,
    /// The line's name on the remote.
    remote_branch: String,
}

/// How a try to move the line ended.
pub(super) enum Moved {
    /// It stands on the commit.
    Done,
    /// It does on the remote; this clone follows at its next look.
    There,
    /// Somebody else moved it first.
    Raced,
    /// The lease is no longer ours.
    Lost,
}

/// What became of the line since this driver left it.
pub(super) enum Seen {
    /// Nothing.
    Same,
    /// The person moved it: it stands here now.
    Moved(String),
    /// It stands where it was left again; in words.
    PutBack(String),
}

impl Line {
    /// The line of a run that stands on the branch that is checked out in the project.
    /// Where nothing is checked out by name, it is the one that the run began on.
    pub(super) fn of(place: &Place, began_on: Option<&str>) -> Result<Self, Fault> {
        let standing_on = place.branch().or(began_on.map(str::to_owned));
        let standing_on = standing_on.ok_or_else(|| {
            Fault::new(
                Code::GitFailed,
                "members need a branch to bring their work to",
            )
            .hint("git switch -c auto/NAME")
        })?;
        if trees::tip(&place.top, &format!("refs/heads/{standing_on}"))?.is_none() {
            let reason = format!("the branch {standing_on} has no commit to start from");
            return Err(Fault::new(Code::GitFailed, reason).hint("commit something first"));
        }
        let own_prefix = config::load(Some(place)).settings.guard.branch_prefix;
        Ok(Self {
            remote_branch: branch(&own_prefix, &standing_on),
            own_prefix,
            standing_on,
            place: place.clone(),
        })
    }

    /// What the names of our own branches start with.
    pub(super) fn own_prefix(&self) -> &str {
        &self.own_prefix
    }

    /// The lease of its queue.
    pub(super) fn queue(&self) -> Result<TaskId, Fault> {
        TaskId::parse(&queue(&self.remote_branch))
            .map_err(|reason| Fault::new(Code::Defect, reason))
    }

    /// The newest commit of the line: what the remote has and what this clone has. Brings the
    /// project's branch up to it, if nothing there is in the way; gives what was.
    pub(super) fn sync(
        &self,
        leases: &Leases,
        objects: &Objects,
    ) -> Result<(String, Option<String>), Fault> {
        // Two fetches of one clone would move the same ref.
        let _lock = trees::lock(&self.place)?;
        let fetched = leases.fetch_branch(&self.remote_branch)?;
        let here = self.here()?;
        let there = fetched
            .map(|name| trees::tip(&self.place.top, &name))
            .transpose()?
            .flatten();
        let Some(there) = there else {
            return Ok((here, None));
        };
        if trees::holds(&self.place.top, &here, &there)? {
            return Ok((here, None));
        }
        if trees::holds(&self.place.top, &there, &here)? {
            let note = self.advance(&here, &there)?;
            return Ok((there, note));
        }
        self.join(objects, &there, &here)
            .map(|commit| (commit, None))
    }

    /// The commit of the project's branch.
    pub(super) fn here(&self) -> Result<String, Fault> {
        self.found()?.ok_or_else(|| self.is_gone())
    }

    /// The same, if there is such a branch.
    fn found(&self) -> Result<Option<String>, Fault> {
        let name = format!("refs/heads/{}", self.standing_on);
        match git::loose(&self.place, &name) {
            None => trees::tip(&self.place.top, &name),
            commit => Ok(commit),
        }
    }

    /// Both sides moved: a merge of the two, with the line as its first parent.
    fn join(&self, objects: &Objects, there: &str, here: &str) -> Result<String, Fault> {
        let merged = objects.merge(there, here, &[])?;
        if merged.conflicts.is_empty() {
            let message = format!("Merge {} into the line\n", self.standing_on);
            return objects.commit(&merged.tree, &[there, here], &message);
        }
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

    /// Deletes the run's branches that the line holds and no work tree has checked out: whatever
    /// moved since it was listed stays.
    pub(super) fn delete_landed(&self, run: &str) -> Result<(), Fault> {
        let pattern = format!("refs/heads/{}{run}/", self.own_prefix);
        let within = format!("--merged=refs/heads/{}", self.standing_on);
        let list = [
            "for-each-ref",
            "--format=%(refname) %(objectname) %(worktreepath)",
            &within,
            &pattern,
        ];
        let listed = git::read(&self.place.top, &list)?;
        let lines = listed.lines().map(str::trim_end);
        let free = lines.filter_map(|line| line.split_once(' '));
        let free: Vec<_> = free.filter(|(_, oid)| !oid.contains(' ')).collect();
        if free.is_empty() || self.delete(&free)? {
            return Ok(());
        }
        for one in free {
            // It moved just now: then it is not merged.
            self.delete(&[one])?;
        }
        Ok(())
    }

    /// Deletes these branches, all or none: each must stand where it was seen.
    fn delete(&self, branches: &[(&str, &str)]) -> Result<bool, Fault> {
        let line = |(name, oid): &(&str, &str)| format!("delete {name} {oid}\n");
        let lines: String = branches.iter().map(line).collect();
        let mut command = git::command(&self.place.top);
        command.args(["update-ref", "--no-deref", "--stdin"]);
        Ok(git::output(&mut command, lines.as_bytes())?.ok())
    }

    /// Those of the tasks that the line holds at `commit`, each with its merge.
    pub(super) fn done<'t>(
        &self,
        commit: &str,
        tasks: impl Iterator<Item = &'t TaskSpec>,
    ) -> Result<Vec<Elsewhere>, Fault> {
        let value = |key: &str| format!("%(trailers:key={key},valueonly,separator=%x20)");
        let format = format!("--format=%H -{} {}", value(RUN), value(TRAILER));
        let grep = format!("--grep=^{TRAILER}: ");
        let most = format!("--max-count={MERGES_MAX}");
        let arguments = ["log", "--first-parent", &most, &grep, &format, commit, "--"];
        let top = self.place.top.to_string_lossy();
        let told = MERGES.or_ask((commit, &top), || git::read(&self.place.top, &arguments))?;
        Ok(done(&told, tasks))
    }

    /// Notes what a merge that this driver makes onto `base` says is done: git need not walk the line again.
    pub(super) fn note(&self, (base, commit): (&str, &str), tasks: &[&TaskSpec], run: &str) {
        let top = self.place.top.to_string_lossy();
        if let Some(before) = MERGES.known((base, &top)) {
            MERGES.note((commit, &top), told(commit, tasks, run) + "\n" + &before);
        }
    }

    /// Moves the line from one commit to a later one, if the lease is still ours: on the remote in
    /// one push with the lease, then in this clone. The text is what a person should know of it.
    pub(super) fn publish(
        &self,
        leases: &Leases,
        (task, token): (&TaskId, u64),
        (base, commit): (&str, &str),
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
            // It has landed, whatever this clone says to it.
            return Ok(match self.follow(commit) {
                Ok(note) => (Moved::Done, note),
                Err(fault) => (Moved::There, Some(fault.to_string())),
            });
        }
        let _lock = trees::lock(&self.place)?;
        let (here, at) = self.stands()?;
        if here != base {
            return Ok((Moved::Raced, None));
        }
        Ok((Moved::Done, self.advance_at(&at, base, commit)?))
    }

    /// Brings this clone up to a commit of the remote's line; a branch that moved meanwhile is joined at the
    /// next look.
    fn follow(&self, commit: &str) -> Result<Option<String>, Fault> {
        let _lock = trees::lock(&self.place)?;
        let here = self.here()?;
        if !trees::holds(&self.place.top, commit, &here)? {
            return Ok(None);
        }
        self.advance(&here, commit)
    }

    /// Does the remote's line hold something that the commit does not?
    fn is_behind(&self, leases: &Leases, commit: &str) -> Result<bool, Fault> {
        let _lock = trees::lock(&self.place)?;
        let Some(name) = leases.fetch_branch(&self.remote_branch)? else {
            return Ok(false);
        };
        Ok(!trees::holds(&self.place.top, commit, &name)?)
    }

    /// Moves the branch by compare-and-swap. A work tree that has it checked out comes along when
    /// nothing there is in the way; else it stays exactly as it is, at the commit where it was.
    fn advance(&self, from: &str, to: &str) -> Result<Option<String>, Fault> {
        self.advance_at(&self.stands()?.1, from, to)
    }

    /// The commit of the project's branch, and the work tree that has it checked out, if one has.
    fn stands(&self) -> Result<(String, String), Fault> {
        let name = format!("refs/heads/{}", self.standing_on);
        if self.place.branch().as_ref() == Some(&self.standing_on)
            && let Some(commit) = git::loose(&self.place, &name)
        {
            return Ok((commit, self.place.top.to_string_lossy().into_owned()));
        }
        let form = "--format=%(objectname) %(worktreepath)";
        let said = git::read(&self.place.top, &["for-each-ref", form, &name])?;
        let found = said.lines().next().and_then(|line| line.split_once(' '));
        let (commit, at) = found.ok_or_else(|| self.is_gone())?;
        Ok((commit.to_owned(), at.to_owned()))
    }

    fn is_gone(&self) -> Fault {
        let reason = format!("the branch {} is gone", self.standing_on);
        Fault::new(Code::GitFailed, reason)
    }

    fn advance_at(&self, at: &str, from: &str, to: &str) -> Result<Option<String>, Fault> {
        let name = format!("refs/heads/{}", self.standing_on);
        let message = "overnight: proved work";
        let swap = ["update-ref", "--no-deref", "-m", message, &name, to, from];
        if at.is_empty() && git::run(&self.place.top, &swap)?.ok() {
            return Ok(None);
        }
        self.can_move(&name, from, to)?;
        let mut note = None;
        if !at.is_empty() {
            let forward = ["merge", "--quiet", "--ff-only", "--no-autostash", to];
            let done = git::run(Path::new(at), &forward)?;
            if done.ok() {
                return Ok(None);
            }
            let why = one_line(&done.stderr, 300);
            note = Some(self.leave(at, from, &why)?);
        }
        git::read(&self.place.top, &swap)?;
        Ok(note)
    }

    /// Could the branch be moved now? Asked before anything of a work tree is touched. The lock of a git that
    /// was killed at it is removed.
    fn can_move(&self, name: &str, from: &str, to: &str) -> Result<(), Fault> {
        if self.is_free(name, from) {
            return Ok(());
        }
        let tried = format!("start\nupdate {name} {to} {from}\nprepare\nabort\n");
        let ask = || {
            let mut command = git::command(&self.place.top);
            command.args(["update-ref", "--no-deref", "--stdin"]);
            git::output(&mut command, tried.as_bytes())
        };
        let mut asked = ask()?;
        if !asked.ok()
            && self
                .place
                .git_common
                .as_ref()
                .is_some_and(|common| left_lock::remove(&common.join(format!("{name}.lock"))))
        {
            asked = ask()?;
        }
        if asked.ok() {
            return Ok(());
        }
        let reason = format!(
            "{} cannot be moved: {}",
            self.standing_on,
            one_line(&asked.stderr, 300)
        );
        Err(Fault::new(Code::GitFailed, reason))
    }

    /// Is the branch a file of its own that stands there, and nothing in the way of writing it?
    fn is_free(&self, name: &str, from: &str) -> bool {
        let Some(common) = &self.place.git_common else {
            return false;
        };
        let folder = common.join(name);
        let folder = folder.parent().unwrap_or(common);
        git::loose(&self.place, name).as_deref() == Some(from)
            && !common.join(format!("{name}.lock")).exists()
            && access(folder, Access::WRITE_OK).is_ok()
    }

    /// The person's tree keeps what it has, files, index and commit; only the branch goes on.
    fn leave(&self, at: &str, from: &str, why: &str) -> Result<String, Fault> {
        let message = "overnight: the branch goes on";
        git::read(
            Path::new(at),
            &["update-ref", "--no-deref", "-m", message, "HEAD", from],
        )?;
        let on = &self.standing_on;
        let short = &from[..from.len().min(9)];
        Ok(format!(
            "{at} stays at {short} with your changes, detached from {on}, which goes on: {why}; when they are committed or put away: git switch {on}"
        ))
    }

    /// Puts the line where this driver left it when somebody moved it past the queue; a person who
    /// moved it in the work tree that has it checked out is believed. Gives what was found.
    pub(super) fn watch(&self, known: &str, side: &str) -> Result<Seen, Fault> {
        let _lock = trees::lock(&self.place)?;
        let name = format!("refs/heads/{}", self.standing_on);
        let Some(here) = self.found()? else {
            git::read(&self.place.top, &["update-ref", "--no-deref", &name, known])?;
            return Ok(Seen::PutBack(format!(
                "{} was deleted: it is back",
                self.standing_on
            )));
        };
        if here == known {
            return Ok(Seen::Same);
        }
        let at = ["for-each-ref", "--format=%(worktreepath)", &name];
        let at = git::read(&self.place.top, &at)?;
        if !at.is_empty() && trees::last_move(Path::new(&at))?.is_none_or(|last| last == here) {
            return Ok(Seen::Moved(here));
        }
        trees::keep(&self.place.top, side, &here)?;
        git::read(
            &self.place.top,
            &["update-ref", "--no-deref", &name, known, &here],
        )?;
        Ok(Seen::PutBack(format!(
            "{} was moved past the queue: it is back, what it was moved to is kept at {side}",
            self.standing_on
        )))
    }
}
