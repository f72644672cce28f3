//! One canary: after a usage limit one run of a person tries first, the others hear what it found.
//!
//! The lock is held while the first one tries and ends with its process. What it was told stands
//! beside it. One pair of files for each account that the client may be logged in to.

use crate::clock;
use crate::files::{self, Content, FileLock};
use crate::homes;
use crate::signals::Signals;
use overnight_base::fault::Fault;
use overnight_base::session;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A client that works for so long was not refused: it is refused within a second.
pub const PASSED: Duration = Duration::from_secs(15);
/// How long others wait for the canary at most: it starts, is refused or passes.
const WAIT_MAX: Duration = Duration::from_mins(2);
/// How often they look.
const LOOK: Duration = Duration::from_millis(250);
/// Bytes of the note at most.
const NOTE_BYTES_MAX: u64 = 1_000;

/// The right to try first.
#[derive(Debug)]
pub struct Probe {
    _lock: FileLock,
    note: PathBuf,
}

/// Whose turn it is.
#[derive(Debug)]
pub enum Turn {
    /// Ours.
    Ours(Probe),
    /// Nobody's before this Unix time in milliseconds: another run was just refused.
    Later(u64),
    /// Everybody's: nothing can be kept, or the canary takes too long.
    Free,
}

/// What a canary heard.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// When, Unix time in milliseconds.
    told: u64,
    /// Until when the limit holds.
    until: u64,
}

/// Waits for this run's turn after a usage limit that it met at `refused` (Unix milliseconds).
pub fn turn(signals: &Signals, refused: u64) -> Result<Turn, Fault> {
    match folder() {
        Some(folder) => turn_in(&folder, signals, refused),
        None => Ok(Turn::Free),
    }
}

/// Until when the account's usage limit holds, as a run heard last: Unix time in milliseconds.
pub(crate) fn heard(now: u64) -> Option<u64> {
    let note = read(&folder()?.join("note.json"))?;
    (note.told <= now && note.until > now).then_some(note.until)
}

/// The person's folder for the account that the client uses.
fn folder() -> Option<PathBuf> {
    let account = homes::client()?;
    let key = session::key(&account.to_string_lossy());
    Some(homes::state()?.join("usage-limit").join(key))
}

fn turn_in(folder: &Path, signals: &Signals, refused: u64) -> Result<Turn, Fault> {
    let began = Instant::now();
    let note = folder.join("note.json");
    files::create_private_folder(folder)?;
    while signals.interrupted().is_none() && began.elapsed() < WAIT_MAX {
        if let Some(lock) = FileLock::acquire(&folder.join("probe.lock"), Duration::ZERO)? {
            let later = read(&note).filter(|heard| {
                let now = clock::wall_ms();
                heard.told > refused && heard.told <= now && heard.until > now
            });
            return Ok(match later {
                Some(heard) => Turn::Later(heard.until),
                None => Turn::Ours(Probe { _lock: lock, note }),
            });
        }
        signals.wait(Instant::now() + LOOK);
    }
    Ok(Turn::Free)
}

fn read(note: &Path) -> Option<Note> {
    match files::read_bounded(note, NOTE_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).ok(),
        _ => None,
    }
}

impl Probe {
    /// The canary was refused: the others need not try before `until` (Unix milliseconds).
    pub fn refused(self, until: u64) {
        let told = clock::wall_ms();
        if let Ok(text) = serde_json::to_vec(&Note { told, until }) {
            // Others that hear nothing try for themselves.
            let _ = files::write_atomic(&self.note, &text, files::PRIVATE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_tries_and_the_others_hear_what_it_found() {
        let folder = tempfile::tempdir().unwrap();
        let signals = Signals::install().unwrap();
        let now = clock::wall_ms();
        let turn = || turn_in(folder.path(), &signals, now - 60_000).unwrap();
        let Turn::Ours(probe) = turn() else {
            panic!("nobody else tries");
        };
        let (looked, has_looked) = std::sync::mpsc::channel();
        let other = std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let lock = FileLock::acquire(&folder.path().join("probe.lock"), Duration::ZERO);
                assert!(lock.unwrap().is_none(), "one at a time");
                looked.send(()).unwrap();
                turn()
            });
            has_looked.recv().unwrap();
            probe.refused(now + 3_600_000);
            other.join().unwrap()
        });
        assert!(matches!(other, Turn::Later(until) if until == now + 3_600_000));
        let later = turn_in(folder.path(), &signals, clock::wall_ms() + 1).unwrap();
        assert!(matches!(later, Turn::Ours(_)), "an older note says nothing");
    }
}
