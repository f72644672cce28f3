//! Processes: who they are, ending groups, finding what an agent left behind.

pub mod adopt;
mod started;
pub mod stat;

use rustix::process::{Pid, Signal};
use std::time::{Duration, Instant};

/// How often a group that was asked to end is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// A process that cannot be mistaken for a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Its number.
    pub pid: u32,
    /// Its start, see [`life`]; 0 when unknown.
    pub start: u64,
}

impl Identity {
    /// This process.
    pub fn current() -> Self {
        Self::of(std::process::id())
    }

    /// The process that has this number now.
    pub fn of(pid: u32) -> Self {
        Self {
            pid,
            start: match life(pid) {
                Life::Since(start) => start,
                Life::Over | Life::Unknown => 0,
            },
        }
    }

    /// Does exactly this process still live (zombies don't)? One that cannot be looked at does.
    pub fn is_alive(self) -> bool {
        match life(self.pid) {
            Life::Since(start) => start == self.start,
            Life::Over => false,
            Life::Unknown => true,
        }
    }
}

/// What can be seen of a process number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// A process has it since then.
    Since(u64),
    /// None has it, or one that has ended and waits to be reaped.
    Over,
    /// It could not be looked at.
    Unknown,
}

/// When the process with this number started: on Linux in clock ticks since boot, elsewhere in Unix
/// seconds. Both stay the same for as long as it lives.
#[cfg(target_os = "linux")]
pub(crate) fn life(pid: u32) -> Life {
    match told(pid, "stat") {
        Ok(text) => match stat::Stat::parse(&String::from_utf8_lossy(&text)) {
            Some(stat) if stat.lives() => Life::Since(stat.start),
            Some(_) => Life::Over,
            None => Life::Unknown,
        },
        // Perhaps only since it was read.
        Err(error) if is_over(&error) => Life::Over,
        Err(_) => Life::Unknown,
    }
}

/// By `ps`, whose words for a date depend on zone and language unless both are given.
#[cfg(not(target_os = "linux"))]
pub(crate) fn life(pid: u32) -> Life {
    let output = std::process::Command::new("/bin/ps")
        .args(["-o", "state=,lstart=", "-p", &pid.to_string()])
        .env("TZ", "UTC0")
        .env("LC_ALL", "C")
        .output();
    match output {
        Ok(output) => started::of_ps(&String::from_utf8_lossy(&output.stdout)),
        Err(_) => Life::Unknown,
    }
}

/// The group of this process; `None` where it began outside of our namespace of processes, as in a
/// container that was entered from outside.
pub fn own_group() -> Option<Pid> {
    if cfg!(target_os = "linux") {
        stat::Stat::current().and_then(|stat| pid(stat.group))
    } else {
        Some(rustix::process::getpgrp())
    }
}

/// Sends a signal to a process group; whether it existed.
pub fn signal_group(pgid: u32, signal: Signal) -> bool {
    pid(pgid).is_some_and(|group| rustix::process::kill_process_group(group, signal).is_ok())
}

/// Sends a signal to exactly this process, if it still lives.
pub fn signal(process: Identity, signal: Signal) {
    if process.is_alive() {
        let _ = pid(process.pid).map(|pid| rustix::process::kill_process(pid, signal));
    }
}

/// Asks exactly this process to end, if it still lives.
pub fn terminate(process: Identity) {
    signal(process, Signal::TERM);
}

/// Ends a group: TERM, then KILL when something of it still lives after `grace`.
pub fn end_group(pgid: u32, grace: Duration) {
    if !signal_group(pgid, Signal::TERM) {
        return;
    }
    let started = Instant::now();
    while started.elapsed() < grace {
        if !group_lives(pgid) {
            return;
        }
        std::thread::sleep(LOOK);
    }
    signal_group(pgid, Signal::KILL);
}

/// Is any process of this group more than a zombie?
fn group_lives(pgid: u32) -> bool {
    pid(pgid).is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
        && members(pgid).is_none_or(|members| !members.is_empty())
}

/// The living processes of a group; `None` where that cannot be told.
#[cfg(target_os = "linux")]
fn members(pgid: u32) -> Option<Vec<u32>> {
    let of_group =
        |pid: &u32| stat::Stat::of(*pid).is_some_and(|stat| stat.lives() && stat.group == pgid);
    Some(all()?.into_iter().filter(of_group).collect())
}

#[cfg(not(target_os = "linux"))]
fn members(_pgid: u32) -> Option<Vec<u32>> {
    None
}

/// Nobody lists them.
#[cfg(not(target_os = "linux"))]
pub(crate) fn all() -> Option<Vec<u32>> {
    None
}

/// Every process number there is.
#[cfg(target_os = "linux")]
pub(crate) fn all() -> Option<Vec<u32>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    Some(
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect(),
    )
}

/// The living processes, this one left out, whose environment holds `NAME=value`: what an agent
/// started, even if it moved into a session of its own.
pub fn with_environment(name: &str, value: &str) -> Vec<Identity> {
    left_by((name, value), |_| false)
}

/// The same, and those that belong by something else, found in one look at all there are.
pub fn left_by((name, value): (&str, &str), belongs: impl Fn(u32) -> bool) -> Vec<Identity> {
    let entry = format!("{name}={value}");
    let marked = |environ: &[u8]| {
        let mut variables = environ.split(|byte| *byte == 0);
        variables.any(|variable| variable == entry.as_bytes())
    };
    others(|pid, environ| marked(environ) || belongs(pid))
}

/// The living processes, this one left out, that belong by their number or their environment, as far as that
/// can be read.
#[cfg(target_os = "linux")]
pub(crate) fn others(belongs: impl Fn(u32, &[u8]) -> bool) -> Vec<Identity> {
    let own = std::process::id();
    let has = |pid: &u32| match told(*pid, "environ") {
        // A thread of the kernel, or one that has ended: nobody's.
        Err(error) if is_over(&error) => false,
        said => belongs(*pid, &said.unwrap_or_default()),
    };
    let all = all().unwrap_or_default().into_iter();
    all.filter(|pid| *pid != own && has(pid))
        .map(Identity::of)
        .filter(|identity| identity.start > 0)
        .collect()
}

/// macOS hides other processes' environments: only recorded process groups are found there.
#[cfg(not(target_os = "linux"))]
pub(crate) fn others(_belongs: impl Fn(u32, &[u8]) -> bool) -> Vec<Identity> {
    Vec::new()
}

/// What the kernel tells in one of its files of a process. It writes all of it for whoever reads enough at once.
pub(crate) fn told(pid: u32, name: &str) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    const ENOUGH: usize = 1 << 13;
    let mut file = std::fs::File::open(format!("/proc/{pid}/{name}"))?;
    let mut said = vec![0; ENOUGH];
    let read = file.read(&mut said)?;
    said.truncate(read);
    if read == ENOUGH {
        file.read_to_end(&mut said)?;
    }
    Ok(said)
}

/// Says this fault that there is no such process?
#[cfg(target_os = "linux")]
fn is_over(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}

/// Ends these processes: TERM, then KILL after `grace`.
pub fn end_all(processes: &[Identity], grace: Duration) {
    let send = |sent| processes.iter().for_each(|process| signal(*process, sent));
    send(Signal::TERM);
    let started = Instant::now();
    while processes.iter().any(|process| process.is_alive()) {
        if started.elapsed() >= grace {
            send(Signal::KILL);
            return;
        }
        std::thread::sleep(LOOK);
    }
}

fn pid(number: u32) -> Option<Pid> {
    // 0 and 1 as a group would mean ourselves or everything.
    i32::try_from(number)
        .ok()
        .filter(|number| *number > 1)
        .and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    #[test]
    fn a_process_is_known_by_number_and_start() {
        let own = Identity::current();
        assert!(own.is_alive());
        assert!(
            !Identity {
                start: own.start + 1,
                ..own
            }
            .is_alive()
        );
    }

    #[test]
    fn a_group_that_ignores_term_is_killed_with_its_children() {
        let script = "trap '' TERM; (trap '' TERM; sleep 60) & echo ready; wait; sleep 60";
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdout(std::process::Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(
            &mut std::io::BufReader::new(child.stdout.take().unwrap()),
            &mut line,
        )
        .unwrap();
        end_group(child.id(), Duration::from_millis(50));
        assert!(!child.wait().unwrap().success());
        // The grandchild is gone once whoever inherited it has seen its end.
        let began = Instant::now();
        while members(child.id()) != Some(vec![]) {
            assert!(began.elapsed() < Duration::from_secs(10), "still there");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_left_its_group_is_found_by_its_environment() {
        let value = format!("{}-{}", std::process::id(), crate::clock::wall_ms());
        let mut child = Command::new("setsid")
            .args(["sleep", "60"])
            .env("OVERNIGHT_TEST_MARK", &value)
            .spawn()
            .unwrap();
        // The name appears in the environment only once `setsid` has been started.
        let mut found = Vec::new();
        for _ in 0..500 {
            found = with_environment("OVERNIGHT_TEST_MARK", &value);
            if !found.is_empty() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        assert_eq!(found.len(), 1);
        let waiter = std::thread::spawn(move || child.wait().unwrap());
        end_all(&found, Duration::from_secs(5));
        assert!(!waiter.join().unwrap().success());
    }
}
