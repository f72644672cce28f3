//! Leases that this clone holds on its other sides: a driver with members holds a task on the
//! remote, a session in the repository's own refs.

use super::{Holder, Leases, table};
use overnight_base::fault::Fault;
use overnight_tasks::TaskId;

impl Leases {
    /// Who in this clone holds the task on another side. Whoever has just taken a lease asks this:
    /// of two that do, on two sides, one sees the other at least, because each remembers its own
    /// lease before it asks. Reads files only.
    pub fn held_beside(&self, task: &TaskId) -> Result<Option<Holder>, Fault> {
        let Some(sides) = self.folder.parent() else {
            return Ok(None);
        };
        let listing = std::fs::read_dir(sides).into_iter().flatten().flatten();
        for side in listing.map(|entry| entry.path()) {
            if side == self.folder || !side.is_dir() {
                continue;
            }
            let entry = self.entry(task.clone(), &table::load(&side, task)?);
            let held = entry.record.filter(|record| {
                let of_this_clone = record.instance == self.me.instance;
                entry.state == "held" && of_this_clone && record.agent != self.me.agent
            });
            if let Some(record) = held {
                return Ok(Some(Holder::of(&record)));
            }
        }
        Ok(None)
    }
}
