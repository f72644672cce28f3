//! `progress/`: what people read, as a model that is parsed from its four Markdown files and
//! rendered back into them.
//!
//! The format is the PRD's (FR-4). What a person adds (sections, notes under an item, free text)
//! survives every rendering; items that a person adds to our lists become items of the model.

mod change;
mod document;
mod item;
mod labels;
mod parse;
mod render;
mod snapshot;
pub mod specialist;

pub use change::Stamp;
pub use item::Item;
pub use labels::{Language, Phase, Spoken};
pub use parse::parse;
pub use render::{render, signed};
pub use snapshot::{Snapshot, Standing, TaskLine};

/// The longest title of an item, in characters.
pub const TITLE_CHARS_MAX: usize = 200;
/// The longest reason of a block, in characters.
pub const REASON_CHARS_MAX: usize = 500;
/// How many of the done items the summary shows; all of them stand in `completed.md`.
const DONE_SHOWN_MAX: usize = 20;

/// The texts of the four files; empty where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    /// `README.md`: the summary.
    pub readme: String,
    /// `completed.md`: the history.
    pub completed: String,
    /// `blocked.md`: what waits for a person.
    pub blocked: String,
    /// `next_actions.md`: what comes next.
    pub next_actions: String,
}

/// Where a project stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// The project's name.
    pub project: String,
    /// `YYYY-MM-DD HH:MM:SS`, local time.
    pub updated: Option<String>,
    /// Who wrote last: a run's id or a session's.
    pub session: Option<String>,
    /// What kind of work is under way.
    pub phase: Phase,
    /// Done items in per cent of all.
    pub percent: u8,
    /// The run's iteration and its limit.
    pub iteration: Option<(u32, u32)>,
    /// How the last run ended, in one line.
    pub result: Option<Spoken>,
    /// What waits for a person, in one line.
    pub needs: Option<String>,
    /// Done, oldest first.
    pub done: Vec<Item>,
    /// Under way.
    pub doing: Vec<Item>,
    /// Waiting for a person.
    pub blocked: Vec<Item>,
    /// To be done, in order.
    pub next: Vec<Item>,
}

#[cfg(test)]
mod tests;
