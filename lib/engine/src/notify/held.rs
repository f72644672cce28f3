//! What quiet hours hold back, and its one notice at their end: a process of its own waits for that,
//! because the run may be over by then.

use super::{WAIT_MAX, Way, is_new};
use crate::files::{self, Content, FileLock};
use crate::state::Place;
use crate::{clock, config, detach};
use overnight_base::fault::Fault;
use overnight_views::config::settings;
use overnight_views::notify::{Notice, digest};
use std::path::PathBuf;
use std::time::Duration;

/// What is held back, in the state folder.
const HELD: &str = "held.json";
const HELD_BYTES_MAX: u64 = 1 << 20;
/// Notices that are kept; what comes first tells most.
const HELD_MAX: usize = 100;
const MINUTE_MS: u64 = 60_000;
/// A suspend of the machine must not lengthen the wait; nobody waits for what was told meanwhile.
const LOOK: Duration = Duration::from_secs(5);

fn path(place: &Place) -> PathBuf {
    place.state.join(HELD)
}

fn read(place: &Place) -> Result<Vec<Notice>, Fault> {
    Ok(match files::read_bounded(&path(place), HELD_BYTES_MAX)? {
        Content::Bytes(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Content::Missing | Content::Refused(_) => Vec::new(),
    })
}

/// Holds a notice back until the quiet hours end, in so many minutes.
pub(super) fn keep(place: &Place, notice: &Notice, now: u64, minutes: u16) -> Result<(), Fault> {
    let path = path(place);
    let Some(_lock) = FileLock::acquire(&path.with_extension("lock"), WAIT_MAX)? else {
        return Ok(());
    };
    let mut held = read(place)?;
    if held.len() >= HELD_MAX || held.iter().any(|known| known.key == notice.key) {
        return Ok(());
    }
    let first = held.is_empty();
    held.push(notice.clone());
    let bytes = serde_json::to_vec(&held).unwrap_or_default();
    files::write_atomic(&path, &bytes, files::PRIVATE)?;
    if first {
        // The minute that is under way counts as well.
        let until = now - now % MINUTE_MS + u64::from(minutes) * MINUTE_MS;
        let arguments = ["notify".to_owned(), format!("--held-until={until}")];
        detach::driver(&arguments, &place.state.join("notify.log"))?;
    }
    Ok(())
}

/// Sends what was held back as one notice.
pub(super) fn send(place: &Place, settings: &settings::Notify) -> Result<(), Fault> {
    let path = path(place);
    if !path.exists() {
        return Ok(());
    }
    let Some(lock) = FileLock::acquire(&path.with_extension("lock"), WAIT_MAX)? else {
        return Ok(());
    };
    let held = read(place)?;
    // Taken away first: told twice is worse than a notice lost to a crash here.
    let _ = std::fs::remove_file(&path);
    drop(lock);
    let mut new = Vec::new();
    for notice in held {
        if is_new(place, &notice, clock::wall_ms())? {
            new.push(notice);
        }
    }
    if let Some(notice) = digest(&new) {
        super::send(settings, &notice, Way::Desktop);
        super::answers::post(place, &notice)?;
    }
    Ok(())
}

/// Waits until this Unix time in milliseconds, then sends what was held back, unless it was sent
/// before, or the project is gone. It outlives the run.
pub fn wait_and_send(place: &Place, until: u64) -> Result<(), Fault> {
    detach::leave_terminal();
    while let left @ 1.. = until.saturating_sub(clock::wall_ms()) {
        if !path(place).exists() {
            return Ok(());
        }
        std::thread::sleep(LOOK.min(Duration::from_millis(left)));
    }
    send(place, &config::load(Some(place)).settings.notify)
}
