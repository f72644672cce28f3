//! Signals as something to wait for, beside a child's end and a deadline.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use rustix::event::{PollFd, PollFlags, Timespec};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Wakes on SIGCHLD and on the signals that interrupt a run. From the second interrupting signal
/// on the process ends at once.
#[derive(Debug)]
pub struct Signals {
    wake: UnixStream,
    ring: UnixStream,
    pending: Arc<AtomicUsize>,
}

/// Wakes the thread that waits, from another one.
#[derive(Debug)]
pub struct Bell {
    ring: UnixStream,
    pending: Arc<AtomicUsize>,
}

impl Bell {
    /// Ends a wait that is under way.
    pub fn ring(&self) {
        // A full pipe wakes as well.
        let _ = (&self.ring).write(&[0]);
    }

    /// Interrupts as a TERM from outside would.
    pub fn interrupt(&self) {
        self.pending
            .store(SIGTERM.unsigned_abs() as usize, Ordering::SeqCst);
        self.ring();
    }
}

/// The signals that interrupt a run.
const INTERRUPTS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

impl Signals {
    /// Installs the handlers, once per process.
    pub fn install() -> Result<Self, Fault> {
        Self::try_install().map_err(|error| {
            Fault::new(
                Code::Defect,
                format!("cannot install signal handlers: {error}"),
            )
        })
    }

    fn try_install() -> std::io::Result<Self> {
        let (wake, ring) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        ring.set_nonblocking(true)?;
        let pending = Arc::new(AtomicUsize::new(0));
        for signal in INTERRUPTS {
            let seen = Arc::new(std::sync::atomic::AtomicBool::new(false));
            // Registered first, so that it is inactive when the first signal passes through it.
            signal_hook::flag::register_conditional_shutdown(
                signal,
                128 + signal,
                Arc::clone(&seen),
            )?;
            signal_hook::flag::register(signal, seen)?;
            signal_hook::flag::register_usize(
                signal,
                Arc::clone(&pending),
                signal.unsigned_abs() as usize,
            )?;
            signal_hook::low_level::pipe::register(signal, ring.try_clone()?)?;
        }
        signal_hook::low_level::pipe::register(SIGCHLD, ring.try_clone()?)?;
        Ok(Self {
            wake,
            ring,
            pending,
        })
    }

    /// A bell for another thread.
    pub fn bell(&self) -> Result<Bell, Fault> {
        let ring = self.ring.try_clone();
        let ring = ring
            .map_err(|error| Fault::new(Code::Defect, format!("cannot share a pipe: {error}")))?;
        Ok(Bell {
            ring,
            pending: Arc::clone(&self.pending),
        })
    }

    /// The interrupting signal that has come, if one has.
    pub fn interrupted(&self) -> Option<i32> {
        match self.pending.load(Ordering::SeqCst) {
            0 => None,
            signal => i32::try_from(signal).ok(),
        }
    }

    /// Sleeps until a signal comes or `deadline` passes; may wake early.
    pub fn wait(&self, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left.max(Duration::from_micros(1))).ok();
        let mut entries = [PollFd::new(&self.wake, PollFlags::IN)];
        let _ = rustix::event::poll(&mut entries, timeout.as_ref());
        let mut bytes = [0; 64];
        while matches!((&self.wake).read(&mut bytes), Ok(count) if count > 0) {}
    }
}
