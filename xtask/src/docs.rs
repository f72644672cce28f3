//! `cargo xtask docs`: the pages that are made from the code.

use overnight_base::code;
use overnight_views::config;
use overnight_views::decisions;
use serde_json::{Map, Value};
use std::io::Result;
use std::path::Path;
use std::process::ExitCode;

/// Writes what is generated; `tests/tidy.rs` says when they are not current.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let folder = root.join("lib-docs");
    std::fs::write(folder.join("errors.md"), code::page())?;
    std::fs::write(folder.join("decisions.md"), decisions::page())?;
    std::fs::write(folder.join("settings.md"), config::pages::page())?;
    std::fs::write(
        folder.join("overnight.schema.json"),
        config::pages::schema(),
    )?;
    plugin_options(&root.join(".claude-plugin/plugin.json"))?;
    Ok(ExitCode::SUCCESS)
}

/// The manifest's `userConfig`; the rest of it stays as it is.
fn plugin_options(manifest: &Path) -> Result<()> {
    let mut value: Map<String, Value> = serde_json::from_slice(&std::fs::read(manifest)?)?;
    value.insert("userConfig".to_owned(), config::pages::options());
    std::fs::write(manifest, format!("{:#}\n", Value::Object(value)))
}
