//! The breaker's state file: read and written under a lock, its time steady across processes.

use crate::clock;
use crate::files::{self, Content, FileLock};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::breaker::Breaker;
use overnight_run::breaker::clock::{Reading, steady_ms};
use overnight_run::breaker::state::{self, Saved};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another process may hold the state file: it only reads and writes a few hundred bytes.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Where the time comes from.
#[derive(Debug, Clone, Copy)]
pub enum TimeSource {
    /// The machine's clocks.
    Clock,
    /// The caller, in Unix seconds.
    Given(u64),
}

/// An open state file.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    /// The breaker as read; change it, then [`StateFile::write`].
    pub breaker: Breaker,
    /// What was wrong with the file.
    pub note: Option<&'static str>,
    now_ms: u64,
    clock: Option<Reading>,
    _lock: FileLock,
}

impl StateFile {
    /// Opens the file; what cannot be understood in it counts as a closed breaker, with a note.
    pub fn open(path: &Path, source: TimeSource) -> Result<Self, Fault> {
        let lock = FileLock::acquire(&lock_path(path), WAIT_MAX)?.ok_or_else(|| {
            Fault::new(
                Code::BreakerState,
                format!("{} is held by another process", path.display()),
            )
        })?;
        let (saved, note) = match files::read_bounded(path, state::BYTES_MAX)? {
            Content::Missing => (Saved::default(), None),
            Content::Bytes(bytes) => state::read(&bytes),
            Content::Refused("too large") => (
                Saved::default(),
                Some("the state file was foreign; the breaker starts closed"),
            ),
            Content::Refused(what) => {
                return Err(Fault::new(
                    Code::InputPath,
                    format!("{} is {what}", path.display()),
                ));
            }
        };
        let (now_ms, clock) = match source {
            TimeSource::Given(seconds) => (seconds.saturating_mul(1000), None),
            TimeSource::Clock => {
                let now = reading()?;
                let steady = saved
                    .clock
                    .as_ref()
                    .map_or(now.wall_ms, |then| steady_ms(saved.time_ms, then, &now));
                (steady, Some(now))
            }
        };
        Ok(Self {
            path: path.to_owned(),
            breaker: saved.breaker,
            note,
            now_ms,
            clock,
            _lock: lock,
        })
    }

    /// Steady time now, in milliseconds.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Writes the file whole.
    pub fn write(&self) -> Result<(), Fault> {
        let saved = Saved::new(self.breaker.clone(), self.now_ms, self.clock.clone());
        let mut text = serde_json::to_string(&saved).map_err(|error| {
            Fault::new(
                Code::Defect,
                format!("the breaker's state cannot be written: {error}"),
            )
        })?;
        text.push('\n');
        files::write_atomic(&self.path, text.as_bytes(), files::PRIVATE)
    }
}

fn reading() -> Result<Reading, Fault> {
    let now = clock::now();
    Ok(Reading {
        wall_ms: now.wall_ms,
        mono_ms: now.mono_ms,
        boot: clock::boot_id()?,
    })
}

fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    path.with_file_name(name)
}
