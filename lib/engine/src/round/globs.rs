//! Patterns of paths, as tasks and settings name them.

use globset::GlobSet;

/// What any of these patterns matches; one that is none matches nothing.
pub(crate) fn globs(patterns: &[String]) -> GlobSet {
    let mut set = globset::GlobSetBuilder::new();
    for pattern in patterns {
        let folder = pattern.trim_end_matches('/');
        for text in [folder.to_owned(), format!("{folder}/**")] {
            if let Ok(glob) = globset::GlobBuilder::new(&text)
                .literal_separator(true)
                .build()
            {
                set.add(glob);
            }
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}
