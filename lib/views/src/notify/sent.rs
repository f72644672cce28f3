//! What was told: each question once, each end once by its run, a usage limit once in a while.

use super::{Kind, Notice};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The usage limit is told again after this long: it is one account's, whichever run met it.
pub(super) const AGAIN_MS: u64 = 30 * 60_000;
/// What is older than this is forgotten: no run lasts as long.
const KEPT_MS: u64 = 60 * 24 * 3_600_000;

/// What was told, by key, with Unix times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentLog(BTreeMap<String, u64>);

impl SentLog {
    /// May it be told now? If so it counts as told.
    pub fn take(&mut self, notice: &Notice, now: u64) -> bool {
        self.0.retain(|_, at| now.saturating_sub(*at) < KEPT_MS);
        let again =
            |at: &u64| notice.kind == Kind::UsageLimit && (*at > now || now - *at >= AGAIN_MS);
        let new = self.0.get(&notice.key).is_none_or(again);
        if new {
            self.0.insert(notice.key.clone(), now);
        }
        new
    }
}
