//! What is readable when some things are hidden. The kernel knows no denials: what is hidden is left
//! out, and beside every folder on the way to it everything else is named.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// The folders and files that may be read, each with all that is below it. `children` lists a folder,
/// links left out: a link opens nothing that its target does not.
pub fn reach(hidden: &[PathBuf], children: &dyn Fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let mut tree = Way::default();
    for path in hidden {
        let mut at = &mut tree;
        for part in path.components() {
            if let Component::Normal(name) = part {
                at = at.below.entry(name).or_default();
            }
        }
        at.hidden = true;
    }
    let mut open = Vec::new();
    tree.look(Path::new("/"), children, &mut open);
    open
}

/// A folder on the way to what is hidden: there are many siblings and few of these.
#[derive(Default)]
struct Way<'h> {
    hidden: bool,
    below: BTreeMap<&'h OsStr, Way<'h>>,
}

impl Way<'_> {
    fn look(&self, at: &Path, children: &dyn Fn(&Path) -> Vec<PathBuf>, open: &mut Vec<PathBuf>) {
        if self.hidden {
            return;
        }
        if self.below.is_empty() {
            open.push(at.to_owned());
            return;
        }
        for child in children(at) {
            match child.file_name().and_then(|name| self.below.get(name)) {
                Some(way) => way.look(&child, children, open),
                None => open.push(child),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &[&str] = &[
        "/etc",
        "/home",
        "/home/a",
        "/home/a/.ssh",
        "/home/a/.config",
        "/home/a/.config/gh",
        "/home/a/.config/git",
        "/home/a/work",
        "/home/b",
        "/usr",
    ];

    fn children(at: &Path) -> Vec<PathBuf> {
        let below = TREE
            .iter()
            .map(Path::new)
            .filter(|path| path.parent() == Some(at));
        below.map(Path::to_owned).collect()
    }

    #[test]
    fn everything_is_readable_but_what_is_hidden() {
        let hidden = ["/home/a/.ssh", "/home/a/.config/gh", "/home/a/.aws"].map(PathBuf::from);
        let open = reach(&hidden, &children);
        let reads = |path: &str| open.iter().any(|open| Path::new(path).starts_with(open));
        for path in TREE {
            let path = Path::new(path);
            let secret = hidden.iter().any(|hidden| path.starts_with(hidden));
            let on_the_way = hidden.iter().any(|hidden| hidden.starts_with(path));
            assert_eq!(
                reads(path.to_str().unwrap()),
                !secret && !on_the_way,
                "{path:?}"
            );
        }
        assert_eq!(reach(&[], &children), [PathBuf::from("/")]);
        assert!(reach(&["/".into()], &children).is_empty());
    }
}
