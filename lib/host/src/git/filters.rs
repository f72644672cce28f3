//! Which filters git must not start: asked of git once, for as long as its configuration holds the same bytes.

use super::{command, output};
use crate::files::{self, Content};
use crate::{env, state};
use overnight_base::vars;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Commands of filters that are run all the same.
const KNOWN_FILTERS: &[&str] = &["git-lfs ", "git-crypt ", "\"git-crypt\" "];
/// A larger file of git's configuration is not read here.
const CONFIG_BYTES_MAX: u64 = 1 << 20;
/// Configurations that are remembered: a process has to do with one repository.
const REMEMBERED: usize = 4;

/// The files of a configuration, with what they hold.
type Files = Vec<(PathBuf, Vec<u8>)>;

/// The last answers.
static ANSWERS: Mutex<VecDeque<(Files, Vec<String>)>> = Mutex::new(VecDeque::new());

/// Settings that switch off the filters of the repository's configuration: an agent may have written
/// them. Those of git-lfs and git-crypt are known, and needed: without the latter secrets would be committed
/// as they are.
pub fn without_filters(folder: &Path) -> Vec<String> {
    let answers = || ANSWERS.lock().unwrap_or_else(PoisonError::into_inner);
    let files = configuration(folder);
    let answered = answers()
        .iter()
        .find(|(known, _)| Some(known) == files.as_ref())
        .cloned();
    if let Some((_, settings)) = answered {
        return settings;
    }
    let (settings, is_answer) = asked(folder);
    // What was changed meanwhile may not be what git read.
    if let Some(files) =
        files.filter(|files| is_answer && configuration(folder).as_ref() == Some(files))
    {
        let mut answers = answers();
        answers.push_back((files, settings.clone()));
        if answers.len() > REMEMBERED {
            answers.pop_front();
        }
    }
    settings
}

/// What git's answer depends on; `None` where that may be more than can be read here.
fn configuration(folder: &Path) -> Option<Files> {
    let place = state::locate(folder).ok()?;
    let mut paths = vec![PathBuf::from("/etc/gitconfig")];
    if let Some(given) = env::get_os(&vars::GIT_CONFIG_GLOBAL) {
        paths.push(given.into());
    } else {
        let home = env::get_os(&vars::HOME).map(PathBuf::from);
        let folder = env::get_os(&vars::CONFIG_HOME).map(PathBuf::from);
        let folder = folder.or_else(|| Some(home.as_ref()?.join(".config")));
        paths.extend(folder.map(|folder| folder.join("git/config")));
        paths.extend(home.map(|home| home.join(".gitconfig")));
    }
    paths.push(place.git_common?.join("config"));
    paths.push(place.git?.join("config.worktree"));
    let mut files = Vec::new();
    for path in paths {
        // The person's may be a link to where they keep it.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        match files::read_bounded(&real, CONFIG_BYTES_MAX).ok()? {
            Content::Bytes(bytes) if !may_include(&bytes) => files.push((path, bytes)),
            Content::Missing => {}
            Content::Bytes(_) | Content::Refused(_) => return None,
        }
    }
    Some(files)
}

/// Could it name further files?
fn may_include(bytes: &[u8]) -> bool {
    const INCLUDE: &[u8] = b"include";
    let mut words = bytes.windows(INCLUDE.len());
    words.any(|word| word.eq_ignore_ascii_case(INCLUDE))
}

/// What git says now, and whether it could say it.
fn asked(folder: &Path) -> (Vec<String>, bool) {
    let mut list = command(folder);
    list.args([
        "config",
        "--includes",
        "--null",
        "--get-regexp",
        r"^filter\.",
    ]);
    let Ok(listed) = output(&mut list, &[]) else {
        return (Vec::new(), false);
    };
    // 1: there is none.
    let is_answer = matches!(listed.status, Some(0 | 1));
    (off(&String::from_utf8_lossy(&listed.stdout)), is_answer)
}

/// What switches off the filters that are listed.
fn off(listed: &str) -> Vec<String> {
    // No shell can make anything else of it.
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_%\"".contains(c);
    let known = |command: &str| {
        KNOWN_FILTERS.iter().any(|known| command.starts_with(known)) && command.chars().all(plain)
    };
    let settings = listed.split('\0').filter_map(|entry| {
        let (key, value) = entry.split_once('\n').unwrap_or((entry, ""));
        let (name, field) = key.strip_prefix("filter.")?.rsplit_once('.')?;
        Some((name, field, value))
    });
    let settings: Vec<_> = settings.collect();
    let strange: BTreeSet<&str> = settings
        .iter()
        .filter(|(_, field, value)| *field != "required" && !known(value))
        .map(|(name, ..)| *name)
        .collect();
    let off = settings.iter().filter(|(name, ..)| strange.contains(name));
    // What is required must not fail for having no command.
    off.map(|(name, field, _)| match *field {
        "required" => format!("filter.{name}.required=false"),
        field => format!("filter.{name}.{field}="),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::{read, tame};

    #[test]
    fn filters_of_a_repository_are_off_but_those_of_lfs_and_crypt() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        read(&root, &["init", "-q"]).unwrap();
        for (name, clean) in [
            ("lfs", "git-lfs clean -- %f"),
            ("git-crypt", "\"git-crypt\" clean"),
            ("sly", "git-lfs clean; touch evil"),
            ("evil", "touch evil; cat"),
        ] {
            read(&root, &["config", &format!("filter.{name}.clean"), clean]).unwrap();
        }
        let off = without_filters(&root);
        assert_eq!(off, ["filter.sly.clean=", "filter.evil.clean="]);
        std::fs::write(root.join(".gitattributes"), "* filter=evil\n").unwrap();
        std::fs::write(root.join("a"), "x\n").unwrap();
        let mut add = tame(&root);
        assert!(output(add.args(["add", "-A"]), &[]).unwrap().ok());
        assert!(!root.join("evil").exists());
    }

    #[test]
    fn what_was_written_since_git_was_asked_is_off_too_wherever_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        read(&root, &["init", "-q"]).unwrap();
        let more = root.join("more");
        std::fs::write(&more, "").unwrap();
        assert_eq!(without_filters(&root), [""; 0]);
        // As long as the other, in the same moment.
        let mut expected = Vec::new();
        for name in ["one", "two"] {
            read(&root, &["config", &format!("filter.{name}.clean"), "rm"]).unwrap();
            expected.push(format!("filter.{name}.clean="));
            assert_eq!(without_filters(&root), expected);
        }
        read(&root, &["config", "include.path", &more.to_string_lossy()]).unwrap();
        assert_eq!(without_filters(&root), expected);
        std::fs::write(&more, "[filter \"three\"]\nclean = rm\n").unwrap();
        expected.push("filter.three.clean=".to_owned());
        assert_eq!(without_filters(&root), expected);
        read(&root, &["config", "--unset", "include.path"]).unwrap();
        read(&root, &["config", "extensions.worktreeConfig", "true"]).unwrap();
        expected.pop();
        assert_eq!(without_filters(&root), expected);
        read(&root, &["config", "--worktree", "filter.four.smudge", "rm"]).unwrap();
        expected.push("filter.four.smudge=".to_owned());
        assert_eq!(without_filters(&root), expected);
    }
}
