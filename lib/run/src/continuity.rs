//! Session continuity: which client session the next iteration may go on in, and what a session
//! has cost so far (the client's own figures add up over a continued one).

use super::budget::Amount;
use super::event::{Ended, Outcome};
use crate::classify::Class;
use serde::Serialize;

/// A session older than this is not continued (ralph-claude-code: 24 h).
const AGE_MAX_MS: u64 = 24 * 60 * 60 * 1_000;
/// Sessions remembered (ralph-claude-code: 50).
pub const SESSIONS_MAX: usize = 50;

/// A client session of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// The client's id.
    pub id: String,
    /// The task that it worked on.
    pub task: String,
    /// Unix time in milliseconds of its first attempt's end.
    pub began: u64,
    /// What it has spent so far.
    pub spent: Amount,
    /// Its tokens by what they cost, in input tokens.
    pub weight: u64,
    /// Why it is not continued any more, if so.
    pub over: Option<Over>,
}

/// Why a session is not continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// Its task is done.
    Completed,
    /// Its task's circuit breaker opened.
    BreakerOpened,
    /// A person interrupted the run, or it ended.
    Interrupted,
    /// It broke: too long, lost, or refused by the client.
    Broken,
}

/// The session in which the next iteration on this task goes on; `None`: a fresh one.
pub fn next<'s>(sessions: &'s [Session], task: &str, now: u64) -> Option<&'s str> {
    let last = sessions.last()?;
    let young = now.saturating_sub(last.began) < AGE_MAX_MS;
    (last.over.is_none() && last.task == task && young).then_some(last.id.as_str())
}

/// What this session had spent before, for a client whose figures add up: the amount and its weight.
pub fn known(sessions: &[Session], id: Option<&str>) -> (Amount, u64) {
    let known = sessions
        .iter()
        .find(|session| Some(session.id.as_str()) == id);
    known.map_or_else(Default::default, |session| (session.spent, session.weight))
}

/// An attempt ended: its session is the newest now.
pub(super) fn used(sessions: &mut Vec<Session>, outcome: &Outcome, task: &str, now: u64) {
    let Some(id) = &outcome.session else {
        return;
    };
    let at = sessions.iter().position(|session| session.id == *id);
    let mut session = at.map_or_else(
        || Session {
            id: id.clone(),
            task: task.to_owned(),
            began: now,
            spent: Amount::default(),
            weight: 0,
            over: None,
        },
        |at| sessions.remove(at),
    );
    session.spent.usd += outcome.cost_usd.max(0.0);
    session.spent.tokens = session.spent.tokens.saturating_add(outcome.tokens);
    session.weight = session.weight.saturating_add(outcome.weight);
    let broke = matches!(outcome.ended, Ended::Lost | Ended::Signalled(_))
        || matches!(outcome.class, Class::Context | Class::Unknown);
    if broke {
        session.over = Some(Over::Broken);
    }
    sessions.push(session);
    if sessions.len() > SESSIONS_MAX {
        sessions.remove(0);
    }
}

/// The sessions of this task, or of every task, are not continued any more.
pub(super) fn end(sessions: &mut [Session], task: Option<&str>, why: Over) {
    let of_task = |session: &&mut Session| task.is_none_or(|task| session.task == task);
    for session in sessions.iter_mut().filter(of_task) {
        session.over.get_or_insert(why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use overnight_judge::Verdict;

    fn outcome(id: &str, usd: f64) -> Outcome {
        Outcome {
            session: Some(id.to_owned()),
            cost_usd: usd,
            ..Outcome::of(Ended::Exited(0), Class::None, Verdict::nothing("x"))
        }
    }

    fn one() -> Vec<Session> {
        let mut sessions = Vec::new();
        used(&mut sessions, &outcome("s1", 0.5), "t", 1_000);
        sessions
    }

    #[test]
    fn a_session_goes_on_for_a_day_on_its_own_task() {
        let sessions = one();
        assert_eq!(next(&sessions, "t", 2_000), Some("s1"));
        assert_eq!(next(&sessions, "other", 2_000), None);
        assert_eq!(next(&sessions, "t", 1_000 + AGE_MAX_MS), None);
        let mut state = State {
            sessions,
            ..State::default()
        };
        assert_eq!(state.session_for("t", 2_000), None, "only on demand");
        state.config.continue_session = true;
        assert_eq!(state.session_for("t", 2_000), Some("s1"));
    }

    #[test]
    fn completion_breaker_interrupt_and_a_break_end_it() {
        for why in [Over::Completed, Over::BreakerOpened, Over::Interrupted] {
            let mut sessions = one();
            end(&mut sessions, Some("t"), why);
            assert_eq!(next(&sessions, "t", 2_000), None, "{why:?}");
        }
        let mut sessions = one();
        let mut broken = outcome("s1", 0.1);
        broken.class = Class::Context;
        used(&mut sessions, &broken, "t", 2_000);
        assert_eq!(next(&sessions, "t", 3_000), None);
    }

    #[test]
    fn what_a_session_cost_adds_up_and_fifty_are_remembered() {
        let mut sessions = one();
        used(&mut sessions, &outcome("s1", 0.25), "t", 2_000);
        assert!((known(&sessions, Some("s1")).0.usd - 0.75).abs() < 1e-9);
        assert_eq!(known(&sessions, Some("s2")).0, Amount::default());
        for number in 0..60 {
            used(
                &mut sessions,
                &outcome(&number.to_string(), 0.0),
                "t",
                3_000,
            );
        }
        assert_eq!(sessions.len(), SESSIONS_MAX);
    }
}
