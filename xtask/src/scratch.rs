//! Where the tests' folders stand: in memory, where there is room.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a whole run was seen to take at once is a tenth of it.
const ROOM: u64 = 4 << 30;
const MEMORY: &str = "/dev/shm";
const NAME: &str = "overnight-tests-";

/// A folder that goes with this value, where one could be made.
pub(crate) struct Scratch(Option<PathBuf>);

impl Scratch {
    /// One in memory; none where the person named a folder or there is no room. On ext4 a new file looks for a
    /// number that was not given back lately: with the thousands that tests delete, half of their time.
    pub(crate) fn make() -> Self {
        Self(make())
    }

    pub(crate) fn lend(&self, command: &mut Command) {
        if let Some(folder) = &self.0 {
            command.env("TMPDIR", folder);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn make() -> Option<PathBuf> {
    let memory = Path::new(MEMORY);
    let free = rustix::fs::statvfs(memory).ok()?;
    if std::env::var_os("TMPDIR").is_some() || free.f_bavail * free.f_frsize < ROOM {
        return None;
    }
    forget_others(memory);
    let folder = memory.join(format!("{NAME}{}", std::process::id()));
    std::fs::create_dir(&folder).ok()?;
    Some(folder)
}

/// What a run left that was interrupted.
fn forget_others(memory: &Path) {
    for entry in std::fs::read_dir(memory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let run = name.to_str().and_then(|name| name.strip_prefix(NAME));
        if run.is_some_and(|run| !Path::new("/proc").join(run).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
