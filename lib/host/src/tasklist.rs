//! `tasks.json` on disk: read whole, changed under a lock that scripts know too.

use crate::client::find_program;
use crate::files::{self, Content, FileLock};
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::done::{self, Condition};
use overnight_tasks::{LIST_BYTES_MAX, Problem, TaskId, TaskList, edit, problem};
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The list's name at the top of the work tree.
pub const FILE: &str = "tasks.json";
/// How long a change waits for scripts and other programs that hold the list.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// The pause of ADR-004's bash loop is 500 ms; ours is short because our changes are.
const POLL: Duration = Duration::from_millis(20);

/// What an entry of a definition of done in the project at `top` is: a command, or a sentence.
pub fn condition(top: &Path, entry: &str) -> Condition {
    let is_program = |word: &str| {
        find_program(word).is_some() || (word.contains('/') && top.join(word).is_file())
    };
    done::read(entry, &is_program)
}

/// One task list.
#[derive(Debug)]
pub struct ListFile {
    path: PathBuf,
    /// The lock file of our own programs, outside the work tree.
    lock: PathBuf,
}

impl ListFile {
    /// The project's list, or another file.
    pub fn of(place: &Place, file: Option<&Path>) -> Self {
        Self {
            path: file.map_or_else(|| place.list_folder().join(FILE), Path::to_owned),
            lock: place.state.join("tasks.lock"),
        }
    }

    /// Its path as people know it.
    pub fn name(&self) -> String {
        self.path.file_name().map_or_else(
            || FILE.to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    }

    /// Its bytes; `None` when there is no such file. `-` is standard input.
    pub fn bytes(&self) -> Result<Option<Vec<u8>>, Fault> {
        if self.path.as_os_str() == "-" {
            return stdin().map(Some);
        }
        match files::read_bounded(&self.path, LIST_BYTES_MAX)? {
            Content::Bytes(bytes) => Ok(Some(bytes)),
            Content::Missing => Ok(None),
            Content::Refused(what) => Err(self.unusable(what)),
        }
    }

    /// The checked list.
    pub fn read(&self) -> Result<TaskList, Fault> {
        self.check()?
            .map_err(|problems| problem::fault(&self.name(), &problems))
    }

    /// The list, or everything that is wrong with it.
    pub fn check(&self) -> Result<Result<TaskList, Vec<Problem>>, Fault> {
        let bytes = self.bytes()?.ok_or_else(|| self.missing())?;
        Ok(overnight_tasks::parse(&bytes))
    }

    /// Changes the list: `change` gets the text (`None` when there is no file yet) and gives the
    /// new one. Nobody else changes it meanwhile, and nobody sees half of it.
    pub fn update(
        &self,
        change: impl FnOnce(Option<&str>) -> Result<String, Fault>,
    ) -> Result<(), Fault> {
        let _ours = FileLock::acquire(&self.lock, WAIT_MAX)?.ok_or_else(|| self.busy())?;
        let _theirs = FolderLock::acquire(&self.path, &self.lock)?.ok_or_else(|| self.busy())?;
        let bytes = self.bytes()?;
        let text = match bytes {
            None => None,
            Some(bytes) => Some(String::from_utf8(bytes).map_err(|_| self.unusable("not UTF-8"))?),
        };
        let changed = change(text.as_deref())?;
        if text.as_deref() == Some(changed.as_str()) {
            return Ok(());
        }
        let mode =
            std::fs::metadata(&self.path).map_or(files::SHARED, |about| about.mode() & 0o777);
        files::write_atomic(&self.path, changed.as_bytes(), mode)
    }

    /// Sets the status of tasks, all or none.
    pub fn set_status(&self, ids: &[TaskId], status: overnight_tasks::Status) -> Result<(), Fault> {
        self.update(|text| {
            let mut text = text.ok_or_else(|| self.missing())?.to_owned();
            for id in ids {
                text = edit::set_status(&text, id, status)?;
            }
            Ok(text)
        })
    }

    fn missing(&self) -> Fault {
        let path = self.path.display();
        Fault::new(Code::InputMissing, format!("there is no {path}"))
            .hint("write one with overnight plan or overnight tasks add")
    }

    fn unusable(&self, what: &str) -> Fault {
        let (name, mib) = (self.name(), LIST_BYTES_MAX >> 20);
        Fault::new(
            Code::TasksInvalid,
            format!("{name} is {what} (line 1, column 1)"),
        )
        .hint(format!(
            "a task list is a regular file of at most {mib} MiB"
        ))
    }

    fn busy(&self) -> Fault {
        let folder = FolderLock::path(&self.path);
        let reason = format!("another process holds {}", self.name());
        Fault::new(Code::LockWait, reason).hint(format!(
            "wait; if no script is at work, remove the empty folder {}",
            folder.display()
        ))
    }
}

fn stdin() -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(LIST_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::new(Code::FileRead, format!("stdin: {error}")))?;
    if bytes.len() as u64 > LIST_BYTES_MAX {
        let reason = format!(
            "the list is larger than {} MiB (line 1, column 1)",
            LIST_BYTES_MAX >> 20
        );
        return Err(Fault::new(Code::TasksInvalid, reason));
    }
    Ok(bytes)
}

/// ADR-004's lock: the folder `tasks.json.lock.d`, made by whoever holds the list. Bash scripts
/// take it with `mkdir` and give it back with `rmdir`.
#[derive(Debug)]
struct FolderLock {
    folder: PathBuf,
    mark: PathBuf,
}

impl FolderLock {
    fn path(list: &Path) -> PathBuf {
        let mut name = list.file_name().unwrap_or_default().to_owned();
        name.push(".lock.d");
        list.with_file_name(name)
    }

    /// Makes the folder, waiting for others to remove theirs; `None` when they do not. The caller
    /// holds `lock`, so that of our programs only this one is here.
    fn acquire(list: &Path, lock: &Path) -> Result<Option<Self>, Fault> {
        let (folder, mark) = (Self::path(list), lock.with_extension("lock.d"));
        let fault = |error: std::io::Error| {
            Fault::new(Code::FileWrite, format!("{}: {error}", folder.display()))
        };
        let started = Instant::now();
        loop {
            if is_our_leftover(&folder, &mark) {
                // Whoever made it held our file lock, which we hold now: it has ended.
                let _ = std::fs::remove_dir(&folder);
            }
            if !folder.exists() && make(&folder, &mark).map_err(fault)? {
                return Ok(Some(Self { folder, mark }));
            }
            if started.elapsed() >= WAIT_MAX {
                return Ok(None);
            }
            std::thread::sleep(POLL);
        }
    }
}

/// Makes the folder and notes in `mark` that it is ours, so that the next of our programs can tell
/// it from a script's should this one be killed. It is noted first and appears under its name after
/// that: killed in between, we leave nothing that anybody waits for. `false`: somebody was faster.
fn make(folder: &Path, mark: &Path) -> std::io::Result<bool> {
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(folder.file_name().unwrap_or_default());
    let new = folder.with_file_name(hidden);
    let note = |folder: &Path| {
        let identity = identity(folder).unwrap_or_default();
        files::replace(mark, identity.as_bytes(), files::PRIVATE)
            .map_err(|fault| std::io::Error::other(fault.reason))
    };
    match std::fs::create_dir(&new) {
        // Left by one of ours that was killed; anything else that is there stays and is told.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            std::fs::remove_dir(&new)?;
            std::fs::create_dir(&new)?;
        }
        made => made?,
    }
    note(&new)?;
    match rustix::fs::renameat_with(CWD, &new, CWD, folder, RenameFlags::NOREPLACE) {
        Ok(()) => return Ok(true),
        Err(Errno::EXIST | Errno::NOTEMPTY) => {
            std::fs::remove_dir(&new)?;
            return Ok(false);
        }
        // Not on this file system: made at once, noted after that.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => std::fs::remove_dir(&new)?,
        Err(error) => return Err(error.into()),
    }
    match std::fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        made => made.and_then(|()| note(folder)).map(|()| true),
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.folder);
        let _ = std::fs::remove_file(&self.mark);
    }
}

fn is_our_leftover(folder: &Path, mark: &Path) -> bool {
    let marked = files::read_bounded(mark, 256);
    let known = identity(folder);
    matches!((marked, known), (Ok(Content::Bytes(mark)), Some(known)) if mark == known.as_bytes())
}

/// Tells one making of a folder from another, whatever it was renamed to.
fn identity(folder: &Path) -> Option<String> {
    let about = std::fs::symlink_metadata(folder).ok()?;
    Some(format!(
        "{}:{}:{}.{}",
        about.dev(),
        about.ino(),
        about.mtime(),
        about.mtime_nsec()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use overnight_tasks::Status;

    const LIST: &str =
        r#"{"a": {"objective": "x", "definition_of_done": ["true"], "allowed_tools": []}}"#;

    fn list(folder: &Path) -> ListFile {
        std::fs::write(folder.join(FILE), LIST).unwrap();
        let place = crate::state::locate(folder).unwrap();
        ListFile::of(&place, None)
    }

    #[test]
    fn a_status_is_written_and_both_locks_are_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = list(folder.path());
        file.set_status(&[TaskId::parse("a").unwrap()], Status::Done)
            .unwrap();
        assert_eq!(file.read().unwrap().tasks[0].status, Status::Done);
        assert!(!folder.path().join("tasks.json.lock.d").exists());
    }

    #[test]
    fn a_script_that_holds_the_list_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = list(folder.path());
        let held = folder.path().join("tasks.json.lock.d");
        std::fs::create_dir(&held).unwrap();
        let script = std::thread::spawn({
            let (path, held) = (folder.path().join(FILE), held.clone());
            move || {
                let seen = std::fs::read_to_string(path).unwrap();
                std::fs::remove_dir(held).unwrap();
                seen
            }
        });
        file.set_status(&[TaskId::parse("a").unwrap()], Status::Doing)
            .unwrap();
        assert_eq!(script.join().unwrap(), LIST);
        assert!(!held.exists());
    }

    #[test]
    fn the_folder_of_a_killed_program_of_ours_is_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let file = list(folder.path());
        let killed = FolderLock::acquire(&file.path, &file.lock)
            .unwrap()
            .unwrap();
        std::mem::forget(killed);
        file.set_status(&[TaskId::parse("a").unwrap()], Status::Error)
            .unwrap();
        assert_eq!(file.read().unwrap().tasks[0].status, Status::Error);
    }

    #[test]
    fn a_program_of_ours_that_is_killed_while_it_takes_the_lock_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let file = list(folder.path());
        let done = [TaskId::parse("a").unwrap()];
        // Killed before its folder has its name.
        let hidden = folder.path().join(".tasks.json.lock.d");
        std::fs::create_dir(&hidden).unwrap();
        file.set_status(&done, Status::Doing).unwrap();
        // Killed at once when it has: the note is there already.
        let (named, mark) = (
            FolderLock::path(&file.path),
            file.lock.with_extension("lock.d"),
        );
        assert!(make(&named, &mark).unwrap());
        assert!(is_our_leftover(&named, &mark));
        file.set_status(&done, Status::Done).unwrap();
        assert_eq!(file.read().unwrap().tasks[0].status, Status::Done);
        let left = std::fs::read_dir(folder.path()).unwrap().flatten();
        let mut left = left.map(|entry| entry.file_name().into_string().unwrap());
        assert!(left.all(|name| !name.contains("lock.d")));
    }
}
