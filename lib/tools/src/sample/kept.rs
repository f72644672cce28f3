//! What is kept about the tests of a repository from one run to the next: durations and failures.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_host::files::{self, Content, FileLock, PRIVATE, read_bounded, write_atomic};
use overnight_host::logs::last::LastRun;
use overnight_host::state::Place;
use overnight_sample::bucket::Turn;
use overnight_sample::durations::{self, Report};
use overnight_sample::last::Failing;
use overnight_sample::outcomes::Outcomes;
use overnight_sample::record;
use overnight_sample::ring::hex;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Largest file of records that is read.
const BYTES_MAX: u64 = 256 << 20;
/// The file of durations.
const DURATIONS: &str = "durations.json";
/// The file of ids that failed when they last ran.
const FAILED: &str = "failed";
/// How long another agent's update of the same records is waited for.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// The kept records of one runner.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
    place: Place,
}

impl Kept {
    /// The records of a runner in this project.
    pub fn of(place: &Place, runner: &str) -> Self {
        Self {
            folder: place.state.join("tests").join(runner),
            place: place.clone(),
        }
    }

    /// The folder they are in, for files that belong to a run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The durations that a draw may use, with their file: as they were when this seed's run began
    /// its first iteration, since parts of a ring whose times change would not add up to
    /// everything. The members of a team start at different times, so they draw by count.
    pub fn durations(&self, seed: &str, turn: Turn) -> Option<(PathBuf, Report)> {
        if turn.member.is_some() {
            return None;
        }
        let current = self.folder.join(DURATIONS);
        let path = match turn.iteration {
            None => current,
            Some(iteration) => {
                let name = hex(&Sha256::digest(seed.as_bytes())[..8]);
                let frozen = self.folder.join(format!("frozen-{name}.json"));
                if iteration <= 1 || !frozen.is_file() {
                    let text = read(&current).unwrap_or_default();
                    write_atomic(&frozen, text.as_bytes(), PRIVATE).ok()?;
                }
                frozen
            }
        };
        let report = durations::parse(&read(&path)?).ok()?;
        report.is_telling().then_some((path, report))
    }

    /// Ids that failed when they last ran.
    pub fn failed(&self) -> Vec<String> {
        let text = read(&self.folder.join(FAILED)).unwrap_or_default();
        text.split('\0')
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Tests that failed in the last run that the output filter saw, however it was started, if
    /// none of ours came after it.
    pub fn failed_elsewhere(&self) -> Vec<Failing> {
        let ours = std::fs::metadata(self.folder.join(FAILED)).and_then(|file| file.modified());
        let ours = ours.ok();
        let is_newer = |last: &LastRun| {
            let at = UNIX_EPOCH.checked_add(Duration::from_millis(last.at));
            at.is_some_and(|at| ours.is_none_or(|ours| at > ours))
        };
        LastRun::read(&self.place)
            .filter(is_newer)
            .map_or_else(Vec::new, |last| last.failing)
    }

    /// Files of ids, ended by NUL, that failed when they last ran: our own record, and one of
    /// [`Self::failed_elsewhere`].
    pub fn failed_files(&self) -> Result<Vec<PathBuf>, Fault> {
        let elsewhere = self.failed_elsewhere();
        let mut files = vec![self.folder.join(FAILED)];
        if !elsewhere.is_empty() {
            let text: String = elsewhere
                .iter()
                .flat_map(|test| [&test.name, "\0"])
                .collect();
            let path = self.folder.join("failed-elsewhere");
            write_atomic(&path, text.as_bytes(), PRIVATE)?;
            files.push(path);
        }
        files.retain(|path| path.is_file());
        Ok(files)
    }

    /// Adds what a run found out; agents that end at once wait for each other.
    pub fn add(&self, outcomes: &Outcomes) -> Result<(), Fault> {
        files::create_private_folder(&self.folder)?;
        let lock = FileLock::acquire(&self.folder.join("lock"), WAIT_MAX)?;
        if lock.is_none() {
            let reason = "another run is writing its test records";
            return Err(Fault::new(Code::FileWrite, reason));
        }
        let old = read(&self.folder.join(DURATIONS));
        let old = old.and_then(|text| durations::parse(&text).ok());
        let old = old.unwrap_or_default();
        let text = record::merged(&old, outcomes);
        write_atomic(&self.folder.join(DURATIONS), text.as_bytes(), PRIVATE)?;
        let failed = record::failed(&self.failed(), outcomes);
        let failed: String = failed.iter().flat_map(|id| [id.as_str(), "\0"]).collect();
        write_atomic(&self.folder.join(FAILED), failed.as_bytes(), PRIVATE)
    }
}

fn read(path: &Path) -> Option<String> {
    match read_bounded(path, BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}
