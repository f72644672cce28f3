//! The client's platform package, fetched once into `target/real-client/`.

use super::VERSION;
use crate::{registry, support};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The folder that holds `claude`, or why there is none. One attempt for all tests of a process;
/// processes wait for each other.
pub fn folder() -> Result<PathBuf, String> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    FOLDER.get_or_init(fetch).clone()
}

fn fetch() -> Result<PathBuf, String> {
    let package = package()?;
    let place = support::target().join("real-client");
    std::fs::create_dir_all(&place).unwrap();
    let lock = std::fs::File::create(place.join("lock")).unwrap();
    lock.lock().unwrap();
    let whole = place.join(format!("{package}-{VERSION}"));
    let inside = Path::new("node_modules/@anthropic-ai").join(&package);
    let bin = whole.join(&inside);
    if bin.join("claude").exists() {
        return Ok(bin);
    }
    let part = place.join("part");
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).unwrap();
    let wanted = format!("@anthropic-ai/{package}@{VERSION}");
    registry::install(&part, &[&wanted])?;
    check(&part.join(&inside).join("claude"))?;
    std::fs::rename(&part, &whole).unwrap();
    Ok(bin)
}

fn package() -> Result<String, String> {
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        other => return Err(format!("no package of the client is known for {other}")),
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("no package of the client is known for {other}")),
    };
    Ok(format!("claude-code-{system}-{processor}"))
}

fn check(claude: &Path) -> Result<(), String> {
    let said = Command::new(claude)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("the fetched client cannot be started: {error}"))?;
    let said = String::from_utf8_lossy(&said.stdout);
    if said.starts_with(VERSION) {
        return Ok(());
    }
    Err(format!(
        "the fetched client says it is {said:?}, not {VERSION}"
    ))
}
