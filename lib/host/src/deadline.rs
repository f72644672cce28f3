//! A command with a deadline: it runs in a process group of its own, and the whole group ends when
//! the time is up.

use crate::relay::{self, FORWARDED, Relay};
use crate::terminal::Foreground;
use rustix::event::{PollFd, PollFlags, Timespec};
use signal_hook::consts::{SIGCONT, SIGKILL, SIGTERM};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How a command with a deadline ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// The status of the command itself.
    pub status: ExitStatus,
    /// Was the deadline what ended it?
    pub timed_out: bool,
}

/// Runs a command to its end or to its deadline (`None`: no deadline). At the deadline its process
/// group gets TERM, and KILL when something of it still lives after `grace`. Relay that reach
/// this process go to the group; a terminal that this process had in the foreground is lent to it.
pub fn run(
    command: &mut Command,
    deadline: Option<Duration>,
    grace: Duration,
) -> std::io::Result<Ended> {
    // Before the start: a signal that comes right after it must find the handler.
    let mut signals = Relay::catch(FORWARDED)?;
    let started = Instant::now();
    let mut child = command.process_group(0).spawn()?;
    let group = child.id();
    let foreground = Foreground::lend(group);
    let outcome = loop {
        if let Some(status) = child.try_wait()? {
            break Ended {
                status,
                timed_out: false,
            };
        }
        let left = deadline.map(|deadline| deadline.saturating_sub(started.elapsed()));
        if left == Some(Duration::ZERO) {
            break Ended {
                status: end_group(&mut child, grace, &mut signals)?,
                timed_out: true,
            };
        }
        wait_for(&signals, left);
        for signal in signals.take() {
            relay::send_group(group, signal);
        }
    };
    drop(foreground);
    Ok(outcome)
}

/// Members of a group other than the child end without a signal to us: so often they are looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// TERM to the group, KILL to what is left of it after `grace`; gives the child's status.
fn end_group(
    child: &mut Child,
    grace: Duration,
    signals: &mut Relay,
) -> std::io::Result<ExitStatus> {
    let group = child.id();
    relay::send_group(group, SIGTERM);
    // A stopped process handles TERM only once it goes on.
    relay::send_group(group, SIGCONT);
    let started = Instant::now();
    let mut status = None;
    while started.elapsed() < grace {
        status = match status {
            Some(status) => Some(status),
            None => child.try_wait()?,
        };
        if let Some(status) = status
            && group_is_gone(group)
        {
            return Ok(status);
        }
        for signal in signals.take() {
            relay::send_group(group, signal);
        }
        wait_for(signals, Some(LOOK_AGAIN.min(grace)));
    }
    relay::send_group(group, SIGKILL);
    match status {
        Some(status) => Ok(status),
        None => child.wait(),
    }
}

fn group_is_gone(group: u32) -> bool {
    relay::pid(group).is_none_or(|pid| {
        rustix::process::test_kill_process_group(pid) == Err(rustix::io::Errno::SRCH)
    })
}

fn wait_for(signals: &Relay, timeout: Option<Duration>) {
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    let mut descriptors = [PollFd::new(signals, PollFlags::IN)];
    // An interrupted wait is as good as a finished one: the caller looks at everything again.
    let _ = rustix::event::poll(&mut descriptors, timeout.as_ref());
}
