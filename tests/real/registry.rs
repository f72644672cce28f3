//! Packages from npm's registry, fetched once into `target/registry/`.

use super::support;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder whose `node_modules/` holds these packages (`name@version`), or why there is none.
/// `name` is the folder's own name; test processes wait for each other.
pub fn npm(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let place = support::target().join("registry");
    std::fs::create_dir_all(&place).unwrap();
    let lock = std::fs::File::create(place.join(format!("{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let whole = place.join(name);
    if whole.exists() {
        return Ok(whole);
    }
    let part = place.join(format!("{name}.part"));
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).unwrap();
    install(&part, packages)?;
    std::fs::rename(&part, &whole).unwrap();
    Ok(whole)
}

/// Installs packages below `folder`, without running any of their scripts.
pub fn install(folder: &Path, packages: &[&str]) -> Result<(), String> {
    let done = Command::new("npm")
        .args([
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
        ])
        .args(["--loglevel=error", "--fetch-retries=2", "--prefix"])
        .arg(folder)
        .args(packages)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            format!("{packages:?} come through npm, and npm cannot be started: {error}")
        })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("npm cannot fetch {packages:?}: {}", said.trim()))
}
