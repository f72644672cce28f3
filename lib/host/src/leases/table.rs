//! What this clone remembers of each lease: one small file and one lock file a task.

use crate::files::{self, Content};
use overnight_base::fault::Fault;
use overnight_lease::{State, refname};
use overnight_tasks::TaskId;
use std::path::{Path, PathBuf};

/// A remembered state is a record and a few numbers.
const STATE_BYTES_MAX: u64 = 16 * 1024;
/// What the name of a remembered state ends with.
pub(super) const STATE_SUFFIX: &str = ".json";

pub(super) fn lock_path(folder: &Path, task: &TaskId) -> PathBuf {
    folder.join(format!("{}.lock", refname::encode(task.as_str())))
}

fn state_path(folder: &Path, task: &TaskId) -> PathBuf {
    folder.join(format!("{}{STATE_SUFFIX}", refname::encode(task.as_str())))
}

/// The remembered state; nothing when there is none or it cannot be read.
pub(super) fn load(folder: &Path, task: &TaskId) -> Result<State, Fault> {
    let content = files::read_bounded(&state_path(folder, task), STATE_BYTES_MAX)?;
    Ok(match content {
        Content::Bytes(bytes) => State::parse(&bytes),
        Content::Missing | Content::Refused(_) => State::default(),
    })
}

/// Remembers a state. The refs are the truth: what a loss of power takes here is asked again.
pub(super) fn save(folder: &Path, task: &TaskId, state: &State) -> Result<(), Fault> {
    let path = state_path(folder, task);
    files::replace(&path, state.to_json().as_bytes(), files::PRIVATE)
}
