//! What stands below `/dev` for everybody, for oneself: shared memory that others hold things in, and terminals
//! at which a person types.

use crate::cell::SHARED_MEMORY;
use rustix::mount::{self, MountFlags};
use std::ffi::CStr;
use std::path::Path;

/// Where terminals are.
const TERMINALS: &str = "/dev/pts";
/// For each, the file system and how it is mounted.
const ALL: [(&str, &CStr, &CStr); 2] = [
    (SHARED_MEMORY, c"tmpfs", c"mode=1777"),
    (TERMINALS, c"devpts", c"newinstance,ptmxmode=0666,mode=0620"),
];

/// Makes them, and gives those that were made: where the kernel does not give one, it is as it was, and of
/// terminals those are covered that are there.
pub(super) fn make() -> Vec<&'static Path> {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let all = ALL.iter().map(|(folder, kind, options)| {
        let made = mount::mount(c"overnight", *folder, *kind, flags, *options);
        (Path::new(*folder), made.is_ok())
    });
    let all: Vec<(&Path, bool)> = all.collect();
    if all.contains(&(Path::new(TERMINALS), false)) {
        cover_terminals();
    }
    let made = all.into_iter().filter(|(_, made)| *made);
    made.map(|(folder, _)| folder).collect()
}

/// Terminals of whoever has no root to map. Programs get others from the same place.
fn cover_terminals() {
    let entries = std::fs::read_dir(TERMINALS).into_iter().flatten().flatten();
    for terminal in entries.filter(|entry| entry.file_name() != "ptmx") {
        // One that has gone is nobody's.
        let _ = mount::mount_bind("/dev/null", terminal.path());
    }
}
