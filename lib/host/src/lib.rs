//! Effects of Overnight: files, git, processes, clock, Claude Code's JSON.
//!
//! Each side effect lives in exactly one module here; what is decided is decided in
//! `overnight_core`.

pub mod agent;
pub mod approvals;
pub mod breaker;
pub mod canary;
pub mod child;
pub mod cli;
pub mod client;
pub mod clock;
pub mod clones;
pub mod config;
pub mod deadline;
pub mod detach;
pub mod doctor;
pub mod door;
pub mod driver;
pub mod ending;
pub mod env;
pub mod env_file;
pub mod exclude;
pub mod failsafe;
pub mod files;
mod follow;
pub mod gates;
pub mod git;
pub mod grammars;
pub mod guard;
pub mod homes;
pub mod hook;
pub mod installation;
pub mod journal;
pub mod leases;
pub mod logs;
pub mod members;
pub mod message;
pub mod notify;
pub mod owner;
#[cfg(feature = "pages")]
mod pages;
pub mod person;
pub mod planner;
pub mod player;
pub mod process;
pub mod progress;
pub mod pull_request;
pub mod random;
pub mod relay;
pub mod report;
pub mod rewriters;
mod round;
pub mod runs;
pub mod sample;
pub mod session;
pub mod sight;
pub mod signals;
pub mod snapshot;
pub mod state;
pub mod tasklist;
pub mod tee;
pub mod terminal;
pub mod trace;
pub mod trust;
pub mod watch;
pub mod worktree;
pub mod zones;
