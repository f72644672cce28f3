//! What an agent's final message says about being done.

use super::scan::Scan;
use super::{Claim, legacy, marker::Marker};

/// The outcome of reading the final message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What the marker claims.
    pub marked: Claim,
    /// The marker's line.
    pub line: Option<String>,
    /// What the prose around the marker says against it.
    pub(super) doubt: Option<Box<str>>,
    /// What the legacy words claim, and their line.
    pub(super) words: (Claim, Option<String>),
    /// Its answers to the checklist.
    pub(super) answers: Vec<String>,
    /// Why markers that were seen do not count.
    pub notes: Vec<String>,
}

impl Message {
    /// There is no final message.
    pub fn nothing(note: impl Into<String>) -> Self {
        Self {
            marked: Claim::None,
            line: None,
            doubt: None,
            words: (Claim::None, None),
            answers: Vec::new(),
            notes: vec![note.into()],
        }
    }

    /// Reads a message that is in memory.
    pub fn of_text(text: &str, marker: &Marker) -> Self {
        let mut scan = Scan::new(marker.clone());
        scan.push(text.as_bytes());
        scan.finish()
    }

    /// Notes that an earlier message of the session holds a marker: it does not count.
    pub fn note_earlier(&mut self, earlier: &Self) {
        if self.marked == Claim::None && earlier.marked != Claim::None {
            self.notes
                .push("the marker stands in an earlier message, which does not count".into());
        }
    }

    /// The claim, with or without the legacy words, and the line it rests on. A marker beside an
    /// `INCOMPLETE` is a contradiction.
    pub fn claim(&self, words: bool) -> (Claim, Option<String>) {
        match (&self.marked, &self.words.0) {
            (Claim::None, claim) if words => (claim.clone(), self.words.1.clone()),
            (Claim::Complete { .. }, Claim::Incomplete { .. }) => (
                Claim::Incomplete {
                    reasons: vec!["the final message says both done and incomplete".into()],
                },
                self.words.1.clone(),
            ),
            (marked, _) => (marked.clone(), self.line.clone()),
        }
    }
}

/// The claim in the legacy words of a final message's plain lines.
pub(super) fn words(plain: &str) -> (Claim, Option<String>) {
    let (word, line) = legacy::word(plain);
    let claim = match word {
        legacy::Word::Complete => Claim::Complete { summary: None },
        legacy::Word::Incomplete(reasons) => Claim::Incomplete { reasons },
        legacy::Word::Contradiction => Claim::Incomplete {
            reasons: vec!["the final message contradicts itself".into()],
        },
        legacy::Word::None => Claim::None,
    };
    (claim, line)
}
