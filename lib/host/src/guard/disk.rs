//! The file system and git, asked for the judge.

use crate::files::{self, Content};
use crate::git;
use overnight_shell::{Entry, Facts, Wanted};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Answers from the disk. Git is asked only inside `root`, with paths as literal path names, once
/// for all that a command names.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    root: Option<PathBuf>,
    since: Option<SystemTime>,
    fetched: Vec<PathBuf>,
    known: RefCell<BTreeMap<String, Option<State>>>,
    vouched: RefCell<BTreeMap<String, bool>>,
    before: RefCell<BTreeMap<String, String>>,
    desk: Option<u16>,
}

/// What git says about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    ignored: bool,
    untracked: bool,
    recoverable: bool,
}

/// Makes git take a path as a name, not as a pattern.
const LITERAL: &str = "--literal-pathspecs";
/// Entries of a folder that are looked through for links; a folder with more would take longer than
/// a hook may.
const ENTRIES_MAX: usize = 10_000;
/// Files below a folder that are looked at before it counts as made by the agent.
const OWN_MAX: usize = 2_000;
/// Entries below a folder that are looked at for what was written, and files of that at most.
const BELOW_MAX: usize = 4_000;
const FOUND_MAX: usize = 64;
/// Folders of what others wrote, or a build.
const BUILT: &[&str] =
    overnight_base::words!("node_modules target vendor venv env __pycache__ dist build out");
/// Bytes of a file that is read as code at most; longer ones are bundles and data.
const CODE_BYTES_MAX: u64 = 256 * 1024;
/// Paths of one git command: far below the system's bound for arguments.
const PATHS_MAX: usize = 500;

impl Disk {
    /// Facts around the work tree with this top.
    pub fn new(root: Option<&str>) -> Self {
        Self {
            root: root.map(PathBuf::from),
            ..Self::default()
        }
    }

    fn is_fresh(&self, about: &Metadata) -> bool {
        let since = self.since.unwrap_or(SystemTime::UNIX_EPOCH);
        about.modified().is_ok_and(|at| at >= since)
    }

    /// What was made since then is the agent's, but for what came over the network.
    #[must_use]
    pub fn of_session(self, since: Option<SystemTime>, fetched: Vec<PathBuf>) -> Self {
        Self {
            since,
            fetched,
            ..self
        }
    }

    /// With the port of the desk that is open, if one is.
    #[must_use]
    pub fn with_desk(self, desk: Option<u16>) -> Self {
        Self { desk, ..self }
    }

    /// The files in the work tree about which git was asked, all that a command might lose; does git ignore them?
    pub fn files_asked_about(&self) -> Vec<(String, bool)> {
        let known = self.known.borrow();
        let files = known.iter().filter(|(path, _)| {
            self.inside(path).is_some() && matches!(self.entry(path), Entry::File | Entry::Link(_))
        });
        let ignored = |state: &Option<State>| state.is_some_and(|state| state.ignored);
        files
            .map(|(path, state)| (path.clone(), ignored(state)))
            .collect()
    }

    fn inside(&self, path: &str) -> Option<&Path> {
        self.root
            .as_deref()
            .filter(|root| Path::new(path).starts_with(root))
    }

    /// Asks git for the state of these paths at once.
    fn ask_state(&self, paths: &[&String]) {
        let there: Vec<&str> = paths
            .iter()
            .map(|path| path.as_str())
            .filter(|path| self.inside(path).is_some() && self.entry(path) != Entry::Missing)
            .collect();
        let mut known = self.known.borrow_mut();
        known.extend(paths.iter().map(|path| ((*path).clone(), None)));
        let Some(root) = self.root.as_deref() else {
            return;
        };
        for some in there.chunks(PATHS_MAX) {
            let Some(listed) = changes(root, some) else {
                return;
            };
            for path in some {
                known.insert((*path).to_owned(), Some(state(root, path, &listed)));
            }
        }
    }

    fn state(&self, path: &str) -> Option<State> {
        if !self.known.borrow().contains_key(path) {
            self.ask_state(&[&path.to_owned()]);
        }
        self.known.borrow().get(path).copied().flatten()
    }

    /// The commit that the work tree was at when the run began, by the log of its HEAD, which the
    /// agent's commands do not write; without a run the last commit.
    fn base(&self) -> String {
        let began = self
            .since
            .and_then(|since| since.duration_since(SystemTime::UNIX_EPOCH).ok());
        began.map_or_else(
            || "HEAD".to_owned(),
            |began| format!("HEAD@{{{} +0000}}", began.as_secs()),
        )
    }

    fn ask_vouched(&self, paths: &BTreeSet<String>) {
        let Some(root) = self.root.as_deref() else {
            return;
        };
        let mut vouched = self.vouched.borrow_mut();
        let asked: Vec<&String> = paths
            .iter()
            .filter(|path| !path.contains('\n') && Path::new(path).starts_with(root))
            .collect();
        let base = self.base();
        let names: Vec<String> = asked
            .iter()
            .map(|path| {
                let relative = path[root.as_os_str().len()..].trim_start_matches('/');
                format!("{base}:{relative}\n")
            })
            .collect();
        let mut command = git::command(root);
        command.args(["cat-file", "--batch"]);
        let Ok(done) = git::output(&mut command, names.concat().as_bytes()) else {
            return;
        };
        let mut rest = done.stdout.as_slice();
        for path in asked {
            let (blob, after) = next_blob(rest);
            rest = after;
            let same = blob.is_some_and(|blob| std::fs::read(path).is_ok_and(|disk| disk == blob));
            vouched.insert(path.clone(), same);
            let text = blob.and_then(|blob| String::from_utf8(blob.to_vec()).ok());
            self.before
                .borrow_mut()
                .extend(text.map(|text| (path.clone(), text)));
        }
    }

    /// Was this, or the oldest file below it, made after the session began?
    fn born_since(path: &Path, since: SystemTime, left: &mut usize) -> bool {
        let Some(after) = left.checked_sub(1) else {
            return false;
        };
        *left = after;
        let Ok(about) = std::fs::symlink_metadata(path) else {
            return false;
        };
        let young = about.created().is_ok_and(|born| born >= since);
        if !young || !about.is_dir() {
            return young;
        }
        std::fs::read_dir(path).is_ok_and(|mut entries| {
            entries
                .all(|entry| entry.is_ok_and(|entry| Self::born_since(&entry.path(), since, left)))
        })
    }
}

/// What `git status` lists at, above and below the paths: names with their marks.
fn changes(root: &Path, paths: &[&str]) -> Option<Vec<(String, PathBuf)>> {
    let mut words = vec![
        LITERAL,
        "status",
        "--porcelain",
        "-z",
        "--ignored",
        "--untracked-files=normal",
        "--no-renames",
        "--",
    ];
    words.extend_from_slice(paths);
    let listed = git::run(root, &words).ok().filter(git::Output::ok)?;
    let text = String::from_utf8(listed.stdout).ok()?;
    let entry = |entry: &str| {
        let (mark, name) = (entry.get(..2)?, entry.get(3..)?);
        Some((mark.to_owned(), root.join(name.trim_end_matches('/'))))
    };
    Some(text.split('\0').filter_map(entry).collect())
}

fn state(root: &Path, path: &str, listed: &[(String, PathBuf)]) -> State {
    let path = Path::new(path);
    let covers = |name: &PathBuf| path.starts_with(name);
    let marked = |marks: &[&str]| {
        let mut listed = listed.iter();
        listed.any(|(mark, name)| marks.contains(&mark.as_str()) && covers(name))
    };
    State {
        ignored: marked(&["!!"]),
        untracked: marked(&["??", "!!"]),
        recoverable: path != root
            && !listed
                .iter()
                .any(|(_, name)| covers(name) || name.starts_with(path)),
    }
}

/// The next answer of `git cat-file --batch`: the content, and what follows.
fn next_blob(text: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(end) = text.iter().position(|byte| *byte == b'\n') else {
        return (None, &[]);
    };
    let (line, rest) = (&text[..end], &text[end + 1..]);
    let words = String::from_utf8_lossy(line);
    let size = words
        .rsplit_once(' ')
        .filter(|(head, _)| head.ends_with(" blob"))
        .and_then(|(_, size)| size.parse::<usize>().ok());
    match size.and_then(|size| Some((rest.get(..size)?, rest.get(size + 1..)?))) {
        Some((blob, rest)) => (Some(blob), rest),
        None => (None, rest),
    }
}

impl Facts for Disk {
    fn is_desk(&self, port: u16) -> bool {
        self.desk == Some(port)
    }

    fn entry(&self, path: &str) -> Entry {
        match std::fs::symlink_metadata(path) {
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                Entry::Missing
            }
            Err(_) => Entry::Unknown,
            Ok(about) if about.is_dir() => Entry::Folder,
            Ok(about) if about.is_file() => Entry::File,
            Ok(about) if about.is_symlink() => std::fs::read_link(path)
                .ok()
                .and_then(|target| target.into_os_string().into_string().ok())
                .map_or(Entry::Unknown, Entry::Link),
            Ok(_) => Entry::Other,
        }
    }

    fn links(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries
            .take(ENTRIES_MAX)
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }

    fn fresh(&self, folder: &str) -> Vec<String> {
        let changed = |about: Metadata| about.is_file() && self.is_fresh(&about);
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries
            .take(ENTRIES_MAX)
            .flatten()
            .filter(|entry| entry.metadata().is_ok_and(changed))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }

    fn fresh_below(&self, folder: &str, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let (mut found, mut looked) = (Vec::new(), 0);
        // What lies higher first.
        let mut waiting = VecDeque::from([PathBuf::new()]);
        while let Some(at) = waiting.pop_front() {
            for entry in std::fs::read_dir(Path::new(folder).join(&at))
                .into_iter()
                .flatten()
                .flatten()
            {
                looked += 1;
                let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string())
                else {
                    continue;
                };
                if looked > BELOW_MAX || found.len() >= FOUND_MAX {
                    return found;
                }
                let path = at.join(&name);
                let text = path.to_string_lossy();
                if kind.is_dir() && !name.starts_with('.') && !BUILT.contains(&name.as_str()) {
                    waiting.push_back(path);
                } else if kind.is_file()
                    && wanted(&text)
                    && entry.metadata().is_ok_and(|about| self.is_fresh(&about))
                {
                    found.push(text.into_owned());
                }
            }
        }
        found
    }

    fn ignored(&self, path: &str) -> Option<bool> {
        self.state(path).map(|state| state.ignored)
    }

    fn recoverable(&self, path: &str) -> Option<bool> {
        self.state(path).map(|state| state.recoverable)
    }

    fn text(&self, path: &str) -> Option<String> {
        match files::read_bounded(Path::new(path), CODE_BYTES_MAX) {
            Ok(Content::Bytes(bytes)) => String::from_utf8(bytes)
                .ok()
                .filter(|text| !text.contains('\0')),
            _ => None,
        }
    }

    fn vouched(&self, path: &str) -> Option<bool> {
        if !self.vouched.borrow().contains_key(path) {
            self.ask_vouched(&BTreeSet::from([path.to_owned()]));
        }
        self.vouched.borrow().get(path).copied()
    }

    fn before(&self, path: &str) -> Option<String> {
        self.vouched(path)?;
        self.before.borrow().get(path).cloned()
    }

    fn own(&self, path: &str) -> bool {
        let mut left = OWN_MAX;
        // An editor that writes a file anew gives it a new birth: what git tracks is not the agent's.
        let tracked =
            self.inside(path).is_some() && !self.state(path).is_some_and(|state| state.untracked);
        !tracked
            && self
                .since
                .is_some_and(|since| Self::born_since(Path::new(path), since, &mut left))
            && !self.fetched(path)
    }

    fn fetched(&self, path: &str) -> bool {
        self.fetched
            .iter()
            .any(|fetched| Path::new(path).starts_with(fetched))
    }

    fn learn(&self, wanted: &Wanted) {
        // A command is judged more than once.
        let new: Vec<&String> = {
            let known = self.known.borrow();
            let state = wanted.state.iter();
            state.filter(|path| !known.contains_key(*path)).collect()
        };
        if !new.is_empty() {
            self.ask_state(&new);
        }
        let vouched = self.vouched.borrow().clone();
        let new = wanted
            .vouched
            .iter()
            .filter(|path| !vouched.contains_key(*path));
        let new: BTreeSet<String> = new.cloned().collect();
        if !new.is_empty() {
            self.ask_vouched(&new);
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_tells_what_it_ignores_and_what_it_can_bring_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
        git::read(&root, &["init", "-q"]).unwrap();
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(root.join("out")).unwrap();
        for name in [".gitignore", "src/a", "src/b", "out/x", "*"] {
            std::fs::write(root.join(name), "out\n").unwrap();
        }
        let commit = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-qm",
            "x",
        ];
        git::read(&root, &["add", ".gitignore", "src"]).unwrap();
        git::read(&root, &commit).unwrap();
        let disk = Disk::new(root.to_str());
        assert_eq!(disk.ignored(&at("out")), Some(true));
        assert_eq!(disk.ignored(&at("src")), Some(false));
        assert_eq!(disk.ignored("/etc"), None);
        assert_eq!(disk.recoverable(&at("src")), Some(true));
        assert_eq!(
            disk.recoverable(&at("*")),
            Some(false),
            "a name, not a pattern"
        );
        std::fs::write(root.join("src/b"), "changed").unwrap();
        // Each command is judged anew.
        let disk = Disk::new(root.to_str());
        assert_eq!(disk.recoverable(&at("src")), Some(false));
        assert_eq!(disk.recoverable(&at("src/a")), Some(true));
        assert_eq!(disk.recoverable(&at("out")), Some(false));
        assert_eq!(disk.entry(&at("src")), Entry::Folder);
        std::fs::write(root.join("new"), "x").unwrap();
        let session = Disk::new(root.to_str()).of_session(Some(SystemTime::UNIX_EPOCH), Vec::new());
        assert!(session.own(&at("new")) && session.own(&at("out/x")));
        assert!(!session.own(&at("src/b")), "git tracks it");
        assert_eq!(disk.vouched(&at("src/a")), Some(true));
        assert_eq!(disk.vouched(&at("new")), Some(false));
        assert_eq!(disk.vouched(&at("src/b")), Some(false));
        assert!(
            disk.before(&at("src/b"))
                .is_some_and(|text| text != "changed")
        );
    }
}
