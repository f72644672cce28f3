//! `current_tasks/<task>.txt`, the lease that people see in the work tree.

use super::list::Entry;
use super::{Holder, Leases};
use crate::exclude;
use crate::files::{self, Content};
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_lease::Record;
use overnight_lease::mirror::{MIRROR_BYTES_MAX, is_conflicted, is_ours, render};
use overnight_lease::record::Phase;
use overnight_tasks::TaskId;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{DirEntry, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder in the work tree.
const FOLDER: &str = "current_tasks";

/// The files that there are, and whether each is older than the table of leases.
#[derive(Debug)]
pub(super) struct Shown(BTreeMap<OsString, bool>);

impl Shown {
    /// Is what people see of the lease known to be right, without reading it?
    pub(super) fn is_right(&self, entry: &Entry) -> bool {
        let name = file_name(entry.task.as_str());
        match self.0.get(OsStr::new(&name)) {
            Some(older) => *older && entry.state == "held",
            None => entry.state != "held",
        }
    }
}

impl Leases {
    /// What there is in the folder, of which everything was right when the table was written.
    pub(super) fn shown(&self, table: Option<SystemTime>) -> Shown {
        let listing = std::fs::read_dir(self.place.home.join(FOLDER));
        let one = |found: DirEntry| {
            let about = found.metadata().ok().filter(Metadata::is_file);
            let written = about.and_then(|about| about.modified().ok());
            let older = written.is_some_and(|written| table.is_some_and(|table| written <= table));
            (found.file_name(), older)
        };
        Shown(listing.into_iter().flatten().flatten().map(one).collect())
    }

    /// Something at the mirror's place that is none: then the task counts as locked by somebody
    /// unknown (tests/cases/hostile.md T02), and after an unfinished merge a person must look (T04).
    pub(super) fn mirror_blocks(&self, task: &TaskId) -> Result<Option<Holder>, Fault> {
        let path = self.mirror_path(task.as_str());
        match files::read_bounded(&path, MIRROR_BYTES_MAX) {
            Ok(Content::Bytes(text)) if is_conflicted(&text) => {
                let reason = format!("{} carries merge conflict markers", path.display());
                Err(Fault::new(Code::LockCorrupt, reason)
                    .hint("see who works with task-lock status, then delete the file"))
            }
            Ok(Content::Refused(_)) => Ok(Some(Holder::unknown(
                "its file in current_tasks/ is no ordinary small file",
            ))),
            Ok(Content::Bytes(_) | Content::Missing) => Ok(None),
            Err(_) => Ok(Some(Holder::unknown(
                "its file in current_tasks/ cannot be read",
            ))),
        }
    }

    /// Brings the mirror up to date with a record. What fails is told, not fatal: the ref is the
    /// truth.
    pub(super) fn mirror(&self, record: &Record) -> Vec<String> {
        let path = self.mirror_path(&record.task);
        let outcome = match record.state {
            Phase::Held => self.write_mirror(&path, &render(record)),
            Phase::Free => remove(&path, record.token),
        };
        outcome
            .err()
            .map(|fault| fault.reason)
            .into_iter()
            .collect()
    }

    fn mirror_path(&self, task: &str) -> PathBuf {
        self.place.home.join(FOLDER).join(file_name(task))
    }

    fn write_mirror(&self, path: &Path, text: &str) -> Result<(), Fault> {
        let shown = files::read_bounded(path, MIRROR_BYTES_MAX);
        if matches!(shown, Ok(Content::Bytes(shown)) if shown == text.as_bytes()) {
            return Ok(());
        }
        let folder = self.place.home.join(FOLDER);
        match std::fs::symlink_metadata(&folder) {
            Ok(about) if !about.is_dir() => {
                let reason = format!(
                    "{} is no folder; leases are not shown there",
                    folder.display()
                );
                return Err(Fault::new(Code::InputTraversal, reason));
            }
            Ok(_) => {}
            Err(_) => exclude::ensure(&self.place)?,
        }
        files::replace(path, text.as_bytes(), files::SHARED)
    }
}

fn file_name(task: &str) -> String {
    format!("{task}.txt")
}

/// Removes a mirror that we wrote, unless it shows a newer lease: the remote and this repository
/// alone have one each. Anything else stays.
fn remove(path: &Path, token: u64) -> Result<(), Fault> {
    match files::read_bounded(path, MIRROR_BYTES_MAX)? {
        Content::Bytes(text) if is_ours(&text, token) => std::fs::remove_file(path)
            .map_err(|error| Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))),
        Content::Bytes(_) | Content::Missing | Content::Refused(_) => Ok(()),
    }
}
