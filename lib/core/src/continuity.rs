//! Continuity of the client's session (seed 002): when `--continue-session` may take up the last one.

use serde::{Deserialize, Serialize};

/// A session older than this is not continued.
pub const AGE_MAX_MS: u64 = 24 * 60 * 60 * 1000;
/// Entries of history kept.
pub const HISTORY_MAX: usize = 50;

/// A session of the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The client's id of it.
    pub id: String,
    /// When it was created, Unix milliseconds.
    pub created_ms: u64,
}

/// Why a session is not continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reset {
    /// It is older than [`AGE_MAX_MS`], or its time lies in the future.
    Expired,
    /// The breaker opened: a stuck conversation is not taken up again.
    BreakerOpened,
    /// A person interrupted the run.
    Interrupted,
    /// The task is complete.
    Completed,
    /// The conversation no longer fits.
    Context,
    /// The client does not know it any more.
    Lost,
}

/// One line of history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The session that ended.
    pub session: Session,
    /// Why.
    pub reset: Reset,
    /// When, Unix milliseconds.
    pub at_ms: u64,
}

/// The session at hand and those before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Continuity {
    /// The session that would be continued.
    pub current: Option<Session>,
    /// Those before, newest last.
    pub history: Vec<Entry>,
}

impl Continuity {
    /// The session to continue now, if there is one.
    pub fn usable(&self, now_ms: u64) -> Option<&Session> {
        self.current
            .as_ref()
            .filter(|session| fresh(session, now_ms))
    }

    /// The client reports its session; the same id keeps its age.
    pub fn opened(&mut self, id: &str, now_ms: u64) {
        match &self.current {
            Some(session) if session.id == id => {}
            _ => {
                self.reset(Reset::Lost, now_ms);
                self.current = Some(Session {
                    id: id.to_owned(),
                    created_ms: now_ms,
                });
            }
        }
    }

    /// Ends the current session.
    pub fn reset(&mut self, reset: Reset, now_ms: u64) {
        if let Some(session) = self.current.take() {
            let reset = if fresh(&session, now_ms) {
                reset
            } else {
                Reset::Expired
            };
            self.history.push(Entry {
                session,
                reset,
                at_ms: now_ms,
            });
            let extra = self.history.len().saturating_sub(HISTORY_MAX);
            self.history.drain(..extra);
        }
    }
}

fn fresh(session: &Session, now_ms: u64) -> bool {
    now_ms
        .checked_sub(session.created_ms)
        .is_some_and(|age| age < AGE_MAX_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_lives_a_day_and_not_longer_than_its_reason() {
        let mut continuity = Continuity::default();
        continuity.opened("a", 0);
        continuity.opened("a", 5);
        assert_eq!(
            continuity
                .usable(AGE_MAX_MS - 1)
                .map(|session| session.created_ms),
            Some(0)
        );
        assert_eq!(continuity.usable(AGE_MAX_MS), None);
        continuity.reset(Reset::BreakerOpened, 10);
        assert_eq!(continuity.usable(10), None);
        assert_eq!(continuity.history[0].reset, Reset::BreakerOpened);
    }

    #[test]
    fn history_is_bounded() {
        let mut continuity = Continuity::default();
        for index in 0..80 {
            continuity.opened(&index.to_string(), index);
            continuity.reset(Reset::Completed, index);
        }
        assert_eq!(continuity.history.len(), HISTORY_MAX);
        assert_eq!(continuity.history[49].session.id, "79");
    }
}
