//! Waiting: visibly, awake to signals, and at a usage limit with the person and the other runs.

use super::Driver;
use crate::canary::{self, Turn};
use crate::{cli, clock};
use overnight_base::duration;
use overnight_base::fault::Fault;
use overnight_run::Reason;
use overnight_run::classify::Class;
use overnight_run::config::OnLimit;
use overnight_run::event::{LimitChosen, LimitHeard, Outcome, Waiting};
use overnight_run::step::WaitCause;
use rustix::event::{PollFd, PollFlags, Timespec};
use std::io::{IsTerminal, Read};
use std::time::{Duration, Instant};

/// How often a wait says how long it still lasts.
const COUNTDOWN: Duration = Duration::from_mins(1);
/// The same on a terminal, where the line is written over.
const COUNTDOWN_ON_TERMINAL: Duration = Duration::from_secs(1);
/// How long a person at a terminal may think at the usage limit (ralph-claude-code: 30 s).
const QUESTION: Duration = Duration::from_secs(30);
/// How often a paused run looks whether it may go on.
const LOOK: Duration = Duration::from_millis(500);
/// A suspend shorter than this is not worth a line.
const SUSPEND_MS: u64 = 2_000;
/// How long others keep still after a refusal without a stated reset.
const UNTOLD_MS: u64 = 60_000;

impl Driver {
    /// Sleeps until the wait is over and wakes at a signal. The wall clock decides, so a suspend of
    /// the machine lengthens nothing; it is said. Where it is set back, only a usage limit's reset,
    /// which is a time of day, is waited for the longer.
    pub(super) fn wait_until(
        &mut self,
        until: u64,
        cause: WaitCause,
        now: u64,
    ) -> Result<(), Fault> {
        if self.journal.state().waiting != Some((until, cause)) {
            self.journal.append_at(Waiting { until, cause }, now)?;
            self.tell_person();
        }
        self.sleep(until, cause);
        if cause != WaitCause::UsageLimit || self.signals.interrupted().is_some() {
            return Ok(());
        }
        // The outcome that the limit was met in is the last thing that happened before the wait.
        match canary::turn(&self.signals, now)? {
            Turn::Ours(probe) => self.probe = Some(probe),
            Turn::Later(until) => {
                (self.say)("another run on this machine found the usage limit still in force");
                self.journal.append(LimitHeard { until })?;
            }
            Turn::Free => {}
        }
        Ok(())
    }

    /// Begins nothing for a moment: a person paused the run.
    pub(super) fn look_again(&self) {
        self.signals.wait(Instant::now() + LOOK);
    }

    fn sleep(&self, until: u64, cause: WaitCause) {
        let on_terminal = std::io::stderr().is_terminal();
        let tick = if on_terminal {
            COUNTDOWN_ON_TERMINAL
        } else {
            COUNTDOWN
        };
        let began = Instant::now();
        let most = Duration::from_millis(until.saturating_sub(clock::wall_ms()));
        while self.signals.interrupted().is_none() {
            let left = until.saturating_sub(clock::wall_ms());
            let passed = cause != WaitCause::UsageLimit && began.elapsed() > most;
            if left == 0 || passed {
                break;
            }
            let line = countdown(cause, until, left);
            if on_terminal {
                cli::rewrite(&line);
            } else {
                (self.say)(&line);
            }
            let slept_before = clock::suspended_ms();
            self.signals
                .wait(Instant::now() + Duration::from_millis(left).min(tick));
            if let Some(line) = suspended(slept_before, clock::suspended_ms()) {
                (self.say)(&line);
            }
        }
        if on_terminal {
            cli::rewrite("");
        }
    }

    /// The canary's attempt ended: the others hear of a refusal.
    pub(super) fn end_probe(&mut self, outcome: &Outcome) {
        let Some(probe) = self.probe.take() else {
            return;
        };
        if outcome.class == Class::UsageLimit {
            let reset = outcome
                .resets_at
                .and_then(|seconds| u64::try_from(seconds).ok());
            let until = reset.map_or_else(
                || clock::wall_ms().saturating_add(UNTOLD_MS),
                |seconds| seconds.saturating_mul(1_000),
            );
            probe.refused(until);
        }
    }

    /// Does the person at the terminal want to wait at the usage limit, instead of leaving? Without
    /// a terminal nobody is asked.
    pub(super) fn rather_waits(&mut self, reason: &Reason) -> Result<bool, Fault> {
        let stdin = std::io::stdin();
        let asked = matches!(reason, Reason::UsageLimit(_))
            && self.journal.state().finished.is_none()
            && stdin.is_terminal()
            && std::io::stderr().is_terminal();
        if !asked {
            return Ok(false);
        }
        (self.say)(
            "the usage limit is reached; leaving in 30 s: w and Enter waits for the reset, Enter leaves now",
        );
        let began = Instant::now();
        while self.signals.interrupted().is_none() && began.elapsed() < QUESTION {
            let mut entries = [PollFd::new(&stdin, PollFlags::IN)];
            let look = Timespec {
                tv_sec: 1,
                tv_nsec: 0,
            };
            if !matches!(rustix::event::poll(&mut entries, Some(&look)), Ok(1..)) {
                continue;
            }
            let mut typed = [0; 64];
            let count = stdin.lock().read(&mut typed).unwrap_or(0);
            if !typed[..count].trim_ascii_start().starts_with(b"w") {
                return Ok(false);
            }
            self.journal.append(LimitChosen {
                on_limit: OnLimit::Wait,
            })?;
            return Ok(true);
        }
        Ok(false)
    }
}

/// What is said of a suspend between two readings of [`clock::suspended_ms`].
fn suspended(before: u64, after: u64) -> Option<String> {
    let slept = after.saturating_sub(before);
    (slept >= SUSPEND_MS).then(|| format!("the machine was suspended for {}", time(slept)))
}

/// `usage limit: waiting until 15:29:00, 1h 12m more`.
fn countdown(cause: WaitCause, until: u64, left: u64) -> String {
    let what = match cause {
        WaitCause::UsageLimit => "usage limit",
        WaitCause::Transient => "the service failed",
        WaitCause::CallRate => "calls per hour",
        WaitCause::Interval => "interval",
        WaitCause::Elsewhere => "other agents have the tasks that are left",
    };
    format!(
        "{what}: waiting until {}, {} more",
        clock::local_text(until),
        time(left)
    )
}

/// Milliseconds for people, in whole seconds.
fn time(ms: u64) -> String {
    duration::show(Duration::from_secs(ms.div_ceil(1_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suspend_is_said_and_the_clocks_small_differences_are_not() {
        let hour = 3_600_000;
        let line = suspended(5_000, 5_000 + hour).unwrap();
        assert_eq!(line, "the machine was suspended for 1h");
        assert_eq!(suspended(5_000, 5_000), None);
        assert_eq!(suspended(5_000, 6_999), None);
        assert_eq!(suspended(5_001, 5_000), None, "read in another order");
    }

    #[test]
    fn a_countdown_is_read_at_a_glance() {
        let line = countdown(WaitCause::UsageLimit, 1_795_186_800_000, 1_000);
        assert!(
            line.starts_with("usage limit: waiting until 2026-11-2") && line.ends_with(", 1s more"),
            "{line}"
        );
    }
}
