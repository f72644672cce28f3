//! What a session's hooks need of the leases: what this clone knows without asking anybody, and
//! giving back what the session holds.

use super::{Entry, Leases, Options, table};
use crate::{env, state, who};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_lease::State;
use overnight_run::members::NO_REMOTE;
use overnight_tasks::TaskId;
use std::path::Path;

/// More leases than this are not looked at by a hook.
const TASKS_MAX: usize = 1_000;

impl Leases {
    /// The leases as this session sees them, on the remote and in the repository's own refs; none
    /// where none were ever taken, and for an agent whose driver holds them. Starts no process and
    /// begins nothing.
    pub fn of_session(folder: &Path, session: &str) -> Result<Vec<Self>, Fault> {
        let taken = state::locate(folder)?.state.join("leases").is_dir();
        if !taken || env::get(&vars::RUN).is_some() {
            return Ok(Vec::new());
        }
        let mut sides = vec![Self::for_session(folder, session)?];
        if sides[0].remote().is_some() {
            sides.push(Self::on(folder, session, Some(NO_REMOTE.to_owned()))?);
        }
        Ok(sides)
    }

    /// The leases as this session takes them.
    pub fn for_session(folder: &Path, session: &str) -> Result<Self, Fault> {
        Self::on(folder, session, None)
    }

    fn on(folder: &Path, session: &str, remote: Option<String>) -> Result<Self, Fault> {
        let options = Options {
            agent: who::works(None, Some(session)),
            remote,
            ..Options::default()
        };
        Self::open(folder, &options)
    }

    /// The leases as this clone last saw them, in the order of the task ids. Reads files only:
    /// no process, no remote.
    pub fn known(&self) -> Result<Vec<Entry>, Fault> {
        let mut entries = Vec::new();
        for (task, state) in self.known_states()? {
            entries.push(self.entry(task, &state));
        }
        entries.sort_by(|a, b| a.task.cmp(&b.task));
        Ok(entries)
    }

    /// Brings `current_tasks/` up to date with what this clone knows: a dead agent's lease is shown
    /// there no longer. What fails is left to the next one who looks.
    pub fn mirror_known(&self, known: &[Entry]) {
        for entry in known {
            let _ = self.mirror_entry(entry);
        }
    }

    /// Gives back what this agent holds in this clone; gives the tasks. One that cannot be given
    /// back runs out by itself and does not keep the others.
    pub fn release_own(&self) -> Result<Vec<TaskId>, Fault> {
        let mut released = Vec::new();
        for entry in self.known()?.into_iter().filter(|entry| entry.mine) {
            let Some(record) = entry.record else { continue };
            if let Ok(super::Kept::Done(_)) = self.release(&entry.task, record.token) {
                released.push(entry.task);
            }
        }
        Ok(released)
    }

    /// Those that this clone worked with itself come first.
    fn known_states(&self) -> Result<Vec<(TaskId, State)>, Fault> {
        let own = table::own_tasks(&self.folder);
        let mut states = Vec::new();
        for task in own.iter().take(TASKS_MAX) {
            states.push((task.clone(), self.load(task)?));
        }
        let listed = table::read(&self.folder)?.into_iter();
        let listed = listed.filter(|(task, _)| !own.contains(task));
        states.extend(listed.take(TASKS_MAX - states.len()));
        Ok(states)
    }
}
