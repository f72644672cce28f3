//! A record that a person trusts a file, and the commands that it named then.

use crate::session::hex;
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

/// The commands in the `definition_of_done` of a task list; none for anything else.
pub fn named_commands(content: &[u8]) -> Vec<String> {
    let Ok(Value::Object(tasks)) = serde_json::from_slice(content) else {
        return Vec::new();
    };
    let mut commands = Vec::new();
    for task in tasks.values() {
        match task.get("definition_of_done") {
            Some(Value::String(command)) => commands.push(command.clone()),
            Some(Value::Array(list)) => {
                commands.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    commands
}

fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).as_slice())
}
