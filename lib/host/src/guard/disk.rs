//! The file system and git, asked for the judge.

use crate::git;
use overnight_core::guard::{Entry, Facts};
use std::path::{Path, PathBuf};

/// Answers from the disk. Git is asked only inside `root`, with paths as literal path names.
#[derive(Debug, Clone)]
pub struct Disk {
    root: Option<PathBuf>,
}

impl Disk {
    /// Facts around the work tree with this top.
    pub fn new(root: Option<&str>) -> Self {
        Self {
            root: root.map(PathBuf::from),
        }
    }

    /// Runs git on one path inside the work tree: its status and its output.
    fn git(&self, path: &str, arguments: &[&str]) -> Option<git::Output> {
        let root = self
            .root
            .as_ref()
            .filter(|root| Path::new(path).starts_with(root))?;
        let mut words = arguments.to_vec();
        words.extend_from_slice(&["--", path]);
        git::run(root, &words).ok()
    }
}

/// Makes git take a path as a name, not as a pattern.
const LITERAL: &str = "--literal-pathspecs";

impl Facts for Disk {
    fn entry(&self, path: &str) -> Entry {
        match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Entry::Missing,
            Err(_) => Entry::Unknown,
            Ok(about) if about.is_dir() => Entry::Folder,
            Ok(about) if about.is_file() => Entry::File,
            Ok(about) if about.is_symlink() => std::fs::read_link(path)
                .ok()
                .and_then(|target| target.into_os_string().into_string().ok())
                .map_or(Entry::Unknown, Entry::Link),
            Ok(_) => Entry::Other,
        }
    }

    fn ignored(&self, path: &str) -> Option<bool> {
        // `check-ignore` takes names as they are.
        let ignored = match self.git(path, &["check-ignore", "-q"])?.status {
            Some(0) => true,
            Some(1) => false,
            _ => return None,
        };
        // An ignored folder may still hold tracked files, added with force.
        let tracked = || {
            self.git(path, &[LITERAL, "ls-files", "-z"])
                .map(|listed| listed.stdout)
        };
        Some(ignored && tracked()?.is_empty())
    }

    fn recoverable(&self, path: &str) -> Option<bool> {
        let changed = self.git(
            path,
            &[
                LITERAL,
                "status",
                "--porcelain",
                "-z",
                "--ignored",
                "--untracked-files=normal",
                "--no-renames",
            ],
        )?;
        let tracked = self.git(path, &[LITERAL, "ls-files", "-z"])?;
        let known = changed.ok() && tracked.ok();
        known.then_some(changed.stdout.is_empty() && !tracked.stdout.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_tells_what_it_ignores_and_what_it_can_bring_back() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name).to_str().unwrap().to_owned();
        git::read(&root, &["init", "-q"]).unwrap();
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(root.join("out")).unwrap();
        for name in [".gitignore", "src/a", "src/b", "out/x", "*"] {
            std::fs::write(root.join(name), "out\n").unwrap();
        }
        let commit = [
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-qm",
            "x",
        ];
        git::read(&root, &["add", ".gitignore", "src"]).unwrap();
        git::read(&root, &commit).unwrap();
        let disk = Disk::new(root.to_str());
        assert_eq!(disk.ignored(&at("out")), Some(true));
        assert_eq!(disk.ignored(&at("src")), Some(false));
        assert_eq!(disk.ignored("/etc"), None);
        assert_eq!(disk.recoverable(&at("src")), Some(true));
        assert_eq!(
            disk.recoverable(&at("*")),
            Some(false),
            "a name, not a pattern"
        );
        std::fs::write(root.join("src/b"), "changed").unwrap();
        assert_eq!(disk.recoverable(&at("src")), Some(false));
        assert_eq!(disk.recoverable(&at("src/a")), Some(true));
        assert_eq!(disk.recoverable(&at("out")), Some(false));
        assert_eq!(disk.entry(&at("src")), Entry::Folder);
    }
}
