//! Git locks its packed references whenever it deletes one, also one of a work tree's own that never stands
//! among them (`CHERRY_PICK_HEAD`, `AUTO_MERGE`). Where it may not, such a reference stays, and a merge, a pick or a
//! rebase is never over. So in a linked tree's cell git's folder has the same entries, and packed references
//! that are read where they are and locked elsewhere: a lock stands beside the file that a link leads to, and git
//! follows five links at most.

use rustix::fs::CWD;
use rustix::mount::{self, MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where the folder itself is in the view of it.
const WHOLE: &str = "overnight-whole";
/// Where references are locked.
const LOCKS: &str = "overnight-locks";
const PACKED: &str = "packed-refs";
/// As many links as git follows before it takes what it has for the file.
const LINKS: u32 = 5;
/// A folder with more entries is none of git's.
const ENTRIES_MAX: usize = 1_000;

/// Makes the view of this folder of git's; gives where it locks, or nothing where the kernel does not give it:
/// then all is as it was.
pub(super) fn make(git: &Path) -> io::Result<Option<PathBuf>> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let (Ok(whole), Ok(entries)) = (mount::open_tree(CWD, git, flags), entries(git)) else {
        return Ok(None);
    };
    let options = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if mount::mount(c"overnight", git, c"tmpfs", options, c"mode=755,size=1m").is_err() {
        return Ok(None);
    }
    if filled(git, &whole, &entries).is_err() {
        mount::unmount(git, UnmountFlags::DETACH)?;
        return Ok(None);
    }
    Ok(Some(git.join(LOCKS)))
}

/// Its entries, and which are folders.
fn entries(git: &Path) -> io::Result<Vec<(OsString, bool)>> {
    let entries = std::fs::read_dir(git)?.take(ENTRIES_MAX);
    let entry = |entry: io::Result<std::fs::DirEntry>| {
        let entry = entry?;
        Ok((entry.file_name(), entry.path().is_dir()))
    };
    entries.map(entry).collect()
}

fn filled(git: &Path, whole: &OwnedFd, entries: &[(OsString, bool)]) -> io::Result<()> {
    let inner = git.join(WHOLE);
    std::fs::create_dir(&inner)?;
    let moved = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    mount::move_mount(whole, c"", CWD, &inner, moved)?;
    for (name, is_folder) in entries.iter().filter(|(name, _)| name != PACKED) {
        let (own, real) = (git.join(name), inner.join(name));
        if *is_folder {
            std::fs::create_dir(&own)?;
            mount::mount_bind_recursive(&real, &own)?;
        } else if name == "HEAD" {
            // Git takes one that is a link for a reference.
            std::fs::write(&own, "")?;
            mount::mount_bind(&real, &own)?;
        } else {
            symlink(Path::new(WHOLE).join(name), &own)?;
        }
    }
    let locks = git.join(LOCKS);
    std::fs::create_dir(&locks)?;
    symlink(Path::new(LOCKS).join("1"), git.join(PACKED))?;
    for link in 1..LINKS {
        symlink((link + 1).to_string(), locks.join(link.to_string()))?;
    }
    let last = locks.join(LINKS.to_string());
    symlink(Path::new("..").join(WHOLE).join(PACKED), &last)?;
    // Who packed references here would take the loose ones from everybody.
    std::fs::create_dir(last.with_extension("new"))
}
