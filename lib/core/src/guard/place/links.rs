//! Where a path leads.

use super::{absolute, inside, normal};
use crate::guard::context::{Context, Entry};
use crate::guard::mark;

/// The path made absolute with a literal `~` read as home, and with links in the work tree
/// followed. `delete` keeps a link at the end: deleting it deletes the link.
pub(crate) fn resolve(context: &Context<'_>, cwd: &str, path: &str, delete: bool) -> String {
    let path = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", context.home),
        _ => path.to_owned(),
    };
    let slash = path.ends_with('/');
    let absolute = absolute(cwd, &path);
    follow(context, &absolute, delete && !slash)
}

/// Links followed at most, as the kernel does.
const LINKS_MAX: usize = 40;

fn follow(context: &Context<'_>, path: &str, keep_last: bool) -> String {
    let Some(root) = context.root else {
        return path.to_owned();
    };
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        if !inside(&path, root) || path.len() == root.len() || mark::unknown(&path) {
            return path;
        }
        let Some((link_end, target)) = first_link(context, &path, root, keep_last) else {
            return path;
        };
        let parent = path[..link_end]
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        path = normal(&format!(
            "{}{}",
            absolute(parent, &target),
            &path[link_end..]
        ));
    }
    mark::ANY.to_string()
}

fn first_link(
    context: &Context<'_>,
    path: &str,
    root: &str,
    keep_last: bool,
) -> Option<(usize, String)> {
    let ends = path
        .match_indices('/')
        .map(|(at, _)| at)
        .chain([path.len()]);
    for end in ends.filter(|end| *end > root.len()) {
        if keep_last && end == path.len() {
            return None;
        }
        if let Entry::Link(target) = context.facts.entry(&path[..end]) {
            return Some((end, target));
        }
    }
    None
}
