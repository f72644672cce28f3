//! The line: the branch that every driver of one task list merges into, and how it says what is
//! done.
//!
//! A task is done when the line's own history (first parents only, so that nothing an agent
//! commits on its branch counts) holds a merge that names it. "Merged" and "done" are the same
//! move of the same ref; there is no second place that could say otherwise.

use super::event::Elsewhere;
use crate::task::TaskSpec;
use overnight_base::session::hex;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The trailer of a merge: the task and what it was.
pub const TRAILER: &str = "Overnight-Task";
/// The trailer that tells which run merged.
pub const RUN: &str = "Overnight-Run";
/// The trailer that tells how what conflicted was merged without a model.
pub const WAY: &str = "Overnight-Way";
/// Hexadecimal digits of a task's key.
const KEY_DIGITS: usize = 16;

/// What the names of the leases of queues begin with. Of the machines that share a line, the one that
/// holds its queue's lease proves and lands.
pub const QUEUE: &str = "overnight.queue.";
/// Seconds that such a lease lasts when its machine is gone.
pub const QUEUE_TTL_S: u64 = 120;

/// The lease of the queue of a line.
pub fn queue(line: &str) -> String {
    let digest = hex(Sha256::digest(line.as_bytes()).as_slice());
    format!("{QUEUE}{}", &digest[..KEY_DIGITS])
}

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
    let subject = overnight_base::text::one_line(&task.objective, 60);
    let id = &task.id;
    let mark = mark(task);
    format!("Merge {id}: {subject}\n\n{TRAILER}: {mark}\n{RUN}: {run}\nOvernight-Token: {token}\n")
}

/// The message of the commit that brings several tasks that were proved together.
pub fn together(tasks: &[&TaskSpec], run: &str) -> String {
    let ids: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    let subject = overnight_base::text::one_line(&ids.join(", "), 60);
    let mut text = format!("Merge {subject}\n\n");
    for task in tasks {
        let _ = writeln!(text, "{TRAILER}: {}", mark(task));
    }
    let _ = writeln!(text, "{RUN}: {run}");
    text
}

/// The line of `log` (see [`done`]) for a commit of this run that brings these tasks.
pub fn told(commit: &str, tasks: &[&TaskSpec], run: &str) -> String {
    let marks: Vec<String> = tasks.iter().map(|task| mark(task)).collect();
    format!("{commit} -{run} {}", marks.join(" "))
}

/// The tasks among these that the line holds. `log` has a line for each commit: its id, a hyphen with the
/// run that merged it, then for each task that it brought the two words of the trailer's value.
pub fn done<'t>(log: &str, tasks: impl Iterator<Item = &'t TaskSpec>) -> Vec<Elsewhere> {
    let entries: Vec<Vec<&str>> = log.lines().map(|line| line.split(' ').collect()).collect();
    let find = |task: &TaskSpec| {
        let key = key(task);
        let wanted = [task.id.as_str(), key.as_str()];
        let brings =
            |words: &&Vec<&str>| words.len() > 2 && words[2..].chunks(2).any(|mark| mark == wanted);
        let found = entries.iter().find(brings)?;
        Some(Elsewhere {
            task: task.id.clone(),
            commit: found[0].to_owned(),
            run: found[1].trim_start_matches('-').to_owned(),
        })
    };
    tasks.filter_map(find).collect()
}
