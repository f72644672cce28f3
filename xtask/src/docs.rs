//! `cargo xtask docs`: the pages that are made from the code.

use overnight_core::{code, config};
use std::io::Result;
use std::path::Path;
use std::process::ExitCode;

/// Writes the generated pages; `tests/tidy.rs` says when they are not current.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let folder = root.join("lib-docs");
    std::fs::write(folder.join("errors.md"), code::page())?;
    std::fs::write(folder.join("settings.md"), config::vars::page())?;
    Ok(ExitCode::SUCCESS)
}
