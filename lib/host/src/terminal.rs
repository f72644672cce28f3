//! The terminal: whether it can be drawn on; its foreground, lent to a child's process group and
//! taken back.

use crate::{cli, env};
use overnight_base::fault::Fault;
use overnight_base::vars;
use overnight_views::report::terminal::Paper;
use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

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

/// Is stdout a file, which keeps what is printed?
pub fn is_kept() -> bool {
    let about = rustix::fs::fstat(std::io::stdout());
    about.is_ok_and(|about| rustix::fs::FileType::from_raw_mode(about.st_mode).is_file())
}

/// Columns of the terminal on stdout; without one, as many as a log's reader likes.
pub fn width() -> usize {
    const WITHOUT: usize = 120;
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    if columns == 0 {
        WITHOUT
    } else {
        columns.max(40)
    }
}

/// What stdout is to be written on.
pub fn paper() -> Paper {
    Paper {
        width: width(),
        colours: std::io::stdout().is_terminal() && env::get(&vars::NO_COLOR).is_none(),
    }
}

/// Shows a text: through the person's pager where it is longer than the terminal is high.
pub fn page(text: &str) -> Result<(), Fault> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    let rows = size.map_or(0, |size| usize::from(size.ws_row));
    let fits = rows == 0 || text.lines().count() < rows;
    if fits || !std::io::stdout().is_terminal() || !paged(text) {
        cli::print(text)?;
    }
    Ok(())
}

/// Was it shown by the pager? `less` where none is chosen; what it prints stays when it ends.
fn paged(text: &str) -> bool {
    let chosen = env::get(&vars::PAGER).filter(|pager| !pager.trim().is_empty());
    let command = chosen.unwrap_or_else(|| "less -FRX".to_owned());
    let mut words = command.split_whitespace();
    let Some(program) = words.next() else {
        return false;
    };
    let started = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut pager) = started else {
        return false;
    };
    if let Some(mut stdin) = pager.stdin.take() {
        // Who leaves the pager early closes it.
        let _ = stdin.write_all(text.as_bytes());
    }
    pager.wait().is_ok()
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
        let owner = crate::process::own_group()?;
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
