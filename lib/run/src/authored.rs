//! Which iteration a commit of a run's branch belongs to.

use std::collections::BTreeMap;

/// A commit of the branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its name.
    pub name: String,
    /// The iteration that its trailers name, of this run.
    pub trailer: Option<u32>,
}

/// The iteration of each commit, given oldest first. `ends` holds what the branch stood on at the end of
/// each iteration: a commit without trailers is of the first one whose end holds it. `None` for what
/// came after the run, or where an agent wrote the history anew.
pub fn iterations(commits: &[Commit], ends: &BTreeMap<u32, String>) -> Vec<Option<u32>> {
    let at = |name: &String| commits.iter().position(|commit| commit.name == *name);
    let ends: Vec<(u32, usize)> = ends
        .iter()
        .filter_map(|(number, name)| Some((*number, at(name)?)))
        .collect();
    let within = |place: usize| {
        let mut held = ends.iter().filter(|(_, end)| place <= *end);
        held.next().map(|(number, _)| *number)
    };
    commits
        .iter()
        .enumerate()
        .map(|(place, commit)| commit.trailer.or_else(|| within(place)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_of_the_first_iteration_whose_end_holds_it() {
        let commit = |name: &str, trailer| Commit {
            name: name.to_owned(),
            trailer,
        };
        let commits = [
            commit("a", None),
            commit("b", None),
            commit("c", Some(2)),
            commit("d", None),
            commit("e", None),
        ];
        let ends = [(1, "a"), (2, "c"), (3, "c"), (4, "d"), (5, "gone")];
        let ends = ends.map(|(number, name)| (number, name.to_owned()));
        let found = iterations(&commits, &BTreeMap::from(ends));
        assert_eq!(found, [Some(1), Some(2), Some(2), Some(4), None]);
        assert_eq!(iterations(&[], &BTreeMap::new()), []);
    }
}
