//! What a clone remembers of a lease between two calls.

use super::judge::{Me, Now, is_live};
use super::record::{Phase, Record, Standing};
use serde::{Deserialize, Serialize};

/// Version of the format; a state of another version is forgotten, which is safe.
const VERSION: u32 = 1;

/// The remembered state of one lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    v: u32,
    /// What stood on the ref when it was last read or written; `None` when never.
    pub standing: Option<Standing>,
    watch: Option<Watch>,
}

/// Since when the same object has been seen. Objects are unique: seen at two moments, it stood
/// there all the time between them, whether somebody looked or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Watch {
    boot: String,
    first_ms: u64,
    last_ms: u64,
    /// Time watched in earlier boots, in milliseconds.
    before_ms: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            v: VERSION,
            standing: None,
            watch: None,
        }
    }
}

impl State {
    /// Reads a remembered state; one that cannot be read is none.
    pub fn parse(bytes: &[u8]) -> Self {
        serde_json::from_slice(bytes)
            .ok()
            .filter(|state: &Self| state.v == VERSION)
            .unwrap_or_default()
    }

    /// The text to remember it by.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Takes in what the ref was at a moment of this boot.
    pub fn observe(&mut self, standing: Standing, boot: &str, mono_ms: u64) {
        let same = self.standing.as_ref().and_then(Standing::oid) == standing.oid()
            && self.standing.is_some();
        self.watch(same, boot, mono_ms);
        self.standing = Some(standing);
    }

    /// The same, where the ref is known to carry the object that it carried before.
    pub fn observe_unmoved(&mut self, boot: &str, mono_ms: u64) {
        self.watch(self.standing.is_some(), boot, mono_ms);
    }

    fn watch(&mut self, same: bool, boot: &str, mono_ms: u64) {
        let watch = match self.watch.take() {
            Some(mut watch) if same => {
                if watch.boot != boot || mono_ms < watch.last_ms {
                    watch.before_ms += watch.last_ms - watch.first_ms;
                    (watch.boot, watch.first_ms) = (boot.to_owned(), mono_ms);
                }
                watch.last_ms = mono_ms;
                watch
            }
            _ => Watch {
                boot: boot.to_owned(),
                first_ms: mono_ms,
                last_ms: mono_ms,
                before_ms: 0,
            },
        };
        self.watch = Some(watch);
    }

    /// Does this tell so much more than `before` that it should be remembered? A lease that is given
    /// back needs no watching, and of one that is held a tenth of its time to live is little.
    pub fn tells_more(&self, before: &Self) -> bool {
        const SHARE: u64 = 10;
        let oid = |state: &Self| {
            state
                .standing
                .as_ref()
                .and_then(Standing::oid)
                .map(str::to_owned)
        };
        let boot = |state: &Self| state.watch.as_ref().map(|watch| watch.boot.clone());
        if before.standing.is_none() || oid(self) != oid(before) {
            return true;
        }
        let Some(record) = self.record() else {
            return true;
        };
        let more_ms = self.watched_ms().saturating_sub(before.watched_ms());
        record.state == Phase::Held
            && (boot(self) != boot(before) || more_ms.saturating_mul(SHARE) >= record.ttl_s * 1_000)
    }

    /// How long the present object has been watched, in milliseconds.
    pub fn watched_ms(&self) -> u64 {
        self.watch.as_ref().map_or(0, |watch| {
            watch
                .before_ms
                .saturating_add(watch.last_ms.saturating_sub(watch.first_ms))
        })
    }

    /// Was the ref read at or after this moment of this boot?
    pub fn is_fresh(&self, boot: &str, since_ms: u64) -> bool {
        let watch = self.watch.as_ref();
        watch.is_some_and(|watch| watch.boot == boot && watch.last_ms >= since_ms)
    }

    /// The record last seen.
    pub fn record(&self) -> Option<&Record> {
        self.standing.as_ref().and_then(Standing::record)
    }

    /// Does this clone hold the lease under this token, as far as it can know without asking?
    pub fn holds(&self, token: u64, me: &Me, now: Now) -> bool {
        self.record().is_some_and(|record| {
            record.token == token && record.instance == me.instance && is_live(record, me, now)
        })
    }
}
