//! How much of the change is proved: at the end its hunks are taken back one at a time, and the gates
//! say which of them they miss.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One hunk was taken back, and gates ran; or there is none left.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    /// Its place; none: every hunk was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Did a gate fail without it?
    #[serde(default)]
    pub noticed: bool,
    /// How many there are.
    #[serde(default)]
    pub of: u64,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub ms: u64,
}

/// What was tried of the change as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunks {
    /// By place, whether a gate noticed.
    pub tried: BTreeMap<String, bool>,
    /// How many there are.
    pub of: u64,
    /// Time taken.
    pub(super) ms: u64,
    /// Is none left?
    pub(super) over: bool,
}

impl Hunks {
    pub(super) fn apply(&mut self, event: &Hunk) {
        self.of = event.of;
        self.ms = self.ms.saturating_add(event.ms);
        match &event.place {
            Some(place) => {
                self.tried.insert(place.clone(), event.noticed);
            }
            None => self.over = true,
        }
    }
}
