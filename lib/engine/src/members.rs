//! A driver with members: hands tasks out by lease, watches over the members' processes, merges
//! what they finish. `core::run::members` decides; the state is the fold of the run's journal.

mod assign;
mod batch;
mod candidate;
mod hear;
mod line;
mod merge;
mod objects;
mod reap;
mod renewal;
mod repair;
mod room;
mod scribe;
mod turn;
mod ways;
pub mod work;
mod yard;

use crate::cell::{Cells, Past};
use crate::driver::{self, Orders, Watched};
use crate::fleet::Courier;
use crate::journal::Journal;
use crate::leases::{Leases, Options};
use crate::pinned;
use crate::process::adopt;
use crate::round::Court;
use crate::signals::Signals;
use crate::state::Place;
use crate::steps::{self, Carrier, Flow};
use crate::{config, runs};
use line::Line;
use merge::Job;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::budget::Limits;
use overnight_run::event::Interrupted;
use overnight_run::members::event::{Elsewhere, Looked};
use overnight_run::members::{NO_REMOTE, Step as Members, name};
use overnight_run::task::Status;
use overnight_run::{Config, Reason, State};
use renewal::Waiting;
use scribe::Scribe;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};
use std::sync::Arc;
use std::time::{Duration, Instant};
use yard::Yard;

/// The longest sleep of a driver that has nothing to do: its members' ends wake it, what a person says
/// does not.
const SLEEP_MAX: Duration = Duration::from_secs(1);
/// How often a paused run looks whether it may go on, and whether a member ended.
const PAUSED_LOOK: Duration = Duration::from_millis(500);
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
    /// Leases of what waits for the line.
    waiting: Waiting,
    job: Option<Job>,
    yard: Yard,
    /// What gates are started in, if there are walls.
    cells: Option<Arc<Cells>>,
    /// Was any lease had since this driver started?
    reached: bool,
    /// What tells the other machines of the list, of a run that joined.
    courier: Option<Courier>,
    /// What a person may change while it runs.
    watched: Option<Watched>,
    /// Who writes progress, until the end.
    scribe: Option<Scribe>,
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

/// Makes this process the driver of a run with members.
pub fn take_over(orders: Orders, run: &str) -> Result<Crew, Fault> {
    let folder = runs::folder(&orders.place, run)?;
    let mut journal = runs::open_journal(&folder, run)?;
    runs::may_take_up(journal.state(), run)?;
    let config = (orders.config)(driver::config_before(journal.state()));
    let settings = config::load(Some(&orders.place)).settings.cell;
    let cells = Cells::of(config.cell, &settings, &orders.place, orders.say)?;
    let place = orders.place;
    let leases = Leases::open(&place.top, &lease_options(run, config.remote.clone()))?;
    let config = Config {
        remote: Some(leases.remote().unwrap_or(NO_REMOTE).to_owned()),
        leased: false,
        walls: cells.as_ref().map(|cells| cells.gives().to_string()),
        ..config
    };
    let state = journal.state();
    let placed = state.placed.as_ref().map(|placed| placed.branch.clone());
    let began_on = placed.or_else(|| state.run.as_ref().and_then(|run| run.branch.clone()));
    let line = Line::of(&place, began_on.as_deref())?;
    let tasks = pinned::chosen(pinned::read(&place)?, &config)?;
    driver::started(&mut journal, &folder, (config, tasks))?;
    let courier = Courier::of(
        (&place, &leases),
        (&folder, run),
        journal.state(),
        orders.say,
    );
    let mut crew = Crew {
        run: run.to_owned(),
        folder,
        journal,
        leases,
        line,
        signals: Signals::install()?,
        working: Vec::new(),
        waiting: Waiting::default(),
        job: None,
        yard: Yard::default(),
        cells: cells.map(Arc::new),
        reached: false,
        watched: None,
        courier,
        scribe: Some(Scribe::of(&place, orders.say)),
        say: orders.say,
        place,
    };
    crew.watched = Some(Watched::of(&crew.place, crew.journal.state()));
    adopt::begin();
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
        self.write_progress();
        let reason = steps::carry(&mut self)?;
        Ok((reason, self.journal.state().clone()))
    }
}

impl Carrier for Crew {
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

    fn listen(&mut self) -> Flow<Reason> {
        self.reap()?;
        self.take_in()?;
        let state = self.journal.state();
        let (entries, ttl_s) = (&state.members.queue.entries, state.config.lease_ttl_s);
        self.waiting.keep(entries, &self.leases, ttl_s);
        self.hear()?;
        if self.reached {
            self.hear_others()?;
        }
        match self.signals.interrupted() {
            Some(signal) => self.interrupt(signal).map(Break),
            None => Ok(Continue(())),
        }
    }

    fn in_court<T>(&mut self, work: impl FnOnce(&Court<'_>) -> T) -> Result<T, Fault> {
        Ok(work(&Court::of(self, self.cells.as_deref(), false)))
    }

    fn hold(&mut self) -> Flow<Reason> {
        self.signals.wait(Instant::now() + PAUSED_LOOK);
        Ok(Continue(()))
    }

    fn finish(&mut self, reason: Reason) -> Result<Reason, Fault> {
        self.tidy();
        self.end();
        Ok(reason)
    }

    fn members(&mut self, step: Members, now: u64) -> Result<(), Fault> {
        match step {
            Members::Assigned {
                task,
                member,
                round,
                share,
            } => self.assign((task, member, round, share), now),
            Members::Merge { tasks } => {
                self.watch_line()?;
                self.begin_merge(tasks, now)
            }
            Members::Prove if self.job.is_some() => {
                self.signals.wait(Instant::now() + SLEEP_MAX);
                Ok(())
            }
            Members::Prove => {
                self.watch_line()?;
                self.begin_final_proof()
            }
            Members::Look => self.look(now),
            Members::Attend { until } => {
                let left = until.map(|until| Duration::from_millis(until.saturating_sub(now)));
                let sleep = left.unwrap_or(SLEEP_MAX).min(SLEEP_MAX);
                self.signals.wait(Instant::now() + sleep);
                Ok(())
            }
        }
    }
}

impl Crew {
    /// Sees what other drivers have merged.
    fn look(&mut self, now: u64) -> Result<(), Fault> {
        self.watch_line()?;
        if !self.reached {
            self.hear_others()?;
        }
        let done = match self.line.sync(&self.leases, &self.objects()) {
            Ok((commit, note)) => {
                self.tell(note.as_slice());
                self.see(commit.clone(), Vec::new())?;
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
        self.write_progress();
        Ok(())
    }

    /// The tasks that the line holds and the run does not know of yet.
    fn known_done(&self, commit: &str) -> Result<Vec<Elsewhere>, Fault> {
        let open = self.journal.state().tasks.iter();
        let open = open.filter(|task| task.status != Status::Done);
        let done = self.line.done(commit, open.map(|task| &task.spec))?;
        let refuted = &self.journal.state().members.queue.refuted;
        let counts = |seen: &Elsewhere| !refuted.contains(&seen.commit);
        Ok(done.into_iter().filter(counts).collect())
    }

    fn tell(&self, notes: &[String]) {
        for note in notes {
            (self.say)(note);
        }
    }

    fn is_blocked(&self, task: &str) -> bool {
        let task = self.journal.state().task(task);
        task.is_some_and(|task| task.status == Status::Blocked)
    }

    /// The folder of a member's journal.
    fn member_folder(&self, task: &str, round: u32) -> PathBuf {
        member_folder(&self.folder, task, round)
    }

    /// Ends the members, gives their leases back and stops.
    fn interrupt(&mut self, signal: i32) -> Result<Reason, Fault> {
        self.end_members(GRACE)?;
        self.give_all_back();
        self.journal.append(Interrupted { signal })?;
        self.end();
        Ok(Reason::Interrupted(signal))
    }

    /// Takes in what the other machines spent, where there is a budget that all share. Nothing is handed out
    /// before they were heard once.
    fn hear_others(&mut self) -> Result<(), Fault> {
        let state = self.journal.state();
        if state.config.limits() == Limits::default() {
            return Ok(());
        }
        let heard = if self.reached {
            Courier::others
        } else {
            Courier::first
        };
        if let Some(others) = self.courier.as_ref().and_then(heard)
            && state.fleet.others != others
        {
            self.journal.append(others)?;
        }
        Ok(())
    }

    /// Brings up to date what people read of the run.
    fn write_progress(&self) {
        if let Some(scribe) = &self.scribe {
            scribe.write(self.journal.state());
        }
    }

    fn end(&mut self) {
        if let Some(courier) = self.courier.take() {
            courier.end(self.journal.state().interrupted.is_some());
        }
        self.write_progress();
        // Until it is written.
        self.scribe = None;
        Past::forget(&self.folder);
        if let Some(path) = steps::write_report(self) {
            (self.say)(&format!("report: {}", path.display()));
        }
    }
}

/// The folder of a member's journal in its run's.
fn member_folder(run: &Path, task: &str, round: u32) -> PathBuf {
    runs::member_journal(run, &name(task, round))
}

fn written(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))
}
