//! The tests that failed in the last run that the output filter saw, among the ids of a list.

use serde::Deserialize;

/// The most failing tests that are looked for: no more are ever added to a sample.
const FAILING_MAX: usize = 1_000;

/// A test that failed, as the runner's output names it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Failing {
    /// Its name.
    pub name: String,
    /// The file that its failure names.
    pub file: Option<String>,
}

/// The ids that these tests may have: outputs and lists write names alike but for what stands in
/// front (`crate::tests::a`, `tests::a`), and some lists hold files.
pub fn matching<'a>(ids: impl Iterator<Item = &'a str>, failing: &[Failing]) -> Vec<String> {
    let failing = &failing[..failing.len().min(FAILING_MAX)];
    if failing.is_empty() {
        return Vec::new();
    }
    let is_one = |id: &&str| {
        failing.iter().any(|test| {
            test.file.as_deref() == Some(*id) || test.name == *id || ends_with(id, &test.name)
        })
    };
    ids.filter(is_one).map(str::to_owned).collect()
}

/// Whether `id` is `name` with a crate, module or file in front.
fn ends_with(id: &str, name: &str) -> bool {
    let before = id.strip_suffix(name).filter(|_| !name.is_empty());
    before.is_some_and(|before| before.ends_with([' ', ':', '.', '/', '$']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_what_stands_in_front_and_files_as_they_are() {
        let failing = |name: &str, file: Option<&str>| Failing {
            name: name.to_owned(),
            file: file.map(str::to_owned),
        };
        let ids = [
            "app tests::adds",
            "app::tests::adds",
            "app tests::readds",
            "a/b.test.ts",
            "tests/test_a.py::test_x[1]",
            "tests/test_a.py::test_x[11]",
        ];
        let found = |failing: &[Failing]| matching(ids.into_iter(), failing);
        assert_eq!(found(&[failing("tests::adds", None)]), ids[..2]);
        assert_eq!(found(&[failing("adds", None)]), ids[..2]);
        assert_eq!(
            found(&[failing("sums > adds", Some("a/b.test.ts"))]),
            ids[3..4]
        );
        assert_eq!(
            found(&[failing(
                "tests/test_a.py::test_x[1]",
                Some("tests/test_a.py")
            )]),
            ids[4..5]
        );
        assert!(found(&[failing("", None)]).is_empty());
        assert!(found(&[]).is_empty());
    }
}
