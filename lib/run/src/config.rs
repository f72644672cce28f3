//! What bounds a run. Pinned in the journal when a driver starts.

use super::budget::Limits;
use super::cell;
use crate::breaker;
use overnight_base::value::{Typed, Value};
use overnight_judge::signals::{DONE_MAX, TEST_ONLY_MAX};
use serde::{Deserialize, Serialize};

/// Iterations of a task's turn.
pub const TURN: u32 = 3;

/// Limits of a run. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting")]
pub struct Config {
    /// Who works: `claude`, `scripted:FILE` or `command:CMD`; a resumed run goes on with the same.
    pub agent: String,
    /// Iterations after which the run stops (PRD FR-1: 10).
    pub max_iterations: u32,
    /// Failed iterations in a row after which a task is blocked (PRD FR-1: 3).
    pub failures_max: u32,
    /// Iterations of a task after which another one that is ready has its turn; 0, as in journals of before:
    /// it is stayed with.
    #[serde(skip_serializing_if = "is_zero")]
    pub turn: u32,
    /// Unreadable decisions in a row after which a task is blocked (seed 001; 3).
    pub unreadable_max: u32,
    /// Attempts of one iteration that may be lost before it counts as failed.
    pub attempts_max: u32,
    /// Longest time of one iteration (design: 30 min).
    pub task_timeout_ms: u64,
    /// Longest time of one client session (design: 2 h).
    pub session_timeout_ms: u64,
    /// Longest time of the whole run; none by default.
    pub max_duration_ms: Option<u64>,
    /// Least time from one start to the next (design: 0).
    pub interval_ms: u64,
    /// Agent starts an hour, sliding (ralph-claude-code: 100).
    pub calls_per_hour: u32,
    /// Dollars for the whole run; none by default.
    pub budget_usd: Option<f64>,
    /// Tokens of all kinds for the whole run; none by default.
    pub budget_tokens: Option<u64>,
    /// Dollars within any hour after which the run stops: it burns faster than it should.
    pub usd_per_hour: Option<f64>,
    /// Does the agent test with a sample?
    pub fast: bool,
    /// Do specialist agents look at what a task changed?
    pub specialists: bool,
    /// Does an iteration go on in the client session of the one before?
    pub continue_session: bool,
    /// What to do when the account's usage limit is reached.
    pub on_limit: OnLimit,
    /// When a task's circuit breaker opens.
    pub breaker: breaker::Config,
    /// Done signals in a row that stand in for a claim (ralph-claude-code: 2).
    pub done_signals: u32,
    /// Iterations in a row that only ran passing tests and stand in for one (there: 3).
    pub test_loops: u32,
    /// The person's own commands that prove any task done (`--gate`).
    pub gates: Vec<String>,
    /// In how many ways a stuck task is tried at the same time before it is given up; fewer than 2: in
    /// none (`--forks`).
    #[serde(skip_serializing_if = "is_zero")]
    pub forks: u32,
    /// The tasks of the list that are worked on; none: all (`--task`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// What a reviewer shall look at before a claim counts; none: there is no review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// The reviewer's model; none: the client's own choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_model: Option<String>,
    /// The person's commands that make the ignored files that gates need (`run.setup`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Of a member: the commit at which the person's own run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<String>,
    /// Globs of files that decide and that every task may change all the same (`--may-change`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub may_change: Vec<String>,
    /// Globs of files that decide, beside the conventions (`proof.protect`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub protect: Vec<String>,
    /// Are the gates of finished tasks run once more at the end? Journals of 0.1 ended without.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub closes: bool,
    /// Minutes in which parts of the change are taken back at the end; 0: none are.
    #[serde(skip_serializing_if = "is_zero")]
    pub proof_minutes: u32,
    /// Do the gates run where the agent works, instead of in a room of their own?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_place: bool,
    /// Agents at work at the same time, each in a work tree of its own; 0: one, in the project
    /// itself.
    pub members: u32,
    /// The remote that holds the members' leases and their merged work: its name, or `none`.
    pub remote: Option<String>,
    /// Is each task of the list taken by lease before an iteration works on it? Of members their
    /// driver takes care.
    pub leased: bool,
    /// Time to live of the members' leases, in seconds.
    pub lease_ttl_s: u64,
    /// Iterations after which the run's branch is pushed meanwhile; 0: only at the end.
    #[serde(skip_serializing_if = "is_zero")]
    pub push: u32,
    /// Is what a task that was given up left taken off the run's branch?
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub leave_out: bool,
    /// Does it work in a cell? Journals of 0.1 knew none.
    #[serde(default = "no_cell")]
    pub cell: cell::Mode,
    /// What the walls of its cell keep; none where it works without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub walls: Option<String>,
    /// The model of an agent whose task names none; none: the client's own choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Models for a task that was refuted twice, each stronger than the one before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub escalate: Vec<String>,
    /// Are lines that both sides of a conflict only inserted kept side by side?
    pub union: bool,
    /// How lock files that conflict are written anew, as `GLOB=COMMAND` (`members.lock_files`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lock_files: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn no_cell() -> cell::Mode {
    cell::Mode::Off
}

impl Config {
    /// The budget, in each of its currencies.
    pub fn limits(&self) -> Limits {
        Limits {
            usd: self.budget_usd,
            tokens: self.budget_tokens,
        }
    }
}

/// What a run does at a usage limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnLimit {
    /// Waits for the stated reset.
    Wait,
    /// Stops; a later `--resume` goes on.
    Exit,
}

impl Typed for OnLimit {
    fn typed(value: Option<Value>) -> Self {
        match value {
            Some(Value::Text(word)) if word == "exit" => Self::Exit,
            _ => Self::Wait,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        const MINUTE_MS: u64 = 60_000;
        Self {
            agent: "claude".to_owned(),
            max_iterations: 10,
            failures_max: 3,
            turn: 0,
            unreadable_max: 3,
            attempts_max: 3,
            task_timeout_ms: 30 * MINUTE_MS,
            session_timeout_ms: 120 * MINUTE_MS,
            max_duration_ms: None,
            interval_ms: 0,
            calls_per_hour: 100,
            budget_usd: None,
            budget_tokens: None,
            usd_per_hour: None,
            fast: false,
            continue_session: false,
            on_limit: OnLimit::Wait,
            breaker: breaker::Config::default(),
            done_signals: DONE_MAX,
            test_loops: TEST_ONLY_MAX,
            gates: Vec::new(),
            forks: 0,
            only: Vec::new(),
            review: None,
            review_model: None,
            setup: Vec::new(),
            begun: None,
            may_change: Vec::new(),
            protect: Vec::new(),
            closes: false,
            proof_minutes: 0,
            in_place: false,
            members: 0,
            remote: None,
            leased: false,
            lease_ttl_s: overnight_lease::TTL_S_DEFAULT,
            push: 0,
            leave_out: false,
            cell: cell::Mode::Auto,
            walls: None,
            model: None,
            specialists: true,
            escalate: Vec::new(),
            union: true,
            lock_files: Vec::new(),
        }
    }
}
