//! The record that a lease's commit carries.

use super::{TOKEN_MAX, TTL_S_MAX};
use overnight_tasks::TaskId;
use serde::{Deserialize, Serialize};

/// Version of the record's format.
const VERSION: u32 = 1;
/// Longest record that is read, in bytes.
pub const RECORD_BYTES_MAX: usize = 4_096;
/// Longest name of an agent or host, in bytes.
pub const NAME_BYTES_MAX: usize = 128;

/// Held by somebody, or given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// An agent holds the task.
    Held,
    /// Given back; the record stays as a tombstone so that tokens only grow.
    Free,
}

/// The process that a lease lives and dies with, as its own machine names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Process id.
    pub pid: u32,
    /// When it started, as the system counts it: tells a re-used id apart.
    pub start: String,
    /// The space that the id is valid in (a container has its own).
    pub space: String,
}

/// What a lease says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Version of this format.
    pub v: u32,
    /// The task.
    pub task: String,
    /// Held or given back.
    pub state: Phase,
    /// Who holds it, or held it last.
    pub agent: String,
    /// The machine's name.
    pub host: String,
    /// The clone that wrote it: a random name made once per repository folder.
    pub instance: String,
    /// The boot that `mono_ms` counts in.
    pub boot: String,
    /// The fencing token.
    pub token: u64,
    /// Time to live in seconds, counted from the last renewal.
    pub ttl_s: u64,
    /// When this holder got it, unix milliseconds by its own clock.
    pub acquired_ms: u64,
    /// When it was last renewed, unix milliseconds by its own clock.
    pub renewed_ms: u64,
    /// The same moment on its boot clock, read before the record was sent.
    pub mono_ms: u64,
    /// Makes every record's object id unique.
    pub nonce: String,
    /// The process it lives with, if one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
}

/// What stands on a lease's ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// The ref does not exist.
    Absent,
    /// A record under this object id.
    Record {
        /// The commit.
        oid: String,
        /// What it says.
        record: Box<Record>,
    },
    /// A commit that is no record of ours: forged, damaged, or of a newer version.
    Unreadable {
        /// The commit.
        oid: String,
    },
}

impl Standing {
    /// The object id on the ref; `None` when there is no ref.
    pub fn oid(&self) -> Option<&str> {
        match self {
            Self::Absent => None,
            Self::Record { oid, .. } | Self::Unreadable { oid } => Some(oid),
        }
    }

    /// The record, if there is a readable one.
    pub fn record(&self) -> Option<&Record> {
        match self {
            Self::Record { record, .. } => Some(record),
            Self::Absent | Self::Unreadable { .. } => None,
        }
    }
}

impl Record {
    /// Reads a commit's message. `None` when it is not a record of this task that can be trusted to
    /// be one; numbers out of range are brought into it (a hostile time to live must not hold a
    /// task for ever).
    pub fn parse(message: &[u8], task: &TaskId) -> Option<Self> {
        if message.len() > RECORD_BYTES_MAX {
            return None;
        }
        let mut record: Self = serde_json::from_slice(message).ok()?;
        let names = [&record.agent, &record.host, &record.instance, &record.boot];
        let sound = record.v == VERSION
            && record.task == task.as_str()
            && (1..TOKEN_MAX).contains(&record.token)
            && names.into_iter().all(|name| check_name(name).is_ok());
        record.ttl_s = record.ttl_s.clamp(1, TTL_S_MAX);
        sound.then_some(record)
    }

    /// The version written by this program.
    pub fn version() -> u32 {
        VERSION
    }

    /// The commit object that carries this record: an empty tree, times of zero (the object id is
    /// to depend on the record alone), and a parent where the host allows only fast-forwards.
    pub fn commit(&self, empty_tree: &str, parent: Option<&str>) -> String {
        let parent = parent.map_or(String::new(), |oid| format!("parent {oid}\n"));
        let who = "overnight <overnight@localhost.invalid> 0 +0000";
        // A record of plain strings and numbers can be written; an empty message would be
        // unreadable to everybody, which is safe.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("tree {empty_tree}\n{parent}author {who}\ncommitter {who}\n\n{json}\n")
    }

    /// When it ends by its holder's wall clock, for people.
    pub fn expires_ms(&self) -> u64 {
        self.renewed_ms
            .saturating_add(self.ttl_s.saturating_mul(1_000))
    }
}

/// A name of an agent, host or clone: short, visible, one line.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if name.len() > NAME_BYTES_MAX {
        return Err(format!(
            "it has {} bytes, at most {NAME_BYTES_MAX} are allowed",
            name.len()
        ));
    }
    if name.chars().any(overnight_base::text::is_unshowable) {
        return Err("it contains characters that cannot be shown".to_owned());
    }
    Ok(())
}
