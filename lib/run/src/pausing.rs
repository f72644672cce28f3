//! What a person's wish means for a run: the event that grants it, and the steps that a pause holds back.

use super::event::{Event, Finished};
use super::hold::{Pause, Paused, Released, Wish};
use super::rule::{Decision, Rule};
use super::state::State;
use super::step::{Members, Reason, Step};

/// The event that grants a wish; `None` where the run is so already.
pub fn grant(state: &State, wish: Wish) -> Option<Event> {
    if state.finished.is_some() {
        return None;
    }
    match wish {
        Wish::Stop => {
            let reason = Reason::Stopped;
            Some(Finished { reason }.into())
        }
        Wish::Pause => pause(state, Pause::Asked).map(Event::from),
        Wish::GoOn => state.paused.map(|_| Released {}.into()),
    }
}

/// The event that pauses a run; `None` where it is paused or over already. What happens to a paused
/// one is news only where it says more: the turns after a prompt are the person's.
pub fn pause(state: &State, why: Pause) -> Option<Paused> {
    let news = match state.paused {
        None => true,
        Some(before) => before != why && why != Pause::Asked,
    };
    (news && state.finished.is_none()).then_some(Paused { why })
}

/// What a paused run does instead: it begins nothing. What is under way is proved and judged.
pub(super) fn held(state: &State, decision: Decision) -> Decision {
    let begins = match &decision.1 {
        Step::Start { .. } | Step::Take { .. } | Step::Baseline(_) | Step::Wait { .. } => true,
        Step::Members(step) => matches!(step, Members::Assigned { .. }),
        _ => false,
    };
    let under_way = decision.0 == Rule::UnderWay;
    if state.paused.is_some() && begins && !under_way {
        return (Rule::Paused, Step::Hold);
    }
    decision
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::TaskState;
    use crate::task::TaskSpec;
    use crate::{decide, fold};

    fn state() -> State {
        State {
            tasks: vec![TaskState::new(TaskSpec::named("a", "a"))],
            ..fold([])
        }
    }

    #[test]
    fn a_paused_run_begins_nothing_until_somebody_says_go_on() {
        let mut state = state();
        for why in [Pause::Asked, Pause::Prompt, Pause::SessionEnded] {
            let paused = pause(&state, why).unwrap();
            state.paused = Some(paused.why);
            assert_eq!(decide(&state, &state.config, 1), (Rule::Paused, Step::Hold));
            assert_eq!(pause(&state, why), None);
            let released = grant(&state, Wish::GoOn).unwrap();
            assert!(matches!(released, Event::Released(_)));
            state.paused = None;
            let (rule, _) = decide(&state, &state.config, 1);
            assert_eq!(rule, Rule::NextIteration);
            assert_eq!(grant(&state, Wish::GoOn), None);
        }
    }

    #[test]
    fn a_run_that_is_over_takes_no_wish() {
        let mut state = state();
        state.finished = Some(Reason::AllDone);
        for wish in [Wish::Stop, Wish::Pause, Wish::GoOn] {
            assert_eq!(grant(&state, wish), None);
            assert_eq!(Wish::of(wish.word()), Some(wish));
        }
        assert_eq!(Wish::of("nothing"), None);
    }
}
