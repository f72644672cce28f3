//! One queue of a line proves and lands at a time: in a clone by a file's lock, which dies with its process;
//! among the machines of a remote by a lease, so that nobody proves what another's landing makes stale.

use super::line::Line;
use super::renewal::Renewal;
use crate::files::FileLock;
use crate::leases::{Acquired, Leases};
use overnight_base::fault::Fault;
use overnight_run::members::line::QUEUE_TTL_S;
use overnight_tasks::TaskId;
use std::path::Path;
use std::time::Duration;

/// What lets this queue prove and land; others follow when it is dropped.
pub(super) struct Turn {
    _lock: FileLock,
    _lease: Option<QueueLease>,
}

/// The queue's lease, renewed until it is dropped and then given back. Losing it costs a proof at
/// most: the line itself moves by compare-and-swap.
struct QueueLease {
    leases: Leases,
    queue: TaskId,
    token: u64,
    _renewal: Renewal,
}

impl QueueLease {
    fn keep(leases: Leases, queue: TaskId, token: u64) -> Self {
        let renewal = Renewal::begin(leases.clone(), queue.clone(), token, QUEUE_TTL_S);
        Self {
            leases,
            queue,
            token,
            _renewal: renewal,
        }
    }
}

impl Drop for QueueLease {
    fn drop(&mut self) {
        // One that cannot be given back runs out.
        let _ = self.leases.release(&self.queue, self.token);
    }
}

/// The turn of this queue; `None` while another one has it. `state`: the clone's machine state.
pub(super) fn take(state: &Path, line: &Line, leases: &Leases) -> Result<Option<Turn>, Fault> {
    let Some(lock) = FileLock::acquire(&state.join("queue.lock"), Duration::ZERO)? else {
        return Ok(None);
    };
    if leases.remote().is_none() {
        return Ok(Some(Turn {
            _lock: lock,
            _lease: None,
        }));
    }
    let queue = line.queue()?;
    Ok(match leases.acquire(&queue, QUEUE_TTL_S)? {
        Acquired::Held(_) => None,
        Acquired::Granted(grant) => Some(Turn {
            _lock: lock,
            _lease: Some(QueueLease::keep(leases.clone(), queue, grant.record.token)),
        }),
    })
}
