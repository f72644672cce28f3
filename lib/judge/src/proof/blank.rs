//! What is left of a tree without its sources.

use super::Edit;
use std::collections::BTreeMap;

/// The files of a commit, each with what identifies its content.
type Files = BTreeMap<String, String>;

/// Does a gate only ask that something fails, as `! grep -r old_name src`? Without sources it is green by its nature.
pub fn forbids(command: &str) -> bool {
    command.trim_start().starts_with("! ")
}

/// Is what stays of the claimed tree with these edits in it, once its sources are gone, what stays of dusk's?
/// Then no gate can tell the two apart: one that is green there is so by its nature, and another look shows nothing.
pub fn is_dusks(
    claimed: &Files,
    dusk: &Files,
    edits: &[Edit],
    stays: &dyn Fn(&str) -> bool,
) -> bool {
    let mut edited: BTreeMap<&str, &str> = borrowed(claimed).collect();
    for edit in edits {
        let path = edit.path();
        match edit {
            Edit::Restore(_) => match dusk.get(path) {
                Some(content) => edited.insert(path, content),
                None => edited.remove(path),
            },
            Edit::Remove(_) => edited.remove(path),
            // A text that neither commit has.
            Edit::Manifest(_) | Edit::Inline(_) => edited.insert(path, ""),
        };
    }
    // What the claim took away is no source of it.
    edited.retain(|path, _| stays(path) || !claimed.contains_key(*path));
    let mut before = borrowed(dusk).filter(|(path, _)| stays(path));
    edited.into_iter().eq(before.by_ref())
}

fn borrowed(files: &Files) -> impl Iterator<Item = (&str, &str)> {
    files
        .iter()
        .map(|(path, content)| (path.as_str(), content.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        let own = |(path, content): &(&str, &str)| ((*path).to_owned(), (*content).to_owned());
        list.iter().map(own).collect()
    }

    #[test]
    fn a_gate_that_asks_for_a_failure_is_told() {
        assert!(forbids("! grep -rq calc src") && !forbids("grep -q '! ' src"));
    }

    #[test]
    fn only_what_stays_beside_the_sources_can_tell_two_trees_apart() {
        let dusk = files(&[("a.py", "1"), ("old.py", "1"), ("tests/a.py", "1")]);
        let stays = |path: &str| path.starts_with("tests/");
        let check = |claimed: &[(&str, &str)], edits: &[Edit]| {
            is_dusks(&files(claimed), &dusk, edits, &stays)
        };
        let restored = |path: &str| Edit::Restore(path.to_owned());
        assert!(check(&[("b.py", "2"), ("tests/a.py", "1")], &[]));
        assert!(!check(&[("a.py", "1"), ("tests/a.py", "2")], &[]));
        assert!(!check(&[("a.py", "1")], &[]));
        let more = [("tests/a.py", "2"), ("tests/b.py", "1")];
        let removed = Edit::Remove("tests/b.py".to_owned());
        assert!(!check(&more, &[restored("tests/a.py")]));
        assert!(check(&more, &[restored("tests/a.py"), removed]));
        assert!(check(&[], &[restored("tests/a.py")]));
        // It would stand there, and with dusk's sources gone it does not.
        assert!(!check(&[("tests/a.py", "1")], &[restored("old.py")]));
        let inline = Edit::Inline("tests/a.py".to_owned());
        assert!(!check(&[("tests/a.py", "1")], &[inline]));
    }
}
