//! Keeping the lease of a task from one attempt to the next, and giving it back.

use super::{Share, task_id};
use crate::clock;
use crate::leases::Kept;
use overnight_base::fault::Fault;
use overnight_run::State;
use overnight_run::leased::LeaseLost;
use std::collections::BTreeMap;

impl Share {
    /// Makes sure that a task is still ours before an attempt begins; `None` when it is. A lease of
    /// which half the time is over is renewed.
    pub(crate) fn keep(&self, state: &State, task: &str) -> Result<Option<LeaseLost>, Fault> {
        let Some(token) = state.leased.had.get(task).copied() else {
            return Ok(None);
        };
        let id = task_id(task)?;
        let held = self.leases.check(&id, token)?;
        let age_ms = |mono_ms: u64| clock::mono_ms().saturating_sub(mono_ms);
        if held.is_some_and(|record| age_ms(record.mono_ms) < record.ttl_s * 500) {
            return Ok(None);
        }
        Ok(match self.leases.renew(&id, token, None)? {
            Kept::Done(_) => None,
            Kept::Lost(loss) => Some(LeaseLost {
                task: task.to_owned(),
                by: loss.holder().unwrap_or_else(|| "nobody".to_owned()),
                until: clock::wall_ms(),
            }),
        })
    }

    /// Gives back every lease of this run but these. What cannot be given back ends with the
    /// process that it lives with, or runs out.
    pub(crate) fn settle(&self, keep: &BTreeMap<String, u64>) {
        let known = self.leases.known().unwrap_or_default();
        for entry in known {
            let own = entry
                .record
                .filter(|record| entry.state == "held" && record.agent == self.leases.agent());
            if let Some(record) = own
                && keep.get(entry.task.as_str()) != Some(&record.token)
            {
                let _ = self.leases.release(&entry.task, record.token);
            }
        }
    }
}
