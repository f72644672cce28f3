//! The state file: what is in it, and what a file means that is not ours.

use super::clock::Reading;
use super::{Breaker, Counters, Reason, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A state file is small; what is larger is something else.
pub const BYTES_MAX: u64 = 1 << 20;
/// The version of the format.
const VERSION: u64 = 1;

/// The file's content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// Format version.
    pub v: u64,
    /// The breaker.
    pub breaker: Breaker,
    /// Steady time at `clock`, in milliseconds.
    pub time_ms: u64,
    /// The clocks when it was written; `None` when the caller gave the time.
    pub clock: Option<Reading>,
}

impl Saved {
    /// A file to be written.
    pub fn new(breaker: Breaker, time_ms: u64, clock: Option<Reading>) -> Self {
        Self {
            v: VERSION,
            breaker,
            time_ms,
            clock,
        }
    }
}

/// Reads a state file. A file that is empty, torn or foreign never disables the breaker: it starts
/// closed, with a note that says why. ralph-claude-code's own file is carried over.
pub fn read(bytes: &[u8]) -> (Saved, Option<&'static str>) {
    let fresh = |note| (Saved::new(Breaker::default(), 0, None), Some(note));
    if bytes.trim_ascii().is_empty() {
        return fresh("the state file was empty; the breaker starts closed");
    }
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return fresh("the state file was torn or no JSON; the breaker starts closed");
    };
    if value.get("v").is_some() {
        return match serde_json::from_value::<Saved>(value) {
            Ok(saved) if saved.v == VERSION => (saved, None),
            _ => fresh("the state file has another format; the breaker starts closed"),
        };
    }
    match foreign(&value) {
        Some(breaker) => (
            Saved::new(breaker, 0, None),
            Some("the state file of another program was carried over"),
        ),
        None => fresh("the state file was foreign; the breaker starts closed"),
    }
}

/// ralph-claude-code's `.circuit_breaker_state`: `{"state":"HALF_OPEN","consecutive_no_progress":2,…}`.
fn foreign(value: &Value) -> Option<Breaker> {
    let word = value
        .get("state")?
        .as_str()?
        .to_ascii_lowercase()
        .replace('_', "-");
    let state = match word.as_str() {
        "closed" => State::Closed,
        "open" | "half-open" => State::Open,
        _ => return None,
    };
    let number = |names: &[&str]| {
        let inner = value.get("counters").unwrap_or(value);
        let found = names
            .iter()
            .find_map(|name| inner.get(*name).and_then(Value::as_u64));
        found
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(0)
    };
    let counters = Counters {
        no_progress: number(&["consecutive_no_progress", "no_progress"]),
        same_error: number(&["consecutive_same_error", "same_error"]),
        denials: number(&["consecutive_permission_denials", "denials"]),
        ..Counters::default()
    };
    let open = state == State::Open;
    Some(Breaker {
        state,
        reason: open.then_some(Reason::NoProgress),
        // Its clock is not ours: the cool-down counts as passed, so that a probe decides.
        opened_ms: open.then_some(0),
        cool_down_ms: 0,
        openings: u32::from(open),
        counters,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_stands_in_the_file_gives_a_working_breaker() {
        for bytes in [
            &b""[..],
            b" \n",
            b"{\"v\":1,\"brea",
            b"\0\0\0",
            b"[]",
            b"7",
            b"{\"v\":9}",
            b"{\"state\":3}",
            b"{}",
        ] {
            let (saved, note) = read(bytes);
            assert_eq!(saved.breaker, Breaker::default());
            assert!(note.is_some());
        }
        let saved = Saved::new(
            Breaker {
                openings: 3,
                ..Breaker::default()
            },
            7,
            None,
        );
        assert_eq!(read(&serde_json::to_vec(&saved).unwrap()), (saved, None));
        let (saved, _) = read(br#"{"state":"HALF_OPEN","consecutive_no_progress":2}"#);
        assert_eq!(
            (saved.breaker.at(0), saved.breaker.counters.no_progress),
            (State::HalfOpen, 2)
        );
    }
}
