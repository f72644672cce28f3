//! Task ids: names that are safe as file names, git refs and words of a command line.

use serde::Serialize;
use std::fmt;

/// Longest id, in bytes.
pub const ID_BYTES_MAX: usize = 64;

/// The id of a task: `[a-z0-9][a-z0-9._-]{0,63}`, but nothing that some system reads as something
/// else (tests/cases/hostile.md T01): no Windows device name such as `con`, no `….txt`, which a mirror file in
/// `current_tasks/` already ends with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct TaskId(String);

impl TaskId {
    /// The id that this text is, or what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut bytes = text.bytes();
        let Some(first) = bytes.next() else {
            return Err("a task id is empty".to_owned());
        };
        if text.len() > ID_BYTES_MAX {
            return Err(format!(
                "a task id has {} bytes, at most {ID_BYTES_MAX} are allowed",
                text.len()
            ));
        }
        let starts = first.is_ascii_lowercase() || first.is_ascii_digit();
        let goes_on = bytes.all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte)
        });
        if !(starts && goes_on) {
            return Err(format!(
                "{text:?} is no task id: lower-case letters, digits, '.', '_' and '-', starting with a letter or digit"
            ));
        }
        let stem = text.split('.').next().unwrap_or(text);
        let extension = text.rsplit_once('.').map(|(_, end)| end);
        if is_device(stem) || extension == Some("txt") {
            return Err(format!(
                "{text:?} cannot be a task id: device names of Windows and names ending in .txt are reserved"
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// A name whose check is, or was, done elsewhere: a list with a refused name is thrown away.
    pub(super) fn unchecked(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names that Windows opens as devices, with any extension.
fn is_device(stem: &str) -> bool {
    let numbered = |prefix| {
        stem.strip_prefix(prefix).is_some_and(|rest| {
            rest.len() == 1 && rest != "0" && rest.as_bytes()[0].is_ascii_digit()
        })
    };
    matches!(stem, "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn safe_names_are_ids() {
        for id in [
            "t1",
            "0",
            "a.b-c_d",
            "console",
            "com0",
            "com10",
            &"x".repeat(64),
        ] {
            assert_eq!(TaskId::parse(id).unwrap().as_str(), id);
        }
    }

    #[test]
    fn whatever_could_be_read_as_something_else_is_refused() {
        let long = "x".repeat(65);
        for id in [
            "",
            ".",
            "..",
            "a/b",
            "../../../.git/hooks/pre-commit",
            "-rf",
            "A",
            "t 1",
            "t\n",
            "t\0",
            "caf\u{e9}",
            "cafe\u{301}",
            "con",
            "con.x",
            "lpt1",
            "t1.txt",
            "_thought",
            &long,
        ] {
            assert!(TaskId::parse(id).is_err(), "{id:?}");
        }
    }
}
