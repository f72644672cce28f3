//! The real client, headless and interactive, against a scripted Messages API on loopback.
//!
//! npm's platform package of Claude Code is fetched into `target/real-client/`; each test runs it
//! with a HOME of its own and without any other traffic. Where npm or the network is missing, a
//! test says SKIPPED with the reason, and fails under `OVERNIGHT_REQUIRE_ALL=1`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    missing_docs,
    dead_code,
    unreachable_pub,
    reason = "a test that cannot go on fails; its name is its documentation; not every test binary uses every helper"
)]

#[path = "../it/sample_tests/fetched.rs"]
mod fetched;
#[path = "../it/terminal.rs"]
mod pty;
#[path = "../it/support.rs"]
mod support;

mod api;
mod back;
mod client;
mod clones;
mod doctor;
mod driver;
mod filter;
mod guard;
mod guest;
mod harness;
mod held;
mod install;
mod notices;
mod npm;
mod plugin;
mod registry;
mod reviewer;
mod runners;
mod samples;
mod seeing;
mod session;
mod shared;
mod specialists;
mod stage;
mod steer;
mod team;
mod terminal;
mod walled;
mod wording;
