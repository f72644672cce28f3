//! What a person wants of a run that is under way. The wish lies beside the journal until whoever
//! writes the journal takes it in: a client that a person sits at is never signalled.

use super::event::{Event, Finished};
use super::state::State;
use super::step::Reason;

/// What a person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Nothing more is begun; the run is over until somebody resumes it.
    Stop,
}

impl Wish {
    /// The word that it is written down as.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
        }
    }

    /// The wish of this word.
    pub fn of(word: &str) -> Option<Self> {
        (word.trim() == Self::Stop.word()).then_some(Self::Stop)
    }
}

/// The event that grants a wish; `None` where the run is so already.
pub fn grant(state: &State, wish: Wish) -> Option<Event> {
    match wish {
        Wish::Stop if state.finished.is_none() => Some(
            Finished {
                reason: Reason::Stopped,
            }
            .into(),
        ),
        Wish::Stop => None,
    }
}
