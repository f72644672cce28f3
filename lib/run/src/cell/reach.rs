//! What is reached when some things are closed. The kernel knows no denials: what is closed is left
//! out, and beside every folder on the way to it everything else is named.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// What is closed, as seen from a folder on the way to it: there are many siblings and few of these.
#[derive(Debug, Default)]
pub struct Way<'h> {
    closed: bool,
    below: BTreeMap<&'h OsStr, Way<'h>>,
}

/// What is to be done about an entry of such a folder.
#[derive(Debug, Clone, Copy)]
pub enum Beside<'w, 'h> {
    /// Nothing: it is closed.
    Closed,
    /// It is open, with all that is below it.
    Open,
    /// It holds what is closed.
    On(&'w Way<'h>),
}

impl<'h> Way<'h> {
    /// The way from the root to all of these.
    pub fn to(closed: &'h [PathBuf]) -> Self {
        let mut way = Self::default();
        for path in closed {
            let mut at = &mut way;
            for name in names(path) {
                at = at.below.entry(name).or_default();
            }
            at.closed = true;
        }
        way
    }

    /// What is to be done about the folder itself.
    pub fn itself(&self) -> Beside<'_, 'h> {
        match self {
            Self { closed: true, .. } => Beside::Closed,
            way if way.below.is_empty() => Beside::Open,
            way => Beside::On(way),
        }
    }

    /// What is to be done about this entry of it.
    pub fn beside(&self, name: &OsStr) -> Beside<'_, 'h> {
        self.below.get(name).map_or(Beside::Open, Way::itself)
    }

    /// Is this path closed, or does it hold what is?
    pub fn holds(&self, path: &Path) -> bool {
        self.along(path).nth(depth(path)).is_some()
    }

    /// How deep the innermost of what is closed lies that holds this path, or is it.
    pub fn around(&self, path: &Path) -> Option<usize> {
        let all = self.along(path).enumerate();
        all.filter(|(_, way)| way.closed).map(|(at, _)| at).last()
    }

    /// From the root towards this path, as far as something closed lies below.
    fn along(&self, path: &Path) -> impl Iterator<Item = &Self> {
        let mut names = names(path);
        std::iter::successors(Some(self), move |way| way.below.get(names.next()?))
    }
}

fn names(path: &Path) -> impl Iterator<Item = &OsStr> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

fn depth(path: &Path) -> usize {
    names(path).count()
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

    fn look(way: Beside<'_, '_>, at: &Path, open: &mut Vec<PathBuf>) {
        let way = match way {
            Beside::Closed => return,
            Beside::Open => return open.push(at.to_owned()),
            Beside::On(way) => way,
        };
        let all = TREE.iter().map(Path::new);
        for child in all.filter(|path| path.parent() == Some(at)) {
            look(way.beside(child.file_name().unwrap()), child, open);
        }
    }

    fn reach(closed: &[PathBuf]) -> Vec<PathBuf> {
        let mut open = Vec::new();
        look(Way::to(closed).itself(), Path::new("/"), &mut open);
        open
    }

    #[test]
    fn everything_is_readable_but_what_is_hidden() {
        let hidden = ["/home/a/.ssh", "/home/a/.config/gh", "/home/a/.aws"].map(PathBuf::from);
        let open = reach(&hidden);
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
        assert_eq!(reach(&[]), [PathBuf::from("/")]);
        assert!(reach(&["/".into()]).is_empty());
    }
    #[test]
    fn what_is_closed_around_a_path_and_below_it_is_found() {
        let closed = ["/h/a", "/h/a/b/c", "/h/x/y"].map(PathBuf::from);
        let way = Way::to(&closed);
        for (path, around, holds) in [
            ("/", None, true),
            ("/h", None, true),
            ("/h/a", Some(2), true),
            ("/h/ab", None, false),
            ("/h/a/b", Some(2), true),
            ("/h/a/b/c", Some(4), true),
            ("/h/a/b/c/d/e", Some(4), false),
            ("/h/a/d", Some(2), false),
            ("/h/x", None, true),
            ("/elsewhere", None, false),
        ] {
            let path = Path::new(path);
            assert_eq!(
                (way.around(path), way.holds(path)),
                (around, holds),
                "{path:?}"
            );
            let slowly = closed.iter().any(|closed| closed.starts_with(path));
            assert_eq!(holds, slowly, "{path:?}");
        }
        assert_eq!(Way::to(&["/".into()]).around(Path::new("/h")), Some(0));
    }
}
