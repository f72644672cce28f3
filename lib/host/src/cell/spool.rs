//! Pushes out of a cell: no credential is in it, so what its agent pushes goes into a repository of the
//! cell's own, and the driver, outside, pushes the branches that were asked for.

use crate::files;
use crate::state::Place;
use crate::{config, git};
use overnight_base::fault::Fault;
use overnight_run::cell::{Push, is_pushed};
use std::path::{Path, PathBuf};

/// Shown by git as where a push went.
const NAME: &str = "driver-pushes-later.git";
/// Beside it: what leads pushes there.
const LEADS: &str = "pushes.config";
/// Branches asked for at once; more are an accident.
const BRANCHES_MAX: usize = 20;
/// Folders in a branch's name.
const DEPTH_MAX: usize = 8;

/// Where pushes wait.
#[derive(Debug)]
pub(super) struct Spool {
    folder: PathBuf,
    prefix: String,
}

impl Spool {
    /// Makes one among the temporary files of a cell, with git's key and value that lead the pushes of
    /// this work tree into it; `None` where there is nothing to push to.
    pub(super) fn make(
        temporary: &Path,
        place: &Place,
    ) -> Result<Option<(Self, [String; 2])>, Fault> {
        let (Some(own), Some(common)) = (&place.git, &place.git_common) else {
            return Ok(None);
        };
        let remotes = git::read(&place.top, &["remote"])?;
        let format = git::read(&place.top, &["rev-parse", "--show-object-format"])?;
        let folder = temporary.join(NAME);
        let prefix = config::load(Some(place)).settings.guard.branch_prefix;
        let push = Push {
            spool: &folder,
            objects: &common.join("objects"),
            own,
            remotes: remotes.lines().collect(),
            format: &format,
            prefix: &prefix,
        };
        let leads = temporary.join(LEADS);
        let Some(key) = push.key().filter(|_| !push.remotes.is_empty()) else {
            return Ok(None);
        };
        for (name, text, mode) in push.files() {
            let path = folder.join(name);
            files::create_folder(path.parent().unwrap_or(&folder))?;
            files::replace(&path, text.as_bytes(), mode)?;
        }
        files::create_folder(&folder.join("refs/heads"))?;
        files::replace(&leads, push.leads().as_bytes(), files::PRIVATE)?;
        let value = leads.to_string_lossy().into_owned();
        Ok(Some((Self { folder, prefix }, [key, value])))
    }

    /// The branches that were pushed since; each is told once. What is in the spool is the agent's: it
    /// is read as names, and git does not run there.
    pub(super) fn take(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.look(Path::new(""), 0, &mut found);
        for branch in &found {
            let _ = std::fs::remove_file(self.heads().join(branch));
        }
        found.retain(|branch| is_pushed(branch, &self.prefix));
        found
    }

    fn heads(&self) -> PathBuf {
        self.folder.join("refs/heads")
    }

    fn look(&self, below: &Path, depth: usize, found: &mut Vec<String>) {
        let entries = std::fs::read_dir(self.heads().join(below));
        for entry in entries.into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = below.join(entry.file_name());
            if kind.is_dir() && depth < DEPTH_MAX {
                self.look(&name, depth + 1, found);
            } else if kind.is_file() && found.len() < BRANCHES_MAX {
                found.extend(name.to_str().map(str::to_owned));
            }
        }
    }
}
