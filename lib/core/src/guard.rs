//! The guard: what is proven safe is allowed, what is forbidden is denied, the rest waits for a
//! person.
//!
//! `Guard : Mode × Action → {Allow, Ask, Deny}` (ai-tools, protection mode). Safe is allowed and
//! forbidden denied in every mode; only the boundary depends on the mode. What cannot be
//! understood is boundary.

pub mod answer;
pub mod area;
mod context;
pub mod epoch;
pub mod foreign;
pub mod payload;
pub mod question;
pub mod secret;
pub mod setup;
pub mod tool;
pub mod trusted;
mod verdict;

pub use context::{Context, Entry, Facts, NoFacts};
pub use verdict::{Decision, Mode, Verdict, presentable as shown};

/// Judges a bash command line as Claude Code's Bash tool would run it.
pub fn judge_command(text: &str, context: &Context<'_>) -> Verdict {
    let _ = (text, context);
    Verdict::ask("not-understood", "the command could not be understood")
}
