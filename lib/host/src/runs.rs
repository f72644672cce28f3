//! The runs of a project: which there are, which one is meant, what state it is in.

use crate::clock;
use crate::files;
use crate::journal::{self, Journal};
use crate::process::Identity;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::event::Event;
use overnight_run::{State, apply, id};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a driver waits for another one that is just ending.
pub const WAIT_MAX: Duration = Duration::from_millis(200);

/// Where a run keeps the journals of its members.
const MEMBERS: &str = "members";

/// Characters of an id that say when the run began, to the second.
const SECOND_CHARS: usize = 15;

/// Every run of the project, oldest first; of two that began in the same second, the one whose folder
/// is older.
pub fn all(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.runs())
        .into_iter()
        .flatten()
        .flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut runs: Vec<String> = names.filter(|name| id::is_valid(name)).collect();
    runs.sort();
    for same in runs.chunk_by_mut(|a, b| a[..SECOND_CHARS] == b[..SECOND_CHARS]) {
        if same.len() > 1 {
            let made = |run: &String| std::fs::metadata(place.run_folder(run))?.created();
            same.sort_by_cached_key(|run| made(run).ok());
        }
    }
    runs
}

/// The run that a person named, or the newest one.
pub fn choose(place: &Place, named: Option<&str>) -> Result<String, Fault> {
    let runs = all(place);
    let unknown = |reason: String| Fault::new(Code::RunUnknown, reason);
    match named {
        Some(run) if runs.iter().any(|known| known == run) => Ok(run.to_owned()),
        Some(run) => Err(unknown(format!(
            "no run {run:?} in {}",
            place.runs().display()
        ))),
        None => runs
            .into_iter()
            .next_back()
            .ok_or_else(|| unknown(format!("no run in {}", place.runs().display()))),
    }
}

/// The folder of a run that exists.
pub fn folder(place: &Place, run: &str) -> Result<PathBuf, Fault> {
    let folder = place.run_folder(run);
    if id::is_valid(run) && folder.is_dir() {
        return Ok(folder);
    }
    let reason = format!("no run {run:?} in {}", place.runs().display());
    Err(Fault::new(Code::RunUnknown, reason))
}

/// The state of a run, by its journal.
pub fn state(place: &Place, run: &str) -> Result<State, Fault> {
    let mut state = State::default();
    journal::visit(&folder(place, run)?, |record| apply(&mut state, record))?;
    Ok(state)
}

/// The driver of a run, if it lives.
pub fn living_driver(state: &State) -> Option<Identity> {
    let (pid, start) = state.driver?;
    let driver = Identity { pid, start };
    driver.is_alive().then_some(driver)
}

/// The journal of a run that has begun.
pub fn open_journal(folder: &Path, run: &str) -> Result<Journal, Fault> {
    let journal = Journal::open(folder, WAIT_MAX)?;
    if journal.state().run.is_none() {
        let reason = format!("run {run} ended before its first record was written");
        return Err(Fault::new(Code::RunUnknown, reason).hint("start a new run"));
    }
    Ok(journal)
}

/// Writes an event of a run that has no driver now into its journal.
pub fn note(place: &Place, run: &str, event: impl Into<Event>) -> Result<(), Fault> {
    open_journal(&folder(place, run)?, run)?
        .append(event)
        .map(drop)
}

/// The number of the newest driver, where the guard looks for it.
pub fn write_epoch(folder: &Path, epoch: u64) -> Result<(), Fault> {
    files::write_atomic(
        &folder.join("epoch"),
        epoch.to_string().as_bytes(),
        files::PRIVATE,
    )
}

/// The folder of the member's journal of this name in its run's.
pub fn member_journal(run: &Path, name: &str) -> PathBuf {
    run.join(MEMBERS).join(name)
}

/// The members of a run that have a journal: name and folder, in the order of the names.
pub fn member_journals(run: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(run.join(MEMBERS))
        .into_iter()
        .flatten()
        .flatten();
    let named =
        entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let mut found: Vec<_> = named
        .filter(|(_, folder)| folder.join(journal::FILE).is_file())
        .collect();
    found.sort();
    found
}

/// Does the newest driver's process live? One of another boot does not.
pub fn driver_lives(state: &State) -> bool {
    let boot = state.steady.1.as_ref().map(|reading| reading.boot.as_str());
    lives(state.driver, boot)
}

/// May a driver take this run up? Not while a session is at work on it: two agents would work in
/// one tree.
pub fn may_take_up(state: &State, run: &str) -> Result<(), Fault> {
    let under_way = state
        .open
        .as_ref()
        .is_some_and(|open| open.outcome.is_none());
    let at_work =
        under_way && state.paused.is_none() && state.waiting.is_none() && state.finished.is_none();
    if state.session.is_none() || !at_work || !driver_lives(state) {
        return Ok(());
    }
    let reason = format!("run {run} is at work in a session that is open");
    Err(Fault::new(Code::RunBusy, reason)
        .hint("first: overnight pause, or /flow pause in the session"))
}

/// Does the process of this id and start live, on this boot?
pub fn lives(driver: Option<(u32, u64)>, boot: Option<&str>) -> bool {
    let same_boot = clock::boot_id().is_ok_and(|now| boot == Some(now.as_str()));
    let lives = |(pid, start)| {
        let recorded = Identity { pid, start };
        recorded.is_alive() || (start == 0 && Identity::of(pid).start > 0)
    };
    same_boot && driver.is_some_and(lives)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_runs_that_began_in_one_second_the_newer_folder_is_the_newer_run() {
        let folder = tempfile::tempdir().unwrap();
        let place = crate::state::locate(folder.path()).unwrap();
        let [first, second] = ["20261120-220000-ffff", "20261120-220000-0000"];
        let before = "20261120-215959-aaaa";
        let folder_of = |run: &str| {
            std::fs::create_dir_all(place.run_folder(run)).unwrap();
            std::fs::metadata(place.run_folder(run)).unwrap().created()
        };
        let Ok(time) = folder_of(first) else {
            return; // A file system that does not know when.
        };
        while folder_of(second).unwrap() <= time {
            std::fs::remove_dir(place.run_folder(second)).unwrap();
        }
        folder_of(before).unwrap();
        assert_eq!(all(&place), [before, first, second]);
        assert_eq!(choose(&place, None).unwrap(), second);
    }
}
