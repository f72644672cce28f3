//! The line: the branch that every driver of one task list merges into, and how it says what is
//! done.
//!
//! A task is done when the line's own history (first parents only, so that nothing an agent
//! commits on its branch counts) holds a merge that names it. "Merged" and "done" are the same
//! move of the same ref; there is no second place that could say otherwise.

use crate::run::task::TaskSpec;
use crate::session::hex;
use sha2::{Digest, Sha256};

/// The trailer of a merge: the task and what it was.
pub const TRAILER: &str = "Overnight-Task";
/// Hexadecimal digits of a task's key.
const KEY_DIGITS: usize = 16;

/// The line of a run that stands on this branch: the branch itself when it is one of our own,
/// else one of our own named after it, so that a foreign branch is never pushed.
pub fn branch(own_prefix: &str, standing_on: &str) -> String {
    if standing_on.starts_with(own_prefix) {
        standing_on.to_owned()
    } else {
        format!("{own_prefix}{standing_on}")
    }
}

/// What makes a task the same task: its id, its objective and its definition of done. Whether a
/// condition is a command depends on the machine's programs and does not count.
pub fn key(task: &TaskSpec) -> String {
    let mut conditions: Vec<&String> = task.gates.iter().chain(&task.checklist).collect();
    conditions.sort();
    let text = serde_json::json!([task.id, task.objective, conditions]).to_string();
    let mut key = hex(Sha256::digest(text.as_bytes()).as_slice());
    key.truncate(KEY_DIGITS);
    key
}

/// The value of the trailer.
pub fn mark(task: &TaskSpec) -> String {
    format!("{} {}", task.id, key(task))
}

/// The message of a merge.
pub fn message(task: &TaskSpec, run: &str, token: u64) -> String {
    let subject = crate::text::one_line(&task.objective, 60);
    let id = &task.id;
    let mark = mark(task);
    format!(
        "Merge {id}: {subject}\n\n{TRAILER}: {mark}\nOvernight-Run: {run}\nOvernight-Token: {token}\n"
    )
}

/// The tasks among these that the line holds. `log` has a line for each commit: its id, a blank,
/// the trailer's value.
pub fn done<'t>(log: &str, tasks: impl Iterator<Item = &'t TaskSpec>) -> Vec<(String, String)> {
    let entries: Vec<(&str, &str)> = log
        .lines()
        .filter_map(|line| line.trim().split_once(' '))
        .collect();
    let find = |task: &TaskSpec| {
        let mark = mark(task);
        let found = entries.iter().find(|(_, value)| *value == mark)?;
        Some((task.id.clone(), found.0.to_owned()))
    };
    tasks.filter_map(find).collect()
}
