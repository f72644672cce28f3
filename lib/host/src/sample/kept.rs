//! What is kept about the tests of a repository from one run to the next: durations and failures.

use crate::files::{self, Content, FileLock, PRIVATE, read_bounded, write_atomic};
use crate::state::Place;
use overnight_core::code::Code;
use overnight_core::fault::Fault;
use overnight_core::sample::durations::{self, Report};
use overnight_core::sample::record::{self, Outcomes};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Largest file of records that is read.
const BYTES_MAX: u64 = 256 << 20;
/// How long another agent's update of the same records is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The kept records of one runner.
#[derive(Debug)]
pub struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// The records of a runner in this project.
    pub fn of(place: &Place, runner: &str) -> Self {
        Self {
            folder: place.state.join("tests").join(runner),
        }
    }

    /// The folder they are in, for files that belong to a run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Durations, if any were recorded. Records that cannot be read are as good as none.
    pub fn durations(&self) -> Option<Report> {
        let text = read(&self.folder.join("durations.json"))?;
        durations::parse(&text).ok()
    }

    /// Ids that failed when they last ran.
    pub fn failed(&self) -> Vec<String> {
        let text = read(&self.folder.join("failed")).unwrap_or_default();
        text.split('\0')
            .filter(|id| !id.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Adds what a run found out; agents that end at once wait for each other.
    pub fn add(&self, outcomes: &Outcomes) -> Result<(), Fault> {
        files::create_private_folder(&self.folder)?;
        let lock = FileLock::acquire(&self.folder.join("lock"), PATIENCE)?;
        if lock.is_none() {
            let reason = "another run is writing its test records";
            return Err(Fault::new(Code::FileWrite, reason));
        }
        let old = self.durations().unwrap_or_default();
        let text = record::merged(&old, outcomes);
        write_atomic(
            &self.folder.join("durations.json"),
            text.as_bytes(),
            PRIVATE,
        )?;
        let failed = record::failed(&self.failed(), outcomes);
        let failed: String = failed.iter().flat_map(|id| [id.as_str(), "\0"]).collect();
        write_atomic(&self.folder.join("failed"), failed.as_bytes(), PRIVATE)
    }
}

fn read(path: &Path) -> Option<String> {
    match read_bounded(path, BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    }
}
