//! Paths that must not come onto the line.

use overnight_base::text::one_line;
use std::collections::BTreeMap;

/// What git appends to the name of a file that it sets aside, when a folder takes its place.
const ASIDE: char = '~';

/// What is wrong with the paths that a change adds, among all that there are then.
pub fn doubtful(added: &[String], all: &[String]) -> Option<String> {
    let others: std::collections::BTreeSet<&str> = all.iter().map(String::as_str).collect();
    let folder = |name: &str| {
        let below = format!("{name}/");
        others
            .range(below.as_str()..)
            .next()
            .is_some_and(|path| path.starts_with(&below))
    };
    let aside = |path: &&String| {
        path.rsplit_once(ASIDE).is_some_and(|(name, side)| {
            side == "HEAD" || (!side.is_empty() && !side.contains('/') && folder(name))
        })
    };
    if let Some(path) = added.iter().find(aside) {
        let path = one_line(path, 200);
        return Some(format!(
            "{path} is what a merge set aside: put it where it belongs"
        ));
    }
    let mut names: BTreeMap<String, &str> = BTreeMap::new();
    for path in all {
        if let Some(other) = names.insert(path.to_lowercase(), path)
            && (added.contains(path) || added.iter().any(|added| added == other))
        {
            let (one, two) = (one_line(other, 200), one_line(path, 200));
            return Some(format!(
                "{one} and {two} differ only in case: give one another name"
            ));
        }
    }
    None
}

/// Where a file belongs that a merge of these two sides set aside; `None` for any other.
pub fn set_aside<'p>(path: &'p str, sides: &[&str]) -> Option<&'p str> {
    let (place, side) = path.rsplit_once(ASIDE)?;
    sides
        .contains(&side.split('_').next().unwrap_or(side))
        .then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(added: &[&str], others: &[&str]) -> Option<String> {
        let own = |paths: &[&str]| {
            paths
                .iter()
                .map(|path| (*path).to_owned())
                .collect::<Vec<_>>()
        };
        doubtful(&own(added), &own(&[added, others].concat()))
    }

    #[test]
    fn what_a_merge_set_aside_and_what_differs_only_in_case_is_told() {
        assert!(check(&["a~HEAD"], &[]).is_some());
        assert!(check(&["docs~auto_run_b"], &["docs/x"]).is_some());
        assert!(check(&["Read.me"], &["READ.me"]).is_some());
        assert_eq!(check(&["backup~1", "notes~", "x"], &["y", "X/z"]), None);
        assert_eq!(check(&["x"], &["A", "a"]), None, "it was so before");
    }

    #[test]
    fn a_file_set_aside_is_known_by_its_side() {
        assert_eq!(set_aside("d~abc", &["abc", "def"]), Some("d"));
        assert_eq!(set_aside("e/d~def_0", &["abc", "def"]), Some("e/d"));
        assert_eq!(set_aside("d~1", &["abc", "def"]), None);
        assert_eq!(set_aside("d", &["d"]), None);
    }
}
