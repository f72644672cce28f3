//! A driver with members: hands tasks out by lease, watches over the members' processes, merges
//! what they finish. `core::run::members` decides; the state is the fold of the run's journal.

mod hand_out;
mod line;
mod merge;
mod reap;
mod tree;
pub mod work;

use crate::driver::{self, Orders};
use crate::journal::{self, Journal};
use crate::leases::{Leases, Options};
use crate::signals::Signals;
use crate::state::Place;
use crate::{clock, notify, report, round, runs};
use line::Line;
use merge::{Merge, Outcome};
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::run::event::{Finished, Interrupted, Measured};
use overnight_core::run::members::event::{Elsewhere, Looked, MergeAnswer, MergeEnded, Merging};
use overnight_core::run::members::{NO_REMOTE, Step as Members, name, order};
use overnight_core::run::task::Status;
use overnight_core::run::{Config, Reason, State, Step, next};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// The longest sleep of a driver that has nothing to do: its members' ends wake it.
const SLEEP_MAX: Duration = Duration::from_mins(1);
/// How long members may take to end when the run is interrupted: their agents get 1.5 s.
const GRACE: Duration = Duration::from_secs(4);

/// A run with members in the hands of this process.
#[derive(Debug)]
pub struct Crew {
    place: Place,
    run: String,
    folder: PathBuf,
    journal: Journal,
    leases: Leases,
    line: Line,
    signals: Signals,
    working: Vec<Working>,
    merge: Option<(String, Receiver<Outcome>)>,
    /// Was any lease had since this driver started?
    reached: bool,
    say: fn(&str),
}

/// A member's process.
#[derive(Debug)]
struct Working {
    member: u32,
    child: Child,
    /// Held open: its end tells the member that this driver is gone.
    _alive: Option<ChildStdin>,
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.answer.fmt(f)
    }
}

/// Makes this process the driver of a run with members.
pub fn take_over(orders: Orders, run: &str) -> Result<Crew, Fault> {
    let folder = runs::folder(&orders.place, run)?;
    let mut journal = driver::open(&folder, run)?;
    let config = (orders.config)(driver::config_before(journal.state()));
    let place = orders.place;
    let leases = Leases::open(&place.top, &lease_options(run, config.remote.clone()))?;
    let config = Config {
        remote: Some(leases.remote().unwrap_or(NO_REMOTE).to_owned()),
        leased: false,
        ..config
    };
    let line = Line::of(&place, run)?;
    let tasks = driver::read_tasks(&place)?;
    driver::started(&mut journal, &folder, (config, tasks))?;
    let mut crew = Crew {
        run: run.to_owned(),
        folder,
        journal,
        leases,
        line,
        signals: Signals::install()?,
        working: Vec::new(),
        merge: None,
        reached: false,
        say: orders.say,
        place,
    };
    crew.recover()?;
    Ok(crew)
}

/// Leases of a run's members live with the process of its driver: when it has ended, another
/// driver on this machine may take them at once.
fn lease_options(run: &str, remote: Option<String>) -> Options {
    Options {
        agent: Some(format!("overnight-{run}")),
        remote,
        pid: Some(std::process::id()),
    }
}

impl Crew {
    /// Goes on until the run ends; says why it ended, and its state then.
    pub fn run(mut self) -> Result<(Reason, State), Fault> {
        let reason = self.steps()?;
        Ok((reason, self.journal.state().clone()))
    }

    fn steps(&mut self) -> Result<Reason, Fault> {
        self.update_progress();
        loop {
            self.reap()?;
            self.take_in_merge()?;
            if let Some(signal) = self.signals.interrupted() {
                return self.interrupt(signal);
            }
            let now = clock::wall_ms();
            let state = self.journal.state();
            match next(state, &state.config, now) {
                Step::Members(step) => self.members(step, now)?,
                Step::Baseline(commands) => self.measure(&commands)?,
                Step::Finish(reason) => return self.finish(reason, now),
                step => {
                    let reason = format!("a driver with members was told to {step:?}");
                    return Err(Fault::new(Code::Defect, reason));
                }
            }
        }
    }

    fn members(&mut self, step: Members, now: u64) -> Result<(), Fault> {
        match step {
            Members::HandOut {
                task,
                member,
                round,
                share,
            } => self.hand_out((task, member, round, share), now),
            Members::Merge { task } => self.begin_merge(task, now),
            Members::Look => self.look(now),
            Members::Attend { until } => {
                let left = until.map(|until| Duration::from_millis(until.saturating_sub(now)));
                let sleep = left.unwrap_or(SLEEP_MAX).min(SLEEP_MAX);
                self.signals.wait(Instant::now() + sleep);
                Ok(())
            }
        }
    }

    fn measure(&mut self, commands: &[String]) -> Result<(), Fault> {
        (self.say)("running the gates once before the work begins");
        let (outcomes, pins) = round::run_gates(&self.place, self.journal.state(), commands);
        self.journal.append(Measured { outcomes, pins })?;
        Ok(())
    }

    /// Sees what other drivers have merged.
    fn look(&mut self, now: u64) -> Result<(), Fault> {
        let done = match self.line.sync(&self.leases) {
            Ok((commit, note)) => {
                self.tell(note.as_slice());
                self.known_done(&commit)?
            }
            // Before anything was handed out there is nothing to lose by saying so.
            Err(fault) if !self.reached => {
                let hint = "reach the remote, or keep leases and work in this clone: --remote none";
                return Err(fault.hint(hint));
            }
            Err(fault) => {
                (self.say)(&fault.to_string());
                Vec::new()
            }
        };
        self.reached = true;
        self.journal.append_at(Looked { done }, now)?;
        self.update_progress();
        Ok(())
    }

    /// The tasks that the line holds and the run does not know of yet.
    fn known_done(&self, commit: &str) -> Result<Vec<Elsewhere>, Fault> {
        let open = self.journal.state().tasks.iter();
        let open = open.filter(|task| task.status != Status::Done);
        let done = self.line.done(commit, open.map(|task| &task.spec))?;
        let elsewhere = |(task, commit)| Elsewhere { task, commit };
        Ok(done.into_iter().map(elsewhere).collect())
    }

    /// Starts a merge on a thread of its own, so that hand-outs go on meanwhile.
    fn begin_merge(&mut self, task: String, now: u64) -> Result<(), Fault> {
        let state = self.journal.state();
        let spec = state.task(&task).map(|task| task.spec.clone());
        let finished = state
            .members
            .finished
            .iter()
            .find(|finished| finished.task == task);
        let Some((spec, finished)) = spec.zip(finished) else {
            return Err(Fault::new(
                Code::Defect,
                format!("nothing of {task} to merge"),
            ));
        };
        let merge = Merge {
            line: self.line.clone(),
            leases: Leases::open(
                &self.place.top,
                &lease_options(&self.run, state.config.remote.clone()),
            )?,
            run: self.run.clone(),
            gates: order::gates(state, &task),
            pinned: round::every_gate(state),
            baseline: state.baseline.clone(),
            limit: Duration::from_millis(state.config.task_timeout_ms),
            ttl_s: state.config.lease_ttl_s,
            branch: finished.branch.clone(),
            token: finished.token,
            spec,
        };
        self.journal
            .append_at(Merging { task: task.clone() }, now)?;
        let bell = self.signals.bell()?;
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            // Nobody listens any more when the driver ends: the next one merges again.
            let _ = sender.send(merge.run());
            bell.ring();
        });
        self.merge = Some((task, receiver));
        Ok(())
    }

    fn take_in_merge(&mut self) -> Result<(), Fault> {
        let Some((task, receiver)) = &self.merge else {
            return Ok(());
        };
        let outcome = match receiver.try_recv() {
            Err(TryRecvError::Empty) => return Ok(()),
            Ok(outcome) => outcome,
            Err(TryRecvError::Disconnected) => {
                return Err(Fault::new(
                    Code::Defect,
                    format!("the merge of {task} was lost"),
                ));
            }
        };
        let task = task.clone();
        self.merge = None;
        self.tell(&outcome.notes);
        self.tell_merge(&task, &outcome.answer);
        self.journal.append(MergeEnded {
            task: task.clone(),
            answer: outcome.answer,
        })?;
        if self.is_blocked(&task) {
            self.give_back(&task);
        }
        self.update_progress();
        Ok(())
    }

    fn tell(&self, notes: &[String]) {
        for note in notes {
            (self.say)(note);
        }
    }

    fn tell_merge(&self, task: &str, answer: &MergeAnswer) {
        (self.say)(&match answer {
            MergeAnswer::Merged { .. } => format!("{task} is merged"),
            MergeAnswer::Refused { why } => format!("{task} cannot be merged: {why}"),
            MergeAnswer::Later { why, .. } => format!("{task} is merged later: {why}"),
            MergeAnswer::InTheWay { why } => format!("{task}: {why}"),
        });
    }

    fn is_blocked(&self, task: &str) -> bool {
        let task = self.journal.state().task(task);
        task.is_some_and(|task| task.status == Status::Blocked)
    }

    /// The folder of a member's journal.
    fn member_folder(&self, task: &str, round: u32) -> PathBuf {
        member_folder(&self.folder, task, round)
    }

    fn finish(&mut self, reason: Reason, now: u64) -> Result<Reason, Fault> {
        if self.journal.state().finished.is_none() {
            let reason = reason.clone();
            self.journal.append_at(Finished { reason }, now)?;
        }
        self.tidy();
        self.update_progress();
        self.write_report();
        notify::tell(
            &self.place,
            &self.run,
            self.journal.state(),
            notify::Way::Desktop,
        );
        Ok(reason)
    }

    /// Ends the members, gives their leases back and stops.
    fn interrupt(&mut self, signal: i32) -> Result<Reason, Fault> {
        self.end_members(GRACE)?;
        self.give_all_back();
        self.journal.append(Interrupted { signal })?;
        self.update_progress();
        self.write_report();
        Ok(Reason::Interrupted(signal))
    }

    fn update_progress(&self) {
        if let Err(fault) = round::write_progress(&self.place, self.journal.state()) {
            (self.say)(&fault.to_string());
        }
    }

    fn write_report(&self) {
        match report::write(&self.place, &self.run) {
            Ok(path) => (self.say)(&format!("report: {}", path.display())),
            Err(fault) => (self.say)(&fault.to_string()),
        }
    }
}

/// Where the members' journals are in their run's folder.
const FOLDER: &str = "members";

/// The folder of a member's journal in its run's.
fn member_folder(run: &Path, task: &str, round: u32) -> PathBuf {
    journal_folder(run, &name(task, round))
}

/// The folder of the member's journal of this name in its run's.
pub(crate) fn journal_folder(run: &Path, name: &str) -> PathBuf {
    run.join(FOLDER).join(name)
}

/// The members of a run that have a journal: name and folder, in the order of the names.
pub fn journals(run: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(run.join(FOLDER))
        .into_iter()
        .flatten()
        .flatten();
    let named =
        entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let mut found: Vec<_> = named
        .filter(|(_, folder)| folder.join(journal::FILE).is_file())
        .collect();
    found.sort();
    found
}
