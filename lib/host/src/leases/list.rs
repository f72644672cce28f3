//! All leases of a remote, or one, with what can be said about each.

use super::acquire::evidence;
use super::store::{REMOTE_LIMIT, failed, record_of};
use super::{Leases, table};
use crate::clock;
use crate::files::FileLock;
use crate::git;
use overnight_core::fault::Fault;
use overnight_core::lease::record::{Phase, Standing};
use overnight_core::lease::refname::{self, LISTED};
use overnight_core::lease::{Record, State, Verdict, judge};
use overnight_core::tasks::TaskId;
use std::time::Duration;

/// One lease as seen from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The task.
    pub task: TaskId,
    /// The record; `None` when nobody ever held the task or it cannot be read.
    pub record: Option<Record>,
    /// `free`, `held`, `expired` (may be taken now) or `unreadable`.
    pub state: &'static str,
    /// Is it held by this agent?
    pub mine: bool,
}

impl Leases {
    /// Every lease that was ever taken and not swept, in the order of the task ids. Adds to what
    /// is known of each, and brings `current_tasks/` up to date; gives what failed there.
    pub fn list(&self) -> Result<(Vec<Entry>, Vec<String>), Fault> {
        let mut entries = Vec::new();
        for (task, standing) in self.standings()? {
            let state = self.take_in(&task, standing)?;
            entries.push(self.entry(task, &state));
        }
        entries.sort_by(|a, b| a.task.cmp(&b.task));
        let notes = entries
            .iter()
            .flat_map(|entry| self.mirror_entry(entry))
            .collect();
        Ok((entries, notes))
    }

    /// One lease, asked of the remote now.
    pub fn status(&self, task: &TaskId) -> Result<Entry, Fault> {
        let _lock = self.lock(task)?;
        let mut state = self.load(task)?;
        self.look(task, &mut state)?;
        Ok(self.entry(task.clone(), &state))
    }

    /// Remembers what was read; left out when another process is busy with the task.
    fn take_in(&self, task: &TaskId, standing: Standing) -> Result<State, Fault> {
        let lock = FileLock::acquire(&table::lock_path(&self.folder, task), Duration::ZERO)?;
        let mut state = self.load(task)?;
        state.observe(standing, &self.me.boot, clock::mono_ms());
        if lock.is_some() {
            self.save(task, &state)?;
        }
        Ok(state)
    }

    /// Brings one entry's file up to date: only a lease that is held is shown.
    pub(super) fn mirror_entry(&self, entry: &Entry) -> Vec<String> {
        let Some(record) = entry.record.clone() else {
            return Vec::new();
        };
        let state = if entry.state == "held" {
            Phase::Held
        } else {
            Phase::Free
        };
        self.mirror(&Record { state, ..record })
    }

    pub(super) fn entry(&self, task: TaskId, state: &State) -> Entry {
        let standing = state.standing.clone().unwrap_or(Standing::Absent);
        let verdict = judge(&standing, &self.me, self.now(), evidence(state, &standing));
        let record = standing.record().cloned();
        let free = record
            .as_ref()
            .is_none_or(|record| record.state == Phase::Free);
        let word = match (&standing, verdict) {
            (Standing::Unreadable { .. }, _) => "unreadable",
            _ if free => "free",
            (_, Verdict::Take { .. }) => "expired",
            (_, Verdict::Held | Verdict::Mine) => "held",
        };
        Entry {
            task,
            record,
            state: word,
            mine: verdict == Verdict::Mine,
        }
    }

    /// Every lease ref with what stands on it.
    pub(super) fn standings(&self) -> Result<Vec<(TaskId, Standing)>, Fault> {
        let namespace = self.store.namespace();
        let Some(remote) = self.remote() else {
            return self.read_refs(&format!("{namespace}/"));
        };
        // One at a time: the copies below are shared by the whole clone.
        let _lock = FileLock::acquire(&self.folder.join("list.flock"), super::PATIENCE)?;
        let copies = format!("{LISTED}/{}/", refname::encode(remote));
        let refspec = format!("+{namespace}/*:{copies}*");
        let done = self
            .store
            .fetch(remote, (&["--prune"], REMOTE_LIMIT), &refspec)?;
        if !done.ok() {
            return Err(self.store.unreachable(&done));
        }
        self.read_refs(&copies)
    }

    /// The leases among the refs with this prefix.
    fn read_refs(&self, prefix: &str) -> Result<Vec<(TaskId, Standing)>, Fault> {
        let mut command = self.store.command();
        let format = "--format=%(refname)%00%(objectname)%00%(objecttype)%00%(contents)%00%00";
        command.args(["for-each-ref", format, prefix]);
        let done = git::output(&mut command, &[])?;
        if !done.ok() {
            return Err(failed("git for-each-ref", &done));
        }
        let entries = split(&done.stdout, b"\0\0\n");
        Ok(entries
            .into_iter()
            .filter_map(|entry| lease(entry, prefix))
            .collect())
    }
}

/// One entry of `for-each-ref`: name, object id, kind, message.
fn lease(entry: &[u8], prefix: &str) -> Option<(TaskId, Standing)> {
    let mut parts = entry.splitn(4, |byte| *byte == 0);
    let mut word = || {
        parts
            .next()
            .map(|part| String::from_utf8_lossy(part).into_owned())
    };
    let (name, oid, kind) = (word()?, word()?, word()?);
    let task = refname::decode(name.strip_prefix(prefix)?)?;
    let standing = record_of(&oid, &kind, parts.next()?, &task);
    Some((task, standing))
}

fn split<'b>(bytes: &'b [u8], by: &[u8]) -> Vec<&'b [u8]> {
    let mut parts = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(by.len()).position(|window| window == by) {
        parts.push(&rest[..at]);
        rest = &rest[at + by.len()..];
    }
    parts
}
