//! How much of the change is proved: at the end its hunks are taken back one at a time, and the gates
//! say which of them they miss.

use super::config::Config;
use super::state::State;
use overnight_judge::proof::Standing;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MINUTE_MS: u64 = 60_000;

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
    ms: u64,
    /// Is none left?
    over: bool,
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

/// Is another hunk to be tried? Only of work that gates showed in a clean work tree.
pub(super) fn is_due(state: &State, config: &Config) -> bool {
    let (hunks, limit) = (&state.hunks, u64::from(config.proof_minutes) * MINUTE_MS);
    let proved = |standing| matches!(standing, Some(Standing::Proved | Standing::KeptGreen));
    let mut verdicts = state.history.iter().map(|past| &past.verdict);
    !hunks.over
        && hunks.ms < limit
        && state.dusk.is_some()
        && !config.in_place
        && verdicts.any(|verdict| verdict.complete() && proved(verdict.standing))
}

/// The commands, the fastest first: the first that notices is enough.
pub(super) fn in_order(state: &State, mut commands: Vec<String>) -> Vec<String> {
    let gates = state.history.iter().flat_map(|past| &past.verdict.gates);
    let took: BTreeMap<&String, u64> = gates.map(|gate| (&gate.command, gate.ms)).collect();
    commands.sort_by_key(|command| took.get(command).copied().unwrap_or(u64::MAX));
    commands
}
