//! Decisions of Overnight: what decides is a function of its inputs.
//!
//! No file, clock, process, environment variable or random number is used in this crate; its
//! `clippy.toml` and the repository's `tests/tidy.rs` enforce it. Time, seeds and settings are
//! arguments, so that every decision can be replayed, property-tested and simulated.

pub mod breaker;
pub mod classify;
pub mod client;
pub mod clones;
pub mod code;
pub mod config;
pub mod decisions;
pub mod digest;
pub mod doctor;
pub mod duration;
pub mod env_file;
pub mod exit;
pub mod fault;
pub mod filter;
pub mod flow;
pub mod guard;
pub mod hook;
pub mod journal;
pub mod judge;
pub mod lease;
mod needles;
pub mod notify;
pub mod progress;
pub mod prompt;
pub mod redact;
pub mod report;
pub mod restore;
pub mod rotate;
pub mod run;
pub mod sample;
pub mod script;
pub mod session;
pub mod signals;
pub mod stats;
pub mod status;
pub mod tasks;
pub mod team;
pub mod text;
pub mod trace;
pub mod watch;
