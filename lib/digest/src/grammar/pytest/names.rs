//! How pytest writes the name of a test.

/// The name that the section of this test has: `TestA.test_b[x::y]`.
pub(super) fn short(id: &str) -> String {
    let Some((_, rest)) = id.split_once("::") else {
        return id.to_owned();
    };
    let end = rest.find('[').unwrap_or(rest.len());
    format!("{}{}", rest[..end].replace("::", "."), &rest[end..])
}

/// Whether this is a Python file.
pub(super) fn is_module(file: &str) -> bool {
    std::path::Path::new(file)
        .extension()
        .is_some_and(|extension| extension == "py")
}

/// The test that a section of this title is about.
pub(super) fn section_name(title: &str) -> &str {
    [
        "ERROR at setup of ",
        "ERROR at teardown of ",
        "ERROR collecting ",
        "ERROR at call of ",
        "[doctest] ",
    ]
    .iter()
    .find_map(|start| title.strip_prefix(start))
    .unwrap_or(title)
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

/// `tests/a.py::test_b PASSED   [  0%]`, or with xdist `[gw0] [  0%] PASSED tests/a.py::test_b`.
pub(super) fn verbose(text: &str) -> Option<(&str, &str)> {
    const WORDS: &[&str] = &[
        "PASSED", "FAILED", "ERROR", "SKIPPED", "XFAIL", "XPASS", "RERUN",
    ];
    if let Some(rest) = text.strip_prefix("[gw") {
        let (_, rest) = rest.split_once("%] ")?;
        let (word, name) = rest.split_once(' ')?;
        let word = WORDS.iter().find(|known| **known == word)?;
        return Some((name.trim(), word));
    }
    if !text.contains("::") {
        return None;
    }
    let text = match text.rsplit_once(" [") {
        Some((head, tail)) if tail.ends_with("%]") => head.trim_end(),
        _ => text,
    };
    let text = match text.rsplit_once(" (") {
        Some((head, _)) if head.ends_with("SKIPPED") || head.ends_with("XFAIL") => head,
        _ => text,
    };
    let (name, word) = text.rsplit_once(' ')?;
    let word = WORDS.iter().find(|known| **known == word)?;
    let name = name.trim_end();
    let module = name.split("::").next()?;
    let file = module.contains('.') && !module.contains(' ');
    let fits = file || is_module(module) || module.contains(".py ");
    fits.then_some((name, *word))
}
