//! How pytest writes the name of a test.

/// The test that a section of this title is about.
pub(super) fn section_name(title: &str) -> &str {
    [
        "ERROR at setup of ",
        "ERROR at teardown of ",
        "ERROR collecting ",
        "ERROR at call of ",
    ]
    .iter()
    .find_map(|start| title.strip_prefix(start))
    .unwrap_or(title)
}

/// The name that the section of this test has: `TestA.test_b[x::y]`.
pub(super) fn short(id: &str) -> String {
    let Some((_, rest)) = id.split_once("::") else {
        return id.to_owned();
    };
    let end = rest.find('[').unwrap_or(rest.len());
    format!("{}{}", rest[..end].replace("::", "."), &rest[end..])
}

/// `tests/a.py::test_b - AssertionError: x`.
pub(super) fn split_message(rest: &str) -> (&str, Option<&str>) {
    // Parameters stand in brackets and may hold anything: the name ends at the last bracket that
    // the message follows.
    let open = rest.find('[').unwrap_or(usize::MAX);
    let first = rest.find(" - ").unwrap_or(usize::MAX);
    let end = if open < first {
        rest.find("] - ").map(|at| at + 1)
    } else {
        Some(first).filter(|first| *first != usize::MAX)
    };
    match end {
        Some(at) => (&rest[..at], Some(&rest[at + 3..])),
        None if open > first => (&rest[..first.min(rest.len())], None),
        None => (rest, None),
    }
}
