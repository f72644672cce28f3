//! From the claimed commit to the tree in which dusk's version of what decides stands.

use super::{manifest, protect, scripts};
use globset::GlobSet;
use std::collections::BTreeSet;

/// One path that differs between dusk and the claimed commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its path from the top, with `/`.
    pub path: String,
    /// Was it there at dusk?
    pub before: bool,
    /// Is it there in the claimed commit?
    pub after: bool,
}

/// What happens to a path of the claimed commit before dusk's gates run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// It becomes what it was at dusk.
    Restore(String),
    /// It was not there at dusk: it goes.
    Remove(String),
    /// Dusk's keys go into the claimed file: a manifest that decides in part.
    Manifest(String),
    /// Dusk's tests go into the claimed file: a source with tests of its own.
    Inline(String),
}

impl Edit {
    /// The path.
    pub fn path(&self) -> &str {
        match self {
            Self::Restore(path)
            | Self::Remove(path)
            | Self::Manifest(path)
            | Self::Inline(path) => path,
        }
    }
}

/// What decides beside the conventions.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Files that the gates name, found at dusk by [`scripts::named`].
    pub named: BTreeSet<String>,
    /// What the person protects beside the conventions (`proof.protect`).
    pub protect: GlobSet,
    /// What the task may change.
    pub may_change: GlobSet,
    /// Names that a file beside the code would take from a library: `unittest` for `unittest.py`.
    pub taken: BTreeSet<String>,
    /// Files that hold both what is worked on and its tests.
    pub mixed: BTreeSet<String>,
    /// New files that stand where a build puts its own.
    pub built: BTreeSet<String>,
    /// Links of the claim to what decides: a test's stand-in in place of the work.
    pub links: BTreeSet<String>,
    /// Folders of dusk's tree that a module is looked for in by its bare name: the top, and those that
    /// are no packages.
    pub roots: BTreeSet<String>,
}

impl Rules {
    /// Does this path decide? `new`: it was not there at dusk.
    pub fn decides(&self, path: &str, new: bool) -> bool {
        if self.may_change.is_match(path) {
            return false;
        }
        protect::kind(path).is_some()
            || self.named.contains(path)
            || self.protect.is_match(path)
            || self.links.contains(path)
            || (new
                && (self.built.contains(path)
                    || self.shadows(path)
                    || scripts::stands_beside(path, &self.named)))
    }

    /// Does a link that leads to this path lead to what decides, as a file or as a folder?
    pub fn decides_at(&self, target: &str) -> bool {
        self.decides(target, false) || protect::kind(&format!("{target}/_")).is_some()
    }

    /// Would this new file be loaded in place of a library's module?
    fn shadows(&self, path: &str) -> bool {
        let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
        let (outer, package) = folder.rsplit_once('/').unwrap_or(("", folder));
        if !self
            .roots
            .contains(if last == "__init__.py" { outer } else { folder })
        {
            return false;
        }
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let module =
            stem != "__init__" && matches!(last.rsplit_once('.'), Some((_, "py" | "so" | "pyi")));
        (module && self.taken.contains(stem))
            || (last == "__init__.py" && self.taken.contains(package))
            || (last
                .rsplit_once('.')
                .is_some_and(|(_, end)| matches!(end, "h" | "hpp"))
                && self.taken.contains(last))
    }
}

/// May a source of this name hold tests or examples of its own?
pub fn has_inline(path: &str) -> bool {
    matches!(protect::ending(path), "rs" | "py")
}

/// The folders of a tree that are no packages of Python, for [`Rules::roots`].
pub fn roots<'a>(paths: impl IntoIterator<Item = &'a String> + Clone) -> BTreeSet<String> {
    let mut folders = BTreeSet::from([String::new()]);
    for path in paths.clone() {
        let mut rest = path.as_str();
        while let Some((folder, _)) = rest.rsplit_once('/') {
            folders.insert(folder.to_owned());
            rest = folder;
        }
    }
    for path in paths {
        if let Some(package) = path.strip_suffix("/__init__.py") {
            folders.remove(package);
        }
    }
    folders
}

/// The edits, in the order of the paths.
pub fn overlay(differences: &[Difference], rules: &Rules) -> Vec<Edit> {
    let edit = |difference: &Difference| {
        let path = || difference.path.clone();
        if rules.may_change.is_match(&difference.path) {
            return None;
        }
        if manifest::is(&difference.path) && !rules.named.contains(&difference.path) {
            return Some(if difference.after {
                Edit::Manifest(path())
            } else {
                Edit::Restore(path())
            });
        }
        let both = difference.before && difference.after;
        if both && rules.mixed.contains(&difference.path) {
            return Some(Edit::Inline(path()));
        }
        if rules.decides(&difference.path, !difference.before) {
            return Some(if difference.before {
                Edit::Restore(path())
            } else {
                Edit::Remove(path())
            });
        }
        let inline = has_inline(&difference.path) && difference.before && difference.after;
        inline.then(|| Edit::Inline(path()))
    };
    differences.iter().filter_map(edit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(path: &str, before: bool, after: bool) -> Difference {
        Difference {
            path: path.into(),
            before,
            after,
        }
    }

    #[test]
    fn what_decides_becomes_what_it_was_and_sources_stay() {
        let rules = Rules {
            named: ["scripts/lib.sh".to_owned()].into(),
            taken: ["unittest".to_owned()].into(),
            links: ["store.py".to_owned()].into(),
            roots: roots(&["app/__init__.py", "text.py"].map(str::to_owned)),
            ..Rules::default()
        };
        let differences = [
            difference("Cargo.toml", true, true),
            difference("app/unittest.py", false, true),
            difference("conftest.py", false, true),
            difference("scripts/lib.sh", true, true),
            difference("src/lib.rs", true, true),
            difference("src/new.rs", false, true),
            difference("store.py", true, true),
            difference("tests/old.py", true, false),
            difference("unittest.py", false, true),
        ];
        let expected = [
            Edit::Manifest("Cargo.toml".into()),
            Edit::Remove("conftest.py".into()),
            Edit::Restore("scripts/lib.sh".into()),
            Edit::Inline("src/lib.rs".into()),
            Edit::Restore("store.py".into()),
            Edit::Restore("tests/old.py".into()),
            Edit::Remove("unittest.py".into()),
        ];
        assert_eq!(overlay(&differences, &rules), expected);
    }

    #[test]
    fn what_the_task_may_change_is_left_alone() {
        let mut globs = globset::GlobSetBuilder::new();
        globs.add(globset::Glob::new("tests/**").unwrap());
        let rules = Rules {
            may_change: globs.build().unwrap(),
            ..Rules::default()
        };
        assert!(overlay(&[difference("tests/a.py", true, true)], &rules).is_empty());
    }
}
