//! What an agent could bend in its own work tree's git data, and the driver goes by: noted before an
//! attempt, put back after it.

use crate::files::{self, Content};
use crate::state::{HOME, OWN_LIST, OWN_PROGRESS, Place};
use overnight_run::cell::Gives;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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

/// What git is told in a work tree that holds its folder, as it was: where the kernel gives no namespaces, the
/// agent reaches it.
#[derive(Debug, Default)]
pub struct Told {
    /// Content and mode.
    files: Vec<(PathBuf, Vec<u8>, u32)>,
    folders: Vec<PathBuf>,
}

impl Told {
    /// Notes it until the agent has ended; nothing where the walls keep it.
    pub fn of(place: &Place, gives: Gives) -> Self {
        let git = place.git_common.as_ref();
        let inside = git.filter(|git| git.starts_with(&place.top));
        let Some(git) = inside.filter(|_| !gives.namespaces) else {
            return Self::default();
        };
        // Where one is a link, that is what is put back.
        let folders = ["hooks", "info"].map(|name| git.join(name));
        let is_own = |path: &PathBuf| path.is_dir() && !path.is_symlink();
        let folders: Vec<PathBuf> = folders.into_iter().filter(is_own).collect();
        let paths = folders.iter().flat_map(|folder| told_in(folder));
        let files = paths.chain([git.join("config")]).filter_map(|path| {
            let mode = path.symlink_metadata().ok()?.mode();
            Some((path.clone(), read(&path)?, mode))
        });
        Self {
            files: files.collect(),
            folders,
        }
    }

    /// Puts back what differs and takes away what is new; gives the paths.
    pub fn restore(&self) -> Vec<PathBuf> {
        let is_new = |path: &PathBuf| self.files.iter().all(|(known, ..)| known != path);
        let now = self.folders.iter().flat_map(|folder| told_in(folder));
        let mut changed: Vec<PathBuf> = now.filter(is_new).collect();
        for path in &changed {
            let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir_all(path));
        }
        for (path, bytes, mode) in &self.files {
            let about = path.symlink_metadata();
            let same = about.is_ok_and(|about| about.mode() == *mode);
            if !(same && read(path).as_ref() == Some(bytes)) {
                let _ = std::fs::remove_dir_all(path);
                let folder = path.parent().map(std::fs::create_dir_all);
                if folder.is_some_and(|made| made.is_ok()) {
                    let _ = files::replace(path, bytes, *mode & 0o7777);
                }
                changed.push(path.clone());
            }
        }
        changed
    }
}

/// What is in such a folder, but for samples, which git does not run.
fn told_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let sample = |path: &PathBuf| path.extension().is_some_and(|end| end == "sample");
    paths.filter(|path| !sample(path)).collect()
}

fn read(path: &Path) -> Option<Vec<u8>> {
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
    fn what_git_is_told_in_the_agents_own_tree_is_put_back_where_no_namespace_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        git::read(&top, &["init", "-q"]).unwrap();
        let place = state::locate(&top).unwrap();
        let of_git = |name: &str| top.join(".git").join(name);
        let all = ["config", "hooks/pre-push", "info/exclude"].map(of_git);
        std::fs::create_dir_all(of_git("hooks")).unwrap();
        std::fs::create_dir_all(of_git("info")).unwrap();
        for path in &all[1..] {
            std::fs::write(path, "before\n").unwrap();
        }
        let config = std::fs::read(&all[0]).unwrap();
        let mut gives = crate::cell::gives();
        gives.namespaces = false;
        let told = Told::of(&place, gives);
        assert!(told.restore().is_empty());
        git::read(&top, &["config", "core.fsmonitor", "evil"]).unwrap();
        std::fs::set_permissions(&all[1], std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        std::fs::remove_file(&all[2]).unwrap();
        std::fs::write(of_git("hooks/pre-commit"), "evil\n").unwrap();
        assert_eq!(told.restore().len(), 4);
        assert_eq!(std::fs::read(&all[0]).unwrap(), config);
        assert_eq!(all[1].metadata().unwrap().mode() & 0o111, 0);
        assert_eq!(std::fs::read_to_string(&all[2]).unwrap(), "before\n");
        assert!(!of_git("hooks/pre-commit").exists() && told.restore().is_empty());
        gives.namespaces = true;
        assert!(Told::of(&place, gives).files.is_empty());
    }

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
