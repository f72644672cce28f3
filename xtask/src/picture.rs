//! `cargo xtask picture`: the morning report of the demo's night, as the README shows it.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Where the README looks for it.
const PICTURE: &str = "lib-docs/morning.png";
/// Width and height in pixels: the part of the report that is read first.
const SIZE: &str = "--window-size=860,760";
/// Browsers that take pictures by themselves.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Runs the demo and takes a picture of its report.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let night = root.join("target/picture");
    let _ = std::fs::remove_dir_all(&night);
    let mut demo = Command::new("cargo");
    demo.current_dir(root)
        .args(["run", "--quiet", "--locked", "--bin", "overnight", "--"])
        .args(["demo", "--dir"])
        .arg(&night);
    if !demo.status()?.success() {
        return Err(Error::other("the demo failed"));
    }
    let report = report(&night)?;
    let profile = format!(
        "--user-data-dir={}",
        root.join("target/picture-profile").display()
    );
    let screenshot = format!("--screenshot={}", root.join(PICTURE).display());
    for browser in BROWSERS {
        let taken = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--hide-scrollbars", SIZE, &profile, &screenshot])
            .arg(format!("file://{}", report.display()))
            .status();
        if taken.is_ok_and(|status| status.success()) {
            println!("{PICTURE}");
            return Ok(ExitCode::SUCCESS);
        }
    }
    Err(Error::other("no browser took the picture"))
}

/// The report of the only run.
fn report(night: &Path) -> Result<PathBuf> {
    let mut runs = std::fs::read_dir(night.join("agent_logs"))?;
    let run = runs.next().ok_or_else(|| Error::other("no run"))??;
    Ok(run.path().join("report.html"))
}
