//! Where a path leads: the one place that follows links.

use super::{normal, starts_unknown};
use crate::mark;

/// Links followed at most; Linux gives up after 40 too (`path_resolution(7)`).
const LINKS_MAX: usize = 40;
/// Bytes of a path at most: Linux opens no longer one (`PATH_MAX`).
const PATH_BYTES_MAX: usize = 4096;

/// The path made absolute with a literal `~` read as home, and with links followed wherever they
/// stand. `delete` keeps a link at the end: deleting it deletes the link. `link` gives a link's
/// target.
pub(crate) fn resolve(
    cwd: &str,
    path: &str,
    home: &str,
    delete: bool,
    link: impl Fn(&str) -> Option<String>,
) -> String {
    let path = at_home(path, home);
    if starts_unknown(&path) {
        return path;
    }
    let keep_last = delete && !path.ends_with('/');
    let joined = if path.starts_with('/') {
        path
    } else {
        format!("{cwd}/{path}")
    };
    follow(&joined, keep_last, link).unwrap_or_else(|| mark::ANY.to_string())
}
/// A leading `~` as the home folder.
fn at_home(path: &str, home: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    }
}

/// Absolute, with `.`, `..` and a leading `~` resolved by text: for paths without unknown parts.
pub fn lexical(path: &str, cwd: &str, home: &str) -> String {
    let path = at_home(path, home);
    if path.starts_with('/') {
        normal(&path)
    } else {
        normal(&format!("{cwd}/{path}"))
    }
}

/// The path with its links followed, also the last one unless it is kept. `link` gives a link's
/// target. `None`: more links than any system follows.
pub fn follow(
    path: &str,
    keep_last: bool,
    link: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut ahead: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut here = String::new();
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        match part.as_str() {
            "" | "." => continue,
            ".." => {
                here.truncate(here.rfind('/').unwrap_or(0));
                continue;
            }
            _ => {}
        }
        let parent = here.len();
        here.push('/');
        here.push_str(&part);
        let last = ahead.iter().all(String::is_empty);
        if here.len() > PATH_BYTES_MAX || (keep_last && last) {
            continue;
        }
        if let Some(target) = link(&here) {
            links += 1;
            if links > LINKS_MAX {
                return None;
            }
            here.truncate(if target.starts_with('/') { 0 } else { parent });
            ahead.extend(target.split('/').rev().map(str::to_owned));
        }
    }
    Some(if here.is_empty() {
        "/".to_owned()
    } else {
        here
    })
}
