//! Patterns of paths in a task: which files it may change.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Is this a pattern? For the task list's own check.
pub fn check(pattern: &str) -> Result<(), String> {
    one(pattern).map(drop)
}

/// A set of paths below the top of a work tree, given by patterns. Folders, by far the most patterns, are compared as text: a decision must
/// not compile an automaton for `src/**`.
#[derive(Debug)]
pub struct PathSet {
    /// Each with whether the name itself is allowed, not only what is below it.
    folders: Vec<(String, bool)>,
    globs: GlobSet,
}

impl PathSet {
    /// Is the path, given from the top with `/`, in the set?
    pub fn is_match(&self, path: &str) -> bool {
        self.folders.iter().any(|(folder, itself)| {
            path.strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.starts_with('/') || (*itself && rest.is_empty()))
        }) || self.globs.is_match(path)
    }
}

/// The set of these patterns; one that cannot be read stands for nothing.
pub fn set(patterns: &[String]) -> PathSet {
    let mut folders = Vec::new();
    let mut builder = GlobSetBuilder::new();
    let mut any = false;
    for pattern in patterns {
        if let Some(folder) = folder(pattern) {
            folders.push(folder);
            continue;
        }
        for glob in one(pattern).into_iter().flatten() {
            builder.add(glob);
            any = true;
        }
    }
    let globs = if any { builder.build().ok() } else { None };
    PathSet {
        folders,
        globs: globs.unwrap_or_else(GlobSet::empty),
    }
}

/// The folder that a pattern without wildcards, or with `/**` at its end only, names.
fn folder(pattern: &str) -> Option<(String, bool)> {
    const WILD: [char; 8] = ['*', '?', '[', ']', '{', '}', '\\', '!'];
    let name = pattern.strip_prefix("./").unwrap_or(pattern);
    let below = name.strip_suffix("/**");
    let bare = below.unwrap_or(name).trim_end_matches('/');
    let plain = !bare.is_empty() && !bare.contains(WILD) && below_top(name);
    plain.then(|| (bare.to_owned(), below.is_none()))
}

fn below_top(pattern: &str) -> bool {
    !pattern.is_empty() && !pattern.starts_with('/') && pattern.split('/').all(|part| part != "..")
}

/// `*` stays within a folder, `**` does not; a pattern that ends with `/` or names a folder means
/// everything in it.
fn one(pattern: &str) -> Result<Vec<globset::Glob>, String> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    if !below_top(pattern) {
        return Err("must be a pattern below the top of the work tree".to_owned());
    }
    let folder = pattern.trim_end_matches('/');
    [folder.to_owned(), format!("{folder}/**")]
        .iter()
        .map(|text| {
            GlobBuilder::new(text)
                .literal_separator(true)
                .build()
                .map_err(|error| error.kind().to_string())
        })
        .collect()
}
