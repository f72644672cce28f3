//! What a person wants of a run that is under way. The wish lies beside the journal until whoever
//! writes the journal takes it in: a client that a person sits at is never signalled.

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
    /// A person broke off the turn of the session in which it runs. No hook is told of that: it is seen in the
    /// client's transcript, and in no journal.
    BrokenOff,
    /// The session in which it runs ended.
    SessionEnded,
}

impl Pause {
    /// Why, in one line for a person.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Asked => "paused: you paused it",
            Self::Prompt => "paused: you are talking in its session",
            Self::BrokenOff => "paused: you pressed Esc in its session, \"continue\" there goes on",
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

#[cfg(test)]
mod tests {
    use super::*;

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
