//! A room: a linked work tree that only this program writes to, used again by later proofs with the
//! build caches that gates made there.

use super::objects;
use crate::files::{self, FileLock};
use crate::git;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_judge::proof::protect;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Rooms of one repository that are in use at the same time, at most.
const ROOMS_MAX: u32 = 64;

/// Files stand in a room as they were committed, and a changed one is seen, whatever an agent made the
/// repository's configuration say. What attributes of the commit say of line ends holds.
const AS_COMMITTED: [&str; 5] = [
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.eol=native",
    "core.trustctime=true",
    "core.checkStat=default",
];

/// What a room needs of the repository's shared git folder. What says there how files are written to a
/// work tree (`info/attributes`) is not among it: an agent without a cell can write that.
const SHARED: [&str; 6] = [
    "config",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
];

/// A room in the hands of this process; its lock dies with it.
#[derive(Debug)]
pub(super) struct Room {
    /// The work tree.
    pub(super) top: PathBuf,
    /// Its private git folder.
    git: PathBuf,
    /// What it shares with the repository.
    common: PathBuf,
    /// What the room was given beside the commit: paths and times, for the next proof.
    pub(super) provided: PathBuf,
    /// Where the home as it was at dusk is put together, if it must be.
    pub(super) home: PathBuf,
    filters: Vec<String>,
    _lock: FileLock,
}

/// When something was last written: nobody can set a change time back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    seconds: i64,
    nanoseconds: i64,
}

impl Moment {
    fn of(found: &Metadata) -> Self {
        Self {
            seconds: found.ctime(),
            nanoseconds: found.ctime_nsec(),
        }
    }
}

impl Room {
    /// Takes the first room that is free, made anew where it is not there.
    pub(super) fn enter(place: &Place, commit: &str) -> Result<Self, Fault> {
        let folder = super::folder(place);
        files::create_private_folder(&folder)?;
        for number in 0..ROOMS_MAX {
            let path = |ending: &str| folder.join(format!("proof-{number}{ending}"));
            let Some(lock) = FileLock::acquire(&path(".lock"), Duration::ZERO)? else {
                continue;
            };
            let top = path("");
            let own = ensure(place, (&top, &path(".git")), commit)?;
            // A git that was killed with its driver left its locks; nobody else is in here.
            git::unlock(&own)?;
            let filters = git::without_filters(&place.top);
            let common = path(".common");
            share(place, &common)?;
            return Ok(Self {
                top,
                git: own,
                common,
                provided: path(".provided"),
                home: path(".home"),
                filters,
                _lock: lock,
            });
        }
        Err(Fault::new(
            Code::LockWait,
            format!("all {ROOMS_MAX} proof rooms of this repository are in use"),
        ))
    }

    /// A git command in the room, whatever its `.git` file says by now.
    pub(super) fn git(&self) -> Command {
        let mut command = objects::command(&self.top);
        command.args(self.filters.iter().flat_map(|setting| ["-c", setting]));
        command.args(AS_COMMITTED.iter().flat_map(|setting| ["-c", setting]));
        command
            .env("GIT_DIR", &self.git)
            .env("GIT_COMMON_DIR", &self.common)
            .env("GIT_WORK_TREE", &self.top);
        command
    }

    /// Brings every tracked file to the commit and removes what is neither of it nor a build cache.
    pub(super) fn check_out(&self, commit: &str, keep: &[String]) -> Result<(), Fault> {
        self.point_at(commit)?;
        self.tidy(keep)
    }

    /// Brings every tracked file to the commit.
    pub(super) fn point_at(&self, commit: &str) -> Result<(), Fault> {
        let pointer = format!("gitdir: {}\n", self.git.display());
        if std::fs::read(self.top.join(".git")).ok().as_deref() != Some(pointer.as_bytes()) {
            files::replace(&self.top.join(".git"), pointer.as_bytes(), files::PRIVATE)?;
        }
        let mut checkout = self.git();
        checkout.args(["checkout", "--quiet", "--force", "--detach", commit]);
        objects::read(checkout).map(drop)
    }

    /// A moment of the file system's own clock, after all that was written here before.
    pub(super) fn moment(&self) -> Result<Moment, Fault> {
        let mark = self.git.join("overnight-moment");
        let now = || -> Result<Moment, Fault> {
            let written =
                std::fs::write(&mark, ".").and_then(|()| std::fs::symlink_metadata(&mark));
            let written = written.map(|mark| Moment::of(&mark));
            written.map_err(|error| {
                Fault::new(Code::FileWrite, format!("{}: {error}", mark.display()))
            })
        };
        let before = now()?;
        loop {
            let now = now()?;
            if now > before {
                return Ok(now);
            }
            // Its clock ticks some hundred times in a second.
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The files among these that somebody wrote to since, also if they hold the same again: what git
    /// remembers of a file is too coarse for that.
    pub(super) fn written(
        &self,
        paths: impl IntoIterator<Item = String>,
        since: Moment,
    ) -> Vec<String> {
        let written = |path: &String| {
            let found = std::fs::symlink_metadata(self.top.join(path));
            found.map_or(true, |found| !found.is_dir() && Moment::of(&found) >= since)
        };
        paths.into_iter().filter(written).collect()
    }

    /// Brings these files to what they are in another commit.
    pub(super) fn restore(&self, commit: &str, paths: &[String]) -> Result<(), Fault> {
        for some in paths.chunks(200) {
            let mut restore = self.git();
            restore.args([
                "--literal-pathspecs",
                "restore",
                "--source",
                commit,
                "--worktree",
                "--",
            ]);
            restore.args(some);
            objects::read(restore)?;
        }
        paths.iter().try_for_each(|path| self.forget_compiled(path))
    }

    fn tidy(&self, keep: &[String]) -> Result<(), Fault> {
        self.remove_others(|path, entry| {
            let bare = entry.trim_end_matches('/');
            let kept = keep.iter().any(|root| {
                root == bare || root.starts_with(entry) || bare.starts_with(&format!("{root}/"))
            });
            kept || is_build_cache(path)
        })
    }

    /// Removes what builds made here for themselves.
    pub(super) fn forget_caches(&self) -> Result<(), Fault> {
        self.remove_others(|path, _| !is_build_cache(path))
    }

    /// Removes of what git does not have here all that `keeps` does not name.
    fn remove_others(&self, keeps: impl Fn(&Path, &str) -> bool) -> Result<(), Fault> {
        let mut list = self.git();
        list.args(["ls-files", "-z", "--others", "--directory"]);
        let listed = objects::read(list)?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        for entry in listed.split('\0').filter(|entry| !entry.is_empty()) {
            let path = self.top.join(entry.trim_end_matches('/'));
            if !keeps(&path, entry) {
                remove(&path)?;
            }
        }
        Ok(())
    }

    /// Writes a file, over whatever stands there.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), Fault> {
        let target = self.top.join(path);
        if let Some(folder) = target.parent() {
            files::create_folder(folder)?;
        }
        // Never through a link: the claimed commit may hold one.
        if target
            .symlink_metadata()
            .is_ok_and(|about| about.is_symlink())
        {
            remove(&target)?;
        }
        std::fs::write(&target, text).map_err(|error| fault(&target, &error))?;
        self.forget_compiled(path)
    }

    /// Python takes a compiled form for that of a source of the same second and length: a file that was
    /// changed here must not be run as it was before.
    fn forget_compiled(&self, path: &str) -> Result<(), Fault> {
        if protect::ending(path) != "py" {
            return Ok(());
        }
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        remove(&self.top.join(folder).join("__pycache__"))
    }

    /// Removes a file of the commit.
    pub(super) fn remove(&self, path: &str) -> Result<(), Fault> {
        remove(&self.top.join(path))
    }

    /// Where in the room a link of the commit leads to; `None`: it is none, or it leads elsewhere.
    pub(super) fn link(&self, path: &str) -> Option<String> {
        let path = self.top.join(path);
        path.symlink_metadata().ok().filter(Metadata::is_symlink)?;
        let (top, target) = (self.top.canonicalize().ok()?, path.canonicalize().ok()?);
        Some(target.strip_prefix(top).ok()?.to_str()?.to_owned())
    }
}

/// Links to what a room shares with the repository.
fn share(place: &Place, folder: &Path) -> Result<(), Fault> {
    let Some(git) = &place.git_common else {
        return Ok(());
    };
    files::create_private_folder(folder)?;
    for name in SHARED {
        let (to, link) = (git.join(name), folder.join(name));
        if std::fs::read_link(&link).ok().as_ref() != Some(&to) {
            remove(&link)?;
            std::os::unix::fs::symlink(&to, &link).map_err(|error| fault(&link, &error))?;
        }
    }
    Ok(())
}

/// The room's private git folder; the room is made if it is not one.
fn ensure(place: &Place, (top, note): (&Path, &Path), commit: &str) -> Result<PathBuf, Fault> {
    let known = std::fs::read_to_string(note).ok().map(PathBuf::from);
    if let Some(git) = known.filter(|git| git.join("HEAD").is_file() && top.is_dir()) {
        return Ok(git);
    }
    remove(top)?;
    let mut add = objects::command(&place.top);
    add.args([
        "worktree",
        "add",
        "--quiet",
        "--force",
        "--detach",
        "--no-checkout",
    ]);
    add.arg(top).arg(commit);
    objects::read(add)?;
    let pointer = std::fs::read_to_string(top.join(".git")).map_err(|error| fault(top, &error))?;
    let git = pointer
        .trim_end()
        .strip_prefix("gitdir: ")
        .unwrap_or_default();
    files::replace(note, git.as_bytes(), files::PRIVATE)?;
    Ok(PathBuf::from(git))
}

/// What a build made for itself: tagged as a cache (cargo and others), or by `CMake`. A virtual
/// environment that is tagged so (uv's) is none.
pub(super) fn is_build_cache(path: &Path) -> bool {
    path.join("CACHEDIR.TAG").is_file()
        && !path.ends_with(".pytest_cache")
        && !path.join("pyvenv.cfg").is_file()
        || path.join("CMakeCache.txt").is_file()
}

/// Removes whatever stands there.
pub(super) fn remove(path: &Path) -> Result<(), Fault> {
    let Ok(about) = path.symlink_metadata() else {
        return Ok(());
    };
    let removed = if about.is_dir() {
        std::fs::remove_dir_all(path)
    } else {
        std::fs::remove_file(path)
    };
    removed.map_err(|error| fault(path, &error))
}

pub(super) fn fault(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state;

    /// A project with one commit.
    fn project(top: &Path) -> (Place, String) {
        let git = |arguments: &[&str]| git::read(top, arguments).unwrap();
        git(&["init", "-q"]);
        std::fs::create_dir(top.join("tests")).unwrap();
        std::fs::write(top.join("tests/test_a.py"), "1").unwrap();
        git(&["add", "-A"]);
        let who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid"];
        git(&[&who[..], &["commit", "-qm", "start"]].concat());
        (state::locate(top).unwrap(), git(&["rev-parse", "HEAD"]))
    }

    #[test]
    fn a_room_in_which_git_was_killed_is_entered_again() {
        let folder = tempfile::tempdir().unwrap();
        let (place, commit) = project(&folder.path().canonicalize().unwrap());
        let git = Room::enter(&place, &commit).unwrap().git;
        for lock in ["index.lock", "HEAD.lock"] {
            std::fs::write(git.join(lock), "").unwrap();
        }
        let room = Room::enter(&place, &commit).unwrap();
        room.check_out(&commit, &[]).unwrap();
        remove(&super::super::folder(&place)).unwrap();
    }

    #[test]
    fn a_room_is_checked_out_whatever_the_repository_says_of_its_own_work_trees() {
        let folder = tempfile::tempdir().unwrap();
        let (place, commit) = project(&folder.path().canonicalize().unwrap());
        let room = Room::enter(&place, &commit).unwrap();
        let info = place.git_common.as_ref().unwrap().join("info");
        std::fs::write(
            info.join("attributes"),
            "* ident eol=crlf working-tree-encoding=UTF-16\n",
        )
        .unwrap();
        room.check_out(&commit, &[]).unwrap();
        assert_eq!(
            std::fs::read(room.top.join("tests/test_a.py")).unwrap(),
            b"1"
        );
        let since = room.moment().unwrap();
        let test = || ["tests/test_a.py".to_owned()];
        assert!(room.written(test(), since).is_empty());
        std::fs::write(room.top.join("tests/test_a.py"), "1").unwrap();
        assert_eq!(room.written(test(), since), test());
        remove(&super::super::folder(&place)).unwrap();
    }

    #[test]
    fn a_file_that_is_changed_in_a_room_is_not_run_in_the_form_that_was_compiled_before() {
        let folder = tempfile::tempdir().unwrap();
        let (place, commit) = project(&folder.path().canonicalize().unwrap());
        let room = Room::enter(&place, &commit).unwrap();
        room.check_out(&commit, &[]).unwrap();
        let compiled = room.top.join("tests/__pycache__");
        let change: [&dyn Fn() -> Result<(), Fault>; 2] =
            [&|| room.write("tests/test_a.py", "2"), &|| {
                room.restore(&commit, &["tests/test_a.py".to_owned()])
            }];
        for change in change {
            std::fs::create_dir(&compiled).unwrap();
            change().unwrap();
            assert!(!compiled.exists());
        }
        // The room lies outside of the project.
        remove(&super::super::folder(&place)).unwrap();
    }
}
