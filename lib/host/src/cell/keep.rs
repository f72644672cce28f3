//! What an agent could bend in its own work tree's git data, and the driver goes by: noted before an
//! attempt, put back after it.

use crate::files::{self, Content};
use crate::state::{HOME, OWN_LIST, OWN_PROGRESS, Place};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A pointer or a mark is a line; more is none.
const BYTES_MAX: u64 = 64 << 10;

/// Moves with the agent's work; without it the tree is none of git's.
const HEAD: &str = "HEAD";

/// Is this what git has in it: a branch, or a commit?
fn is_head(bytes: &[u8]) -> bool {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let commit = matches!(line.len(), 40 | 64) && line.iter().all(u8::is_ascii_hexdigit);
    commit || line.starts_with(b"ref: refs/heads/") && !line.contains(&b'\n')
}

/// Files as they were.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Kept(Vec<(PathBuf, Option<Vec<u8>>)>);

impl Kept {
    /// Notes the files of this work tree. One that is no linked tree has no pointers; what would be one is
    /// taken away.
    pub fn of(place: &Place) -> Self {
        let linked = place
            .git
            .as_ref()
            .filter(|git| Some(*git) != place.git_common.as_ref());
        let own = linked.into_iter().flat_map(|git| {
            [
                HEAD,
                "commondir",
                "gitdir",
                "config.worktree",
                HOME,
                OWN_LIST,
                OWN_PROGRESS,
            ]
            .map(|name| git.join(name))
        });
        let pointer = linked.map(|_| place.top.join(".git"));
        let whole = place.git.as_ref().filter(|_| linked.is_none());
        let whole = whole
            .into_iter()
            .flat_map(|git| [HEAD, "commondir", "config.worktree"].map(|name| git.join(name)));
        Self(
            own.chain(pointer)
                .chain(whole)
                .map(|path| (path.clone(), read(&path)))
                .collect(),
        )
    }

    /// Puts back what differs; gives its paths.
    pub fn restore(&self) -> Vec<PathBuf> {
        let changed = |(path, before): &&(PathBuf, Option<Vec<u8>>)| {
            let now = read(path);
            let moves = path.ends_with(HEAD) && now.as_deref().is_some_and(is_head);
            path.is_symlink() || now != *before && !moves
        };
        let mut restored = Vec::new();
        for (path, before) in self.0.iter().filter(changed) {
            let _ = if path.is_dir() && !path.is_symlink() {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
            if let Some(bytes) = before {
                let _ = files::replace(path, bytes, files::SHARED);
            }
            restored.push(path.clone());
        }
        restored
    }
}

fn read(path: &std::path::Path) -> Option<Vec<u8>> {
    match files::read_bounded(path, BYTES_MAX) {
        Ok(Content::Bytes(bytes)) => Some(bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{git, state};

    #[test]
    fn a_work_tree_that_was_made_to_point_elsewhere_points_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir(&root).unwrap();
        git::read(&root, &["init", "-q"]).unwrap();
        let author = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ];
        git::read(&root, &author).unwrap();
        let whole = state::locate(&root).unwrap();
        let kept = Kept::of(&whole);
        std::fs::write(root.join(".git/commondir"), "/evil\n").unwrap();
        assert_eq!(
            state::locate(&root).unwrap(),
            whole,
            "no pointer leads away from it"
        );
        assert_eq!(kept.restore(), [root.join(".git/commondir")]);
        git::read(&root, &["worktree", "add", "-q", "../linked"]).unwrap();
        let place = state::locate(&root.with_file_name("linked")).unwrap();
        let own = place.git.clone().unwrap();
        let kept = Kept::of(&place);
        assert!(kept.restore().is_empty());
        std::fs::write(place.top.join(".git"), "gitdir: /evil\n").unwrap();
        std::fs::remove_file(own.join("commondir")).unwrap();
        std::os::unix::fs::symlink("/evil", own.join("commondir")).unwrap();
        std::fs::write(own.join("config.worktree"), "[core]\n\tfsmonitor = evil\n").unwrap();
        assert_eq!(kept.restore().len(), 3);
        assert_eq!(state::locate(&place.top).unwrap(), place);
        assert!(!own.join("config.worktree").exists());
        assert!(kept.restore().is_empty());
        git::read(&place.top, &["switch", "-q", "-c", "other"]).unwrap();
        assert!(kept.restore().is_empty(), "the agent's own branch");
        std::fs::remove_dir_all(&own).unwrap();
        assert!(!kept.restore().is_empty());
        assert_eq!(state::locate(&place.top).unwrap(), place);
        git::read(&place.top, &["status"]).unwrap();
    }
}
