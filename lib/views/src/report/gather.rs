//! One pass over the records: iterations, waits, openings, and what went wrong.

use super::crew::Together;
use super::{Line, Opening, Pause, Totals, clean, words};
use crate::summary::came_to;
use overnight_judge::{Verdict, file};
use overnight_run::breaker;
use overnight_run::budget::to_micros;
use overnight_run::classify::Class;
use overnight_run::event::{Ended, Event, Intent, Outcome, Waiting};
use overnight_run::journal::Record;
use overnight_run::members::event::{End, MergeAnswer};
use overnight_run::step::WaitCause;
use overnight_run::{State, apply};
use std::collections::BTreeMap;

/// What the pass finds.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) iterations: Vec<Line>,
    pub(crate) pauses: Vec<Pause>,
    pub(super) openings: Vec<Opening>,
    pub(super) wrong: BTreeMap<String, u64>,
    pub(super) totals: Totals,
    waiting: Option<WaitCause>,
    /// The status that the last attempt exited with, where nothing else was found wrong with it.
    exited: Option<i32>,
    /// When the usage limit resets, by the last outcome that said so.
    resets: Option<u64>,
}

impl Gathered {
    /// Brings this and the state up to date with one more record.
    pub(crate) fn add(&mut self, state: &mut State, record: Record) {
        let now = record.stamp.t;
        self.end_pause(now);
        match &record.event {
            Event::Intent(event) => self.intent(event, now),
            Event::Outcome(event) => self.outcome(event),
            Event::Judged(event) => {
                let open = state.open.as_ref().and_then(|open| open.outcome.as_ref());
                let said = open.map_or("", |outcome| outcome.said.as_str());
                self.judged(&event.verdict, said, now);
            }
            Event::Waiting(event) => self.pause(event, now),
            Event::Interrupted(event) => {
                self.count(&format!(
                    "the driver was interrupted by signal {}",
                    event.signal
                ));
            }
            Event::Torn(event) => self.torn(event.bytes),
            Event::MemberEnded(event) => self.member_ended(&event.end),
            Event::MergeEnded(event) => self.merge_ended(&event.answer),
            _ => {}
        }
        let judged = state.open.as_ref();
        let judged = judged.filter(|_| matches!(record.event, Event::Judged(_)));
        let Some(task) = judged.map(|open| open.task.clone()) else {
            return apply(state, record);
        };
        let openings = |state: &State| state.task(&task).map_or(0, |task| task.breaker.openings);
        let before = openings(state);
        apply(state, record);
        if openings(state) > before {
            self.opened(state, &task, now);
        }
    }

    /// Adds what the members' journals come to.
    pub(super) fn join(&mut self, crew: &Together) {
        self.iterations.extend_from_slice(&crew.iterations);
        self.pauses.extend_from_slice(&crew.pauses);
        self.openings.extend_from_slice(&crew.openings);
        for (what, times) in &crew.wrong {
            *self.wrong.entry(what.clone()).or_default() += times;
        }
        self.totals.worked_ms += crew.totals.worked_ms;
        self.totals.waited_ms += crew.totals.waited_ms;
        self.totals.limited_ms += crew.totals.limited_ms;
        // Members at work are booked when they end.
        self.totals.cost_usd = to_micros(crew.members.iter().map(|sum| sum.cost_usd).sum());
        let judged = crew
            .iterations
            .iter()
            .filter(|line| line.complete.is_some());
        let judged = u32::try_from(judged.count()).unwrap_or(u32::MAX);
        self.totals.iterations = self.totals.iterations.max(judged);
    }

    /// A last record that was cut off: found when the journal was opened again, or still there.
    pub(super) fn torn(&mut self, bytes: u64) {
        if bytes > 0 {
            self.count("the driver died while it wrote the journal (its last record was cut off)");
        }
    }

    /// No end is recorded and no driver lives.
    pub(super) fn crashed(&mut self) {
        self.count("the driver died without recording an end");
    }

    fn member_ended(&mut self, end: &End) {
        match end {
            End::Lost => self.count("a member was lost"),
            End::LeaseLost { .. } => self.count("a member lost its lease"),
            End::Done | End::Stopped(_) | End::Interrupted => {}
        }
    }

    fn merge_ended(&mut self, answer: &MergeAnswer) {
        match answer {
            MergeAnswer::Conflict { .. } | MergeAnswer::Red { .. } => {
                self.count("a branch could not be merged as it was");
            }
            MergeAnswer::Unreachable { .. } => {
                self.count("the remote did not answer when work was to be merged");
            }
            MergeAnswer::World { .. } => self.count("a merge met a fault and was tried again"),
            MergeAnswer::Merged { .. } | MergeAnswer::Moved { .. } | MergeAnswer::Halve { .. } => {}
        }
    }

    fn pause(&mut self, event: &Waiting, now: u64) {
        self.waiting = Some(event.cause);
        let limited = event.cause == WaitCause::UsageLimit;
        self.pauses.push(Pause {
            from: now,
            until: event.until,
            cause: words::cause(event.cause).to_owned(),
            resets: self.resets.take().filter(|_| limited),
            member: None,
        });
    }

    fn count(&mut self, what: &str) {
        *self.wrong.entry(what.to_owned()).or_default() += 1;
    }

    /// A wait lasts until the next record, whatever was planned.
    fn end_pause(&mut self, now: u64) {
        let Some(cause) = self.waiting.take() else {
            return;
        };
        if let Some(pause) = self.pauses.last_mut() {
            pause.until = now.max(pause.from);
            let lasted = pause.until - pause.from;
            if cause == WaitCause::UsageLimit {
                self.totals.limited_ms += lasted;
            } else {
                self.totals.waited_ms += lasted;
            }
        }
    }

    fn intent(&mut self, event: &Intent, now: u64) {
        match self.iterations.last_mut() {
            Some(line) if line.number == event.iteration => line.attempts = event.attempt,
            _ => self.iterations.push(Line {
                number: event.iteration,
                task: clean(&event.task),
                log: format!("{}.jsonl", event.iteration),
                started: now,
                attempts: event.attempt,
                ..Line::default()
            }),
        }
    }

    fn outcome(&mut self, event: &Outcome) {
        self.totals.worked_ms += event.duration_ms;
        self.resets = event
            .resets_at
            .and_then(|seconds| u64::try_from(seconds).ok())
            .map(|seconds| seconds.saturating_mul(1_000));
        let timed_out = matches!(event.ended, Ended::TimedOut(_));
        self.exited = match event.ended {
            Ended::Exited(status) if event.class == Class::None => Some(status),
            _ => None,
        };
        if let Some(line) = self.iterations.last_mut() {
            line.cost_usd = to_micros(line.cost_usd + event.cost_usd.max(0.0));
            line.changed = event.changed;
            line.timed_out |= timed_out;
        }
        match event.ended {
            Ended::TimedOut(_) => self.count("an agent ran into its time limit"),
            Ended::Lost => self.count("an agent was lost with its driver"),
            Ended::Signalled(_) => self.count("an agent was ended by a signal from outside"),
            Ended::Exited(_) | Ended::Interrupted => {}
        }
        let class = match event.class {
            Class::None => None,
            Class::UsageLimit => Some("usage limit reached"),
            Class::Transient => Some("the network or the service failed"),
            Class::Auth => Some("login or key refused"),
            Class::Billing => Some("the account cannot pay"),
            Class::Budget => Some("a limit of ours ended the agent"),
            Class::Context => Some("the conversation grew too long"),
            // A time-out and a signal are counted above.
            Class::Unknown if !matches!(event.ended, Ended::Exited(_)) => None,
            Class::Unknown => Some("an agent failed without a known cause"),
        };
        if let Some(class) = class {
            self.count(class);
        }
        if event.denials > 0 {
            let refused = self
                .wrong
                .entry("tool call refused".to_owned())
                .or_default();
            *refused += u64::from(event.denials);
        }
    }

    fn judged(&mut self, verdict: &Verdict, said: &str, now: u64) {
        if let Some(line) = self.iterations.last_mut() {
            line.ended = Some(now);
            line.complete = Some(verdict.complete());
            line.reason = came_to(verdict, said);
        }
        if let Some(failure) = verdict.failure.as_ref().filter(|_| !verdict.complete()) {
            match (failure.as_str(), self.exited) {
                (file::NOTHING, Some(0)) => {
                    self.count("an agent ended without a word about being done");
                }
                (file::NOTHING, Some(status)) => {
                    self.count(&format!("an agent ended with status {status}"));
                }
                // What became of it is counted already.
                (file::NOTHING, None) => {}
                (other, _) => self.count(&format!("decision not accepted: {}", clean(other))),
            }
        }
        let failed = verdict.gates.iter().filter(|gate| !gate.passed()).count();
        if failed > 0 {
            let gates = self.wrong.entry("gate failed".to_owned()).or_default();
            *gates += failed as u64;
        }
        if verdict.gates.iter().any(|gate| gate.flaky) {
            self.count("a gate gave two results without a change");
        }
    }

    fn opened(&mut self, state: &State, task: &str, at: u64) {
        self.count("the circuit breaker opened");
        let reason = state.task(task).and_then(|task| task.breaker.reason);
        self.openings.push(Opening {
            at,
            task: clean(task),
            reason: reason.map_or("", breaker::Reason::sentence).to_owned(),
        });
    }
}
