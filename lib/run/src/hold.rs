//! What a person wants of a run that is under way. The wish lies beside the journal until whoever
//! writes the journal takes it in: a client that a person sits at is never signalled.

use super::event::{Event, Finished};
use super::members;
use super::next::Decision;
use super::rule::Rule;
use super::state::State;
use super::step::{Reason, Step};
use serde::{Deserialize, Serialize};

/// Nothing is begun until somebody says go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// Why.
    pub why: Pause,
}

/// Somebody said go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {}

/// Why a run is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    /// A person said so.
    Asked,
    /// A person wrote something else into the session in which it runs.
    Prompt,
    /// The session in which it runs ended.
    SessionEnded,
}

impl Pause {
    /// Why, in one line for a person.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Asked => "paused: you paused it",
            Self::Prompt => "paused: you are talking in its session",
            Self::SessionEnded => "paused: its session ended",
        }
    }
}

/// What a person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Nothing more is begun; the run is over until somebody resumes it.
    Stop,
    /// Nothing more is begun; what is under way ends by itself.
    Pause,
    /// It goes on.
    GoOn,
}

impl Wish {
    const ALL: [Self; 3] = [Self::Stop, Self::Pause, Self::GoOn];

    /// The word that it is written down as.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Pause => "pause",
            Self::GoOn => "go-on",
        }
    }

    /// The wish of this word.
    pub fn of(word: &str) -> Option<Self> {
        let named = |wish: &Self| wish.word() == word.trim();
        Self::ALL.into_iter().find(named)
    }
}

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

/// Is this all that a person wrote to say that the run goes on?
pub fn says_go_on(prompt: &str) -> bool {
    /// In the languages of the progress files.
    const WORDS: [&str; 12] = [
        "continue",
        "go on",
        "go ahead",
        "resume",
        "proceed",
        "carry on",
        "keep going",
        "go",
        "続けて",
        "続けてください",
        "続行",
        "再開",
    ];
    let words = prompt.trim_matches(|c: char| !c.is_alphanumeric());
    WORDS.iter().any(|word| words.eq_ignore_ascii_case(word))
}

/// Takes a pause, or its end, into the state.
pub(super) fn apply(state: &mut State, event: &Event) {
    state.paused = match event {
        Event::Paused(paused) => Some(paused.why),
        _ => None,
    };
}

/// What a paused run does instead: it begins nothing. What is under way is proved and judged.
pub(super) fn held(state: &State, decision: Decision) -> Decision {
    let begins = match &decision.1 {
        Step::Start { .. } | Step::Take { .. } | Step::Baseline(_) | Step::Wait { .. } => true,
        Step::Members(step) => matches!(step, members::Step::Assigned { .. }),
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
            apply(&mut state, &paused.into());
            assert_eq!(decide(&state, &state.config, 1), (Rule::Paused, Step::Hold));
            assert_eq!(pause(&state, why), None);
            let released = grant(&state, Wish::GoOn).unwrap();
            apply(&mut state, &released);
            let (rule, _) = decide(&state, &state.config, 1);
            assert_eq!(rule, Rule::NextIteration);
            assert_eq!(grant(&state, Wish::GoOn), None);
        }
    }

    #[test]
    fn a_run_that_is_over_takes_no_wish() {
        let mut state = state();
        state.finished = Some(Reason::AllDone);
        for wish in Wish::ALL {
            assert_eq!(grant(&state, wish), None);
            assert_eq!(Wish::of(wish.word()), Some(wish));
        }
        assert_eq!(Wish::of("nothing"), None);
    }

    #[test]
    fn only_the_words_alone_say_go_on() {
        for yes in ["continue", "Continue.", " go on! ", "続けて。", "RESUME"] {
            assert!(says_go_on(yes), "{yes}");
        }
        for no in [
            "",
            "continue with the other file",
            "why?",
            "do not go on",
            "stop",
        ] {
            assert!(!says_go_on(no), "{no}");
        }
    }
}
