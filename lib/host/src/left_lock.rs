//! Lock files that a killed git left on refs that we move.
//!
//! A git that is killed while it moves a ref leaves `<ref>.lock`, and every later move fails. When
//! that file is on this machine, of our own refs, old, and no git works in its repository, it is
//! removed; on a host elsewhere only its owner can do that.

use crate::git::Output;
use overnight_lease::push;
use std::fs::{File, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A git that is alive holds such a lock for milliseconds.
const AGE_MIN: Duration = Duration::from_secs(30);

/// Looks at what a git command complained about. `base` is where relative paths start; messages of
/// a remote on this machine carry whole ones.
pub(crate) fn after(output: &Output, base: Option<&Path>) {
    if output.ok() {
        return;
    }
    if let Some(lock) = push::blocking_lock(&output.stderr) {
        let path = base.map_or_else(|| Path::new(lock).to_owned(), |base| base.join(lock));
        // What cannot be repaired shows as the refusal that git already gave.
        remove(&path);
    }
}

/// Removes the lock file if it was left behind. Did it?
pub fn remove(lock: &Path) -> bool {
    repair(lock).unwrap_or(false)
}

fn repair(lock: &Path) -> Option<bool> {
    if !lock.is_absolute() {
        return None;
    }
    let lock = lock.parent()?.canonicalize().ok()?.join(lock.file_name()?);
    let repository = lock
        .ancestors()
        .find(|folder| folder.join("HEAD").is_file())?;
    // Of several that repair, one at a time: else the second could remove a new lock.
    let order = File::open(repository).ok()?;
    order.try_lock().ok()?;
    let about = std::fs::symlink_metadata(&lock).ok()?;
    let leftover = is_old(&about) && !is_in_use(repository);
    Some(leftover && std::fs::remove_file(&lock).is_ok())
}

fn is_old(about: &Metadata) -> bool {
    about.is_file()
        && about.modified().is_ok_and(|changed| {
            SystemTime::now()
                .duration_since(changed)
                .is_ok_and(|age| age >= AGE_MIN)
        })
}

/// Does a process work in this repository, as git does with its folder as the working directory,
/// or hold a file in it open? Where that cannot be seen (no /proc), yes.
fn is_in_use(repository: &Path) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return true;
    };
    let mine = std::process::id().to_string();
    // In a work tree git stays in the folder above.
    let repository = match repository.file_name() {
        Some(name) if name == ".git" => repository.parent().unwrap_or(repository),
        _ => repository,
    };
    processes.flatten().any(|process| {
        let name = process.file_name();
        let is_process = name
            .to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        let is_git = std::fs::read_to_string(process.path().join("comm"))
            .is_ok_and(|comm| comm.starts_with("git"));
        is_process
            && name.to_string_lossy() != mine.as_str()
            && is_git
            && match std::fs::read_link(process.path().join("cwd")) {
                Ok(folder) => folder.starts_with(repository),
                // One that ends just now has no folder; one that is hidden from us could be it.
                Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock_of(folder: &Path, age: Duration) -> std::path::PathBuf {
        std::fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        let refs = folder.join("refs/overnight/leases");
        std::fs::create_dir_all(&refs).unwrap();
        let lock = refs.join("t1.lock");
        let file = File::create(&lock).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
        lock
    }

    #[test]
    fn an_old_lock_that_nobody_uses_is_removed_and_a_young_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let young = lock_of(folder.path(), Duration::ZERO);
        assert_eq!(repair(&young), Some(false));
        assert!(young.exists());
        let old = lock_of(folder.path(), AGE_MIN * 2);
        assert_eq!(repair(&old), Some(true));
        assert!(!old.exists());
    }
}
