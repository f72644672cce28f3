//! Black-box tests: every binary as a process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test that cannot go on fails; its name is its documentation"
)]

mod acceptance;
mod answering;
mod approvals;
mod armed;
mod asks;
mod buttons;
mod cell;
mod cheats;
mod checklist;
mod circuit_breaker;
mod clocks;
mod command_guard_bash;
mod command_guard_check;
mod command_guard_hook;
mod command_guard_hostile;
mod command_guard_rows;
mod completion_check;
mod configuration;
mod desk_page;
mod digest_chained;
mod digest_compose;
mod digest_corpus;
mod dirty;
mod doctor;
mod documented;
mod doors;
mod dusk;
mod error_codes;
mod exit_signals;
mod forks;
mod holding;
mod hostile_rows;
mod issues;
mod judge_cases;
mod kill;
mod led;
mod limits;
mod members;
mod models;
mod morning;
mod night;
mod notify;
mod off;
mod offered;
mod origins;
mod output_filter;
mod paused;
mod permitted;
mod plan;
mod plugin;
mod progress_log;
mod project;
mod proof;
mod proof_alone;
mod proof_kill;
mod proof_outside;
mod readme;
mod rehearse;
mod report;
mod requests;
mod review;
mod reviewed;
mod run;
mod sample_tests;
mod schema;
mod scope;
mod session;
mod session_end;
mod session_start;
mod setup;
mod shared;
mod status;
mod steer;
mod steps;
mod support;
mod survive;
mod task_lock;
mod tasks;
mod team;
mod terminal;
mod tmux;
mod uninstall;
mod walled;
mod watch;
mod who;
mod why;
mod with_timeout;
