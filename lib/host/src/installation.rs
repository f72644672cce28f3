//! The plugin that this program is part of.

use crate::agent::own_program;
use crate::files::{self, Content};
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where hooks.json names the plugin's own programs.
const OWN: &str = "${CLAUDE_PLUGIN_ROOT}/bin/";
/// The file has some kilobytes.
const HOOKS_BYTES_MAX: u64 = 1 << 20;

/// The plugin's folder, when this program stands in a plugin's `bin/`.
pub fn root() -> Option<PathBuf> {
    let program = own_program().ok()?;
    let root = program.parent()?.parent()?;
    root.join(".claude-plugin/plugin.json")
        .is_file()
        .then(|| root.to_owned())
}

/// The programs that the plugin's hooks need and that cannot be started: missing, or not
/// executable. The client says nothing about them; such a hook is simply off.
pub fn unusable(root: &Path) -> Vec<String> {
    let named = hook_programs(root);
    let usable = |name: &String| {
        let about = std::fs::metadata(root.join("bin").join(name));
        about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    named.into_iter().filter(|name| !usable(name)).collect()
}

/// What a person is told about such programs of this installation.
pub fn broken() -> Option<String> {
    let unusable = unusable(&root()?);
    (!unusable.is_empty()).then(|| {
        let names = unusable.join(", ");
        format!("overnight: its programs {names} cannot be started, so their hooks are off; install the plugin again")
    })
}

/// The programs of the plugin that its hooks start.
pub fn hook_programs(root: &Path) -> BTreeSet<String> {
    let Ok(Content::Bytes(bytes)) =
        files::read_bounded(&root.join("hooks/hooks.json"), HOOKS_BYTES_MAX)
    else {
        return BTreeSet::new();
    };
    let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let events = value["hooks"]
        .as_object()
        .into_iter()
        .flat_map(|events| events.values());
    let groups = events.filter_map(Value::as_array).flatten();
    let hooks = groups
        .filter_map(|group| group["hooks"].as_array())
        .flatten();
    let commands = hooks.filter_map(|hook| hook["command"].as_str());
    commands
        .filter_map(|command| command.strip_prefix(OWN))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_not_executable_programs_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("bin")).unwrap();
        std::fs::create_dir_all(at("hooks")).unwrap();
        let hook = |name: &str| serde_json::json!([{"hooks": [{"command": format!("{OWN}{name}"), "args": []}]}]);
        let hooks = serde_json::json!({"hooks": {"A": hook("good"), "B": hook("gone"), "C": hook("plain")}});
        std::fs::write(at("hooks/hooks.json"), hooks.to_string()).unwrap();
        for (name, mode) in [("good", 0o755), ("plain", 0o644)] {
            std::fs::write(at("bin").join(name), "").unwrap();
            std::fs::set_permissions(at("bin").join(name), std::fs::Permissions::from_mode(mode))
                .unwrap();
        }
        assert_eq!(unusable(folder.path()), ["gone", "plain"]);
    }
}
