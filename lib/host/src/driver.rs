//! The driver: executes the steps that the core decides, and journals each.

mod attempt;
mod printed;
mod recover;
mod start;
mod tasks;

use crate::agent::Agent;
use crate::journal::Journal;
use crate::signals::Signals;
use crate::state::Place;
use crate::worktree::Snapshots;
use crate::{clock, files, gates, progress, random};
use overnight_core::fault::Fault;
use overnight_core::judge::GateOutcome;
use overnight_core::progress::Stamp;
use overnight_core::prompt;
use overnight_core::run::event::{Finished, Gates, Intent, Interrupted, Judged, Measured, Waiting};
use overnight_core::run::progress::snapshot;
use overnight_core::run::step::WaitCause;
use overnight_core::run::{Reason, State, Step, next};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use start::{Orders, create, take_over};

/// How often a wait shows how long it still lasts.
const COUNTDOWN: Duration = Duration::from_mins(1);

/// A run in the hands of this process.
#[derive(Debug)]
pub struct Driver {
    place: Place,
    folder: PathBuf,
    journal: Journal,
    agent: Agent,
    signals: Signals,
    snapshots: Snapshots,
    tree: String,
    say: fn(&str),
}

impl Driver {
    /// Goes on until the run ends; says why it ended, and its state then.
    pub fn run(mut self) -> Result<(Reason, State), Fault> {
        let reason = self.steps()?;
        Ok((reason, self.journal.state().clone()))
    }

    fn steps(&mut self) -> Result<Reason, Fault> {
        self.update_progress();
        loop {
            let now = clock::wall_ms();
            let state = self.journal.state();
            match next(state, &state.config, now) {
                Step::Start {
                    iteration,
                    attempt,
                    task,
                    nudge,
                } => {
                    let intent = Intent {
                        iteration,
                        attempt,
                        task,
                        check_id: random::hex::<8>()?,
                        epoch: state.epoch,
                        nudge,
                    };
                    self.attempt(intent, now)?;
                }
                Step::Baseline(commands) => self.measure(&commands)?,
                Step::Gates(commands) => self.prove(&commands)?,
                Step::Judge(verdict) => {
                    self.journal.append_at(Judged { verdict }, now)?;
                    self.tell_verdict();
                    self.update_progress();
                }
                Step::Wait { until, cause } => self.wait(until, cause, now)?,
                Step::Finish(reason) => return self.finish(reason, now),
            }
            if let Some(signal) = self.signals.interrupted() {
                return self.interrupt(signal);
            }
        }
    }

    fn attempt(&mut self, intent: Intent, now: u64) -> Result<(), Fault> {
        let text = self.prompt(&intent);
        self.journal.append_at(intent, now)?;
        self.update_progress();
        attempt::run(self, &text)
    }

    fn prompt(&self, intent: &Intent) -> String {
        let state = self.journal.state();
        let Some((run, task)) = state.run.as_ref().zip(state.task(&intent.task)) else {
            return String::new();
        };
        let mut gates = task.spec.gates.clone();
        gates.extend(state.config.gates.iter().cloned());
        prompt::build(&prompt::Brief {
            goal: &run.goal,
            task,
            iteration: (intent.iteration, state.config.max_iterations),
            last: state.last_on(&intent.task),
            nudge: intent.nudge,
            progress: &progress::summary(&self.place)
                .ok()
                .flatten()
                .unwrap_or_default(),
            check_id: &intent.check_id,
            gates: &gates,
        })
    }

    fn measure(&mut self, commands: &[String]) -> Result<(), Fault> {
        (self.say)("running the gates once before the work begins");
        let (outcomes, pins) = self.run_gates(commands);
        self.journal.append(Measured { outcomes, pins })?;
        Ok(())
    }

    fn prove(&mut self, commands: &[String]) -> Result<(), Fault> {
        let (outcomes, pins) = self.run_gates(commands);
        self.journal.append(Gates { outcomes, pins })?;
        Ok(())
    }

    fn run_gates(&self, commands: &[String]) -> (Vec<GateOutcome>, BTreeMap<String, String>) {
        let limit = Duration::from_millis(self.journal.state().config.task_timeout_ms);
        let outcomes = gates::run_all(&self.place.top, commands, limit);
        (outcomes, gates::pins(&self.place.top, commands))
    }

    /// Sleeps until the wait is over, visibly, and wakes at a signal. A suspend of the machine is
    /// noticed because the wall clock decides.
    fn wait(&mut self, until: u64, cause: WaitCause, now: u64) -> Result<(), Fault> {
        if self.journal.state().waiting != Some((until, cause)) {
            self.journal.append_at(Waiting { until, cause }, now)?;
        }
        while self.signals.interrupted().is_none() {
            let left = until.saturating_sub(clock::wall_ms());
            if left == 0 {
                break;
            }
            (self.say)(&format!(
                "waiting {} s more ({cause:?})",
                left.div_ceil(1_000)
            ));
            let pause = Duration::from_millis(left).min(COUNTDOWN);
            self.signals.wait(Instant::now() + pause);
        }
        Ok(())
    }

    fn finish(&mut self, reason: Reason, now: u64) -> Result<Reason, Fault> {
        if self.journal.state().finished.is_none() {
            self.journal.append_at(
                Finished {
                    reason: reason.clone(),
                },
                now,
            )?;
        }
        self.update_progress();
        Ok(reason)
    }

    fn interrupt(&mut self, signal: i32) -> Result<Reason, Fault> {
        self.journal.append(Interrupted { signal })?;
        self.update_progress();
        Ok(Reason::Interrupted(signal))
    }

    fn tell_verdict(&self) {
        let Some(last) = self.journal.state().history.last() else {
            return;
        };
        let again = if last.attempts > 1 {
            format!(", {} attempts", last.attempts)
        } else {
            String::new()
        };
        let verdict = match last.verdict.reasons.first() {
            _ if last.verdict.complete() => "complete".to_owned(),
            Some(reason) => format!("incomplete: {reason}"),
            None => "incomplete".to_owned(),
        };
        (self.say)(&format!(
            "iteration {} on {}{again}: {verdict}",
            last.number, last.task
        ));
    }

    /// Progress is for people: that it cannot be written is said once an iteration, and the run goes on.
    fn update_progress(&self) {
        let state = self.journal.state();
        let stamp = Stamp {
            session: state
                .run
                .as_ref()
                .map(|run| run.id.clone())
                .unwrap_or_default(),
            when: clock::local_text(clock::wall_ms()),
        };
        let view = snapshot(state);
        if let Err(fault) = progress::update(&self.place, |model| model.apply(&view, &stamp)) {
            (self.say)(&fault.to_string());
        }
    }
}

/// The number of the newest driver, where the guard looks for it.
fn write_epoch(folder: &std::path::Path, epoch: u64) -> Result<(), Fault> {
    files::write_atomic(
        &folder.join("epoch"),
        epoch.to_string().as_bytes(),
        files::PRIVATE,
    )
}
