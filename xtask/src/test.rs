//! `cargo xtask test`.

use std::io::Result;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs all tests; the last lines say how many could not run here, and why.
pub(crate) fn run(root: &Path, rest: &[&str]) -> Result<ExitCode> {
    let list = root.join("target/skipped.txt");
    let _ = std::fs::remove_file(&list);
    let status = Command::new("cargo")
        .current_dir(root)
        .args(["test", "--workspace", "--locked", "--no-fail-fast"])
        .args(rest)
        .status()?;
    let skipped = std::fs::read_to_string(&list).unwrap_or_default();
    print!("{skipped}");
    println!("{} skipped", skipped.lines().count());
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
