//! Files: written whole or not at all, opened without following links, read up to a bound.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use rustix::fs::{Mode, OFlags};
use std::fs::{File, Metadata, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Permission bits of files that only the person may read: logs, state, approvals.
pub const PRIVATE: u32 = 0o600;

/// [`PRIVATE`] for calls that take a mode of the system's own width, which differs between systems.
pub fn private() -> Mode {
    Mode::RUSR | Mode::WUSR
}
/// Permission bits of ordinary files in the work tree, before the umask.
pub const SHARED: u32 = 0o666;

/// What stands at a path that was to be read.
#[derive(Debug)]
pub enum Content {
    /// A regular file within the bound.
    Bytes(Vec<u8>),
    /// Nothing is there.
    Missing,
    /// Something that must not be read as data, and why: a link, folder, pipe, or too large.
    Refused(&'static str),
}

/// Reads a regular file of at most `bytes_max` bytes. Never follows a link at the last component,
/// never blocks on a pipe, never reads past the bound.
pub fn read_bounded(path: &Path, bytes_max: u64) -> Result<Content, Fault> {
    let (file, about) = match open_regular(path)? {
        Opened::File(file, about) => (file, about),
        Opened::Missing => return Ok(Content::Missing),
        Opened::Refused(why) => return Ok(Content::Refused(why)),
    };
    // Room for all of it at once: reading stays at two calls.
    let room = about.len().min(bytes_max).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
    file.take(bytes_max.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| read_fault(path, &error))?;
    if bytes.len() as u64 > bytes_max {
        return Ok(Content::Refused("too large"));
    }
    Ok(Content::Bytes(bytes))
}

/// Opens what [`read_bounded`] would read; `None` where it would give no bytes.
pub(crate) fn open_bounded(path: &Path, bytes_max: u64) -> Result<Option<File>, Fault> {
    Ok(match open_regular(path)? {
        Opened::File(file, about) if about.len() <= bytes_max => Some(file),
        _ => None,
    })
}

/// What is at a path.
enum Opened {
    File(File, Metadata),
    Missing,
    Refused(&'static str),
}

fn open_regular(path: &Path) -> Result<Opened, Fault> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Ok(Opened::Missing),
        Err(rustix::io::Errno::LOOP) => return Ok(Opened::Refused("a symbolic link")),
        Err(error) => return Err(read_fault(path, &error.into())),
    };
    let about = file.metadata().map_err(|error| read_fault(path, &error))?;
    if about.is_dir() {
        return Ok(Opened::Refused("a folder"));
    }
    if !about.is_file() {
        return Ok(Opened::Refused("not a regular file"));
    }
    Ok(Opened::File(file, about))
}

/// Opens a log to append to, for its owner alone; creates missing folders likewise.
pub fn open_log(path: &Path) -> Result<File, Fault> {
    if let Some(folder) = path.parent() {
        create_private_folder(folder)?;
    }
    let mut options = File::options();
    let opened = options.create(true).append(true).mode(PRIVATE).open(path);
    opened.map_err(|error| write_fault(path, &error))
}

/// Writes a file whole or not at all: temporary file in the same folder, fsync, rename, fsync of
/// the folder. Creates missing folders. `mode` is reduced by the umask.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Fault> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_folder(folder)?;
    let temporary = temporary_name(path);
    let outcome = write_new(&temporary, bytes, mode)
        .and_then(|()| std::fs::rename(&temporary, path))
        .and_then(|()| sync_folder(folder));
    outcome.map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        write_fault(path, &error)
    })
}

/// Like [`write_atomic`], but without waiting for the disk: after a loss of power the file may be
/// the old one or empty. For what can be found out again.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<(), Fault> {
    create_folder(path.parent().unwrap_or(Path::new(".")))?;
    let temporary = temporary_name(path);
    let write = || {
        let mut file = std::fs::OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(mode)
            .open(&temporary)?;
        file.write_all(bytes)?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&temporary);
        write_fault(path, &error)
    })
}

/// Creates a folder and its parents, with the person's umask.
pub fn create_folder(folder: &Path) -> Result<(), Fault> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o777)
        .create(folder)
        .map_err(|error| write_fault(folder, &error))
}

/// Creates a folder of mode 0700 and its parents.
pub fn create_private_folder(folder: &Path) -> Result<(), Fault> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| write_fault(folder, &error))
}

/// Makes a file's content durable.
pub fn sync_file(file: &File, path: &Path) -> std::io::Result<()> {
    #[cfg(test)]
    synced::note(path);
    #[cfg(not(test))]
    let _ = path;
    file.sync_data()
}

/// Makes a folder's entries durable.
pub fn sync_folder(folder: &Path) -> std::io::Result<()> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    #[cfg(test)]
    synced::note(folder);
    File::open(folder)?.sync_all()
}

/// What this thread made durable, for tests: nobody can take the power away in one.
#[cfg(test)]
pub(crate) mod synced {
    use std::cell::RefCell;
    use std::path::{Path, PathBuf};

    thread_local! {
        static PATHS: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn note(path: &Path) {
        PATHS.with_borrow_mut(|paths| paths.push(path.to_owned()));
    }

    /// The paths since this was asked the last time.
    pub(crate) fn take() -> Vec<PathBuf> {
        PATHS.take()
    }
}

/// An exclusive lock on a file, held until dropped; the kernel frees it when the process dies.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock, or `None` when another process holds it past `wait_max`.
    pub fn acquire(path: &Path, wait_max: Duration) -> Result<Option<Self>, Fault> {
        const POLL: Duration = Duration::from_millis(5);
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let open = || {
            std::fs::OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .mode(PRIVATE)
                .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
                .open(path)
                .map_err(|error| write_fault(path, &error))
        };
        let mut file = open()?;
        let started = std::time::Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) if is_at(&file, path) => return Ok(Some(Self { _file: file })),
                // Its last holder removed it: the lock of a name that is gone keeps nobody out.
                Ok(()) => file = open()?,
                Err(TryLockError::WouldBlock) if started.elapsed() < wait_max => {
                    std::thread::sleep(POLL.min(wait_max));
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(write_fault(path, &error)),
            }
        }
    }
}

/// Does the path still lead to this file?
fn is_at(file: &File, path: &Path) -> bool {
    let known = |about: &Metadata| (about.dev(), about.ino());
    let there = std::fs::symlink_metadata(path).map(|about| known(&about));
    let here = file.metadata().map(|about| known(&about));
    matches!((here, there), (Ok(here), Ok(there)) if here == there)
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(mode)
        .open(path)?;
    file.write_all(bytes)?;
    sync_file(&file, path)
}

/// Removes from a folder what was being written there by processes that ended at it, a while ago.
pub fn sweep_temporaries(folder: &Path) {
    const AGE_MS: u64 = 60_000;
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let Some((pid, written)) = name.to_str().and_then(writer) else {
            continue;
        };
        let old = written.saturating_add(AGE_MS) < crate::clock::wall_ms();
        if old && !crate::process::Identity::of(pid).is_alive() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// The process that made a file of this temporary name, and when.
fn writer(name: &str) -> Option<(u32, u64)> {
    let rest = name.strip_prefix('.')?.strip_suffix(".tmp")?;
    let (_, made) = rest.rsplit_once('.')?;
    let mut parts = made.split('-');
    let (pid, count, written) = (parts.next()?, parts.next()?, parts.next()?);
    count.parse::<u32>().ok()?;
    let both = (pid.parse().ok()?, written.parse().ok()?);
    parts.next().is_none().then_some(both)
}

fn temporary_name(path: &Path) -> PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(
        ".{}-{count}-{}.tmp",
        std::process::id(),
        crate::clock::wall_ms()
    ));
    path.with_file_name(name)
}

fn read_fault(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileRead, format!("{}: {error}", path.display()))
}

fn write_fault(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(Code::FileWrite, format!("{}: {error}", path.display()))
}

/// Makes a named pipe, by the program: rustix does not offer the call on macOS.
#[cfg(test)]
pub(crate) fn named_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_was_writing_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        let (dead, own) = (ended.id(), std::process::id());
        ended.wait().unwrap();
        let now = crate::clock::wall_ms();
        let swept = format!(".tasks.json.{dead}-0-{}.tmp", now - 3_600_000);
        let kept = [
            format!(".tasks.json.{own}-0-{}.tmp", now - 3_600_000),
            format!(".tasks.json.{dead}-0-{now}.tmp"),
            format!(".tasks.json.{dead}.tmp"),
            format!("tasks.json.{dead}-0-1.tmp"),
        ];
        for name in kept.iter().chain([&swept]) {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        sweep_temporaries(folder.path());
        let there = |name: &String| folder.path().join(name).exists();
        assert!(kept.iter().all(there));
        assert!(!there(&swept));
    }

    #[test]
    fn a_written_file_is_whole_and_leaves_no_temporary() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b.txt");
        write_atomic(&path, b"one", PRIVATE).unwrap();
        write_atomic(&path, b"two", PRIVATE).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1
        );
    }

    #[test]
    fn a_written_file_is_durable_before_its_name_is_and_its_name_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.txt");
        synced::take();
        write_atomic(&path, b"one", PRIVATE).unwrap();
        let synced = synced::take();
        assert_eq!(synced.len(), 2, "{synced:?}");
        assert_eq!(synced[0].parent(), Some(folder.path()));
        assert_eq!(synced[1], folder.path());
    }

    #[test]
    fn links_folders_pipes_and_large_files_are_refused_without_hanging() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), b"12345").unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("link")).unwrap();
        named_pipe(&at("pipe"));
        for name in ["link", "pipe", "."] {
            assert!(
                matches!(read_bounded(&at(name), 10), Ok(Content::Refused(_))),
                "{name}"
            );
        }
        assert!(matches!(
            read_bounded(&at("file"), 4),
            Ok(Content::Refused("too large"))
        ));
        assert!(matches!(read_bounded(&at("file"), 5), Ok(Content::Bytes(b)) if b == b"12345"));
        assert!(matches!(read_bounded(&at("none"), 5), Ok(Content::Missing)));
    }

    #[test]
    fn a_lock_held_elsewhere_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = FileLock::acquire(&path, Duration::ZERO).unwrap();
        assert!(held.is_some());
        assert!(
            FileLock::acquire(&path, Duration::from_millis(20))
                .unwrap()
                .is_none()
        );
        drop(held);
        assert!(FileLock::acquire(&path, Duration::ZERO).unwrap().is_some());
    }
}
