//! The invariants, kept in a book of their own that knows nothing of the core's counters.

use overnight_judge::GateOutcome;
use overnight_judge::gates::TestCounts;
use overnight_run::Config;
use std::collections::BTreeMap;

const HOUR_MS: u64 = 3_600_000;

/// What an agent says at the end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Speech {
    #[default]
    Prose,
    Done,
    More,
    Tests,
    Red,
    Blocked,
}

impl Speech {
    /// As often as the world says them.
    pub(crate) const ALL: [Self; 8] = [
        Self::Prose,
        Self::Blocked,
        Self::Done,
        Self::Done,
        Self::More,
        Self::Tests,
        Self::Tests,
        Self::Red,
    ];

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Prose => "I went on.",
            Self::Done => {
                "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---"
            }
            Self::More => {
                "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---"
            }
            Self::Blocked => "---RALPH_STATUS---\nSTATUS: BLOCKED\n---END_RALPH_STATUS---",
            Self::Tests => "test result: ok. 10 passed; 0 failed; 0 ignored",
            Self::Red => "test result: FAILED. 8 passed; 2 failed; 0 ignored",
        }
    }
}

/// What the last attempt showed of exit signals.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Told {
    pub(crate) speech: Speech,
    /// It changed nothing.
    pub(crate) idle: bool,
    /// It ended by itself and well.
    pub(crate) ended: bool,
    /// The only task's plan file is all ticked, and an earlier attempt left a box open.
    pub(crate) plan: bool,
}

/// What an honest observer writes down.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// Starts of agents, in steady milliseconds.
    pub(crate) calls: Vec<u64>,
    pub(crate) dollars: f64,
    pub(crate) tokens: u64,
    /// Which tasks have a file outside their scope changed.
    pub(crate) outside: BTreeMap<String, bool>,
    /// What each attempt cost, and when it ended in steady milliseconds.
    pub(crate) costs: Vec<(u64, f64)>,
    /// What the gates counted at the run's start.
    pub(crate) baseline: BTreeMap<String, TestCounts>,
    /// What the gates of the claim under judgement said.
    pub(crate) proof: Vec<GateOutcome>,
    /// Which gates each task has.
    pub(crate) gates: BTreeMap<String, Vec<String>>,
    /// Until when a task's breaker holds, in steady milliseconds.
    pub(crate) held: BTreeMap<String, u64>,
    /// Had the plan file an open box after an attempt?
    pub(crate) planned: bool,
    /// What the last attempt showed.
    pub(crate) last: Told,
    /// Done signals, and loops of tests alone, in a row by task.
    pub(crate) signals: BTreeMap<String, (u32, u32)>,
    /// Did the clock jump? Then the hour cannot be told.
    pub(crate) jumped: bool,
}

impl Book {
    /// An agent is started.
    pub(crate) fn start(
        &mut self,
        config: &Config,
        iteration: u32,
        task: &str,
        now: u64,
    ) -> Result<(), String> {
        if iteration > config.max_iterations {
            return Err(format!(
                "more iterations than allowed: {iteration} of {}",
                config.max_iterations
            ));
        }
        if config
            .budget_usd
            .is_some_and(|budget| self.dollars >= budget)
        {
            return Err(format!("more dollars than allowed: {} spent", self.dollars));
        }
        if config
            .budget_tokens
            .is_some_and(|budget| self.tokens >= budget)
        {
            return Err(format!("more tokens than allowed: {} spent", self.tokens));
        }
        let hourly: f64 = self
            .costs
            .iter()
            .filter(|(at, _)| now < at + HOUR_MS)
            .map(|(_, dollars)| dollars)
            .sum();
        if !self.jumped && config.usd_per_hour.is_some_and(|limit| hourly >= limit) {
            return Err(format!("faster than allowed: {hourly} in an hour"));
        }
        if self.held.get(task).is_some_and(|until| now < *until) {
            return Err(format!("the breaker of {task} is open, and yet it starts"));
        }
        self.calls.retain(|at| now < at + HOUR_MS);
        self.calls.push(now);
        if !self.jumped && self.calls.len() > config.calls_per_hour as usize {
            return Err(format!(
                "more calls in an hour than allowed: {}",
                self.calls.len()
            ));
        }
        Ok(())
    }

    /// An iteration on the task is judged: its signals count.
    pub(crate) fn signal(&mut self, task: &str) {
        let row = self.signals.entry(task.to_owned()).or_default();
        let Told {
            speech,
            idle,
            ended,
            ..
        } = self.last;
        let next = |holds: bool, row: u32| if ended && holds { row + 1 } else { 0 };
        row.0 = next(speech == Speech::Done, row.0);
        row.1 = next(speech == Speech::Tests && idle, row.1);
    }

    /// A task is judged complete, by its agent's claim or without one.
    pub(crate) fn complete(&self, task: &str, claimed: bool) -> Result<(), String> {
        let (done, tests) = self.signals.get(task).copied().unwrap_or_default();
        if !(claimed || self.last.plan || done >= 2 || tests >= 3) {
            return Err(format!("{task} complete by neither claim nor exit signal"));
        }
        if self.outside.get(task).copied().unwrap_or(false) {
            return Err(format!("{task} complete with a file out of its scope"));
        }
        for command in self.gates.get(task).into_iter().flatten() {
            let Some(gate) = self.proof.iter().find(|gate| gate.command == *command) else {
                return Err(format!("{task} complete without its gate {command}"));
            };
            let before = self.baseline.get(command).copied().unwrap_or_default();
            let now = gate.tests.unwrap_or_default();
            let fewer = now.ran() < before.ran();
            let vacuous = gate.tests.is_some() && now.passed == Some(0);
            if gate.exit != Some(0) || gate.timed_out || fewer || vacuous {
                return Err(format!(
                    "{task} complete without a real pass of {command}: {gate:?}, before {before:?}"
                ));
            }
        }
        Ok(())
    }
}
