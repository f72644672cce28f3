//! What the walls refused, by the words of programs that met them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// How programs say that the kernel refused something.
const SIGNS: &[&str] = &[
    "ermission denied",
    "EACCES",
    "EPERM",
    "peration not permitted",
    "ead-only file system",
    "EROFS",
];
/// What git tries to lock at each commit; without namespaces it may not, and says so each time.
const DISPENSABLE: &str = "/packed-refs.lock";
/// More paths of one output, or of one attempt, tell nothing new.
pub const REFUSED_MAX: usize = 10;

/// The paths that a text says were refused; `open` knows those that no wall closes. Text in JSON counts
/// as text.
pub fn refusals(text: &str, open: &dyn Fn(&Path) -> bool) -> BTreeSet<String> {
    let lines = text.split('\n').flat_map(|line| line.split("\\n"));
    lines
        .filter(|line| SIGNS.iter().any(|sign| line.contains(sign)))
        .filter_map(last_path)
        .filter(|path| !open(Path::new(path)) && !path.ends_with(DISPENSABLE))
        .take(REFUSED_MAX)
        .map(str::to_owned)
        .collect()
}

/// The last absolute path of a line: what comes first is often the program that complains.
fn last_path(line: &str) -> Option<&str> {
    const ENDS: &[char] = &['\'', '"', '`', '’', ':', ',', ';', ')', '\\', '<', '>'];
    let ends = |c: char| c.is_whitespace() || ENDS.contains(&c);
    let starts = line.match_indices('/').filter(|(at, _)| {
        let before = line[..*at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || "'\"`‘(=:".contains(c))
    });
    let mut paths = starts.map(|(at, _)| line[at..].split(ends).next().unwrap_or_default());
    paths.rfind(|path| path.len() > 1)
}

/// What an agent is told of the walls that it or its predecessors met, and of the limits.
pub fn notice(refused: &BTreeMap<String, u32>, limited: &BTreeMap<String, u32>) -> String {
    let mut text = String::new();
    for limit in limited.keys().take(REFUSED_MAX) {
        let _ = writeln!(text, "An agent before you was ended for this: {limit}.");
    }
    if !refused.is_empty() {
        text.push_str("Refused so far, and closed for good in this run:\n");
        for path in refused.keys().take(REFUSED_MAX) {
            let _ = writeln!(text, "- `{path}`");
        }
        text.push_str(
            "Use the work tree or $TMPDIR instead. If the task cannot do without such a path, say so with \
             `completion-check declare incomplete --needs` and name it.\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_shells_and_languages_name_the_path_that_was_refused() {
        for (line, path) in [
            (
                "/bin/sh: 1: cannot create /etc/x: Permission denied",
                "/etc/x",
            ),
            (
                "touch: cannot touch '/home/a/y': Permission denied",
                "/home/a/y",
            ),
            (
                "PermissionError: [Errno 13] Permission denied: '/opt/z'",
                "/opt/z",
            ),
            (
                "Error: EACCES: permission denied, mkdir '/h/.foo'",
                "/h/.foo",
            ),
            ("rm: cannot remove ‘/h/b’: Operation not permitted", "/h/b"),
            (
                r#"{"content":"ok\ncat: /h/.npmrc: Permission denied\nmore"}"#,
                "/h/.npmrc",
            ),
        ] {
            let found = refusals(line, &|_| false);
            assert_eq!(found.into_iter().collect::<Vec<_>>(), [path], "{line}");
        }
        let git = "error: Unable to create '/p/.git/packed-refs.lock': Read-only file system";
        assert!(refusals(git, &|_| false).is_empty(), "each commit says so");
    }

    #[test]
    fn what_no_wall_closes_and_what_names_no_path_is_none() {
        let open = |path: &Path| path.starts_with("/p");
        for line in [
            "sh: /p/run.sh: Permission denied",
            "git@example.invalid: Permission denied (publickey).",
            "wrote /etc/x",
            "3/4 EPERM",
        ] {
            assert!(refusals(line, &open).is_empty(), "{line}");
        }
        assert_eq!(notice(&BTreeMap::new(), &BTreeMap::new()), "");
        assert!(
            notice(
                &BTreeMap::from([("/etc/x".to_owned(), 1)]),
                &BTreeMap::new()
            )
            .contains("- `/etc/x`")
        );
    }
}
