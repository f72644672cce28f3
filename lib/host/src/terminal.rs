//! The terminal: whether it can be drawn on; its foreground, lent to a child's process group and
//! taken back.

use crate::env;
use overnight_core::config::vars;
use std::io::IsTerminal;

use nix::sys::signal::{SigSet, Signal};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Pid;
use std::fs::File;
use std::time::Duration;

/// Can a picture be drawn and keys be read: are both ends a terminal that can move its cursor?
pub fn can_be_drawn_on() -> bool {
    let kind = env::get(&vars::TERM);
    kind.is_some_and(|kind| kind != "dumb")
        && std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
}

/// Waits until something is typed, for this long at most; `false`: the terminal is gone, and
/// whoever reads from it now may never come back.
pub fn wait_for_input(longest: Duration) -> bool {
    let stdin = std::io::stdin();
    let mut entries = [PollFd::new(&stdin, PollFlags::IN)];
    let longest = Timespec {
        tv_sec: i64::try_from(longest.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: longest.subsec_nanos().into(),
    };
    // An interrupted wait is a short one.
    let _ = rustix::event::poll(&mut entries, Some(&longest));
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    !entries[0].revents().intersects(gone)
}

/// Is there anything to read on stdin, its end included, within this time?
pub fn has_input(longest: Duration) -> bool {
    let stdin = std::io::stdin();
    let mut entries = [PollFd::new(&stdin, PollFlags::IN)];
    let longest = Timespec {
        tv_sec: i64::try_from(longest.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: longest.subsec_nanos().into(),
    };
    matches!(rustix::event::poll(&mut entries, Some(&longest)), Ok(1..))
}

/// The terminal is lent to another process group until this is dropped.
#[derive(Debug)]
pub struct Foreground {
    terminal: File,
    owner: Pid,
}

impl Foreground {
    /// Lends the foreground of this process's terminal to `group`; `None` when there is no
    /// terminal or this process does not have its foreground.
    pub fn lend(group: u32) -> Option<Self> {
        let terminal = File::open("/dev/tty").ok()?;
        let owner = rustix::process::getpgrp();
        if rustix::termios::tcgetpgrp(&terminal).ok()? != owner {
            return None;
        }
        rustix::termios::tcsetpgrp(&terminal, crate::relay::pid(group)?).ok()?;
        Some(Self { terminal, owner })
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        // From the background the kernel answers this request with SIGTTOU, which would stop us.
        let mut blocked = SigSet::empty();
        blocked.add(Signal::SIGTTOU);
        if blocked.thread_block().is_ok() {
            let _ = rustix::termios::tcsetpgrp(&self.terminal, self.owner);
            let _ = blocked.thread_unblock();
        }
    }
}
