//! How often a session was refused the same call: the third time the guard says something else,
//! and the breaker counts it.

use crate::files::{self, Content};
use crate::state::Place;
use overnight_base::session;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Bytes of a counter file at most.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// Different calls counted at most for one session.
const CALLS_MAX: usize = 200;
/// Characters of a call's key that are kept.
const KEY_CHARS: usize = 16;

/// Counts this refusal and gives how often the session was refused this call; 1 where nothing
/// can be kept. Two refusals at the same moment may count once: a session's calls that change
/// something come one after the other.
pub fn count(place: &Place, session: &str, call_key: &str) -> u32 {
    let mut counts = read(place, session);
    let key: String = call_key.chars().take(KEY_CHARS).collect();
    if counts.len() >= CALLS_MAX && !counts.contains_key(&key) {
        counts.clear();
    }
    let count = counts.entry(key).or_insert(0);
    *count = count.saturating_add(1);
    let count = *count;
    if let Ok(text) = serde_json::to_vec(&counts) {
        let _ = files::write_atomic(&file(place, session), &text, files::PRIVATE);
    }
    count
}

/// The highest count of a session: what the breaker compares with its limit for the same error.
pub fn highest(place: &Place, session: &str) -> u32 {
    read(place, session).into_values().max().unwrap_or(0)
}

/// The same, and counts from nothing again: an iteration of a run is over.
pub fn take(place: &Place, session: &str) -> u32 {
    let highest = highest(place, session);
    if highest > 0 {
        let _ = std::fs::remove_file(file(place, session));
    }
    highest
}

fn read(place: &Place, session: &str) -> BTreeMap<String, u32> {
    match files::read_bounded(&file(place, session), FILE_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).unwrap_or_default(),
        _ => BTreeMap::new(),
    }
}

fn file(place: &Place, session: &str) -> PathBuf {
    let name = format!("{}.json", session::key(session));
    place.state.join("refusals").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_of_each_session_is_counted_and_the_file_stays_small() {
        let folder = tempfile::tempdir().unwrap();
        let place = crate::state::locate(folder.path()).unwrap();
        assert_eq!(highest(&place, "s"), 0);
        assert_eq!(
            [
                count(&place, "s", "a"),
                count(&place, "s", "a"),
                count(&place, "s", "b")
            ],
            [1, 2, 1]
        );
        assert_eq!(count(&place, "../../t", "a"), 1);
        assert_eq!(highest(&place, "s"), 2);
        assert_eq!((take(&place, "s"), take(&place, "s")), (2, 0));
        for call in 0..CALLS_MAX {
            count(&place, "s", &format!("{call:016}"));
        }
        assert!(read(&place, "s").len() <= CALLS_MAX);
    }
}
