//! Ignored files that gates need: noted at dusk from the person's tree into a store, and given to each
//! work tree of ours from there. What an agent makes of its own copy reaches neither.

use super::room::{fault, is_build_cache, remove};
use crate::files;
use crate::git;
use crate::relocate;
use crate::worktree::OWN;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{File, FileTimes};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes copied at most; more is better made by a set-up command.
const BYTES_MAX: u64 = 8 << 30;
/// The file that says which ignored files come along, as the client's own work trees read it.
const INCLUDE: &str = ".worktreeinclude";

/// Dusk's ignored files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Store {
    /// The project that they were copied from.
    pub from: PathBuf,
    /// What was copied: files and folders, relative to the top.
    pub roots: Vec<String>,
    /// What was left out, each with why.
    pub left_out: Vec<String>,
    #[serde(skip)]
    folder: PathBuf,
}

/// Puts one file in its place, if it wants to.
type Placing<'a> = dyn FnMut(&Path, &Path) -> Result<Option<()>, Fault> + 'a;
/// A file's state by which a change is seen: length, time of change, time of the inode, inode.
type Seen = (u64, i64, i64, u64);
/// That of a folder, of which only counts that it is there.
const FOLDER: Seen = (0, 0, 0, 0);

/// What was copied.
#[derive(Debug, Default)]
struct Copied {
    bytes: u64,
    folders: Vec<PathBuf>,
}

impl Store {
    /// Reads the store in this folder; empty where there is none.
    pub fn open(folder: &Path) -> Self {
        let bytes = std::fs::read(folder.join("store.json")).unwrap_or_default();
        let store: Self = serde_json::from_slice(&bytes).unwrap_or_default();
        Self {
            folder: folder.to_owned(),
            ..store
        }
    }

    /// Where it is.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Was it noted to its end?
    pub(super) fn is_noted(&self) -> bool {
        !self.from.as_os_str().is_empty()
    }

    /// The store in this folder, noted from the project at `top` where it is not there yet.
    pub fn noted(top: &Path, folder: &Path) -> Result<Self, Fault> {
        let known = Self::open(folder);
        if known.is_noted() {
            return Ok(known);
        }
        Self::note(top, folder)
    }

    /// Copies the ignored files of the project at `top` into `folder`.
    pub fn note(top: &Path, folder: &Path) -> Result<Self, Fault> {
        Self::copy(top, folder, listed(top)?)
    }

    /// Copies everything that git does not have of the work tree at `top`: what came along, and what
    /// was made there.
    pub(super) fn note_made(top: &Path, folder: &Path) -> Result<Self, Fault> {
        Self::copy(top, folder, others(top, &[])?)
    }

    fn copy(top: &Path, folder: &Path, roots: Vec<String>) -> Result<Self, Fault> {
        // One that was left in the middle of it.
        remove(&folder.join("files"))?;
        let mut store = Self {
            from: top.to_owned(),
            folder: folder.to_owned(),
            ..Self::default()
        };
        let mut bytes = 0;
        for root in roots {
            let path = top.join(&root);
            if is_built(&path) || (path.is_dir() && path.join(".git").exists()) {
                continue;
            }
            if bytes > BYTES_MAX {
                store
                    .left_out
                    .push(format!("{root}: too large to be copied; let run.setup make it; --proof in-place is the weaker way"));
                continue;
            }
            let to = folder.join("files").join(&root);
            bytes += copy_tree(&path, &to, &mut |_, _| Ok(None))?.bytes;
            store.roots.push(root);
        }
        files::create_private_folder(folder)?;
        let json = serde_json::to_vec(&store).unwrap_or_default();
        files::replace(&folder.join("store.json"), &json, files::PRIVATE)?;
        Ok(store)
    }

    /// Gives a work tree what is in the store, relocated.
    pub(crate) fn give(&self, tree: &Path) -> Result<(), Fault> {
        let files = self.folder.join("files");
        let mut roots = self.roots.iter();
        roots.try_for_each(|root| give_root((&files, &self.from), tree, root))
    }

    /// The same with a `note` of what was given, so that a second time only what was changed since is
    /// copied.
    pub fn provide(&self, tree: &Path, note: &Path) -> Result<(), Fault> {
        let id = format!("{}\n", self.folder.display());
        let known = std::fs::read_to_string(note).unwrap_or_default();
        let mut given = BTreeMap::new();
        let known: BTreeMap<&str, Seen> = match known.strip_prefix(&id) {
            Some(list) => list.split('\0').filter_map(entry).collect(),
            None => BTreeMap::new(),
        };
        if is_as_given(&self.roots, tree, &known) {
            return Ok(());
        }
        for root in &self.roots {
            let (from, to) = (self.folder.join("files").join(root), tree.join(root));
            if known.is_empty() {
                remove(&to)?;
            } else {
                prune(&to, &from)?;
            }
            let copied = copy_tree(&from, &to, &mut |source, target| {
                let name = relative(target, tree);
                let old = known.get(name.as_str());
                if old.is_none_or(|old| seen(target) != Some(*old)) {
                    place(source, target, (&self.from, tree, Path::new(&name)))?;
                }
                if let Some(now) = seen(target) {
                    given.insert(name, now);
                }
                Ok(Some(()))
            })?;
            let folders = copied.folders.iter();
            given.extend(folders.map(|path| (relative(path, tree), FOLDER)));
        }
        let mut list = id;
        for (name, (length, changed, inode_changed, inode)) in &given {
            let _ = write!(list, "{length} {changed} {inode_changed} {inode} {name}\0");
        }
        files::replace(note, list.as_bytes(), files::PRIVATE)
    }
}

fn entry(line: &str) -> Option<(&str, Seen)> {
    let mut parts = line.splitn(5, ' ');
    let seen = (
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    );
    Some((parts.next()?, seen))
}

/// Does the tree hold below these roots all that it was given, unchanged, and nothing else?
fn is_as_given(roots: &[String], tree: &Path, known: &BTreeMap<&str, Seen>) -> bool {
    let mut found = 0;
    for entry in roots
        .iter()
        .flat_map(|root| walkdir::WalkDir::new(tree.join(root)))
    {
        let Ok(entry) = entry else { return false };
        let now = if entry.file_type().is_dir() {
            Some(FOLDER)
        } else {
            entry.metadata().ok().as_ref().map(state)
        };
        if now.is_none() || known.get(relative(entry.path(), tree).as_str()) != now.as_ref() {
            return false;
        }
        found += 1;
    }
    found == known.len()
}

fn relative(path: &Path, tree: &Path) -> String {
    let relative = path.strip_prefix(tree).unwrap_or(path);
    relative.to_string_lossy().into_owned()
}

fn seen(path: &Path) -> Option<Seen> {
    path.symlink_metadata().ok().as_ref().map(state)
}

fn state(about: &std::fs::Metadata) -> Seen {
    let nanoseconds =
        |seconds: i64, rest: i64| seconds.wrapping_mul(1_000_000_000).wrapping_add(rest);
    (
        about.len(),
        nanoseconds(about.mtime(), about.mtime_nsec()),
        nanoseconds(about.ctime(), about.ctime_nsec()),
        about.ino(),
    )
}

/// Gives a work tree the ignored files that the project at `from` has now, relocated.
pub(crate) fn give(from: &Path, tree: &Path) -> Result<(), Fault> {
    let roots = listed(from)?;
    let mut roots = roots
        .iter()
        .filter(|root| !is_built(&from.join(root)) && !from.join(root).join(".git").exists());
    roots.try_for_each(|root| give_root((from, from), tree, root))
}

/// Gives a work tree one of the files and folders below `files`, which are those of the project at
/// `from`. What stands there already stays.
fn give_root((files, from): (&Path, &Path), tree: &Path, root: &str) -> Result<(), Fault> {
    copy_tree(
        &files.join(root),
        &tree.join(root),
        &mut |source, target| {
            let relative = target.strip_prefix(tree).unwrap_or(target);
            if target.symlink_metadata().is_err() {
                place(source, target, (from, tree, relative))?;
            }
            Ok(Some(()))
        },
    )
    .map(drop)
}

/// The ignored files and folders of a project, whole folders as one.
fn listed(top: &Path) -> Result<Vec<String>, Fault> {
    if top.join(INCLUDE).is_file() {
        others(top, &["--ignored", "--exclude-from", INCLUDE])
    } else {
        others(top, &["--ignored", "--exclude-standard"])
    }
}

/// What git does not have of a work tree, by these options of its listing.
fn others(top: &Path, which: &[&str]) -> Result<Vec<String>, Fault> {
    let mut list = git::command(top);
    list.args(["ls-files", "-z", "--others", "--directory"]);
    list.args(which);
    let done = git::output(&mut list, &[])?;
    if !done.ok() {
        return Err(Fault::new(
            Code::GitFailed,
            format!("git ls-files: {}", done.stderr.trim()),
        ));
    }
    let listed = String::from_utf8_lossy(&done.stdout).into_owned();
    let ours = |path: &str| {
        let first = path.split('/').next().unwrap_or_default();
        OWN.contains(&first) || matches!(first, ".overnight" | ".claude")
    };
    Ok(listed
        .split('\0')
        .map(|path| path.trim_end_matches('/').to_owned())
        .filter(|path| !path.is_empty() && !ours(path))
        .collect())
}

/// What is made anew by who needs it.
fn is_built(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    matches!(name, b"__pycache__" | b".DS_Store") || name.ends_with(b".pyc") || is_left_out(path)
}

/// The same within what comes along: of a virtual environment the compiled forms, too.
fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    matches!(name, b".pytest_cache" | b".mypy_cache" | b".ruff_cache") || is_build_cache(path)
}

/// Removes from a copy what its source does not have.
fn prune(copy: &Path, source: &Path) -> Result<(), Fault> {
    let mut walk = walkdir::WalkDir::new(copy).min_depth(1).into_iter();
    let extra = |entry: &walkdir::DirEntry| {
        let relative = entry.path().strip_prefix(copy).unwrap_or(entry.path());
        source.join(relative).symlink_metadata().is_err()
    };
    let mut gone = Vec::new();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        if extra(&entry) {
            if entry.file_type().is_dir() {
                walk.skip_current_dir();
            }
            gone.push(entry.into_path());
        }
    }
    gone.iter().try_for_each(|path| remove(path))
}

/// Copies a file or folder; `own` may do it for a file its own way.
fn copy_tree(from: &Path, to: &Path, own: &mut Placing<'_>) -> Result<Copied, Fault> {
    let mut copied = Copied::default();
    let walk = walkdir::WalkDir::new(from)
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_type().is_dir() || !is_left_out(entry.path())
        });
    for entry in walk.flatten() {
        let relative = entry.path().strip_prefix(from).unwrap_or(entry.path());
        let target = if relative.as_os_str().is_empty() {
            to.to_owned()
        } else {
            to.join(relative)
        };
        let kind = entry.file_type();
        if kind.is_dir() {
            if target.symlink_metadata().is_ok_and(|about| !about.is_dir()) {
                remove(&target)?;
            }
            std::fs::create_dir_all(&target).map_err(|error| fault(&target, &error))?;
            copied.folders.push(target);
        } else if kind.is_file() || kind.is_symlink() {
            // Below a folder, that was made before.
            if let Some(parent) = target.parent().filter(|_| entry.depth() == 0) {
                std::fs::create_dir_all(parent).map_err(|error| fault(parent, &error))?;
            }
            copied.bytes += entry.metadata().map_or(0, |about| about.len());
            if own(entry.path(), &target)?.is_none() {
                let nowhere = Path::new("/nowhere");
                place(entry.path(), &target, (nowhere, nowhere, relative))?;
            }
        }
    }
    Ok(copied)
}

/// Puts one file or link in its place, with its time and mode; what names the project names the copy.
fn place(
    source: &Path,
    target: &Path,
    (from, to, relative): (&Path, &Path, &Path),
) -> Result<(), Fault> {
    let told = |error: &std::io::Error| fault(target, error);
    let about = source.symlink_metadata().map_err(|error| told(&error))?;
    remove(target)?;
    if about.is_symlink() {
        let leads = std::fs::read_link(source).map_err(|error| told(&error))?;
        return std::os::unix::fs::symlink(relocate::link(&leads, from, to), target)
            .map_err(|error| told(&error));
    }
    let moved = relocate::holds_paths(relative, about.len())
        .then(|| std::fs::read(source).ok())
        .flatten()
        .and_then(|bytes| {
            relocate::text(
                &bytes,
                from.as_os_str().as_bytes(),
                to.as_os_str().as_bytes(),
            )
        });
    let copied = match moved {
        Some(bytes) => std::fs::write(target, bytes),
        None => clone_or_copy(source, target),
    };
    copied
        .and_then(|()| std::fs::set_permissions(target, about.permissions()))
        .and_then(|()| {
            // Compiled forms of sources are known by the time of the source. A file that nobody may
            // write keeps the time of the copy.
            let times = FileTimes::new().set_modified(about.modified()?);
            File::options()
                .append(true)
                .open(target)
                .and_then(|file| file.set_times(times))
                .or(Ok(()))
        })
        .map_err(|error| told(&error))
}

/// A copy that shares its blocks where the file system can do that.
#[cfg(target_os = "linux")]
fn clone_or_copy(source: &Path, target: &Path) -> std::io::Result<()> {
    let from = File::open(source)?;
    let to = File::create(target)?;
    if rustix::fs::ioctl_ficlone(&to, &from).is_ok() {
        return Ok(());
    }
    drop(to);
    std::fs::copy(source, target).map(drop)
}

/// macOS clones by itself in `copy`.
#[cfg(not(target_os = "linux"))]
fn clone_or_copy(source: &Path, target: &Path) -> std::io::Result<()> {
    std::fs::copy(source, target).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_comes_along_relocated_and_is_put_back_when_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (top, room, store) = (base.join("p"), base.join("room"), base.join("store"));
        std::fs::create_dir_all(top.join("deps/lib")).unwrap();
        std::fs::create_dir_all(top.join("target")).unwrap();
        std::fs::create_dir_all(&room).unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        std::fs::write(top.join(".gitignore"), "deps/\n.env\ntarget/\n").unwrap();
        std::fs::write(top.join(".env"), format!("DB={}/x.db\n", top.display())).unwrap();
        std::fs::write(top.join("deps/lib/a.js"), "one").unwrap();
        std::fs::write(top.join("target/CACHEDIR.TAG"), "").unwrap();
        std::os::unix::fs::symlink(top.join("deps/lib"), top.join("deps/link")).unwrap();
        let noted = Store::note(&top, &store).unwrap();
        assert_eq!(noted.roots, [".env", "deps"]);
        let note = base.join("room.provided");
        noted.provide(&room, &note).unwrap();
        let read = |path: &str| std::fs::read_to_string(room.join(path)).unwrap();
        assert_eq!(read(".env"), format!("DB={}/x.db\n", room.display()));
        assert_eq!(
            std::fs::read_link(room.join("deps/link")).unwrap(),
            room.join("deps/lib")
        );
        // The project's own change does not reach the room, the room's own is undone.
        std::fs::write(top.join("deps/lib/a.js"), "two").unwrap();
        std::fs::write(room.join("deps/lib/a.js"), "three").unwrap();
        std::fs::write(room.join("deps/lib/new.js"), "").unwrap();
        Store::open(&store).provide(&room, &note).unwrap();
        assert_eq!(read("deps/lib/a.js"), "one");
        assert!(!room.join("deps/lib/new.js").exists());
    }

    #[test]
    fn what_is_as_it_was_given_is_left_alone_and_compiled_forms_of_dependencies_come_along() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (top, room, store) = (base.join("p"), base.join("room"), base.join("store"));
        std::fs::create_dir_all(top.join("venv/lib/__pycache__")).unwrap();
        std::fs::create_dir_all(top.join("venv/empty")).unwrap();
        std::fs::create_dir_all(&room).unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        std::fs::write(top.join(".gitignore"), "venv/\n").unwrap();
        std::fs::write(top.join("venv/lib/a.py"), "1").unwrap();
        std::fs::write(top.join("venv/lib/__pycache__/a.pyc"), "compiled").unwrap();
        let note = base.join("room.provided");
        let store = Store::note(&top, &store).unwrap();
        store.provide(&room, &note).unwrap();
        let is_as_given = || {
            let noted = std::fs::read_to_string(&note).unwrap();
            let list = noted.split_once('\n').unwrap().1;
            is_as_given(
                &store.roots,
                &room,
                &list.split('\0').filter_map(entry).collect(),
            )
        };
        assert!(room.join("venv/lib/__pycache__/a.pyc").is_file() && is_as_given());
        let changes: [&dyn Fn(); 4] = [
            &|| std::fs::create_dir(room.join("venv/more")).unwrap(),
            &|| std::fs::write(room.join("venv/lib/__pycache__/a.pyc"), "another!").unwrap(),
            &|| std::fs::remove_file(room.join("venv/lib/a.py")).unwrap(),
            &|| std::fs::remove_dir(room.join("venv/empty")).unwrap(),
        ];
        for change in changes {
            change();
            assert!(!is_as_given());
            store.provide(&room, &note).unwrap();
            assert!(is_as_given());
        }
    }
}
