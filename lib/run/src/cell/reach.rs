//! What is reached when some things are closed. The kernel knows no denials: what is closed is left
//! out, and beside every folder on the way to it everything else is named.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, PathBuf};

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
            for part in path.components() {
                if let Component::Normal(name) = part {
                    at = at.below.entry(name).or_default();
                }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

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
}
