//! The one interpreter of steps: what the core decides is carried out here, whoever carries the run:
//! a driver, a session's hook, a driver with members. What differs between them is a [`Carrier`].

use crate::journal::Journal;
use crate::round::{self, Court, receipts};
use crate::shared::Share;
use crate::signals::Signals;
use crate::state::Place;
use crate::{clock, guard, report};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::Verdict;
use overnight_run::event::{Event, Finished, Intent};
use overnight_run::leased::Answer;
use overnight_run::members::Step as Members;
use overnight_run::step::{Nudge, WaitCause};
use overnight_run::{Reason, State, Step, next};
use std::ops::ControlFlow::{self, Break, Continue};
use std::path::{Path, PathBuf};

/// What one step came to: the loop goes on, or ends with this.
pub(crate) type Flow<End> = Result<ControlFlow<End>, Fault>;

/// Who carries a run.
pub(crate) trait Carrier {
    /// What its loop ends with.
    type End;

    /// Where it works.
    fn place(&self) -> &Place;
    /// The folder of the run's journal.
    fn folder(&self) -> &Path;
    /// The run's record.
    fn journal(&self) -> &Journal;
    /// The same, to write to.
    fn journal_mut(&mut self) -> &mut Journal;
    /// What tells whoever watches it.
    fn say(&self) -> fn(&str);
    /// Takes in what came from outside meanwhile.
    fn listen(&mut self) -> Flow<Self::End>;
    /// Lets the run's gates be run.
    fn in_court<T>(&mut self, work: impl FnOnce(&Court<'_>) -> T) -> Result<T, Fault>;
    /// Begins to do nothing.
    fn hold(&mut self) -> Flow<Self::End>;
    /// Does what the end of the run needs; it is recorded.
    fn finish(&mut self, reason: Reason) -> Result<Self::End, Fault>;

    /// The process that its leases live with.
    fn lives_with(&self) -> Option<u32> {
        Some(std::process::id())
    }
    /// Makes ready what the work needs, before the gates are measured.
    fn prepare(&self) {}
    /// What interrupts it, where that is not another process.
    fn signals(&self) -> Option<&Signals> {
        None
    }
    /// Has the iteration of this intent worked on.
    fn begin(&mut self, intent: Intent, _now: u64) -> Flow<Self::End> {
        foreign(&format!("begin on {}", intent.task))
    }
    /// Records a verdict and what follows from it.
    fn judge(&mut self, _verdict: Verdict, _now: u64) -> Result<(), Fault> {
        foreign("judge")
    }
    /// Waits, or leaves because it is too long.
    fn wait(&mut self, until: u64, _cause: WaitCause, _now: u64) -> Flow<Self::End> {
        foreign(&format!("wait until {until}"))
    }
    /// Takes a step that only a driver with members takes.
    fn members(&mut self, step: Members, _now: u64) -> Result<(), Fault> {
        foreign(&format!("take {step:?}"))
    }
    /// Does a person who is asked put the end off?
    fn puts_off(&mut self, _reason: &Reason) -> Result<bool, Fault> {
        Ok(false)
    }
    /// Is progress its own to write?
    fn keeps_progress(&self) -> bool {
        true
    }
}

/// Of what the core never decides for whoever carries this run.
fn foreign<T>(what: &str) -> Result<T, Fault> {
    let reason = format!("who cannot was told to {what}");
    Err(Fault::new(Code::Defect, reason))
}

/// Takes the core's steps until one ends the loop.
pub(crate) fn carry<C: Carrier>(carrier: &mut C) -> Result<C::End, Fault> {
    loop {
        if let Break(end) = carrier.listen()? {
            return Ok(end);
        }
        if let Break(end) = take(carrier)? {
            return Ok(end);
        }
    }
}

/// Runs the gates of finished tasks once more, on what is left behind.
fn close<C: Carrier>(carrier: &mut C, commands: &[String]) -> Result<(), Fault> {
    (carrier.say())("every task is done: running their gates once more on what is left behind");
    record(carrier, |court| court.close(commands).into())?;
    let whose = (carrier.place(), carrier.folder());
    if let Err(fault) = receipts::keep_missing(whose, carrier.journal().state()) {
        (carrier.say())(&format!("no receipt for what was proved: {fault}"));
    }
    write_progress(carrier);
    Ok(())
}

fn take<C: Carrier>(carrier: &mut C) -> Flow<C::End> {
    let now = clock::wall_ms();
    let state = carrier.journal().state();
    match next(state, &state.config, now) {
        Step::Start {
            iteration,
            attempt,
            task,
            nudge,
        } => {
            return start(carrier, ((iteration, attempt), task, nudge), now);
        }
        Step::Take { task } => {
            let taken = share(carrier)?.take(state, &task);
            if let Answer::Held { by, .. } = &taken.answer {
                (carrier.say())(&format!("{task} is with {by}"));
            }
            carrier.journal_mut().append_at(taken, now)?;
        }
        Step::Baseline(commands) => {
            carrier.prepare();
            (carrier.say())("running the gates once before the work begins");
            record(carrier, |court| court.measure(&commands).into())?;
        }
        Step::Gates(commands) => record(carrier, |court| court.prove(&commands).into())?,
        Step::Close(commands) => close(carrier, &commands)?,
        Step::Hunk(commands) => record(carrier, |court| court.hunk(&commands).into())?,
        Step::Review => review(carrier)?,
        Step::Judge(verdict) => {
            // The proof stands without its receipt: that it could not be kept is told.
            let open = state.open.as_ref().map_or("", |open| open.task.as_str());
            let whose = (carrier.place(), carrier.folder());
            if let Err(fault) = receipts::keep(whose, state, (open, &verdict)) {
                (carrier.say())(&format!("no receipt for what was proved: {fault}"));
            }
            carrier.judge(*verdict, now)?;
        }
        Step::Wait { until, cause } => return carrier.wait(until, cause, now),
        Step::Hold => return carrier.hold(),
        Step::Members(step) => carrier.members(step, now)?,
        Step::Finish(reason) if carrier.puts_off(&reason)? => {}
        Step::Finish(reason) => {
            if carrier.journal().state().finished.is_none() {
                let reason = reason.clone();
                carrier.journal_mut().append_at(Finished { reason }, now)?;
            }
            return carrier.finish(reason).map(Break);
        }
    }
    Ok(Continue(()))
}

/// Begins an attempt on a task, unless its lease is lost.
fn start<C: Carrier>(
    carrier: &mut C,
    (number, task, nudge): ((u32, u32), String, Nudge),
    now: u64,
) -> Flow<C::End> {
    let state = carrier.journal().state();
    if state.config.leased
        && let Some(lost) = share(carrier)?.keep(state, &task)?
    {
        carrier.journal_mut().append(lost)?;
        return Ok(Continue(()));
    }
    let allowed = state
        .task(&task)
        .map(|task| task.spec.allowed_tools.clone());
    guard::permit(carrier.folder(), &allowed.unwrap_or_default())?;
    let intent = round::intent(state, number, task, nudge)?;
    carrier.begin(intent, now)
}

/// Asks a reviewer about the open claim; nothing is recorded where somebody ended the run meanwhile.
fn review<C: Carrier>(carrier: &mut C) -> Result<(), Fault> {
    (carrier.say())("everything speaks for the claim: a reviewer reads it");
    let reviewed = carrier.in_court(|court| court.review().map(Event::from))?;
    match reviewed {
        Some(event) => carrier.journal_mut().append(event).map(drop),
        None => Ok(()),
    }
}

/// Runs gates and records what they said.
fn record<C: Carrier>(
    carrier: &mut C,
    work: impl FnOnce(&Court<'_>) -> Event,
) -> Result<(), Fault> {
    let event = carrier.in_court(work)?;
    carrier.journal_mut().append(event).map(drop)
}

/// The leases of the run's tasks, where other runs of the repository share its list.
pub(crate) fn share(carrier: &impl Carrier) -> Result<Share, Fault> {
    let state: &State = carrier.journal().state();
    Share::of(carrier.place(), state, carrier.lives_with())
}

/// Brings progress up to date, then gives back what the run needs no longer: whoever takes it finds
/// in the list what came of it. Leases of an earlier process of the run are among that.
pub(crate) fn settle(carrier: &impl Carrier) {
    write_progress(carrier);
    let state = carrier.journal().state();
    if state.config.leased
        && let Ok(share) = share(carrier)
    {
        share.settle(&state.leased.had);
    }
}

/// Progress is for people: that it cannot be written is said, and the run goes on.
pub(crate) fn write_progress(carrier: &impl Carrier) {
    if carrier.keeps_progress()
        && let Err(fault) = round::write_progress(carrier.place(), carrier.journal().state())
    {
        (carrier.say())(&fault.to_string());
    }
}

/// The run ended as it ended, with or without a report; gives where it is.
pub(crate) fn write_report(carrier: &impl Carrier) -> Option<PathBuf> {
    let run = carrier.journal().state().run.as_ref()?;
    match report::write(carrier.place(), &run.id) {
        Ok(path) => Some(path),
        Err(fault) => {
            (carrier.say())(&fault.to_string());
            None
        }
    }
}
