//! Removing tombstones of long ago, so that the remote does not advertise them for ever.

use super::{Leases, table};
use overnight_base::fault::Fault;
use overnight_lease::record::{Phase, Standing};

/// A tombstone must have been untouched this long, in milliseconds: 30 days.
const AGE_MS: u64 = 30 * 24 * 3_600 * 1_000;
/// Deletions in one push.
const BATCH: usize = 100;

impl Leases {
    /// Deletes tombstones of long ago; gives how many. The floor that keeps tokens growing is the
    /// clock: a new token is at least the time in milliseconds, and a tombstone whose token is not
    /// far below that (a clock was wrong) stays.
    pub(super) fn sweep(&self) -> Result<usize, Fault> {
        let old_ms = self.now().wall_ms.saturating_sub(AGE_MS);
        let mut old = Vec::new();
        let lock = self.lock_list()?;
        let standings = self.standings(&table::read(&self.folder)?)?;
        drop(lock);
        for (task, standing) in standings {
            if let Standing::Record { oid, record } = standing
                && record.state == Phase::Free
                && record.renewed_ms < old_ms
                && record.token < old_ms
            {
                old.push((self.store.lease_ref(&task), oid));
            }
        }
        let mut swept = 0;
        for batch in old.chunks(BATCH) {
            swept += self.store.delete(batch)?;
        }
        Ok(swept)
    }
}
