//! Parts of a build's recipe, which takes in all that stand in a folder: `include make/*.inc`.

use super::super::protect::ending;
use super::{Tree, folder_of};

/// Is it such a part?
pub(super) fn is(path: &str) -> bool {
    matches!(ending(path), "mk" | "mak" | "inc" | "cmake")
}

/// Those that stand where a pattern's beginning says.
pub(super) fn below<'t>(begin: &'t str, tree: &'t Tree<'_>) -> impl Iterator<Item = String> + 't {
    let folder = begin.trim_start_matches("./").rsplit_once('/');
    let folder = folder.map(|(folder, _)| folder);
    let there = move |path: &&String| folder == Some(folder_of(path)) && is(path);
    tree.files.iter().filter(there).cloned()
}
