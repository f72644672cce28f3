//! Relay: caught as flags behind a descriptor that `poll` can wait for, and passed on faithfully.

use rustix::process::{Pid, Resource, Rlimit, Signal};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The signals that a wrapper passes on to its child.
pub const FORWARDED: &[i32] = &[SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2];

/// Caught signals. A signal that was ignored when the process started (`nohup`) stays ignored, so
/// that a child started later inherits the same.
#[derive(Debug)]
pub struct Relay {
    pipe: UnixStream,
    flags: Vec<(i32, Arc<AtomicBool>)>,
}

impl Relay {
    /// Catches these signals and the end of children from now on.
    pub fn catch(signals: &[i32]) -> std::io::Result<Self> {
        let (pipe, sender) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        let ignored = ignored();
        let mut flags = Vec::new();
        for &signal in signals.iter().chain(&[SIGCHLD]) {
            if signal != SIGCHLD && ignored & (1 << (signal - 1)) != 0 {
                continue;
            }
            let flag = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
            signal_hook::low_level::pipe::register(signal, sender.try_clone()?)?;
            flags.push((signal, flag));
        }
        Ok(Self { pipe, flags })
    }

    /// The signals that arrived since the last call, the end of children not among them.
    pub fn take(&mut self) -> Vec<i32> {
        let mut sink = [0; 64];
        while matches!(self.pipe.read(&mut sink), Ok(read) if read > 0) {}
        self.flags
            .iter()
            .filter(|(_, flag)| flag.swap(false, Ordering::SeqCst))
            .map(|(signal, _)| *signal)
            .filter(|signal| *signal != SIGCHLD)
            .collect()
    }
}

impl AsFd for Relay {
    /// Readable when a signal arrived.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// Ends this process by `signal`, as its child was ended, so that the caller sees the same. Returns
/// only if the signal does not end a process.
pub fn die_by(signal: i32) {
    // The child wrote its core already, where one was wanted.
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = rustix::process::setrlimit(Resource::Core, none);
    if signal_hook::low_level::emulate_default_handler(signal).is_err()
        && let Some(signal) = Signal::from_named_raw(signal)
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
    }
}

/// Sends a signal by its number to a process; one that is gone is no error.
pub fn send(process: u32, signal: i32) {
    if let (Some(pid), Some(signal)) = (pid(process), Signal::from_named_raw(signal)) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Sends a signal by its number to a whole process group; one that is gone is no error.
pub fn send_group(group: u32, signal: i32) {
    if let (Some(pid), Some(signal)) = (pid(group), Signal::from_named_raw(signal)) {
        let _ = rustix::process::kill_process_group(pid, signal);
    }
}

/// A child's number as the system calls take it.
pub fn pid(process: u32) -> Option<Pid> {
    i32::try_from(process).ok().and_then(Pid::from_raw)
}

/// The set of ignored signals as a bit mask, signal 1 lowest; empty where the system does not tell.
fn ignored() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("SigIgn:"))?;
            u64::from_str_radix(line.trim(), 16).ok()
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caught_signal_is_reported_once() {
        let mut signals = Relay::catch(&[SIGUSR2]).unwrap();
        assert!(signals.take().is_empty());
        signal_hook::low_level::raise(SIGUSR2).unwrap();
        assert_eq!(signals.take(), [SIGUSR2]);
        assert!(signals.take().is_empty());
    }
}
