//! The content of the work tree as one hash: did an iteration change anything, and was it like
//! this before?

mod index;
mod listing;

use crate::files::{self, Content};
use crate::git;
use crate::state;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::session::hex;
use overnight_run::scope::Change;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What Overnight itself writes into a work tree: no progress of the agent.
pub const OWN: [&str; 5] = [
    "progress",
    "logs",
    "agent_logs",
    "current_tasks",
    "tasks.json",
];
/// A listing or index larger than this is not read: ten million files.
const KEPT_BYTES_MAX: u64 = 1 << 30;
/// A lock this old on our own index was left by a git that was killed.
const LOCK_STALE: Duration = Duration::from_mins(1);

/// What a path holds: mode and content hash by git, size and time without it.
type Contents = BTreeMap<Vec<u8>, Vec<u8>>;

/// The work tree at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// Hash of everything that is tracked or could be (ignored files and our own left out).
    pub tree: String,
    /// The files that differ from the snapshot before, by path; at the first one all.
    pub changed: Vec<Change>,
}

/// Takes snapshots of one work tree. With git it keeps an index of its own beside the run's state,
/// so that unchanged files are not read again; the person's index is never touched.
#[derive(Debug)]
pub struct Snapshots {
    top: PathBuf,
    git: bool,
    /// What the last snapshot saw: git's index, or our listing.
    kept: PathBuf,
}

impl Snapshots {
    /// Snapshots of the work tree at `top`; `folder` keeps what the last one saw.
    pub fn new(top: &Path, git: bool, folder: &Path) -> Self {
        Self {
            top: top.to_owned(),
            git,
            kept: folder.join(if git { "index" } else { "listing" }),
        }
    }

    /// What the work tree holds now, and what changed since the snapshot before.
    pub fn take(&self) -> Result<Snapshot, Fault> {
        let before = self.kept()?;
        let after = if self.git {
            self.add(before.is_none())?;
            self.kept()?
        } else {
            let bytes = listing::of(&self.top);
            files::replace(&self.kept, &bytes, files::PRIVATE)?;
            Some(bytes)
        };
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let Some(now) = self.contents(&after) else {
            // The next one starts anew.
            let _ = std::fs::remove_file(&self.kept);
            let reason = format!("{} is not understood", self.kept.display());
            return Err(Fault::new(Code::GitFailed, reason));
        };
        let changed = if before == after {
            Vec::new()
        } else {
            differing(&self.contents(&before).unwrap_or_default(), &now)
        };
        let tree = hash(&now);
        Ok(Snapshot { tree, changed })
    }

    /// The commit that is checked out; empty without one.
    pub fn head(&self) -> String {
        const HEAD: &str = "HEAD";
        let read = || git::loose(&state::locate(&self.top).ok()?, HEAD);
        let ask = || git::read(&self.top, &["rev-parse", "--verify", "-q", HEAD]).ok();
        let head = self.git.then(|| read().or_else(ask)).flatten();
        head.unwrap_or_default()
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

    /// Brings our index up to date with the work tree; `new`: there is none yet.
    fn add(&self, new: bool) -> Result<(), Fault> {
        if new {
            self.seed()?;
        }
        let mut lock = self.kept.clone().into_os_string();
        lock.push(".lock");
        let age = std::fs::metadata(&lock).and_then(|about| about.modified());
        if age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > LOCK_STALE)) {
            let _ = std::fs::remove_file(&lock);
        }
        let mut add = git::tame(&self.top);
        // One file with every entry: what we read.
        add.args(["-c", "core.splitIndex=false"])
            // A file that cannot be added (a repository without a commit) must not hide the others.
            .args(["add", "-A", "--sparse", "--ignore-errors", "--", "."])
            .args(OWN.map(|own| format!(":(top,exclude){own}")))
            .env("GIT_INDEX_FILE", &self.kept);
        let added = git::output(&mut add, &[])?;
        // 1: all but what could not be added.
        if matches!(added.status, Some(0 | 1)) {
            return Ok(());
        }
        let reason = format!("cannot look at the work tree: {}", added.stderr.trim());
        Err(Fault::new(Code::GitFailed, reason))
    }

    /// Starts from a copy of the person's index, whose file times spare reading every file.
    fn seed(&self) -> Result<(), Fault> {
        match state::locate(&self.top)?.git {
            Some(own) => git::copy_index(&own.join("index"), &self.kept),
            None => Ok(()),
        }
    }

    fn kept(&self) -> Result<Option<Vec<u8>>, Fault> {
        Ok(match files::read_bounded(&self.kept, KEPT_BYTES_MAX)? {
            Content::Bytes(bytes) => Some(bytes),
            Content::Missing | Content::Refused(_) => None,
        })
    }

    fn contents(&self, bytes: &[u8]) -> Option<Contents> {
        if bytes.is_empty() {
            // git writes no index while there is nothing to track.
            return Some(Contents::new());
        }
        if self.git {
            return index::contents(bytes);
        }
        let mut parts = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        let pair = || Some((parts.next()?, parts.next()?));
        Some(std::iter::from_fn(pair).collect())
    }
}

/// The paths that only one of them has, or that hold something else.
fn differing(before: &Contents, after: &Contents) -> Vec<Change> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let new = after
        .iter()
        .filter(|(path, content)| before.get(*path) != Some(*content))
        .map(|(path, _)| path);
    let mut paths: Vec<&Vec<u8>> = gone.chain(new).collect();
    paths.sort();
    let change = |path: &Vec<u8>| Change {
        path: String::from_utf8_lossy(path).into_owned(),
        before: before
            .get(path)
            .map(|content| id(content))
            .unwrap_or_default(),
        after: after
            .get(path)
            .map(|content| id(content))
            .unwrap_or_default(),
    };
    paths.into_iter().map(change).collect()
}

/// What identifies a content in the journal, where every byte is kept for ever.
fn id(content: &[u8]) -> String {
    const BYTES: usize = 8;
    hex(&Sha256::digest(content)[..BYTES])
}

fn hash(contents: &Contents) -> String {
    const BYTES: usize = 20;
    let mut hash = Sha256::new();
    for (path, content) in contents {
        hash.update(path);
        // No path has a NUL, and every content of one listing has the same length or no NUL.
        hash.update([0]);
        hash.update(content);
        hash.update([0]);
    }
    hex(&hash.finalize()[..BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use std::os::unix::fs::MetadataExt;

    /// The paths that changed since the snapshot before.
    fn changed(snapshots: &Snapshots) -> Vec<String> {
        let changes = snapshots.take().unwrap().changed;
        changes.into_iter().map(|change| change.path).collect()
    }

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
        let changes = snapshots.take().unwrap().changed;
        let names: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(names, ["a b\n.txt", "new"]);
        assert_eq!(changes[0].before, first.changed[0].after);
        assert!(changes[1].before.is_empty() && !changes[1].after.is_empty());
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "one"]);
        git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
        assert_eq!(snapshots.commits(&start, &snapshots.head()), 1);
        assert_eq!(changed(&snapshots), [""; 0]);
    }

    #[test]
    fn content_counts_and_our_own_files_do_not() {
        for git in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().canonicalize().unwrap().join("p");
            std::fs::create_dir_all(top.join("progress")).unwrap();
            if git {
                git::read(&top, &["init", "-q"]).unwrap();
            }
            let keep = folder.path().join("state");
            std::fs::create_dir(&keep).unwrap();
            let snapshots = Snapshots::new(&top, git, &keep);
            assert_eq!(changed(&snapshots), [""; 0], "git: {git}");
            std::fs::write(top.join("a.txt"), "1").unwrap();
            assert_eq!(changed(&snapshots), ["a.txt"], "git: {git}");
            let first = snapshots.take().unwrap();
            std::fs::write(top.join("progress/README.md"), "x").unwrap();
            let again = snapshots.take().unwrap();
            assert_eq!((again.tree, again.changed.len()), (first.tree.clone(), 0));
            std::fs::write(top.join("a.txt"), "22").unwrap();
            std::fs::write(top.join("b.txt"), "").unwrap();
            let second = snapshots.take().unwrap();
            assert_ne!(second.tree, first.tree, "git: {git}");
            assert_eq!(second.changed.len(), 2, "git: {git}");
            std::fs::remove_file(top.join("b.txt")).unwrap();
            assert_eq!(changed(&snapshots), ["b.txt"], "git: {git}");
            assert_eq!(changed(&snapshots), [""; 0], "git: {git}");
        }
    }

    #[test]
    fn what_was_there_before_is_known_again_whatever_its_times() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        let keep = top.join(".git/overnight");
        std::fs::create_dir(&keep).unwrap();
        let mut trees = Vec::new();
        for text in ["one", "other", "one"] {
            std::fs::write(top.join("a"), text).unwrap();
            trees.push(Snapshots::new(&top, true, &keep).take().unwrap().tree);
        }
        assert_ne!(trees[0], trees[1]);
        assert_eq!(trees[0], trees[2]);
    }

    #[test]
    fn a_change_in_the_second_of_gits_last_look_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        let (file, index) = (top.join("a"), top.join(".git/index"));
        let second = |path: &Path| std::fs::metadata(path).unwrap().mtime();
        // Written, looked at and changed within one second; on a slow machine not at once.
        loop {
            std::fs::write(&file, "one").unwrap();
            let written = second(&file);
            git::read(&top, &["add", "a"]).unwrap();
            std::fs::write(&file, "two").unwrap();
            if written == second(&file) && written == second(&index) {
                break;
            }
        }
        while clock::wall_ms() / 1000 == second(&file).unsigned_abs() {
            std::thread::yield_now();
        }
        let keep = tempfile::tempdir().unwrap();
        let late = Snapshots::new(&top, true, keep.path()).take().unwrap();
        std::fs::remove_file(&index).unwrap();
        let keep = tempfile::tempdir().unwrap();
        let anew = Snapshots::new(&top, true, keep.path()).take().unwrap();
        assert_eq!(late.tree, anew.tree);
    }

    #[test]
    fn a_split_index_of_the_persons_is_seen_whole() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        std::fs::write(top.join("a"), "1").unwrap();
        git::read(&top, &["add", "a"]).unwrap();
        git::read(&top, &["config", "core.splitIndex", "true"]).unwrap();
        git::read(&top, &["update-index", "--split-index"]).unwrap();
        let keep = top.join(".git/overnight");
        std::fs::create_dir(&keep).unwrap();
        let snapshots = Snapshots::new(&top, true, &keep);
        let first = snapshots.take().unwrap();
        std::fs::write(top.join("a"), "22").unwrap();
        let second = snapshots.take().unwrap();
        assert_eq!(second.changed[0].path, "a");
        assert_ne!(first.tree, second.tree);
    }

    #[test]
    fn what_git_cannot_add_does_not_hide_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        git::read(&top, &["init", "-q", "nested"]).unwrap();
        let keep = top.join(".git/overnight");
        std::fs::create_dir(&keep).unwrap();
        let snapshots = Snapshots::new(&top, true, &keep);
        snapshots.take().unwrap();
        std::fs::write(top.join("z"), "1").unwrap();
        assert_eq!(changed(&snapshots), ["z"]);
    }

    #[test]
    fn a_lock_left_by_a_killed_git_does_not_blind_us() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        let keep = top.join(".git/overnight");
        std::fs::create_dir(&keep).unwrap();
        let lock = std::fs::File::create(keep.join("index.lock")).unwrap();
        let snapshots = Snapshots::new(&top, true, &keep);
        assert_eq!(snapshots.take().unwrap_err().code, Code::GitFailed);
        let old = std::time::SystemTime::now() - 2 * LOCK_STALE;
        lock.set_modified(old).unwrap();
        assert!(!snapshots.take().unwrap().tree.is_empty());
    }
}
