//! Where a path leads: the one place that follows links.

use super::{absolute, inside, normal};
use crate::guard::context::{Context, Entry};
use crate::guard::mark;

/// Links followed at most; Linux gives up after 40 too (`path_resolution(7)`).
const LINKS_MAX: usize = 40;
/// Bytes of a path at most: Linux opens no longer one (`PATH_MAX`).
const PATH_BYTES_MAX: usize = 4096;

/// The path made absolute with a literal `~` read as home, and with links in the work tree
/// followed. `delete` keeps a link at the end: deleting it deletes the link.
pub(crate) fn resolve(context: &Context<'_>, cwd: &str, path: &str, delete: bool) -> String {
    let path = at_home(path, context.home);
    let keep_last = delete && !path.ends_with('/');
    let absolute = absolute(cwd, &path);
    let Some(root) = context.root.filter(|root| inside(&absolute, root)) else {
        return absolute;
    };
    let link = |here: &str| {
        // What stands behind an unknown part is unknown; outside, nobody is asked.
        let asked = inside(here, root) && here.len() > root.len() && !mark::unknown(here);
        match asked.then(|| context.facts.entry(here)) {
            Some(Entry::Link(target)) => Some(target),
            _ => None,
        }
    };
    follow(&absolute, keep_last, link).unwrap_or_else(|| mark::ANY.to_string())
}

/// A leading `~` as the home folder.
fn at_home(path: &str, home: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => path.to_owned(),
    }
}

/// Absolute, with `.`, `..` and a leading `~` resolved by text: for paths without unknown parts.
pub(crate) fn lexical(path: &str, cwd: &str, home: &str) -> String {
    let path = at_home(path, home);
    if path.starts_with('/') {
        normal(&path)
    } else {
        normal(&format!("{cwd}/{path}"))
    }
}

/// The path with its links followed, also the last one unless it is kept. `link` gives a link's
/// target. `None`: more links than any system follows.
pub(crate) fn follow(
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
