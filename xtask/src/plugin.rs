//! The plugin as a folder: manifest, hooks, commands, agents and the program in `bin/`.

use overnight_base::programs::{NAMES, PROGRAM};
use serde_json::{Value, json};
use std::io::{Error, Result};
use std::path::{Path, PathBuf};

/// What of the repository goes into the plugin beside the program; what is not there is left out.
const PARTS: &[&str] = &[
    ".claude-plugin/plugin.json",
    "hooks",
    "commands",
    "agents",
    "README.md",
    "README.ja.md",
    "lib-docs",
    "CHANGELOG.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Makes a marketplace folder `out` with the plugin in `out/overnight`, from the repository at
/// `root` and the program in the folder `built`. Gives the plugin's folder. `out` must not exist.
pub fn assemble(root: &Path, built: &Path, out: &Path) -> Result<PathBuf> {
    let plugin = out.join("overnight");
    std::fs::create_dir_all(&plugin)?;
    marketplace(root, out)?;
    parts(root, &plugin)?;
    programs(built, &plugin.join("bin"))?;
    Ok(plugin)
}

/// The repository's marketplace, with the folder beside it instead of the package of npm's registry.
fn marketplace(root: &Path, out: &Path) -> Result<()> {
    let name = ".claude-plugin/marketplace.json";
    let text = std::fs::read_to_string(root.join(name))?;
    let mut market: Value = serde_json::from_str(&text)?;
    market["plugins"][0]["source"] = json!("./overnight");
    std::fs::create_dir_all(out.join(".claude-plugin"))?;
    std::fs::write(out.join(name), format!("{market:#}\n"))
}

/// Copies what goes into the plugin beside its programs.
pub(crate) fn parts(root: &Path, plugin: &Path) -> Result<()> {
    for part in PARTS {
        let from = root.join(part);
        if from.exists() {
            copy(&from, &plugin.join(part))?;
        }
    }
    Ok(())
}

/// A link costs nothing; across file systems it is a copy.
pub(crate) fn link(from: &Path, to: &Path) -> Result<()> {
    std::fs::hard_link(from, to)
        .or_else(|_| std::fs::copy(from, to).map(drop))
        .map_err(|error| Error::new(error.kind(), format!("{}: {error}", from.display())))
}

/// Puts the program and a link for each of its other names into a folder.
pub(crate) fn programs(built: &Path, bin: &Path) -> Result<()> {
    std::fs::create_dir_all(bin)?;
    link(&built.join(PROGRAM), &bin.join(PROGRAM))?;
    NAMES
        .iter()
        .try_for_each(|name| std::os::unix::fs::symlink(PROGRAM, bin.join(name)))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        std::fs::create_dir_all(to)?;
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    std::fs::create_dir_all(to.parent().unwrap_or(Path::new(".")))?;
    std::fs::copy(from, to).map(drop)
}
