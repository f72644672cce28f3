//! Hooks of others that see a command before it runs and may replace it after the guard judged it:
//! hooks run side by side on the original input. Nobody can tell from a
//! configuration whether a hook rewrites, so every foreign one counts.

use crate::files::{self, Content};
use crate::homes;
use overnight_guard::foreign::{self, Foreign};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Bytes of a settings or hooks file at most.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// The organisation's settings (Linux, macOS).
const MANAGED: &[&str] = &[
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// Foreign hooks before the Bash tool, from every settings file and enabled plugin that the
/// client reads for a project.
pub fn before_bash(project: Option<&Path>) -> Vec<Foreign> {
    let settings = settings(project);
    let mut found = Vec::new();
    for (file, value) in &settings {
        found.extend(foreign::before_bash(value, &file.display().to_string()));
    }
    if let Some(client) = homes::client() {
        found.extend(of_plugins(&client, &settings));
    }
    found
}

/// Every settings file that the client reads for a project.
pub fn settings(project: Option<&Path>) -> Vec<(PathBuf, Value)> {
    let mut files: Vec<PathBuf> = MANAGED.iter().map(PathBuf::from).collect();
    files.extend(homes::client().map(|client| client.join("settings.json")));
    if let Some(project) = project {
        files.push(project.join(".claude/settings.json"));
        files.push(project.join(".claude/settings.local.json"));
    }
    files
        .into_iter()
        .filter_map(|file| json(&file).map(|value| (file, value)))
        .collect()
}

/// Hooks of the plugins that some settings file enables.
fn of_plugins(client: &Path, settings: &[(PathBuf, Value)]) -> Vec<Foreign> {
    let Some(installed) = json(&client.join("plugins/installed_plugins.json")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, folder) in foreign::enabled(&installed, settings.iter().map(|(_, value)| value)) {
        let folder = PathBuf::from(folder);
        if let Some(hooks) = json(&folder.join("hooks/hooks.json")) {
            found.extend(foreign::before_bash(&hooks, &format!("plugin {name}")));
        }
        if let Some(manifest) = json(&folder.join(".claude-plugin/plugin.json")) {
            found.extend(foreign::before_bash(&manifest, &format!("plugin {name}")));
            for file in foreign::more_files(&manifest) {
                if let Some(hooks) = json(&folder.join(file)) {
                    found.extend(foreign::before_bash(&hooks, &format!("plugin {name}")));
                }
            }
        }
    }
    found
}

fn json(path: &Path) -> Option<Value> {
    match files::read_bounded(path, FILE_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).ok(),
        _ => None,
    }
}
