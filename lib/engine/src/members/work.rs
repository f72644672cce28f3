//! A member's own process: a driver of one task in its own work tree, under a lease that it keeps.

use super::{hear, lease_options, member_folder};
use crate::agent::Agent;
use crate::driver::{self, Driver, Orders, Post, Role};
use crate::files::{self};
use crate::journal::{self, Journal};
use crate::leases::{Kept, Leases, Options};
use crate::signals::{Bell, Signals};
use crate::{clock, runs, state};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::event::{Door, RunStarted};
use overnight_run::member_task;
use overnight_run::members::{Assignment, name};
use overnight_run::{Reason, State, fold};
use overnight_tasks::TaskId;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

/// After a renewal that was not answered, the next try comes this much sooner.
const RETRIES: u32 = 8;

/// Works on what the run's journal says that this member has; ends with its driver, and with its
/// lease.
pub fn work(folder: &Path, run: &str, member: &str, say: fn(&str)) -> Result<Reason, Fault> {
    let project = state::locate(folder)?;
    let run_folder = runs::folder(&project, run)?;
    let state = fold(&journal::read(&run_folder)?);
    let at_work = &state.members.at_work;
    let assignment = at_work
        .iter()
        .find(|assignment| name(&assignment.task, assignment.round) == member);
    let assignment = assignment.cloned().ok_or_else(|| {
        let reason = format!("run {run} has no member at work on {member:?}");
        Fault::new(Code::RunUnknown, reason)
    })?;
    let signals = Signals::install()?;
    end_with_driver(signals.bell()?);
    keep_lease(&project.top, (&state, &assignment, run), signals.bell()?)?;
    let logs = project.home.join("agent_logs").join(run).join(member);
    let driver = take_post(&state, &assignment, (run, &run_folder, &logs), signals, say)?;
    driver.run().map(|(reason, _)| reason)
}

fn take_post(
    state: &State,
    assignment: &Assignment,
    (run, run_folder, logs): (&str, &Path, &Path),
    signals: Signals,
    say: fn(&str),
) -> Result<Driver, Fault> {
    let spec = member_task::spec(state, assignment)
        .ok_or_else(|| Fault::new(Code::TaskUnknown, format!("no task {}", assignment.task)))?;
    let folder = member_folder(run_folder, &assignment.task, assignment.round);
    let others = member_task::context(state, &assignment.task);
    files::create_private_folder(&folder)?;
    files::write_atomic(
        &folder.join("context.md"),
        others.as_bytes(),
        files::PRIVATE,
    )?;
    let mut journal = Journal::open(&folder, runs::WAIT_MAX)?;
    if journal.state().run.is_none() {
        journal.append(RunStarted {
            run: run.to_owned(),
            door: Door::Driver,
            goal: state
                .run
                .as_ref()
                .map(|run| run.goal.clone())
                .unwrap_or_default(),
            top: assignment.work_tree.clone(),
            head: Some(assignment.base.clone()),
            branch: Some(assignment.branch.clone()),
            config: None,
        })?;
    }
    for told in state.steering.about(&assignment.task) {
        if !journal.state().steering.heard.contains(&told.id) {
            journal.append(hear::words(told))?;
        }
    }
    let config = member_task::config(state, assignment, clock::wall_ms());
    let orders = Orders {
        place: state::locate(Path::new(&assignment.work_tree))?,
        agent: Agent::parse(&config.agent)?,
        config: &|_| config.clone(),
        say,
    };
    let post = Post {
        tasks: vec![spec],
        logs: logs.to_owned(),
        role: Role::Member(others),
        signals,
        folder,
    };
    driver::seize(orders, journal, post)
}

/// The driver holds the other end of our stdin: when that closes, it is gone.
fn end_with_driver(bell: Bell) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while matches!(std::io::stdin().lock().read(&mut byte), Ok(1..)) {}
        bell.interrupt();
    });
}

/// Renews the lease at a third of its time to live; when it is lost, the agent ends.
fn keep_lease(
    top: &Path,
    (state, assignment, run): (&State, &Assignment, &str),
    bell: Bell,
) -> Result<(), Fault> {
    let task =
        TaskId::parse(&assignment.task).map_err(|reason| Fault::new(Code::InputInvalid, reason))?;
    let options = Options {
        // The lease stays with the driver's process, which the record names.
        pid: None,
        ..lease_options(run, state.config.remote.clone())
    };
    let leases = Leases::open(top, &options)?;
    let (token, third) = (
        assignment.token,
        Duration::from_secs(state.config.lease_ttl_s) / 3,
    );
    std::thread::spawn(move || {
        let mut next = Instant::now() + third;
        loop {
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
            match leases.renew(&task, token, None) {
                Ok(Kept::Done(_)) => next = Instant::now() + third,
                Ok(Kept::Lost(_)) => return bell.interrupt(),
                // A renewal that comes too late says that the lease ran out.
                Err(_) => next = Instant::now() + third / RETRIES,
            }
        }
    });
    Ok(())
}
