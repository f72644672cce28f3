//! Pushes out of a cell: no credential is in it, so what its agent pushes goes into a repository of the
//! cell's own, and the driver, outside, pushes the branches that were asked for.

use crate::files::{self, Content};
use crate::state::Place;
use crate::{config, git};
use overnight_base::fault::Fault;
use overnight_run::cell::{Push, is_pushed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Shown by git as where a push went.
const NAME: &str = "driver-pushes-later.git";
/// Beside it: what leads pushes there.
const LEADS: &str = "pushes.config";
/// Branches asked for at once; more are an accident.
const BRANCHES_MAX: usize = 20;
/// Folders in a branch's name.
const DEPTH_MAX: usize = 8;

/// The name of a commit, and the end of its line.
const COMMIT_BYTES_MAX: u64 = 65;

/// Where pushes wait.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Spool {
    folder: PathBuf,
    prefix: String,
    /// Git's key and value that lead the pushes of the work tree here.
    pub(super) lead: [String; 2],
    /// The commits that were pushed already, by their branches.
    carried: BTreeMap<String, String>,
}

impl Spool {
    /// Makes one among the temporary files of a cell, for the pushes of this work tree; `None` where there
    /// is nothing to push to.
    pub(super) fn make(temporary: &Path, place: &Place) -> Result<Option<Self>, Fault> {
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
        Ok(Some(Self {
            folder,
            prefix,
            lead: [key, value],
            carried: BTreeMap::new(),
        }))
    }

    /// Has `push` carry out what was asked for since; what cannot be is tried again another time.
    pub(super) fn carry_out(
        &mut self,
        push: impl Fn(&str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut all = Ok(());
        for (branch, commit) in self.asked() {
            if self.carried.get(&branch) != Some(&commit) {
                match push(&branch) {
                    Ok(()) => drop(self.carried.insert(branch, commit)),
                    Err(fault) => all = Err(fault),
                }
            }
        }
        all
    }

    /// The branches in it with their commits. What is there is the agent's: it is read as names, git does
    /// not run there, and nothing is taken away, for any part of it may be a link by now.
    fn asked(&self) -> BTreeMap<String, String> {
        let mut found = Vec::new();
        self.look(Path::new(""), 0, &mut found);
        found.retain(|branch| is_pushed(branch, &self.prefix));
        let commit = |branch: &String| {
            let read = files::read_bounded(&self.heads().join(branch), COMMIT_BYTES_MAX);
            let Ok(Content::Bytes(bytes)) = read else {
                return None;
            };
            let text = String::from_utf8(bytes).ok()?;
            let text = text.trim_end();
            let is_name =
                matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit());
            is_name.then(|| text.to_owned())
        };
        let with = |branch: String| Some((commit(&branch)?, branch));
        let found = found.into_iter().filter_map(with);
        found.map(|(commit, branch)| (branch, commit)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn each_push_is_carried_out_once_and_a_spool_that_became_a_link_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool {
            folder: folder.path().join("spool"),
            prefix: "auto/".to_owned(),
            lead: Default::default(),
            carried: BTreeMap::new(),
        };
        let heads = spool.heads().join("auto");
        std::fs::create_dir_all(&heads).unwrap();
        std::fs::write(heads.join("x"), "a".repeat(40) + "\n").unwrap();
        std::fs::write(heads.join("no-commit"), "../../x").unwrap();
        let pushed = RefCell::new(Vec::new());
        let push = |branch: &str| {
            pushed.borrow_mut().push(branch.to_owned());
            Ok(())
        };
        spool.carry_out(push).unwrap();
        spool.carry_out(push).unwrap();
        assert_eq!(*pushed.borrow(), ["auto/x"]);
        std::fs::write(heads.join("x"), "b".repeat(40)).unwrap();
        let code = overnight_base::code::Code::GitFailed;
        assert!(spool.carry_out(|_| Err(Fault::new(code, "no"))).is_err());
        spool.carry_out(push).unwrap();
        assert_eq!(pushed.borrow().len(), 2);
        let person = folder.path().join("Documents");
        std::fs::create_dir_all(person.join("auto")).unwrap();
        std::fs::write(person.join("auto/thesis"), "years").unwrap();
        std::fs::remove_dir_all(spool.heads()).unwrap();
        std::os::unix::fs::symlink(&person, spool.heads()).unwrap();
        spool.carry_out(push).unwrap();
        assert!(person.join("auto/thesis").exists());
    }
}
