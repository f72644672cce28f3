//! The driver: executes the steps that the core decides, and journals each.

pub(crate) mod asks;
mod attempt;
pub mod goal;
mod keep;
mod listen;
mod meter;
mod printed;
mod recover;
mod share;
mod start;
mod wait;

use crate::agent::Agent;
use crate::canary::Probe;
use crate::cell::Cells;
use crate::cell::broker::Broker;
use crate::journal::Journal;
use crate::round::{self, Court};
use crate::signals::Signals;
use crate::state::Place;
use crate::worktree::Snapshots;
use crate::{clock, config, notify, report};
use listen::Watched;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::Verdict;
use overnight_run::event::{Finished, Intent, Interrupted, Judged};
use overnight_run::{Reason, State, Step, next};
use std::path::PathBuf;

pub(crate) use recover::end_left_over;
pub use start::{Orders, begin, change_goal, create, take_over};
pub(crate) use start::{Post, config_before, seize, started};

/// A run in the hands of this process.
#[derive(Debug)]
pub struct Driver {
    place: Place,
    folder: PathBuf,
    journal: Journal,
    agent: Agent,
    signals: Signals,
    snapshots: Snapshots,
    head: String,
    probe: Option<Probe>,
    /// What agents and gates are started in, if there are walls.
    cells: Option<Cells>,
    /// Answers the questions that come out of the cell.
    _broker: Option<Broker>,
    /// Where what the agents print is kept.
    logs: PathBuf,
    role: Role,
    /// What a person may change while it runs.
    watched: Option<Watched>,
    say: fn(&str),
}

/// For whom a driver works.
#[derive(Debug)]
pub(crate) enum Role {
    /// For the person: progress, task list and report are its own.
    Alone,
    /// For a driver with members, which keeps all that; the text is what the others did.
    Member(String),
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
            if matches!(self.role, Role::Alone) {
                asks::hear(&self.place, &mut self.journal)?;
            }
            self.listen()?;
            let now = clock::wall_ms();
            let state = self.journal.state();
            match next(state, &state.config, now) {
                Step::Start {
                    iteration,
                    attempt,
                    task,
                    nudge,
                } => {
                    if let Some(lost) = self.lost(&task)? {
                        self.journal.append(lost)?;
                        continue;
                    }
                    let session = state.session_for(&task, now).map(str::to_owned);
                    let mut intent = round::intent(state, (iteration, attempt), task, nudge)?;
                    intent.continues = session;
                    self.attempt(intent, now)?;
                }
                Step::Take { task } => self.take(&task, now)?,
                Step::Baseline(commands) => self.measure(&commands)?,
                Step::Gates(commands) => self.prove(&commands)?,
                Step::Close(commands) => self.close(&commands)?,
                Step::Hunk(commands) => {
                    let hunk = self.court().hunk(&commands);
                    self.journal.append(hunk)?;
                }
                Step::Judge(verdict) => {
                    self.keep_receipt(&verdict);
                    self.journal.append_at(Judged { verdict }, now)?;
                    self.tell_verdict();
                    self.settle();
                    self.keep(false);
                    self.tell_person();
                }
                Step::Wait { until, cause } => self.wait(until, cause, now)?,
                Step::Hold => self.hold(),
                Step::Finish(reason) if self.rather_waits(&reason)? => {}
                Step::Finish(reason) => return self.finish(reason, now),
                // Who opens a run with members is `engine::members`.
                Step::Members(step) => {
                    let reason = format!("a driver without members was told to {step:?}");
                    return Err(Fault::new(Code::Defect, reason));
                }
            }
            if let Some(signal) = self.signals.interrupted() {
                return self.interrupt(signal);
            }
        }
    }

    fn attempt(&mut self, intent: Intent, now: u64) -> Result<(), Fault> {
        let progress = match &self.role {
            Role::Alone => round::progress_so_far(&self.place),
            Role::Member(others) => others.clone(),
        };
        let state = self.journal.state();
        let before = round::tried_before(&self.place, state, &intent.task);
        let mut text = round::prompt(state, &intent, (&progress, &before), None);
        if self.cells.is_some() {
            text.push_str(overnight_run::cell::BRIEF);
            text.push_str(&overnight_run::cell::told(&state.walled, &state.limited));
        }
        self.journal.append_at(intent, now)?;
        self.update_progress();
        attempt::run(self, &text)
    }

    fn measure(&mut self, commands: &[String]) -> Result<(), Fault> {
        (self.say)("running the gates once before the work begins");
        let measured = self.court().measure(commands, self.say);
        self.journal.append(measured)?;
        Ok(())
    }

    fn prove(&mut self, commands: &[String]) -> Result<(), Fault> {
        let gates = self.court().prove(commands);
        self.journal.append(gates)?;
        Ok(())
    }

    fn close(&mut self, commands: &[String]) -> Result<(), Fault> {
        (self.say)("every task is done: running their gates once more on what is left behind");
        let closing = self.court().close(commands);
        self.journal.append(closing)?;
        self.update_progress();
        Ok(())
    }

    /// The proof stands without its receipt: that it could not be kept is told.
    fn keep_receipt(&self, verdict: &Verdict) {
        if let Err(fault) = self.court().receipt(verdict) {
            (self.say)(&format!("no receipt for what was proved: {fault}"));
        }
    }

    /// Where this run's gates are run.
    fn court(&self) -> Court<'_> {
        let prefix = config::load(Some(&self.place)).settings.guard.branch_prefix;
        let own = |branch: String| branch.starts_with(&prefix);
        Court {
            cells: self.cells.as_ref(),
            place: &self.place,
            home: &self.place.home,
            folder: &self.folder,
            state: self.journal.state(),
            own_branch: matches!(self.role, Role::Member(_))
                || self.place.branch().is_some_and(own),
        }
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
        self.settle();
        self.keep(true);
        self.write_report();
        Ok(reason)
    }

    /// A run of a driver has no client to pass a terminal's sequence on.
    fn tell_person(&self) {
        let state = self.journal.state();
        if matches!(self.role, Role::Alone)
            && let Some(run) = &state.run
        {
            notify::tell(&self.place, &run.id, state, notify::Way::Desktop);
        }
    }

    fn interrupt(&mut self, signal: i32) -> Result<Reason, Fault> {
        self.journal.append(Interrupted { signal })?;
        self.settle();
        self.keep(true);
        self.write_report();
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
        let with = last.model.as_ref().map(|model| format!(" with {model}"));
        let verdict = match last.verdict.reasons.first() {
            _ if last.verdict.complete() => "complete".to_owned(),
            Some(reason) => format!("incomplete: {reason}"),
            None => "incomplete".to_owned(),
        };
        (self.say)(&format!(
            "iteration {} on {}{}{again}: {verdict}",
            last.number,
            last.task,
            with.unwrap_or_default()
        ));
    }

    /// A report that cannot be written is said; the run ended as it ended.
    fn write_report(&self) {
        if matches!(self.role, Role::Member(_)) {
            return;
        }
        let run = self.journal.state().run.as_ref();
        let Some(run) = run.map(|run| run.id.as_str()) else {
            return;
        };
        match report::write(&self.place, run) {
            Ok(path) => (self.say)(&format!("report: {}", path.display())),
            Err(fault) => (self.say)(&fault.to_string()),
        }
    }

    /// Progress is for people: that it cannot be written is said once an iteration, and the run goes on.
    fn update_progress(&self) {
        if matches!(self.role, Role::Alone)
            && let Err(fault) = round::write_progress(&self.place, self.journal.state())
        {
            (self.say)(&fault.to_string());
        }
    }
}
