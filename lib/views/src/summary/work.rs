//! What git says of a run's work. Overnight's own files are never among it.

use serde::Serialize;

pub use crate::report::facts::{Changes, FileChange, OfTask};

/// A path that Overnight itself writes, or that the person writes for it.
pub fn is_own(path: &str) -> bool {
    const FOLDERS: [&str; 4] = ["progress/", "agent_logs/", "current_tasks/", "logs/"];
    FOLDERS.iter().any(|folder| path.starts_with(folder)) || path == "tasks.json"
}

/// A process of an agent that lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alive {
    /// Its process id, which is that of its group too.
    pub pid: u32,
    /// The task that it was started for.
    pub task: String,
    /// Its member's number, if it has one.
    pub member: Option<u32>,
}
