//! The content of the work tree as one hash: did an iteration change anything, and was it like
//! this before?

use crate::files;
use crate::git;
use overnight_core::fault::Fault;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What Overnight itself writes into a work tree: no progress of the agent.
const OWN: [&str; 5] = [
    "progress",
    "logs",
    "agent_logs",
    "current_tasks",
    "tasks.json",
];
/// Files looked at without git; a larger folder is hashed by its first ones.
const FILES_MAX: usize = 200_000;

/// Takes hashes of one work tree. With git it keeps an index of its own beside the run's state,
/// so that unchanged files are not read again; the person's index is never touched.
#[derive(Debug)]
pub struct Snapshots {
    top: PathBuf,
    index: Option<PathBuf>,
}

impl Snapshots {
    /// Snapshots of the work tree at `top`; `folder` keeps the index when there is git.
    pub fn new(top: &Path, git: bool, folder: &Path) -> Self {
        Self {
            top: top.to_owned(),
            index: git.then(|| folder.join("index")),
        }
    }

    /// The hash of everything that is tracked or could be (ignored files and our own left out).
    pub fn take(&self) -> Result<String, Fault> {
        match &self.index {
            Some(index) => self.git_tree(index),
            None => Ok(format!("{:016x}", self.listing_hash())),
        }
    }

    /// How many files differ between two snapshots; 1 for "some" where that cannot be told.
    pub fn changed(&self, before: &str, after: &str) -> u64 {
        if before == after {
            return 0;
        }
        let listed = git::run(
            &self.top,
            &[
                "diff-tree",
                "-r",
                "--name-only",
                "--no-renames",
                before,
                after,
            ],
        );
        match listed {
            Ok(output) if self.index.is_some() && output.ok() => {
                output.text().lines().count() as u64
            }
            _ => 1,
        }
    }

    fn git_tree(&self, index: &Path) -> Result<String, Fault> {
        if !index.exists() {
            self.seed(index)?;
        }
        let mut add = git::command(&self.top);
        add.args(["add", "-A", "--", "."])
            .args(OWN.map(|own| format!(":(top,exclude){own}")));
        add.env("GIT_INDEX_FILE", index);
        let added = git::output(&mut add, &[])?;
        let mut write = git::command(&self.top);
        write.arg("write-tree").env("GIT_INDEX_FILE", index);
        let written = git::output(&mut write, &[])?;
        if written.ok() {
            return Ok(written.text());
        }
        let _ = std::fs::remove_file(index);
        Err(Fault::new(
            overnight_core::code::Code::GitFailed,
            format!(
                "cannot take a snapshot of the work tree: {}{}",
                added.stderr.trim(),
                written.stderr.trim()
            ),
        ))
    }

    /// Starts from a copy of the person's index, whose file times spare reading every file.
    fn seed(&self, index: &Path) -> Result<(), Fault> {
        let own = git::read(
            &self.top,
            &["rev-parse", "--path-format=absolute", "--git-path", "index"],
        )?;
        match std::fs::read(&own) {
            Ok(bytes) => files::write_atomic(index, &bytes, files::PRIVATE),
            Err(_) => Ok(()),
        }
    }

    fn listing_hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let own = |entry: &walkdir::DirEntry| {
            entry.depth() == 1
                && OWN
                    .iter()
                    .chain(&[".overnight"])
                    .any(|own| entry.file_name() == *own)
        };
        let walk = walkdir::WalkDir::new(&self.top)
            .sort_by_file_name()
            .into_iter();
        for entry in walk
            .filter_entry(|entry| !own(entry))
            .flatten()
            .take(FILES_MAX)
        {
            if let Some(about) = entry.metadata().ok().filter(std::fs::Metadata::is_file) {
                (entry.path(), about.len(), about.mtime(), about.mtime_nsec()).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(top: &Path, git: bool) -> String {
        let keep = top.with_file_name("state");
        std::fs::create_dir_all(&keep).unwrap();
        Snapshots::new(top, git, &keep).take().unwrap()
    }

    #[test]
    fn content_counts_and_our_own_files_do_not() {
        for with_git in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().canonicalize().unwrap().join("p");
            std::fs::create_dir_all(top.join("progress")).unwrap();
            if with_git {
                git::read(&top, &["init", "-q"]).unwrap();
            }
            std::fs::write(top.join("a.txt"), "1").unwrap();
            let first = take(&top, with_git);
            std::fs::write(top.join("progress/README.md"), "x").unwrap();
            assert_eq!(take(&top, with_git), first, "git: {with_git}");
            std::fs::write(top.join("a.txt"), "22").unwrap();
            let second = take(&top, with_git);
            assert_ne!(second, first, "git: {with_git}");
            let snapshots = Snapshots::new(&top, with_git, &top.with_file_name("state"));
            assert_eq!(
                (
                    snapshots.changed(&first, &second),
                    snapshots.changed(&first, &first)
                ),
                (1, 0)
            );
        }
    }
}
