//! The state machine of an autonomous run: `fold` of its journal, and the `next` step.
//!
//! ```text
//! Idle ── run_started ──▶ Running ── all tasks done ──▶ Completed
//!                            │
//!                            └── three failures in a row, breaker, limits, budget ──▶ Stopped, with a reason
//! ```
//!
//! Within an iteration: `Start` → (agent) → `Gates` where the claim needs proof → `Judge`. Every
//! step that [`next`] gives is recorded as one event; [`fold`] of the events is the state. So a
//! crash between any two instructions leaves a state from which `next` goes on.

pub mod authored;
pub mod breaker;
pub mod budget;
pub mod cell;
pub mod chosen;
pub mod classify;
pub mod client;
mod closing;
pub mod config;
pub mod contest;
pub mod continuity;
pub mod done;
pub mod event;
pub mod fleet;
pub mod flow;
mod fold;
pub mod forks;
pub mod history;
pub mod hold;
pub mod hunks;
pub mod id;
pub mod joined;
pub mod journal;
pub mod leased;
pub mod ledger;
pub mod listed;
pub mod member_task;
pub mod members;
pub mod models;
mod next;
pub mod options;
pub mod overview;
mod pace;
pub mod pausing;
pub mod placed;
pub mod progress;
pub mod prompt;
pub mod queue;
#[cfg(test)]
mod rehearsal;
pub mod replay;
pub mod restore;
pub mod resume;
pub mod review;
pub mod rule;
pub mod scope;
pub mod script;
pub mod settings;
pub mod setup;
pub mod signal;
pub mod state;
pub mod steer;
pub mod step;
pub mod survive;
pub mod sweep;
pub mod tally;
pub mod task;
pub mod team;
pub mod trusted;
pub mod why;

pub use config::Config;
pub use event::Event;
pub use fold::{apply, fold};
pub use next::{decide, next};
pub use state::State;
pub use step::{Reason, Step};
