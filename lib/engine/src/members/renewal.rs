//! Leases that a driver keeps alive itself: of the line's queue, and of tasks that wait in it. Whoever works
//! on a task renews its lease; from its end to its landing nobody did, and a queue may take longer than a lease.

use crate::leases::{Kept, Leases};
use overnight_run::queue::Entry;
use overnight_tasks::TaskId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// A lease that is renewed at a third of its time to live until this is dropped or the lease is lost.
#[derive(Debug)]
pub(super) struct Renewal {
    /// Its end ends the renewals.
    _held: Sender<()>,
}

impl Renewal {
    pub(super) fn begin(leases: Leases, task: TaskId, token: u64, ttl_s: u64) -> Self {
        let (held, dropped) = channel::<()>();
        std::thread::spawn(move || {
            let third = Duration::from_secs(ttl_s) / 3;
            while dropped.recv_timeout(third) == Err(RecvTimeoutError::Timeout) {
                if matches!(leases.renew(&task, token, None), Ok(Kept::Lost(_))) {
                    return;
                }
            }
        });
        Self { _held: held }
    }
}

/// The leases of the tasks that wait for the line, by task and token.
#[derive(Debug, Default)]
pub(super) struct Waiting(BTreeMap<(String, u64), Renewal>);

impl Waiting {
    /// Renews those of `entries` from now on, and no others.
    pub(super) fn keep(&mut self, entries: &[Entry], leases: &Leases, ttl_s: u64) {
        let key = |entry: &Entry| (entry.task.clone(), entry.token);
        let wanted: BTreeSet<_> = entries.iter().map(key).collect();
        self.0.retain(|key, _| wanted.contains(key));
        for key in wanted {
            let Ok(task) = TaskId::parse(&key.0) else {
                continue;
            };
            let begin = |token| Renewal::begin(leases.clone(), task, token, ttl_s);
            let token = key.1;
            self.0.entry(key).or_insert_with(|| begin(token));
        }
    }
}
