//! A record that a person trusts a file, and the commands that it named then.

use crate::done::{self, Condition};
use overnight_base::session::hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The file, relative to the project's top.
    pub name: String,
    /// SHA-256 of its content.
    pub sha256: String,
    /// SHA-256 of each command that it named. The driver rewrites statuses in a task list; the
    /// commands in it stay trusted, a new one is not.
    pub commands: Vec<String>,
    /// When, Unix time in milliseconds.
    pub at_ms: u64,
}

impl Record {
    /// Trust in this content.
    pub fn new(name: &str, content: &[u8], at_ms: u64) -> Self {
        Self {
            name: name.to_owned(),
            sha256: digest(content),
            commands: named_commands(content)
                .iter()
                .map(|command| digest(command.as_bytes()))
                .collect(),
            at_ms,
        }
    }

    /// A file name for the record of the file `name`.
    pub fn key(name: &str) -> String {
        digest(name.as_bytes())
    }

    /// Is this the trusted content?
    pub fn covers(&self, content: &[u8]) -> bool {
        self.sha256 == digest(content)
    }

    /// Did the trusted content name this command?
    pub fn covers_command(&self, command: &str) -> bool {
        self.commands.contains(&digest(command.as_bytes()))
    }
}

/// The commands in the `definition_of_done` of a task list, as a run would start them, or the
/// gates and set-up commands of a configuration; none for anything else.
pub fn named_commands(content: &[u8]) -> Vec<String> {
    let Ok(Value::Object(tasks)) = serde_json::from_slice(content) else {
        return configured(content);
    };
    let entries = tasks
        .values()
        .filter_map(|task| task.get("definition_of_done"));
    let texts = entries.flat_map(|entry| match entry {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect::<Vec<_>>(),
    });
    // Which first words are programs differs from machine to machine: here all may be one.
    texts
        .filter_map(|text| match done::read(text, &|_| true) {
            Condition::Gate(command) => Some(command),
            Condition::Sentence(_) => None,
        })
        .collect()
}

fn configured(content: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(content).unwrap_or_default();
    let table: toml::Table = text.parse().unwrap_or_default();
    let of = |key: &str| match table.get("run").and_then(|run| run.get(key)) {
        Some(toml::Value::Array(list)) => list.clone(),
        one => one.into_iter().cloned().collect(),
    };
    let commands = of("gates").into_iter().chain(of("setup"));
    commands
        .filter_map(|command| command.as_str().map(str::to_owned))
        .collect()
}

fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_trusted_in_the_form_in_which_they_run() {
        let content = br#"{"_thought":"x","t":{"definition_of_done":["$ just test","`make x`"," cargo test ","All tests pass."]},"u":{"definition_of_done":"./check.sh"}}"#;
        assert_eq!(
            named_commands(content),
            ["just test", "make x", "cargo test", "./check.sh"]
        );
        let record = Record::new("tasks.json", content, 0);
        assert!(record.covers_command("just test") && !record.covers_command("$ just test"));
        assert!(named_commands(b"[guard]").is_empty());
        let configured = b"[run]\ngates = [\"a\"]\nsetup = \"b\"";
        assert_eq!(named_commands(configured), ["a", "b"]);
    }
}
