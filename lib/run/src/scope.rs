//! Scope: which files a task may change, and how many.

use super::task::TaskSpec;
use overnight_base::text::one_line;
use overnight_judge::gates::{Kind, Objection};
use overnight_tasks::paths::set;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names kept of one attempt, and remembered of one task.
pub const FILES_MAX: usize = 200;
/// Names told in one reason.
const NAMED_MAX: usize = 10;
/// Characters of a name that are told.
const NAME_CHARS_MAX: usize = 200;

/// A file that an attempt changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its path from the top of the work tree, with `/`.
    pub path: String,
    /// What identifies its content before; empty where there was no file.
    pub before: String,
    /// The same after.
    pub after: String,
}

/// The files that a task changed in all its attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Content before the task's first change, by path; files that are as before are left out.
    pub files: BTreeMap<String, String>,
    /// Were there more than could be remembered, or changes whose names are not known?
    pub more: u64,
}

impl Touched {
    /// Takes an attempt's changes in; `count` is how many there were in all.
    pub fn note(&mut self, changes: &[Change], count: u64) {
        for file in changes {
            match self.files.get(&file.path) {
                Some(first) if *first == file.after => {
                    self.files.remove(&file.path);
                }
                Some(_) => {}
                None if self.files.len() < FILES_MAX => {
                    self.files.insert(file.path.clone(), file.before.clone());
                }
                None => self.more += 1,
            }
        }
        self.more += count.saturating_sub(changes.len() as u64);
    }
}

/// The changes whose names the task's scope asks for: none without one, else those outside its
/// paths first, at most [`FILES_MAX`].
pub fn files(mut changes: Vec<Change>, spec: &TaskSpec) -> Vec<Change> {
    if !spec.is_scoped() {
        return Vec::new();
    }
    let allowed = set(&spec.allowed_paths);
    changes.sort_by_key(|change| allowed.is_match(&change.path));
    changes.truncate(FILES_MAX);
    changes
}

/// What the task's scope objects to.
pub fn objections(spec: &TaskSpec, touched: &Touched) -> Vec<Objection> {
    let mut all = Vec::new();
    let changed = !touched.files.is_empty() || touched.more > 0;
    if changed && !spec.allowed_paths.is_empty() {
        let allowed = set(&spec.allowed_paths);
        let outside: Vec<&str> = touched
            .files
            .keys()
            .map(String::as_str)
            .filter(|path| !allowed.is_match(path))
            .collect();
        if !outside.is_empty() {
            let reason = format!(
                "files outside the task's allowed_paths ({}) were changed: {}; put them back as they were",
                one_line(&spec.allowed_paths.join(", "), NAME_CHARS_MAX),
                named(&outside)
            );
            all.push(Objection::new(Kind::OutOfScope, outside.join("\n"), reason));
        } else if touched.more > 0 {
            let reason = format!(
                "{} changed files are not known by name, so the task's allowed_paths cannot be checked",
                touched.more
            );
            all.push(Objection::new(Kind::OutOfScope, "", reason));
        }
    }
    let count = touched.files.len() as u64 + touched.more;
    if let Some(most) = spec.max_changed_files.filter(|most| count > *most) {
        let names: Vec<&str> = touched.files.keys().map(String::as_str).collect();
        let reason = format!(
            "{count} files were changed, the task's max_changed_files is {most}: {}",
            named(&names)
        );
        all.push(Objection::new(Kind::OutOfScope, names.join("\n"), reason));
    }
    all
}

/// The first names, safe to show, and how many there are more.
fn named(paths: &[&str]) -> String {
    let mut text: Vec<String> = paths
        .iter()
        .take(NAMED_MAX)
        .map(|path| one_line(path, NAME_CHARS_MAX))
        .collect();
    if paths.len() > NAMED_MAX {
        text.push(format!("and {} more", paths.len() - NAMED_MAX));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(allowed: &[&str], most: Option<u64>) -> TaskSpec {
        let mut spec = TaskSpec::named("t", "o");
        spec.allowed_paths = allowed.iter().map(|path| (*path).to_owned()).collect();
        spec.max_changed_files = most;
        spec
    }

    fn touched(changes: &[(&str, &str, &str)]) -> Touched {
        let mut touched = Touched::default();
        for (path, before, after) in changes {
            let change = Change {
                path: (*path).to_owned(),
                before: (*before).to_owned(),
                after: (*after).to_owned(),
            };
            touched.note(&[change], 1);
        }
        touched
    }

    fn outside(allowed: &[&str], path: &str) -> bool {
        !objections(&spec(allowed, None), &touched(&[(path, "", "1")])).is_empty()
    }

    #[test]
    fn patterns_mean_what_people_mean() {
        for (pattern, inside, out) in [
            ("src/**", "src/a/b.rs", "srcs/a.rs"),
            ("src", "src/a/b.rs", "a/src/b.rs"),
            ("src/", "src/a.rs", "src.rs"),
            ("./src/*.rs", "src/a.rs", "src/a/b.rs"),
            ("*.md", "README.md", "docs/README.md"),
            ("**/*.md", "docs/README.md", "docs/README.mdx"),
            ("{a,b}/x", "b/x", "c/x"),
        ] {
            assert!(!outside(&[pattern], inside), "{pattern} {inside}");
            assert!(outside(&[pattern], out), "{pattern} {out}");
        }
        for bad in ["", "/etc/**", "../x", "a/../b", "a[", "{a"] {
            assert!(overnight_tasks::paths::check(bad).is_err(), "{bad}");
            assert!(outside(&[bad], "a/b"), "{bad}");
        }
    }

    #[test]
    fn what_is_put_back_was_not_changed_and_what_stays_is_told_again() {
        let scope = spec(&["src/**"], None);
        let changed = touched(&[("Cargo.toml", "1", "2"), ("src/a", "", "1")]);
        let reason = &objections(&scope, &changed)[0].reason;
        assert!(
            reason.contains("Cargo.toml") && !reason.contains("src/a"),
            "{reason}"
        );
        let mut later = changed.clone();
        later.note(&[], 0);
        assert_eq!(objections(&scope, &later).len(), 1, "still there");
        let back = touched(&[("Cargo.toml", "1", "2"), ("Cargo.toml", "2", "1")]);
        assert!(objections(&scope, &back).is_empty());
    }

    #[test]
    fn too_many_files_are_counted_over_the_whole_task() {
        let scope = spec(&[], Some(2));
        let two = touched(&[("a", "", "1"), ("a", "1", "2"), ("b", "", "1")]);
        assert!(objections(&scope, &two).is_empty());
        let three = touched(&[("a", "", "1"), ("b", "", "1"), ("c", "", "1")]);
        let reason = &objections(&scope, &three)[0].reason;
        assert!(
            reason.contains("3 files") && reason.contains("a, b, c"),
            "{reason}"
        );
    }

    #[test]
    fn names_that_are_not_known_prove_nothing() {
        let mut some = Touched::default();
        some.note(&[], 1);
        assert_eq!(objections(&spec(&["src/**"], None), &some).len(), 1);
        assert_eq!(objections(&spec(&[], Some(0)), &some).len(), 1);
        assert!(objections(&spec(&[], None), &some).is_empty());
    }
}
