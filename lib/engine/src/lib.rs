//! What carries a run: the driver, the session's loop, members and their queue, the proof room, what
//! is written at dusk and read in the morning. It acts through the host; what is decided is decided in
//! the pure crates.

pub mod answer;
pub mod apart;
pub mod canary;
pub mod control;
pub mod desk;
pub mod doctor;
pub mod driver;
pub mod fleet;
mod follow;
mod furnish;
pub mod gates;
mod known;
pub mod members;
pub mod messages;
pub mod night;
pub mod notify;
pub mod past;
pub mod person;
mod pinned;
mod ports;
pub mod proof;
pub mod pull_request;
pub mod rehearsal;
pub mod relocate;
mod reopen;
pub mod report;
mod round;
pub mod session_loop;
mod shared;
pub mod sight;
mod steps;
mod submodules;
pub mod survive;
mod sweep;
pub mod team;
pub mod traces;
pub mod trees;
mod unfinished;
pub mod watch;
mod wish;

use overnight_host::{
    agent, approvals, cell, cli, client, clock, config, detach, env, exclude, files, git, glance,
    guard, homes, hook, installation, journal, leases, left_lock, logs, owner, process, progress,
    random, rewriters, runs, session, signals, snapshot, state, tasklist, trust, work, worktree,
};
