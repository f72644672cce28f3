//! Finds hooks of others in the client's settings and in plugins.

use overnight_base::programs::PROGRAM;
use overnight_base::text::one_line;
use serde_json::Value;
use std::collections::BTreeSet;

/// Characters of a hook's command that are shown.
const COMMAND_CHARS_MAX: usize = 120;
/// What our own hook starts: its program's name, then its arguments.
const OWN: [&[&str]; 3] = [
    &[PROGRAM, "hook", "PreToolUse"],
    &["command-guard", "hook"],
    &["command-guard"],
];

/// A hook of somebody else's that is asked before a shell command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The settings file or plugin that registers it.
    pub source: String,
    /// What it runs.
    pub command: String,
}

/// The foreign hooks before Bash in settings, a `hooks.json` or a plugin's manifest.
pub fn before_bash(settings: &Value, source: &str) -> Vec<Foreign> {
    let groups = settings
        .pointer("/hooks/PreToolUse")
        .and_then(Value::as_array);
    let mut found = Vec::new();
    for group in groups.into_iter().flatten() {
        let matcher = group
            .get("matcher")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if !may_match_bash(matcher) {
            continue;
        }
        for hook in group
            .get("hooks")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let command = shown(hook);
            if !is_own(hook) {
                found.push(Foreign {
                    source: one_line(source, COMMAND_CHARS_MAX),
                    command,
                });
            }
        }
    }
    found
}

/// Name and folder of every installed copy of the plugins that some settings enable: the client may
/// hold one for the person and one for a project, and which of them it runs only it knows. A plugin
/// that no settings file mentions counts too: one question too many is better than a rewritten
/// command.
pub fn enabled<'a>(
    installed: &Value,
    settings: impl Iterator<Item = &'a Value>,
) -> BTreeSet<(String, String)> {
    let switches: Vec<&Value> = settings
        .filter_map(|value| value.get("enabledPlugins"))
        .collect();
    let off = |name: &str| {
        let said = || {
            switches
                .iter()
                .filter_map(|switch| switch.get(name).and_then(Value::as_bool))
        };
        said().next().is_some() && !said().any(|on| on)
    };
    let mut plugins = BTreeSet::new();
    let list = installed.get("plugins").and_then(Value::as_object);
    for (name, entry) in list.into_iter().flatten() {
        // Version 2 keeps a list for each plugin, version 1 one object.
        let places = entry
            .as_array()
            .map_or_else(|| vec![entry], |list| list.iter().collect());
        for place in places {
            if let Some(folder) = place.get("installPath").and_then(Value::as_str)
                && !off(name)
            {
                plugins.insert((one_line(name, COMMAND_CHARS_MAX), folder.to_owned()));
            }
        }
    }
    plugins
}

/// Further files of hooks that a plugin's manifest names, relative to the plugin's folder. One that
/// leads out of the folder is none.
pub fn more_files(manifest: &Value) -> Vec<&str> {
    let named = match manifest.get("hooks") {
        Some(Value::String(file)) => vec![file.as_str()],
        Some(Value::Array(files)) => files.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    named
        .into_iter()
        .filter(|file| !file.starts_with('/') && !file.split('/').any(|part| part == ".."))
        .collect()
}

/// A matcher is a regular expression; only those made of plain names are understood, every other
/// one is taken to match.
fn may_match_bash(matcher: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '|' | ',' | ' ' | '-');
    matcher.is_empty()
        || !matcher.chars().all(plain)
        || matcher.split(['|', ',']).any(|name| name.trim() == "Bash")
}

/// Is it our guard: the program alone with the arguments that the plugin gives it?
fn is_own(hook: &Value) -> bool {
    let Some(command) = hook.get("command").and_then(Value::as_str) else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/_-.${} ".contains(c);
    let given = hook.get("args").and_then(Value::as_array);
    let given = given.into_iter().flatten().filter_map(Value::as_str);
    let mut words: Vec<&str> = command.split_whitespace().chain(given).collect();
    let Some(program) = words.first_mut() else {
        return false;
    };
    *program = program.rsplit('/').next().unwrap_or_default();
    command.chars().all(plain) && OWN.contains(&words.as_slice())
}

fn shown(hook: &Value) -> String {
    let text = ["command", "url", "prompt", "type"]
        .iter()
        .find_map(|key| hook.get(key).and_then(Value::as_str));
    one_line(text.unwrap_or("?"), COMMAND_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hooks(matcher: &str, command: &str) -> Value {
        json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}})
    }

    #[test]
    fn every_foreign_hook_before_bash_is_found_and_ours_is_not() {
        for matcher in ["Bash", "", "*", "Bash|Write", "Write, Bash", ".*", "B.sh"] {
            assert_eq!(
                before_bash(&hooks(matcher, "rtk rewrite"), "s").len(),
                1,
                "{matcher}"
            );
        }
        assert_eq!(before_bash(&hooks("Write|Edit", "rtk rewrite"), "s"), []);
        for own in [
            "${CLAUDE_PLUGIN_ROOT}/bin/command-guard",
            "/opt/o/command-guard hook",
            "/opt/o/overnight hook PreToolUse",
        ] {
            assert_eq!(before_bash(&hooks("*", own), "s"), [], "{own}");
        }
        for posing in [
            "rtk && /x/command-guard",
            "command-guard-rewrite",
            "sh -c 'x'; command-guard",
            "/x/overnight hook PreToolUse; rtk",
            "overnight rewrite",
        ] {
            assert_eq!(before_bash(&hooks("*", posing), "s").len(), 1, "{posing}");
        }
        let own = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/bin/overnight", "args": ["hook", "PreToolUse"]}]}]}});
        assert_eq!(before_bash(&own, "s"), []);
        for broken in [
            json!(null),
            json!({"hooks": []}),
            json!({"hooks": {"PreToolUse": [7, {"hooks": {}}]}}),
        ] {
            assert_eq!(before_bash(&broken, "s"), []);
        }
    }

    #[test]
    fn a_plugin_counts_unless_it_is_switched_off() {
        let installed = json!({"version": 2, "plugins": {
            "a@m": [{"installPath": "/a"}], "b@m": [{"installPath": "/b"}], "c@m": {"installPath": "/c"}}});
        let settings = [
            json!({"enabledPlugins": {"a@m": true, "b@m": false}}),
            json!({}),
        ];
        let names: Vec<_> = enabled(&installed, settings.iter())
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["a@m", "c@m"]);
    }

    #[test]
    fn every_copy_of_a_plugin_and_every_file_it_names_counts() {
        let installed =
            json!({"plugins": {"a@m": [{"installPath": "/old"}, {"installPath": "/new"}]}});
        let copies = enabled(&installed, std::iter::empty());
        let folders: Vec<&str> = copies.iter().map(|(_, folder)| folder.as_str()).collect();
        assert_eq!(folders, ["/new", "/old"]);
        let manifest = json!({"hooks": ["./more.json", "../out.json", "/etc/x.json"]});
        assert_eq!(more_files(&manifest), ["./more.json"]);
        assert_eq!(more_files(&json!({"hooks": "a.json"})), ["a.json"]);
        assert!(more_files(&json!({"hooks": {}})).is_empty());
    }
}
