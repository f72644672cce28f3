//! Merging in the object store: no work tree, no index of anybody's, nothing to clean after a kill.

use crate::git;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_base::text::one_line;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The object store, and an index of ours for building trees.
#[derive(Debug, Clone)]
pub(super) struct Objects {
    /// A folder of the repository.
    pub(super) top: PathBuf,
    /// A file that nobody else writes at the same time.
    pub(super) index: PathBuf,
}

/// What a merge of two commits came to.
#[derive(Debug)]
pub(super) struct Merged {
    /// The tree; where something conflicts it is not to be used as it is.
    pub(super) tree: String,
    /// What conflicts.
    pub(super) conflicts: Vec<Conflict>,
}

/// One path that conflicts: what the common ancestor, the line and the branch have there.
#[derive(Debug, Clone)]
pub(super) struct Conflict {
    pub(super) path: PathBuf,
    pub(super) stages: [Option<Blob>; 3],
}

/// Mode and object of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blob {
    pub(super) mode: String,
    pub(super) oid: String,
}

/// A change of an index: a path and what it holds then; `None` removes it.
pub(super) type Change = (PathBuf, Option<Blob>);

/// What a tree changes of another.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Each path, and git's letter for what became of it.
    paths: Vec<(char, PathBuf)>,
    /// The same as text, without context and with all files as text.
    pub(super) patch: Vec<u8>,
}

impl Changes {
    /// As `git diff-tree --raw -p -z` says it: two fields for each path, an empty one, then the patch.
    fn read(mut said: &[u8]) -> Self {
        let mut changes = Self::default();
        while let Some((about, rest)) = field(said).filter(|(about, _)| !about.is_empty()) {
            let Some((name, rest)) = field(rest) else {
                break;
            };
            let what = about.last().copied().map_or(' ', char::from);
            changes.paths.push((what, path(name)));
            said = rest;
        }
        changes.patch = field(said)
            .map(|(_, patch)| patch.to_vec())
            .unwrap_or_default();
        changes
    }

    /// The paths that were not there.
    pub(super) fn added(&self) -> Vec<&PathBuf> {
        let added = self.paths.iter().filter(|(what, _)| *what == 'A');
        added.map(|(_, path)| path).collect()
    }

    /// Is one of its paths at one of these places?
    pub(super) fn touches(&self, places: &[&str]) -> bool {
        let at = |path: &PathBuf| places.iter().any(|place| path.starts_with(place));
        self.paths.iter().any(|(_, path)| at(path))
    }
}

impl Objects {
    /// What a commit or a tree changes of a commit.
    pub(super) fn changes(&self, base: &str, tree: &str) -> Result<Changes, Fault> {
        let diff = [
            "diff-tree",
            "-r",
            "--raw",
            "-z",
            "-p",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--no-renames",
            "--text",
            "--unified=0",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            base,
            tree,
            "--",
        ];
        let done = git::run(&self.top, &diff)?;
        if done.ok() {
            return Ok(Changes::read(&done.stdout));
        }
        let reason = format!("git diff-tree: {}", one_line(&done.stderr, 300));
        Err(Fault::new(Code::GitFailed, reason))
    }

    /// Merges two commits with attributes as the first has them.
    pub(super) fn merge(&self, base: &str, tip: &str, options: &[&str]) -> Result<Merged, Fault> {
        let mut command = git::command(&self.top);
        command
            .env("GIT_ATTR_SOURCE", base)
            .args(["merge-tree", "--write-tree", "--no-messages", "-z"])
            .args(options)
            .args([base, tip]);
        let done = git::output(&mut command, &[])?;
        if !matches!(done.status, Some(0 | 1)) {
            let reason = format!("git merge-tree: {}", one_line(&done.stderr, 300));
            return Err(Fault::new(Code::GitFailed, reason));
        }
        let mut parts = done.stdout.split(|byte| *byte == 0);
        let tree = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let mut conflicts: Vec<Conflict> = Vec::new();
        for (path, stage, blob) in parts.filter_map(staged) {
            let known = conflicts.iter().position(|known| known.path == path);
            let at = known.unwrap_or_else(|| {
                conflicts.push(Conflict {
                    path,
                    stages: [None, None, None],
                });
                conflicts.len() - 1
            });
            conflicts[at].stages[stage] = Some(blob);
        }
        if done.status == Some(1) && conflicts.is_empty() {
            let reason = "git merge-tree names no path that conflicts";
            return Err(Fault::new(Code::GitFailed, reason));
        }
        Ok(Merged { tree, conflicts })
    }

    /// A tree with these changes.
    pub(super) fn changed(&self, tree: &str, changes: &[Change]) -> Result<String, Fault> {
        // As long as the repository's object names are.
        let nothing = format!("0 {:0width$}", 0, width = tree.len());
        let mut lines = Vec::new();
        for (path, blob) in changes {
            let what = blob.as_ref().map_or_else(
                || nothing.clone(),
                |blob| format!("{} {} 0", blob.mode, blob.oid),
            );
            lines.extend_from_slice(what.as_bytes());
            lines.push(b'\t');
            lines.extend_from_slice(path.as_os_str().as_bytes());
            lines.push(0);
        }
        // What a killed git left of it.
        let _ = std::fs::remove_file(self.index.with_extension("lock"));
        self.with_index(&["read-tree", tree], &[])?;
        self.with_index(&["update-index", "-z", "--index-info"], &lines)?;
        let written = self.with_index(&["write-tree"], &[]);
        let _ = std::fs::remove_file(&self.index);
        written
    }

    fn with_index(&self, arguments: &[&str], input: &[u8]) -> Result<String, Fault> {
        let mut command = git::command(&self.top);
        command.env("GIT_INDEX_FILE", &self.index).args(arguments);
        said(&git::output(&mut command, input)?, arguments[0])
    }

    /// A commit of a tree.
    pub(super) fn commit(
        &self,
        tree: &str,
        parents: &[&str],
        message: &str,
    ) -> Result<String, Fault> {
        let mut command = git::named(&self.top)?;
        command.args(["commit-tree", tree, "-F", "-"]);
        for parent in parents {
            command.args(["-p", parent]);
        }
        said(
            &git::output(&mut command, message.as_bytes())?,
            "commit-tree",
        )
    }

    /// The commit of a name; one that is a commit's already is believed.
    pub(super) fn commit_of(&self, name: &str) -> Result<String, Fault> {
        if name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(name.to_owned());
        }
        let commit = format!("{name}^{{commit}}");
        git::read(&self.top, &["rev-parse", "--verify", &commit])
    }

    /// The tree of a commit.
    pub(super) fn tree_of(&self, commit: &str) -> Result<String, Fault> {
        git::read(
            &self.top,
            &["rev-parse", "--verify", &format!("{commit}^{{tree}}")],
        )
    }

    /// The paths that git's listing command names, each ended by a NUL.
    pub(super) fn paths(&self, arguments: &[&str]) -> Result<Vec<PathBuf>, Fault> {
        let done = git::run(&self.top, arguments)?;
        if !done.ok() {
            let reason = format!("git {}: {}", arguments[0], one_line(&done.stderr, 300));
            return Err(Fault::new(Code::GitFailed, reason));
        }
        let names = done.stdout.split(|byte| *byte == 0);
        Ok(names.filter(|name| !name.is_empty()).map(path).collect())
    }

    /// What a tree has at these places, folders with everything below them.
    pub(super) fn entries(
        &self,
        tree: &str,
        places: &[&str],
    ) -> Result<Vec<(PathBuf, Blob)>, Fault> {
        let done = git::run(
            &self.top,
            &[&["ls-tree", "-r", "-z", tree, "--"], places].concat(),
        )?;
        if !done.ok() {
            let reason = format!("git ls-tree: {}", one_line(&done.stderr, 300));
            return Err(Fault::new(Code::GitFailed, reason));
        }
        let entries = done.stdout.split(|byte| *byte == 0).filter_map(|entry| {
            let (meta, name) = split_tab(entry)?;
            let mut words = meta.split(' ');
            let (mode, oid) = (words.next()?.to_owned(), words.nth(1)?.to_owned());
            Some((path(name), Blob { mode, oid }))
        });
        Ok(entries.collect())
    }

    /// Where `.gitmodules` of a tree says that its submodules are.
    pub(super) fn submodules(&self, tree: &str) -> Result<Vec<PathBuf>, Fault> {
        let blob = format!("--blob={tree}:.gitmodules");
        let list = [
            "config",
            &blob,
            "--null",
            "--get-regexp",
            r"^submodule\..*\.path$",
        ];
        let listed = git::run(&self.top, &list)?;
        let entries = listed.stdout.split(|byte| *byte == 0);
        let values = entries.filter_map(|entry| {
            let at = entry.iter().position(|byte| *byte == b'\n')?;
            Some(path(&entry[at + 1..]))
        });
        Ok(values.collect())
    }

    /// The bytes of an object.
    pub(super) fn bytes(&self, oid: &str) -> Result<Vec<u8>, Fault> {
        let done = git::run(&self.top, &["cat-file", "blob", oid])?;
        if done.ok() {
            return Ok(done.stdout);
        }
        let reason = format!("git cat-file: {}", one_line(&done.stderr, 300));
        Err(Fault::new(Code::GitFailed, reason))
    }
}

fn said(done: &git::Output, what: &str) -> Result<String, Fault> {
    if done.ok() {
        return Ok(done.text());
    }
    let reason = format!("git {what}: {}", one_line(&done.stderr, 300));
    Err(Fault::new(Code::GitFailed, reason))
}

fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(name.to_vec()))
}

/// Up to the next NUL, and what comes after it.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == 0)?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

fn split_tab(entry: &[u8]) -> Option<(std::borrow::Cow<'_, str>, &[u8])> {
    let at = entry.iter().position(|byte| *byte == b'\t')?;
    Some((String::from_utf8_lossy(&entry[..at]), &entry[at + 1..]))
}

/// One line of what conflicts: mode, object, stage, path.
fn staged(entry: &[u8]) -> Option<(PathBuf, usize, Blob)> {
    let (meta, name) = split_tab(entry)?;
    let mut words = meta.split(' ');
    let (mode, oid) = (words.next()?.to_owned(), words.next()?.to_owned());
    let stage = words.next()?.parse::<usize>().ok()?.checked_sub(1)?;
    (stage < 3).then(|| (path(name), stage, Blob { mode, oid }))
}

/// A path as a person reads it.
pub(super) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy(), 200)
}
