//! All leases of a remote, or one, with what can be said about each.

use super::acquire::evidence;
use super::{Leases, table};
use crate::clock;
use crate::files::FileLock;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_lease::record::{Phase, Standing};
use overnight_lease::{Answer, Record, State, judge};
use overnight_tasks::TaskId;
use std::collections::BTreeMap;
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
        // One at a time: the copies of the remote's refs and the table are shared by the whole clone.
        let _lock = self.lock_list()?;
        let before = table::read(&self.folder)?;
        let own = table::own_tasks(&self.folder);
        let shown = self.shown(table::written(&self.folder));
        let mut table = BTreeMap::new();
        let (mut news, mut entries, mut notes) = (false, Vec::new(), Vec::new());
        for (task, standing) in self.standings(&before)? {
            let known = before.get(&task);
            let state = if own.contains(&task) {
                self.take_in(&task, standing)?
            } else {
                let mut state = known.cloned().unwrap_or_default();
                state.observe(standing, &self.me.boot, clock::mono_ms());
                state
            };
            let is_news = known.is_none_or(|known| state.tells_more(known));
            let entry = self.entry(task.clone(), &state);
            if is_news || !shown.is_right(&entry) {
                notes.extend(self.mirror_entry(&entry));
            }
            news |= is_news;
            entries.push(entry);
            table.insert(task, state);
        }
        // After the files that show it: one that is older than the table need not be read.
        if news || table.len() != before.len() {
            table::write(&self.folder, &table)?;
        }
        entries.sort_by(|a, b| a.task.cmp(&b.task));
        Ok((entries, notes))
    }

    pub(super) fn lock_list(&self) -> Result<FileLock, Fault> {
        let lock = FileLock::acquire(&self.folder.join("list.flock"), super::WAIT_MAX)?;
        lock.ok_or_else(|| {
            let reason = "another process of this clone is listing its leases";
            Fault::new(Code::LockWait, reason)
        })
    }

    /// One lease, asked of the remote now.
    pub fn status(&self, task: &TaskId) -> Result<Entry, Fault> {
        let _lock = self.lock(task)?;
        let mut state = self.load(task)?;
        self.look(task, &mut state)?;
        Ok(self.entry(task.clone(), &state))
    }

    /// Remembers what was read where that is news: of thousands of leases few have any. Left out
    /// when another process is busy with the task.
    fn take_in(&self, task: &TaskId, standing: Standing) -> Result<State, Fault> {
        let before = self.load(task)?;
        let mut state = before.clone();
        state.observe(standing.clone(), &self.me.boot, clock::mono_ms());
        if !state.tells_more(&before) {
            return Ok(state);
        }
        let lock = FileLock::acquire(&table::lock_path(&self.folder, task), Duration::ZERO)?;
        if lock.is_some() {
            state = self.load(task)?;
            state.observe(standing, &self.me.boot, clock::mono_ms());
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
            (_, Answer::Take { .. }) => "expired",
            (_, Answer::Held | Answer::Mine) => "held",
        };
        Entry {
            task,
            record,
            state: word,
            mine: verdict == Answer::Mine,
        }
    }
}
