//! The runs of a project: which there are, which one is meant, what state it is in.

use crate::journal;
use crate::process::{self, Identity};
use crate::state::Place;
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::run::{State, fold, id};
use rustix::process::Signal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a driver that was asked to end may take: its agent's group gets less than 2 s.
const PATIENCE: Duration = Duration::from_secs(5);

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
    Ok(fold(&journal::read(&folder(place, run)?)?))
}

/// The driver of a run, if it lives.
pub fn living_driver(state: &State) -> Option<Identity> {
    let (pid, start) = state.driver?;
    let driver = Identity { pid, start };
    driver.is_alive().then_some(driver)
}

/// Asks the driver of a run to end and waits for it; whether there was one.
pub fn stop(place: &Place, run: &str) -> Result<bool, Fault> {
    const LOOK: Duration = Duration::from_millis(10);
    let Some(driver) = living_driver(&state(place, run)?) else {
        return Ok(false);
    };
    process::signal(driver, Signal::TERM);
    let asked = Instant::now();
    while driver.is_alive() {
        if asked.elapsed() > PATIENCE {
            let reason = format!(
                "the driver of run {run} (process {}) does not end",
                driver.pid
            );
            return Err(
                Fault::new(Code::RunBusy, reason).hint("end it by hand; the next start tidies up")
            );
        }
        std::thread::sleep(LOOK);
    }
    Ok(true)
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
