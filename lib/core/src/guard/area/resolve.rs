//! From the path that a tool was given to the path that it would open.

use crate::guard::{Entry, Facts};

/// Links followed at most; Linux gives up after 40 too (`path_resolution(7)`).
const LINKS_MAX: usize = 40;

/// Absolute, with `.`, `..` and a leading `~` resolved by text.
pub(super) fn absolute(path: &str, cwd: &str, home: &str) -> String {
    let joined = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}/{rest}"),
        _ if path.starts_with('/') => path.to_owned(),
        _ => format!("{cwd}/{path}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// With every link followed, the last one too: an editor opens what it points to. `None`: more
/// links than any system follows.
pub(super) fn real(path: &str, facts: &dyn Facts) -> Option<String> {
    let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut done: Vec<String> = Vec::new();
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                done.pop();
                continue;
            }
            _ => {}
        }
        done.push(part);
        let here = format!("/{}", done.join("/"));
        if let Entry::Link(target) = facts.entry(&here) {
            links += 1;
            if links > LINKS_MAX {
                return None;
            }
            done.pop();
            if target.starts_with('/') {
                done.clear();
            }
            ahead.extend(target.split('/').rev().map(str::to_owned));
        }
    }
    Some(format!("/{}", done.join("/")))
}
