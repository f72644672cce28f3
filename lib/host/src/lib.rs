//! Effects of Overnight: files, git, processes, clock, Claude Code's JSON.
//!
//! Each side effect lives in exactly one module here; what is decided is decided in
//! the crates below it.

pub mod agent;
pub mod approvals;
pub mod breaker;
pub mod cell;
pub mod child;
pub mod cli;
pub mod client;
pub mod clock;
pub mod config;
pub mod deadline;
pub mod detach;
pub mod ending;
pub mod env;
pub mod env_file;
pub mod exclude;
pub mod failsafe;
pub mod files;
pub mod git;
pub mod glance;
pub mod grammars;
pub mod guard;
pub mod homes;
pub mod hook;
pub mod installation;
pub mod journal;
pub mod leases;
pub mod left_lock;
pub mod logs;
pub mod message;
pub mod off;
pub mod owner;
#[cfg(feature = "pages")]
mod pages;
pub mod process;
pub mod progress;
pub mod random;
pub mod relay;
pub mod rewriters;
pub mod runs;
pub mod session;
pub mod setup;
pub mod signals;
pub mod snapshot;
pub mod state;
pub mod tasklist;
pub mod terminal;
pub mod trust;
pub mod who;
pub mod work;
pub mod worktree;
pub mod zones;
