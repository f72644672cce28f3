//! What git has of the project's past. An agent must write where git writes; a command of its that deletes
//! whatever it can reach takes no commit and no branch of the person's with it.

use crate::config;
use crate::git;
use crate::state::Place;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Beside the run's journal: hard links to git's objects, for all its agents. It lasts as long as the run, since
/// making thousands of files anew for each attempt takes longer than all else that is done for one.
const FOLDER: &str = "objects";
/// With more of them no more are kept.
const OBJECTS_MAX: usize = 20_000;
/// What the person names; branches of runs come and go, and what was fetched is fetched again.
const NAMES: [&str; 3] = ["refs/heads/", "refs/tags/", "refs/stash"];

/// It, as it was before an attempt.
#[derive(Debug)]
pub struct Past {
    top: PathBuf,
    objects: PathBuf,
    copy: PathBuf,
    names: BTreeSet<(String, String)>,
    /// Parts of git's folder that are links, which no wall keeps where they are, and where they lead.
    links: Vec<(PathBuf, PathBuf)>,
}

impl Past {
    /// Keeps it in the run's folder; `None` without git. What an agent took whose driver was killed comes back
    /// first.
    pub fn keep(place: &Place, run_folder: &Path) -> Option<Self> {
        let git = place.git_common.as_ref()?;
        let links = ["config", "hooks", "info"].map(|name| git.join(name));
        let past = Self {
            top: place.top.clone(),
            objects: git.join("objects"),
            copy: run_folder.join(FOLDER),
            names: names(place),
            links: links
                .into_iter()
                .filter_map(|link| Some((link.clone(), std::fs::read_link(link).ok()?)))
                .collect(),
        };
        past.follow();
        Some(past)
    }

    /// Ends what was kept in the run's folder.
    pub fn forget(run_folder: &Path) {
        let _ = std::fs::remove_dir_all(run_folder.join(FOLDER));
    }

    /// Brings the copy up to the objects that are there.
    fn follow(&self) {
        if self.is_packed_anew() {
            let _ = std::fs::remove_dir_all(&self.copy);
        }
        let (there, kept) = (files(&self.objects), files(&self.copy));
        link((&self.copy, &self.objects), kept.difference(&there));
        if there.len() <= OBJECTS_MAX {
            link((&self.objects, &self.copy), there.difference(&kept));
        }
    }

    /// Puts back what has gone, and tells what that was.
    pub fn restore(&self) -> Vec<String> {
        // What git itself packed anew is all there.
        let objects = if self.is_packed_anew() {
            0
        } else {
            let (there, kept) = (files(&self.objects), files(&self.copy));
            link((&self.copy, &self.objects), kept.difference(&there))
        };
        let mut told = Vec::new();
        if objects > 0 {
            told.push(format!("{objects} of git's objects"));
        }
        for (link, target) in &self.links {
            if std::fs::read_link(link).ok().as_ref() == Some(target) {
                continue;
            }
            let _ = std::fs::remove_file(link).or_else(|_| std::fs::remove_dir_all(link));
            if std::os::unix::fs::symlink(target, link).is_ok() {
                told.push(link.display().to_string());
            }
        }
        let there: BTreeSet<String> = listed(&self.top).map(|(name, _)| name).collect();
        for (name, commit) in self.names.iter().filter(|(name, _)| !there.contains(name)) {
            let update = [
                "update-ref",
                "-m",
                "overnight: it was deleted",
                name.as_str(),
                commit.as_str(),
            ];
            if git::read(&self.top, &update).is_ok() {
                told.push(name.clone());
            }
        }
        told
    }

    fn is_packed_anew(&self) -> bool {
        let packs = files(&self.objects.join("pack"));
        let mut packs = packs
            .iter()
            .filter(|file| file.extension().is_some_and(|end| end == "pack"));
        packs.any(|pack| !self.copy.join("pack").join(pack).exists())
    }
}

/// The names of the person's, and that of the branch that is worked on.
fn names(place: &Place) -> BTreeSet<(String, String)> {
    let prefix = config::load(Some(place)).settings.guard.branch_prefix;
    let runs = format!("refs/heads/{prefix}");
    let own = place.branch().map(|branch| format!("refs/heads/{branch}"));
    let persons =
        |name: &str| NAMES.iter().any(|kind| name.starts_with(kind)) && !name.starts_with(&runs);
    let kept = |name: &str| persons(name) || own.as_deref() == Some(name);
    listed(&place.top).filter(|(name, _)| kept(name)).collect()
}

fn listed(top: &Path) -> impl Iterator<Item = (String, String)> {
    let told = git::read(top, &["for-each-ref", "--format=%(refname) %(objectname)"]);
    let lines: Vec<String> = told
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect();
    lines.into_iter().filter_map(|line| {
        let (name, id) = line.split_once(' ')?;
        Some((name.to_owned(), id.to_owned()))
    })
}

/// The files below a folder, by their paths in it.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = WalkDir::new(folder).into_iter().flatten();
    let files = entries.filter(|entry| entry.file_type().is_file());
    let name = |file: walkdir::DirEntry| Some(file.path().strip_prefix(folder).ok()?.to_owned());
    files.filter_map(name).collect()
}

/// Links these files of one folder into another one. How many were there to be linked? Where the file system has
/// no hard links, none.
fn link<'f>((from, to): (&Path, &Path), names: impl IntoIterator<Item = &'f PathBuf>) -> usize {
    let linked = |name: &&PathBuf| {
        let target = to.join(name);
        let link = || std::fs::hard_link(from.join(name), &target);
        let made = |_| std::fs::create_dir_all(target.parent().unwrap_or(to));
        link()
            .or_else(|error| made(error).and_then(|()| link()))
            .is_ok()
    };
    names.into_iter().filter(linked).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state;

    #[test]
    fn what_an_agent_deletes_of_git_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let author = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let git = |arguments: &[&str]| git::read(&top, &[&author[..], arguments].concat()).unwrap();
        git(&["init", "-q", "-b", "auto/x"]);
        std::fs::write(top.join("a"), "a\n").unwrap();
        git(&["add", "-A"]);
        git(&["commit", "-qm", "a"]);
        for branch in ["main", "auto/other"] {
            git(&["branch", branch]);
        }
        git(&["tag", "v1"]);
        let place = state::locate(&top).unwrap();
        let hooks = top.join(".git/hooks");
        let _ = std::fs::remove_dir_all(&hooks);
        std::os::unix::fs::symlink("../own-hooks", &hooks).unwrap();
        let run = tempfile::tempdir_in(top.join(".git")).unwrap();
        let past = Past::keep(&place, run.path()).unwrap();
        for gone in ["objects", "refs"] {
            std::fs::remove_dir_all(top.join(".git").join(gone)).unwrap();
            std::fs::create_dir(top.join(".git").join(gone)).unwrap();
        }
        std::fs::remove_file(&hooks).unwrap();
        std::fs::create_dir(&hooks).unwrap();
        let told = past.restore();
        assert_eq!(
            std::fs::read_link(&hooks).unwrap(),
            Path::new("../own-hooks")
        );
        let names = ["refs/heads/auto/x", "refs/heads/main", "refs/tags/v1"];
        assert_eq!(told[0], "3 of git's objects");
        assert_eq!(told[1], hooks.display().to_string());
        assert_eq!(told[2..], names);
        git(&["fsck", "--strict"]);
        assert_eq!(git(&["show", "main:a"]), "a");
        git(&["gc", "-q", "--prune=now"]);
        assert!(past.restore().is_empty());
        // What git packed anew begins the copy anew, and a second agent finds what the first one left.
        std::fs::write(top.join("a"), "b\n").unwrap();
        git(&["commit", "-qam", "b"]);
        let past = Past::keep(&place, run.path()).unwrap();
        std::fs::remove_dir_all(top.join(".git/objects")).unwrap();
        std::fs::create_dir(top.join(".git/objects")).unwrap();
        drop(past);
        Past::keep(&place, run.path()).unwrap();
        git(&["fsck", "--strict"]);
        assert_eq!(git(&["show", "HEAD:a"]), "b");
        Past::forget(run.path());
        assert!(!run.path().join(FOLDER).exists());
    }
}
