//! The driver: executes the steps that the core decides, and journals each.

pub(crate) mod asks;
mod attempt;
pub mod forks;
pub mod goal;
mod keep;
mod listen;
mod meter;
mod printed;
mod recover;
mod set_up;
mod start;
mod wait;

use crate::agent::Agent;
use crate::canary::Probe;
use crate::cell::broker::Broker;
use crate::cell::{Cells, Past};
use crate::journal::Journal;
use crate::notify;
use crate::round::{self, Court};
use crate::signals::Signals;
use crate::state::Place;
use crate::steps::{self, Carrier, Flow};
use crate::worktree::Snapshots;
use overnight_base::fault::Fault;
use overnight_judge::Verdict;
use overnight_run::event::{Intent, Interrupted, Judged};
use overnight_run::step::{Nudge, WaitCause};
use overnight_run::{Reason, State};
use overnight_views::summary::{came_to, clean};
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};

pub(crate) use listen::Watched;
pub(crate) use recover::end_left_over;
pub use start::{Orders, begin, change_goal, refuse, take_over};
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
    /// Looks for answers that come from outside.
    _answers: Option<notify::Listener>,
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

impl Carrier for Driver {
    type End = Reason;

    fn place(&self) -> &Place {
        &self.place
    }

    fn folder(&self) -> &Path {
        &self.folder
    }

    fn journal(&self) -> &Journal {
        &self.journal
    }

    fn journal_mut(&mut self) -> &mut Journal {
        &mut self.journal
    }

    fn say(&self) -> fn(&str) {
        self.say
    }

    fn keeps_progress(&self) -> bool {
        matches!(self.role, Role::Alone)
    }

    fn listen(&mut self) -> Flow<Reason> {
        if let Some(signal) = self.signals.interrupted() {
            return self.interrupt(signal).map(Break);
        }
        if matches!(self.role, Role::Alone) {
            asks::hear(&self.place, &mut self.journal)?;
        }
        self.hear()?;
        Ok(Continue(()))
    }

    fn in_court<T>(&mut self, work: impl FnOnce(&Court<'_>) -> T) -> Result<T, Fault> {
        let is_members = matches!(self.role, Role::Member(_));
        Ok(work(&Court::of(self, self.cells.as_ref(), is_members)))
    }

    fn prepare(&self) {
        // What failed is said now; the agent hears of it when it begins.
        self.set_up();
    }

    fn signals(&self) -> Option<&Signals> {
        Some(&self.signals)
    }

    fn begin(&mut self, mut intent: Intent, now: u64) -> Flow<Reason> {
        let session = self.journal.state().session_for(&intent.task, now);
        intent.continues = session.map(str::to_owned);
        self.attempt(intent, now).map(Continue)
    }

    fn judge(&mut self, verdict: Verdict, now: u64) -> Result<(), Fault> {
        let asked = self.agent.streams_json();
        let unreported = if asked {
            round::unreported(&self.place, self.journal.state(), &verdict)
        } else {
            Vec::new()
        };
        if !unreported.is_empty() {
            (self.say)(&format!("no report came of {}", unreported.join(" and ")));
        }
        self.journal.append_at(
            Judged {
                verdict,
                unreported,
            },
            now,
        )?;
        self.tell_verdict();
        steps::settle(self);
        self.keep(false);
        self.tell_person();
        Ok(())
    }

    fn wait(&mut self, until: u64, cause: WaitCause, now: u64) -> Flow<Reason> {
        self.wait_until(until, cause, now).map(Continue)
    }

    fn hold(&mut self) -> Flow<Reason> {
        self.look_again();
        Ok(Continue(()))
    }

    fn puts_off(&mut self, reason: &Reason) -> Result<bool, Fault> {
        self.rather_waits(reason)
    }

    fn finish(&mut self, reason: Reason) -> Result<Reason, Fault> {
        self.end();
        Ok(reason)
    }
}

impl Driver {
    /// Goes on until the run ends; says why it ended, and its state then.
    pub fn run(mut self) -> Result<(Reason, State), Fault> {
        steps::write_progress(&self);
        let reason = steps::carry(&mut self)?;
        Ok((reason, self.journal.state().clone()))
    }

    fn attempt(&mut self, intent: Intent, now: u64) -> Result<(), Fault> {
        let progress = match &self.role {
            Role::Alone => round::progress_so_far(&self.place),
            Role::Member(others) => others.clone(),
        };
        let state = self.journal.state();
        let found = round::found(&self.place, state);
        let before = round::tried_before(&self.place, state, &intent.task);
        let mut text = round::prompt(state, &intent, (&progress, &found, &before), None);
        if self.cells.is_some() {
            text.push_str(overnight_run::cell::BRIEF);
            text.push_str(&overnight_run::cell::notice(&state.walled, &state.limited));
        }
        text.push_str(&self.set_up());
        if self.agent.streams_json() {
            text.push_str(&round::specialists(state, &intent.task, false));
        }
        let forked = intent.nudge == Nudge::Fork;
        self.journal.append_at(intent, now)?;
        steps::write_progress(self);
        if forked {
            return forks::run(self);
        }
        attempt::run(self, &text)
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
        self.end();
        Ok(Reason::Interrupted(signal))
    }

    fn end(&mut self) {
        steps::settle(self);
        self.keep(true);
        if matches!(self.role, Role::Alone) {
            Past::forget(&self.folder);
            if let Some(path) = steps::write_report(self) {
                (self.say)(&format!("report: {}", path.display()));
            }
        }
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
        let needs = last.verdict.needs.as_ref();
        let needs = needs.map(|needs| clean(&format!("it needs you: {needs}")));
        let why = needs.unwrap_or_else(|| came_to(&last.verdict, &last.said));
        let verdict = match why.as_str() {
            _ if last.verdict.complete() => "complete".to_owned(),
            "" => "incomplete".to_owned(),
            why => format!("incomplete: {why}"),
        };
        (self.say)(&format!(
            "iteration {} on {}{}{again}: {verdict}",
            last.number,
            last.task,
            with.unwrap_or_default()
        ));
    }
}
