//! The beginning: a new run, or the next driver of one.

use super::{Driver, Role, asks, recover};
use crate::agent::Agent;
use crate::cell::Cells;
use crate::journal::Journal;
use crate::pinned;
use crate::process::{Identity, adopt};
use crate::signals::Signals;
use crate::state::Place;
use crate::sweep;
use crate::worktree::Snapshots;
use crate::{clock, config, exclude, git, notify, random, runs, shared};
use overnight_base::fault::Fault;
use overnight_run::event::{Door, DriverStarted, Finished, RunStarted};
use overnight_run::steer::GoalChanged;
use overnight_run::task::TaskSpec;
use overnight_run::{Config, Reason, State, id};
use std::path::{Path, PathBuf};

/// What a person asked for.
pub struct Orders<'a> {
    /// The project.
    pub place: Place,
    /// Who works.
    pub agent: Agent,
    /// From the limits that the run has to those in force now.
    pub config: &'a dyn Fn(Option<Config>) -> Config,
    /// Where messages for the person go.
    pub say: fn(&str),
}

/// Creates a run with these limits: its folder, its journal, its first record. Gives its id.
pub fn begin(place: &Place, goal: String, door: Door, config: Config) -> Result<String, Fault> {
    exclude::ensure(place)?;
    sweep::past_runs(place);
    let run = id::new(clock::wall_ms(), u16::from_be_bytes(random::bytes::<2>()?));
    let head = git::read(&place.top, &["rev-parse", "--verify", "-q", "HEAD"]).ok();
    let branch = git::read(&place.top, &["symbolic-ref", "-q", "--short", "HEAD"]).ok();
    let mut journal = Journal::open(&place.run_folder(&run), runs::WAIT_MAX)?;
    journal.append(RunStarted {
        run: run.clone(),
        door,
        goal,
        top: place.top.display().to_string(),
        head: head.filter(|head| !head.is_empty()),
        branch: branch.filter(|branch| !branch.is_empty()),
        config: Some(config),
    })?;
    Ok(run)
}

/// Closes a run that could not begin, so that nothing waits for it. One that has begun before goes on
/// another time.
pub fn refuse(place: &Place, run: &str, fault: &Fault) -> Result<(), Fault> {
    let state = runs::state(place, run)?;
    if state.epoch > 0 || state.finished.is_some() {
        return Ok(());
    }
    let reason = Reason::NeedsPerson(format!("it could not begin: {}", fault.reason));
    runs::note(place, run, Finished { reason })
}

/// Gives a run that nobody drives another goal.
pub fn change_goal(place: &Place, run: &str, goal: String) -> Result<(), Fault> {
    let state = runs::state(place, run)?;
    if state.run.is_some_and(|info| info.goal == goal) {
        return Ok(());
    }
    runs::note(place, run, GoalChanged { goal })
}

/// Makes this process the driver of a run: a higher epoch than any before, so that agents of an
/// older driver may no longer act.
pub fn take_over(orders: Orders, run: &str) -> Result<Driver, Fault> {
    let folder = runs::folder(&orders.place, run)?;
    let journal = runs::open_journal(&folder, run)?;
    // Its Stop hook may have handed out an iteration since it was looked at.
    runs::may_take_up(journal.state(), run)?;
    let post = Post {
        tasks: pinned::read_telling(&orders.place, orders.say)?,
        logs: orders.place.home.join("agent_logs").join(run),
        role: Role::Alone,
        signals: Signals::install()?,
        folder,
    };
    seize(orders, journal, post)
}

/// The limits that a run has.
pub(crate) fn config_before(state: &State) -> Option<Config> {
    state.configured.then(|| state.config.clone())
}

/// What a driver works on, and where.
pub(crate) struct Post {
    /// The tasks as they are to be pinned.
    pub(crate) tasks: Vec<TaskSpec>,
    /// Where what the agents print is kept.
    pub(crate) logs: PathBuf,
    /// For whom it works.
    pub(crate) role: Role,
    /// What interrupts it.
    pub(crate) signals: Signals,
    /// The folder of its journal.
    pub(crate) folder: PathBuf,
}

/// Makes this process the driver of an opened journal.
pub(crate) fn seize(orders: Orders, mut journal: Journal, post: Post) -> Result<Driver, Fault> {
    let config = Config {
        leased: matches!(post.role, Role::Alone) && shared::is_shared(&orders.place),
        ..(orders.config)(config_before(journal.state()))
    };
    let settings = config::load(Some(&orders.place)).settings.cell;
    let mut cells = Cells::of(config.cell, &settings, &orders.place, orders.say)?;
    if let Some(cells) = cells.as_mut().filter(|_| matches!(post.role, Role::Alone)) {
        cells.take_pushes(&orders.place)?;
    }
    let config = Config {
        walls: cells.as_ref().map(|cells| cells.gives().to_string()),
        ..config
    };
    let tasks = pinned::chosen(post.tasks, &config)?;
    started(&mut journal, &post.folder, (config, tasks))?;
    let run = journal
        .state()
        .run
        .as_ref()
        .map_or("", |run| run.id.as_str());
    let broker = cells
        .as_ref()
        .map(|_| asks::broker(&orders.place, run, &post.folder));
    let alone = matches!(post.role, Role::Alone) && cells.is_some();
    let answers = alone.then(|| notify::Listener::open(&orders.place, orders.say));
    let answers = answers.unwrap_or(Ok(None)).unwrap_or_else(|fault| {
        (orders.say)(&format!("questions are answered here alone: {fault}"));
        None
    });
    let git = orders.place.git_common.is_some();
    let mut driver = Driver {
        cells,
        _broker: broker.transpose()?,
        _answers: answers,
        snapshots: Snapshots::new(&orders.place.top, git, &post.folder),
        head: String::new(),
        probe: None,
        place: orders.place,
        folder: post.folder,
        journal,
        agent: orders.agent,
        signals: post.signals,
        logs: post.logs,
        role: post.role,
        watched: None,
        say: orders.say,
    };
    adopt::begin();
    driver.watched = driver.watch();
    recover::end_orphans(&mut driver)?;
    crate::steps::settle(&driver);
    // What the first attempt is compared with.
    driver.snapshots.take()?;
    driver.head = driver.snapshots.head();
    driver.keep_start();
    Ok(driver)
}

/// Records that this process drives the run from here on: a higher epoch than any before.
pub(crate) fn started(
    journal: &mut Journal,
    folder: &Path,
    (config, tasks): (Config, Vec<TaskSpec>),
) -> Result<(), Fault> {
    let epoch = journal.state().epoch + 1;
    let own = Identity::current();
    runs::write_epoch(folder, epoch)?;
    journal.append(DriverStarted {
        epoch,
        pid: own.pid,
        pid_start: own.start,
        session: None,
        config,
        tasks,
    })?;
    Ok(())
}
