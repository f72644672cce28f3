//! A change in hunks, each with what shows it.

use crate::report::facts::FileChange;
use crate::summary::{Summary, Task};
use overnight_base::text::is_unshowable;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Characters of a line that is shown.
const CHARS_MAX: usize = 500;
/// Lines of one hunk that are shown; the rest is counted.
const LINES_MAX: usize = 2_000;

/// A hunk of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The file.
    pub file: String,
    /// Its lines: head first, then with `+`, `-` or a space. Nothing in them can move a cursor.
    pub lines: Vec<String>,
    /// What it is known by, wherever it stands: the hash of file and lines.
    pub key: String,
    /// The tasks whose iterations touched the file, the last one last.
    pub tasks: Vec<String>,
    /// What shows it, in a line.
    pub standing: String,
    /// Was it read?
    pub read: bool,
}

/// The hunks of a patch; `touched` says which tasks touched a file.
pub fn hunks(patch: &str, touched: &BTreeMap<String, Vec<String>>, night: &Summary) -> Vec<Hunk> {
    let mut all: Vec<Hunk> = Vec::new();
    let (mut file, mut open) = (String::new(), false);
    for line in patch.lines() {
        if line.starts_with("diff --git ") {
            open = false;
            file = named(line);
        } else if !open && (line.starts_with("+++ b/") || line.starts_with("--- a/")) {
            file = String::from(line[6..].trim_end_matches('\t'));
        } else if line.starts_with("@@ ") || (!open && line.starts_with("Binary files ")) {
            open = true;
            all.push(Hunk {
                lines: vec![shown(line)],
                key: String::new(),
                tasks: touched.get(&file).cloned().unwrap_or_default(),
                standing: String::new(),
                file: shown(&file),
                read: false,
            });
        } else if let Some(hunk) = all.last_mut().filter(|_| open) {
            hunk.lines.push(shown(line));
        }
    }
    for hunk in &mut all {
        hunk.key = key(hunk);
        hunk.standing = standing(hunk, night);
        let more = hunk.lines.len().saturating_sub(LINES_MAX);
        if more > 0 {
            hunk.lines.truncate(LINES_MAX);
            hunk.lines.push(format!("… {more} more lines"));
        }
    }
    all
}

/// The file of a `diff --git a/X b/X` line, for files whose content does not tell it.
fn named(line: &str) -> String {
    let both = line.trim_start_matches("diff --git ");
    let second = both.rsplit(" b/").next();
    second.unwrap_or(both).to_owned()
}

/// By content: where the lines stand in the file does not count.
fn key(hunk: &Hunk) -> String {
    let mut hash = Sha256::new();
    hash.update(hunk.file.as_bytes());
    for line in hunk.lines.iter().skip(1) {
        hash.update(b"\n");
        hash.update(line.as_bytes());
    }
    if hunk.lines.len() == 1 {
        hash.update(hunk.lines[0].as_bytes());
    }
    let mut text = String::new();
    for byte in hash.finalize().iter().take(16) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// What shows it: the tasks that touched its file, as they stand.
fn standing(hunk: &Hunk, night: &Summary) -> String {
    let change = FileChange {
        path: hunk.file.clone(),
        removed: hunk
            .lines
            .iter()
            .filter(|line| line.starts_with('-'))
            .count() as u64,
        ..FileChange::default()
    };
    let mut parts = Vec::new();
    if change.removed > 0 && matches!(change.why(), "tests" | "tests shrank") {
        parts.push("a test of the evening is changed".to_owned());
    }
    let of = |id: &String| night.tasks.iter().find(|task| task.id == *id);
    let tasks: Vec<&Task> = hunk.tasks.iter().filter_map(of).collect();
    if tasks.is_empty() {
        parts.push("outside any task".to_owned());
    }
    parts.extend(tasks.into_iter().map(by));
    parts.join("; ")
}

fn by(task: &Task) -> String {
    let (id, words) = (&task.id, task.standing.words());
    match (&task.refuted_by, task.gates.first()) {
        (Some(gate), _) => {
            let message = gate.lines.first().map(String::as_str);
            format!(
                "{id} {words} by `{}`: {}",
                gate.command,
                message.unwrap_or(&gate.ended)
            )
        }
        (None, Some(gate)) if task.standing.is_done() => format!("{id} {words} by `{gate}`"),
        _ => format!("{id} {words}"),
    }
}

/// A line of somebody's file: indented as it is, what could move a cursor or hide text is named.
fn shown(line: &str) -> String {
    let mut out = String::new();
    for c in line.chars().take(CHARS_MAX) {
        match c {
            '\t' => out.push_str("    "),
            c if is_unshowable(c) => {
                let _ = write!(out, "<U+{:04X}>", u32::from(c));
            }
            c => out.push(c),
        }
    }
    if line.chars().nth(CHARS_MAX).is_some() {
        out.push('…');
    }
    out
}
