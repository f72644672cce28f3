//! The content of the work tree as one hash: did an iteration change anything, and was it like
//! this before?

use crate::files;
use crate::git;
use overnight_core::fault::Fault;
use overnight_core::run::scope::Change;
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
/// Characters of a content's id that are kept.
const ID_CHARS: usize = 16;
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

    /// The files that differ between two snapshots; `None` where they cannot be told.
    pub fn changes(&self, before: &str, after: &str) -> Option<Vec<Change>> {
        if before == after {
            return Some(Vec::new());
        }
        self.index.as_ref()?;
        let listed = git::run(
            &self.top,
            &[
                "diff-tree",
                "-r",
                "-z",
                "--raw",
                "--no-renames",
                before,
                after,
            ],
        );
        listed
            .ok()
            .filter(git::Output::ok)
            .map(|output| parse_changes(&String::from_utf8_lossy(&output.stdout)))
    }

    /// The commit that is checked out; empty without one.
    pub fn head(&self) -> String {
        let named = ["rev-parse", "--verify", "-q", "HEAD"];
        let asked = self.index.as_ref().map(|_| git::read(&self.top, &named));
        asked.and_then(Result::ok).unwrap_or_default()
    }

    /// Commits between two of them that change files.
    pub fn commits(&self, before: &str, after: &str) -> u64 {
        if before == after || after.is_empty() {
            return 0;
        }
        let range = if before.is_empty() {
            after.to_owned()
        } else {
            format!("{before}..{after}")
        };
        let counted = git::read(&self.top, &["rev-list", "--count", &range, "--", "."]);
        counted
            .ok()
            .and_then(|count| count.parse().ok())
            .unwrap_or(0)
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

/// Reads `git diff-tree -z --raw`: `:mode mode id id status`, NUL, the path, NUL.
fn parse_changes(raw: &str) -> Vec<Change> {
    let mut fields = raw.split('\0');
    let mut changes = Vec::new();
    while let (Some(about), Some(path)) = (fields.next(), fields.next()) {
        let mut about = about.split(' ').skip(2);
        let mut content = || {
            let id = about.next().unwrap_or_default();
            let none = id.bytes().all(|byte| byte == b'0');
            if none {
                ""
            } else {
                &id[..id.len().min(ID_CHARS)]
            }
            .to_owned()
        };
        changes.push(Change {
            path: path.to_owned(),
            before: content(),
            after: content(),
        });
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_name_their_files_and_commits_that_change_something_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let git = |arguments: &[&str]| {
            let who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
            git::read(&top, &[&who, arguments].concat()).unwrap()
        };
        git(&["init", "-q"]);
        let keep = tempfile::tempdir().unwrap();
        let snapshots = Snapshots::new(&top, true, keep.path());
        std::fs::write(top.join("a b\n.txt"), "1").unwrap();
        let (first, start) = (snapshots.take().unwrap(), snapshots.head());
        std::fs::write(top.join("a b\n.txt"), "2").unwrap();
        std::fs::write(top.join("new"), "x").unwrap();
        let second = snapshots.take().unwrap();
        let changes = snapshots.changes(&first, &second).unwrap();
        let names: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(names, ["a b\n.txt", "new"]);
        assert!(changes[1].before.is_empty() && !changes[1].after.is_empty());
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "one"]);
        git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
        assert_eq!(snapshots.commits(&start, &snapshots.head()), 1);
        assert_eq!(snapshots.changes(&second, &second), Some(Vec::new()));
    }

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
