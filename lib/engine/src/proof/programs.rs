//! The programs that gates start are those of dusk: which file each name means, and what is in it.

use crate::env;
use overnight_base::session::hex;
use overnight_base::vars;
use overnight_judge::proof::overlay::Difference;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Names that scripts and runners start without naming them.
const COMMON: [&str; 19] = [
    "sh", "bash", "env", "python", "python3", "node", "npm", "npx", "cargo", "rustc", "cc", "gcc",
    "ld", "go", "java", "javac", "ruby", "perl", "make",
];
/// Files that interpreters and tools read by themselves, below the home folder.
const STARTUP: [&str; 7] = [
    ".cargo/config.toml",
    ".cargo/config",
    ".npmrc",
    ".pydistutils.cfg",
    ".config/pip/pip.conf",
    ".mocharc.json",
    ".config/nextest.toml",
];
/// A program up to this size is known by its content, a larger one by its times.
const HASHED_BYTES_MAX: u64 = 1 << 20;

/// What each name meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Programs(BTreeMap<String, (String, String)>);

/// Looks up the words of these texts that are names of programs, and the common ones.
pub fn note<'t>(texts: impl IntoIterator<Item = &'t str>, top: &Path) -> Programs {
    let mut names: BTreeSet<&str> = COMMON.into();
    for text in texts {
        let word = |c: char| !(c.is_ascii_alphanumeric() || "_-.+".contains(c));
        names.extend(
            text.split(word)
                .filter(|word| !word.is_empty() && word.len() < 64),
        );
    }
    let path = env::get_os(&vars::PATH).unwrap_or_default();
    // What lies in the project is the room's own, in dusk's version.
    let folders: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute() && !folder.starts_with(top))
        .collect();
    let mut found = BTreeMap::new();
    for name in names {
        let file = folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|file| file.is_file());
        if let Some(file) = file {
            found.insert(
                name.to_owned(),
                (file.display().to_string(), identity(&file)),
            );
        }
    }
    let home = env::get_os(&vars::HOME)
        .map(PathBuf::from)
        .unwrap_or_default();
    for file in STARTUP
        .iter()
        .map(|name| home.join(name))
        .chain(site_files(&home))
    {
        if file.is_file() {
            found.insert(
                file.display().to_string(),
                (file.display().to_string(), identity(&file)),
            );
        }
    }
    Programs(found)
}

/// What Python loads from the person's own packages before anything else.
fn site_files(home: &Path) -> Vec<PathBuf> {
    let versions = std::fs::read_dir(home.join(".local/lib"))
        .into_iter()
        .flatten()
        .flatten();
    let folders = versions.map(|version| version.path().join("site-packages"));
    let files =
        folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let loaded = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "pth")
            || path
                .file_name()
                .is_some_and(|name| name == "usercustomize.py" || name == "sitecustomize.py")
    };
    files.map(|file| file.path()).filter(loaded).collect()
}

fn identity(file: &Path) -> String {
    let Ok(about) = std::fs::metadata(file) else {
        return String::new();
    };
    if about.len() <= HASHED_BYTES_MAX
        && let Ok(bytes) = std::fs::read(file)
    {
        return hex(&Sha256::digest(&bytes)[..16]);
    }
    format!(
        "{} {}.{} {}",
        about.len(),
        about.mtime(),
        about.mtime_nsec(),
        about.ino()
    )
}

impl Programs {
    /// What of `now` is not what it was, as sentences.
    pub fn changed(&self, now: &Self) -> Vec<String> {
        let told = |(name, (path, identity)): (&String, &(String, String))| match self.0.get(name) {
            Some((before, _)) if before != path => {
                Some(format!("{name} is {path} now, it was {before}"))
            }
            Some((_, before)) if before != identity => {
                Some(format!("{path} is another file than it was"))
            }
            Some(_) => None,
            None if name.starts_with('/') => Some(format!("{path} was not there")),
            None => Some(format!("{name} is {path} now, there was none")),
        };
        now.0.iter().filter_map(told).collect()
    }

    /// Path and identity by name.
    pub fn all(&self) -> &BTreeMap<String, (String, String)> {
        &self.0
    }
}

/// The names of the modules that Python finds beside the project's own: a file of such a name in the
/// tree would be loaded in their place.
pub fn modules() -> BTreeSet<String> {
    let path = env::get_os(&vars::PATH).unwrap_or_default();
    let python = std::env::split_paths(&path)
        .map(|folder| folder.join("python3"))
        .find(|file| file.is_file());
    let real = python.and_then(|python| python.canonicalize().ok());
    let mut prefixes: Vec<PathBuf> = real
        .iter()
        .filter_map(|real| Some(real.parent()?.parent()?.join("lib")))
        .collect();
    prefixes.push(PathBuf::from("/usr/lib"));
    let mut found: BTreeSet<String> = ["unittest", "pytest", "_pytest", "doctest", "pluggy"]
        .map(str::to_owned)
        .into();
    for prefix in prefixes {
        let versions = std::fs::read_dir(prefix).into_iter().flatten().flatten();
        let versions =
            versions.filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"));
        for version in versions.map(|entry| entry.path()) {
            for folder in [version.clone(), version.join("lib-dynload")] {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let stem = |name: String| name.split('.').next().unwrap_or_default().to_owned();
                found.extend(
                    entries.map(|entry| stem(entry.file_name().to_string_lossy().into_owned())),
                );
            }
        }
    }
    // Packages of the project's own stand often in folders of these names.
    for name in ["test", "lib", "site-packages", "config"] {
        found.remove(name);
    }
    found
}

/// New files that are called like a program of the machine: a folder of the project may stand before that one's.
pub(super) fn shadowing(differences: &[Difference]) -> Vec<String> {
    let folders: Vec<PathBuf> = env::get_os(&vars::PATH)
        .map(|path| {
            std::env::split_paths(&path)
                .filter(|folder| folder.is_absolute())
                .collect()
        })
        .unwrap_or_default();
    let new = differences.iter().filter(|file| !file.before && file.after);
    let taken = new.filter(|file| {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        !name.contains('.') && folders.iter().any(|folder| folder.join(name).is_file())
    });
    taken.map(|file| file.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_or_another_file_is_told() {
        let of = |path: &str, id: &str| {
            Programs([("python3".to_owned(), (path.to_owned(), id.to_owned()))].into())
        };
        let before = of("/usr/bin/python3", "1");
        assert!(before.changed(&before).is_empty());
        assert_eq!(
            before.changed(&of("/h/bin/python3", "1")),
            ["python3 is /h/bin/python3 now, it was /usr/bin/python3"]
        );
        assert_eq!(
            before.changed(&of("/usr/bin/python3", "2")),
            ["/usr/bin/python3 is another file than it was"]
        );
        assert_eq!(Programs::default().changed(&before).len(), 1);
        assert!(
            note(["sh -c true"], Path::new("/nowhere"))
                .all()
                .contains_key("sh")
        );
    }
}
