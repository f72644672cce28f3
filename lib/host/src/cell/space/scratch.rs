//! A folder of everybody's for oneself, in layers.

use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{self, MountFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What is written, and what the kernel needs beside it.
const LAYERS: [(&str, Mode); 2] = [
    ("written", Mode::from_raw_mode(0o1777)),
    ("work", Mode::RWXU),
];

/// Makes `folder` such a one; `real` of what is below it stays what it is for everybody. Was it made? Where
/// the kernel does not give it, all is as it was.
pub(super) fn make(folder: &Path, mut real: Vec<PathBuf>) -> io::Result<bool> {
    real.retain(|path| path.starts_with(folder) && path != folder);
    // What holds another one comes before it.
    real.sort();
    real.dedup();
    let tree = |path: PathBuf| {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        Some((mount::open_tree(CWD, &path, flags).ok()?, path))
    };
    let trees: Vec<(OwnedFd, PathBuf)> = real.into_iter().filter_map(tree).collect();
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(below) = rustix::fs::open(folder, flags, Mode::empty()) else {
        return Ok(false);
    };
    let options = MountFlags::NOSUID | MountFlags::NODEV;
    if mount::mount(c"overnight", folder, c"tmpfs", options, c"mode=755,size=1g").is_err() {
        return Ok(false);
    }
    if layered(folder, &below).is_err() {
        mount::unmount(folder, UnmountFlags::DETACH)?;
        return Ok(false);
    }
    for (tree, path) in trees {
        let moved = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        match mount::move_mount(&tree, c"", CWD, &path, moved) {
            // It has gone.
            Err(rustix::io::Errno::NOENT) => {}
            moved => moved?,
        }
    }
    Ok(true)
}

/// Puts what was `below` under what is written from now on.
fn layered(folder: &Path, below: &OwnedFd) -> io::Result<()> {
    for (name, mode) in LAYERS {
        let layer = folder.join(name);
        rustix::fs::mkdir(&layer, Mode::RWXU)?;
        rustix::fs::chmod(&layer, mode)?;
    }
    let layer = |name: &str| folder.join(name).display().to_string();
    let options = CString::new(format!(
        "lowerdir=/proc/self/fd/{},upperdir={},workdir={},userxattr",
        below.as_raw_fd(),
        layer(LAYERS[0].0),
        layer(LAYERS[1].0)
    ))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount::mount(
        c"overnight",
        folder,
        c"overlay",
        flags,
        options.as_c_str(),
    )?)
}
