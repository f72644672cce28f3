//! Runners from their registries, fetched once into the build folder.

use crate::support::{skip, target};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The folder of a Python environment with pytest, or `None` (and a skip) where none can be made.
pub(super) fn pytest() -> Option<PathBuf> {
    let home = target().join("suites");
    let _lock =
        overnight_host::files::FileLock::acquire(&home.join("lock"), Duration::from_mins(5))
            .unwrap();
    let bin = home.join("venv/bin");
    if bin.join("pytest").is_file() {
        return Some(bin);
    }
    let venv = home.join("venv");
    let made = quietly("python3", &["-m", "venv", venv.to_str().unwrap()])
        && quietly(bin.join("pip"), &["install", "-q", "pytest"]);
    if !made {
        skip("pytest cannot be fetched");
        return None;
    }
    Some(bin)
}

fn quietly(program: impl AsRef<Path>, arguments: &[&str]) -> bool {
    Command::new(program.as_ref())
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
