//! Keeps a runaway from taking the machine: what is started in a cell is looked at while it runs, and
//! ended when it takes more than its limits.

use crate::process::{self, Identity};
use overnight_run::cell::{Limits, Used};
use rustix::process::{Pid, Signal};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How often.
const LOOK: Duration = Duration::from_millis(250);
/// Each round may meet what was started during the one before.
const ROUNDS_MAX: usize = 20;
/// The kernel, when memory runs out, ends this before what the person works with.
const FIRST_TO_GO: &str = "500";

/// A look at what a child and its descendants take, until this goes.
#[derive(Debug)]
pub struct Watch {
    limits: Limits,
    passed: Arc<OnceLock<String>>,
    _stops: Sender<()>,
}

impl Watch {
    /// Puts limits on a child that has just begun, and on what it will start.
    pub(super) fn begin(child: &Child, limits: Limits) -> Self {
        let number = child.id();
        limit(Some(number), limits);
        let _ = std::fs::write(format!("/proc/{number}/oom_score_adj"), FIRST_TO_GO);
        let passed = Arc::new(OnceLock::new());
        let (stops, stopped) = mpsc::channel();
        let told = Arc::clone(&passed);
        std::thread::spawn(move || {
            while stopped.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let (members, used) = taken(number, limits.memory);
                if let Some(limit) = limits.passed(used) {
                    let _ = told.set(limit);
                    end(number, members);
                    return;
                }
            }
        });
        Self {
            limits,
            passed,
            _stops: stops,
        }
    }

    /// What of it still runs: it may have left its group and its environment.
    pub fn left(&self) -> Vec<Identity> {
        process::others(|number, _| self.keeps(number))
    }

    /// Is this process of it?
    pub fn keeps(&self, process: u32) -> bool {
        is_limited_to(self.limits.file, process)
    }

    /// The limit that was kept without ending it, by what it printed.
    pub fn told(&self, text: &str) -> Option<String> {
        self.limits.told(text, counts_tasks())
    }

    /// The limit that ended it, if one did.
    pub fn passed(&self, status: Option<ExitStatus>) -> Option<String> {
        let ended = |status: ExitStatus| self.limits.ended(status.code(), status.signal());
        self.passed
            .get()
            .cloned()
            .or_else(|| status.and_then(ended))
    }
}

/// Does the kernel keep the number of this user's tasks? Root's it does not.
pub(super) fn counts_tasks() -> bool {
    cfg!(target_os = "linux") && !rustix::process::geteuid().is_root()
}

/// Puts limits on this process and what it will start.
pub(super) fn limit_this(limits: Limits) {
    limit(None, limits);
    let _ = std::fs::write("/proc/self/oom_score_adj", FIRST_TO_GO);
}

/// What the kernel keeps by itself: the size of files and, of all that this user runs, so many tasks
/// more than there are now that a child with threads does not meet it. Root has none of the latter.
#[cfg(target_os = "linux")]
fn limit(number: Option<u32>, limits: Limits) {
    const TASKS: u64 = 4;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = load
        .split(['/', ' '])
        .nth(4)
        .and_then(|all| all.parse().ok());
    let tasks = all.map(|all: u64| limits.processes.saturating_mul(TASKS).saturating_add(all));
    let pid = number.and_then(|number| Pid::from_raw(i32::try_from(number).ok()?));
    let set = |resource, most| {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // The child of a driver with a lower limit keeps that one.
        let _ = rustix::process::prlimit(pid, resource, limit);
    };
    set(Resource::Fsize, limits.file);
    if let Some(tasks) = tasks {
        set(Resource::Nproc, tasks);
    }
}

/// Does this process live in a cell? Each keeps files below a size, however large, and nobody inside can take
/// that back; what a person starts is as free as this process.
#[cfg(target_os = "linux")]
pub fn holds(process: u32) -> bool {
    let own = rustix::process::getrlimit(Resource::Fsize).maximum;
    largest_file(process).is_some_and(|most| own.is_none_or(|own| most < own))
}

/// The size of files that the kernel keeps a process below, if it does.
#[cfg(target_os = "linux")]
fn largest_file(process: u32) -> Option<u64> {
    let (_, most) = file_limits(process)?;
    (most < u64::MAX).then_some(most)
}

/// Its own limit and the one that it may not pass.
#[cfg(target_os = "linux")]
fn file_limits(number: u32) -> Option<(u64, u64)> {
    let text = process::told(number, "limits").ok()?;
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max file size"))?;
    let mut words = line.split_whitespace();
    let mut next = || Some(words.next()?.parse().unwrap_or(u64::MAX));
    Some((next()?, next()?))
}

/// Is a process kept below exactly this one? Whatever it did with its environment.
#[cfg(target_os = "linux")]
pub(super) fn is_limited_to(file: u64, process: u32) -> bool {
    file_limits(process).is_some_and(|(own, most)| own == file || most == file)
}

/// Only Linux tells of another process.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_limited_to(_: u64, _: u32) -> bool {
    false
}

/// Only Linux tells of another process.
#[cfg(not(target_os = "linux"))]
pub fn holds(_: u32) -> bool {
    false
}

/// Only Linux limits another process.
#[cfg(not(target_os = "linux"))]
fn limit(_: Option<u32>, _: Limits) {}

/// The memory of this machine in bytes.
pub(super) fn machine() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    kib(total.unwrap_or_default()).unwrap_or(u64::MAX)
}

fn kib(text: &str) -> Option<u64> {
    let number = text.split_whitespace().next()?;
    Some(number.parse::<u64>().ok()?.saturating_mul(1024))
}

/// Ends a group and its members, and what they start meanwhile.
fn end(group: u32, mut members: BTreeSet<u32>) {
    for _ in 0..ROUNDS_MAX {
        process::signal_group(group, Signal::KILL);
        for member in &members {
            if let Some(pid) = i32::try_from(*member).ok().and_then(Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, Signal::KILL);
            }
        }
        members = taken(group, u64::MAX).0;
        if members.len() <= 1 {
            return;
        }
    }
}

/// One process.
struct Seen {
    pid: u32,
    parent: u32,
    group: u32,
    memory: u64,
}

/// The processes of a group and all that descend from its first, and what they take. What they share
/// is counted in full only as long as that is not too much.
fn taken(first: u32, memory_max: u64) -> (BTreeSet<u32>, Used) {
    let all: Vec<Seen> = process::all()
        .unwrap_or_default()
        .into_iter()
        .filter_map(seen)
        .collect();
    let mut members = BTreeSet::from([first]);
    loop {
        let before = members.len();
        let more = all
            .iter()
            .filter(|one| one.group == first || members.contains(&one.parent));
        let more: Vec<u32> = more.map(|one| one.pid).collect();
        members.extend(more);
        if members.len() == before {
            break;
        }
    }
    let ours = || all.iter().filter(|one| members.contains(&one.pid));
    let mut memory = ours().map(|one| one.memory).sum();
    if memory > memory_max {
        memory = ours().map(|one| fair(one).unwrap_or(one.memory)).sum();
    }
    let used = Used {
        processes: ours().count() as u64,
        memory,
    };
    (members, used)
}

fn seen(pid: u32) -> Option<Seen> {
    let stat = process::stat::Stat::of(pid)?;
    Some(Seen {
        pid,
        parent: stat.parent,
        group: stat.group,
        memory: stat.pages.saturating_mul(rustix::param::page_size() as u64),
    })
}

/// What a process takes when what it shares is divided by those who share it.
fn fair(one: &Seen) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", one.pid)).ok()?;
    kib(text.lines().find_map(|line| line.strip_prefix("Pss:"))?)
}
