//! What every part of Overnight shares: exit statuses, error codes and faults, durations and texts as
//! people see them, names of sessions, what the client tells its hooks, environment variables, and how
//! a setting is declared.
//!
//! This crate depends on none of the others. No file, clock, process, environment variable or random
//! number is used in it.

pub mod code;
pub mod duration;
pub mod exit;
pub mod fault;
pub mod hook;
pub mod programs;
pub mod session;
pub mod setting;
pub mod text;
pub mod value;
pub mod vars;
pub mod words;
