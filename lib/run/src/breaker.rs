//! The circuit breaker: stops a run that gets nowhere, lets one probe through after a cool-down.
//!
//! Thresholds are those of ralph-claude-code; half-open with a doubling
//! cool-down is the classical pattern. Only what the agent does feeds it: usage limits, network
//! faults and the like leave every counter as it is.

pub mod clock;
pub mod state;

use serde::{Deserialize, Serialize};

/// When it opens and for how long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Iterations in a row without progress.
    pub no_progress: u32,
    /// Iterations in a row with the same error.
    pub same_error: u32,
    /// Output that shrinks by this many per cent against the median of the last three.
    pub output_decline: u32,
    /// Iterations in a row in which the client was denied permissions and nothing changed.
    pub denials: u32,
    /// The first cool-down, in milliseconds; it doubles with each failed probe.
    pub cool_down_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            no_progress: 3,
            same_error: 5,
            output_decline: 70,
            denials: 2,
            cool_down_ms: 30 * 60 * 1000,
        }
    }
}

/// A cool-down never grows past a day: a person should find the run alive in the morning.
const COOL_DOWN_MAX_MS: u64 = 24 * 60 * 60 * 1000;
/// Work-tree hashes remembered to notice that the work goes round in circles.
const TREES_MAX: usize = 64;
/// Output sizes that the decline is measured against.
const OUTPUTS: usize = 3;

/// May the next iteration start?
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Yes.
    #[default]
    Closed,
    /// No, not before the cool-down has passed.
    Open,
    /// One probe.
    HalfOpen,
}

/// Why it opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Too many iterations without progress.
    NoProgress,
    /// The same error too often.
    SameError,
    /// The output broke down in the second iteration in a row that changed nothing.
    OutputDecline,
    /// Permissions were denied again and again.
    PermissionDenied,
    /// The probe failed.
    ProbeFailed,
}

impl Reason {
    /// The sentence that a person reads.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoProgress => "too many iterations in a row without progress",
            Self::SameError => "the same error in too many iterations in a row",
            Self::OutputDecline => "the output broke down while nothing changed",
            Self::PermissionDenied => "permissions were denied in iterations in a row",
            Self::ProbeFailed => "the probe after the cool-down failed",
        }
    }
}

/// What the next iteration is told before the breaker opens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Advice {
    /// Nothing.
    #[default]
    None,
    /// A hint that the last iteration got nowhere.
    Hint,
    /// Change the approach.
    ChangeApproach,
    /// Take a smaller piece.
    SmallerPiece,
    /// Give up: blocked, for a person.
    Blocked,
}

/// What one iteration did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Observation {
    /// Files changed in the work tree, untracked ones in, our own state out.
    pub changed: u64,
    /// Could the work tree not be looked at? Then nobody knows whether anything changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// The hash of the work tree afterwards.
    pub tree: Option<String>,
    /// Commits made.
    pub commits: u64,
    /// Tasks ticked off.
    pub ticked: u64,
    /// Failing tests, if they were counted.
    pub failing: Option<u64>,
    /// Bytes that the agent printed.
    pub output_bytes: u64,
    /// The fingerprint of its errors.
    pub error: Option<String>,
    /// Permissions that it was denied.
    pub denials: u64,
    /// It failed for no fault of its own: usage limit, network, log-in. Counts for nothing.
    pub excused: bool,
}

/// The breaker's memory; serialised as its state file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    /// Closed or open; half-open is what open becomes with time.
    pub state: State,
    /// Why it is open.
    pub reason: Option<Reason>,
    /// When it opened, in the caller's steady milliseconds.
    pub opened_ms: Option<u64>,
    /// How long it stays open this time.
    pub cool_down_ms: u64,
    /// How often it opened without closing in between.
    pub openings: u32,
    /// The counters.
    pub counters: Counters,
}

/// What the breaker counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Iterations seen, excused ones left out.
    pub iterations: u64,
    /// In a row without progress.
    pub no_progress: u32,
    /// In a row with the same error.
    pub same_error: u32,
    /// In a row with denied permissions and without progress.
    pub denials: u32,
    /// Did the last iteration's output break down?
    pub output_decline: bool,
    /// The last error's fingerprint.
    pub error: Option<String>,
    /// The last failing-test count.
    pub failing: Option<u64>,
    /// The last output sizes, newest last.
    pub outputs: Vec<u64>,
    /// Work-tree hashes seen, newest last.
    pub trees: Vec<String>,
}

impl Breaker {
    /// The state at `now_ms`: an open breaker whose cool-down has passed is half-open.
    pub fn at(&self, now_ms: u64) -> State {
        match (self.state, self.remaining_ms(now_ms)) {
            (State::Open, 0) => State::HalfOpen,
            (state, _) => state,
        }
    }

    /// Milliseconds until a probe may start; 0 when nothing stands in its way. A clock that went
    /// back makes it the whole cool-down, never more.
    pub fn remaining_ms(&self, now_ms: u64) -> u64 {
        match (self.state, self.opened_ms) {
            (State::Open, Some(opened)) => self
                .cool_down_ms
                .saturating_sub(now_ms.saturating_sub(opened)),
            _ => 0,
        }
    }

    /// What the next iteration should be told.
    pub fn advice(&self, config: &Config) -> Advice {
        const STEPS: [Advice; 3] = [Advice::Hint, Advice::ChangeApproach, Advice::SmallerPiece];
        if self.state != State::Closed {
            return if self.openings > 1 {
                Advice::Blocked
            } else {
                Advice::SmallerPiece
            };
        }
        let step = |count: u32, first: u32, threshold: u32| {
            let (done, all) = (
                count.checked_sub(first)?,
                threshold.saturating_sub(first).max(1),
            );
            let index = usize::try_from(done * 3 / all).unwrap_or(STEPS.len());
            Some(STEPS[index.min(STEPS.len() - 1)])
        };
        let counters = &self.counters;
        let idle = step(counters.no_progress, 1, config.no_progress);
        let stuck = step(counters.same_error, 2, config.same_error);
        let denied = step(counters.denials, 1, config.denials);
        idle.max(stuck).max(denied).unwrap_or_default()
    }

    /// The breaker after one iteration.
    #[must_use]
    pub fn step(&self, config: &Config, seen: &Observation, now_ms: u64) -> Self {
        let mut next = self.clone();
        next.observe(config, seen, now_ms);
        next
    }

    /// Takes one iteration in. In place: a fold over a thousand iterations copies nothing.
    pub fn observe(&mut self, config: &Config, seen: &Observation, now_ms: u64) {
        if seen.excused {
            return;
        }
        let state = self.at(now_ms);
        let stuck = self.reason == Some(Reason::SameError)
            && seen.error.is_some()
            && seen.error == self.counters.error;
        let progress = self.counters.note(config, seen);
        match state {
            State::Closed => {
                if let Some(reason) = self.counters.trips(config, progress) {
                    self.open(config, reason, now_ms);
                }
            }
            // Nothing should have run; what it did is noted, the cool-down goes on.
            State::Open => {}
            State::HalfOpen if progress == Some(true) && !stuck => self.close(),
            // A probe that nobody could look at proves nothing: the next iteration is one too.
            State::HalfOpen if progress.is_none() && !stuck => {}
            State::HalfOpen => {
                let reason = self.reason.unwrap_or(Reason::ProbeFailed);
                self.open(config, reason, now_ms);
            }
        }
    }

    /// Closed, as after `circuit-breaker reset`; what was learned of trees and outputs stays.
    pub fn close(&mut self) {
        let counters = std::mem::take(&mut self.counters);
        *self = Self {
            counters: Counters {
                iterations: counters.iterations,
                failing: counters.failing,
                outputs: counters.outputs,
                trees: counters.trees,
                ..Counters::default()
            },
            ..Self::default()
        };
    }

    fn open(&mut self, config: &Config, reason: Reason, now_ms: u64) {
        let doubled = self.cool_down_ms.saturating_mul(2);
        self.cool_down_ms = if self.openings == 0 {
            config.cool_down_ms
        } else {
            doubled.max(config.cool_down_ms)
        }
        .min(COOL_DOWN_MAX_MS.max(config.cool_down_ms));
        self.state = State::Open;
        self.reason = Some(reason);
        self.opened_ms = Some(now_ms);
        self.openings = self.openings.saturating_add(1);
    }
}

impl Counters {
    /// Counts an iteration; gives whether it made progress, where that is known.
    fn note(&mut self, config: &Config, seen: &Observation) -> Option<bool> {
        self.iterations = self.iterations.saturating_add(1);
        let circling = seen
            .tree
            .as_ref()
            .is_some_and(|tree| self.trees.contains(tree));
        let fewer_failing =
            matches!((self.failing, seen.failing), (Some(before), Some(now)) if now < before);
        // Commits of a tree that was there before go round in circles as well.
        let changed = seen.changed > 0 && !circling;
        let committed = seen.commits > 0 && !(seen.changed > 0 && circling);
        let progress = changed || committed || seen.ticked > 0 || fewer_failing;
        let progress = (progress || !seen.unseen).then_some(progress);
        match progress {
            Some(true) => self.no_progress = 0,
            Some(false) => self.no_progress = self.no_progress.saturating_add(1),
            None => {}
        }
        match (seen.denials, progress) {
            (0, _) | (_, Some(true)) => self.denials = 0,
            (_, Some(false)) => self.denials = self.denials.saturating_add(1),
            (_, None) => {}
        }
        self.same_error = match &seen.error {
            None => 0,
            Some(_) if self.error == seen.error => self.same_error.saturating_add(1),
            Some(_) => 1,
        };
        self.error.clone_from(&seen.error);
        self.output_decline = declines(&self.outputs, seen.output_bytes, config.output_decline);
        remember(&mut self.outputs, seen.output_bytes, OUTPUTS);
        if let Some(tree) = seen.tree.as_ref().filter(|_| !circling) {
            remember(&mut self.trees, tree.clone(), TREES_MAX);
        }
        self.failing = seen.failing.or(self.failing);
        progress
    }

    fn trips(&self, config: &Config, progress: Option<bool>) -> Option<Reason> {
        let reached = |count: u32, threshold: u32| threshold > 0 && count >= threshold;
        if reached(self.denials, config.denials) {
            Some(Reason::PermissionDenied)
        } else if reached(self.same_error, config.same_error) {
            Some(Reason::SameError)
        } else if reached(self.no_progress, config.no_progress) {
            Some(Reason::NoProgress)
        } else if self.output_decline
            && progress == Some(false)
            && self.no_progress > 1
            && config.output_decline > 0
        {
            Some(Reason::OutputDecline)
        } else {
            None
        }
    }
}

/// Is `now` smaller than the median of what was before by at least `per_cent`?
fn declines(before: &[u64], now: u64, per_cent: u32) -> bool {
    let mut sorted = before.to_vec();
    sorted.sort_unstable();
    // The lower median of two: one long answer is no measure.
    let Some(median) = sorted
        .get(sorted.len().saturating_sub(1) / 2)
        .copied()
        .filter(|median| *median > 0)
    else {
        return false;
    };
    let lost = u128::from(median.saturating_sub(now)) * 100;
    lost >= u128::from(median) * u128::from(per_cent)
}

fn remember<T>(list: &mut Vec<T>, item: T, max: usize) {
    list.push(item);
    if list.len() > max {
        list.remove(0);
    }
}

#[cfg(test)]
mod tests;
