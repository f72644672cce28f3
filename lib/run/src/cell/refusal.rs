//! What the walls refused, by the words of programs that met them.

use super::limits::met;
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
/// as text, and a path that begins nowhere as one of the work tree with this top.
pub fn refusals(text: &str, top: &Path, open: &dyn Fn(&Path) -> bool) -> BTreeSet<String> {
    let lines = text.split('\n').flat_map(|line| line.split("\\n"));
    let path = |line: &str| match last_path(line) {
        Some(path) => Some(path.to_owned()),
        None => last_relative(line).map(|path| top.join(path).display().to_string()),
    };
    lines
        .filter(|line| SIGNS.iter().any(|sign| line.contains(sign)))
        .filter_map(path)
        .filter(|path| !open(Path::new(path)) && !path.ends_with(DISPENSABLE))
        .take(REFUSED_MAX)
        .collect()
}

const ENDS: &[char] = &['\'', '"', '`', '’', ':', ',', ';', ')', '\\', '<', '>'];

fn ends(c: char) -> bool {
    c.is_whitespace() || ENDS.contains(&c)
}

/// The last word of a line that is a path below the folder where it was said, as git names its own files.
fn last_relative(line: &str) -> Option<&str> {
    let mut words = line.split(ends);
    words.rfind(|word| word.contains('/') && !word.starts_with('/') && !word.contains(".."))
}

/// The last absolute path of a line: what comes first is often the program that complains.
fn last_path(line: &str) -> Option<&str> {
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
        let _ = writeln!(text, "An agent before you {}: {limit}.", met(limit));
    }
    if !refused.is_empty() {
        text.push_str("Refused so far, and closed for good in this run:\n");
        for path in refused.keys().take(REFUSED_MAX) {
            let instead = instead(path).map(|way| format!(": {way}"));
            let _ = writeln!(text, "- `{path}`{}", instead.unwrap_or_default());
        }
        text.push_str(
            "Use the work tree or $TMPDIR instead. If the task cannot do without such a path, say so with \
             `completion-check declare incomplete --needs` and name it.\n",
        );
    }
    text
}

/// What to do instead of what a file of git's is written for.
fn instead(path: &str) -> Option<&'static str> {
    const WAYS: &[(&[&str], &str)] = &[
        (
            &[
                "/config",
                "/config.lock",
                "/config.worktree",
                "/config.worktree.lock",
                "/.gitconfig",
                "/.gitconfig.lock",
            ],
            "git's settings stay as they are; `git -c NAME=VALUE …` sets one for a command",
        ),
        (
            &["/info/exclude", "/info/attributes"],
            "`.gitignore` and `.gitattributes` of the work tree do the same",
        ),
    ];
    let of_git = path.contains("git/") || path.contains("/.gitconfig");
    let mut ways = WAYS.iter();
    let way = ways.find(|(names, _)| names.iter().any(|name| path.ends_with(name)));
    let hook =
        "no hook of git's can be added; what is to be checked belongs into the project's tests";
    let way = way.map(|(_, way)| *way);
    way.or_else(|| path.contains("/hooks/").then_some(hook))
        .filter(|_| of_git)
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
            let found = refusals(line, Path::new("/p"), &|_| false);
            assert_eq!(found.into_iter().collect::<Vec<_>>(), [path], "{line}");
        }
        let git = "error: Unable to create '/p/.git/packed-refs.lock': Read-only file system";
        assert!(
            refusals(git, Path::new("/p"), &|_| false).is_empty(),
            "each commit says so"
        );
    }

    #[test]
    fn what_git_names_from_its_top_is_known_and_the_next_agent_told_what_to_do_instead() {
        let open = |path: &Path| path.starts_with("/p") && path != Path::new("/p/.git/config");
        let line = "error: could not lock config file .git/config: Read-only file system";
        let found = refusals(line, Path::new("/p"), &open);
        assert_eq!(found.iter().collect::<Vec<_>>(), ["/p/.git/config"]);
        let told = |path: &str| notice(&BTreeMap::from([(path.to_owned(), 1)]), &BTreeMap::new());
        assert!(told("/p/.git/config").contains("git -c NAME=VALUE"));
        assert!(told("/p/.git/info/exclude").contains("`.gitignore`"));
        assert!(told("/p/.git/hooks/pre-commit").contains("no hook"));
        assert!(told("/etc/app/config").contains("- `/etc/app/config`\n"));
        assert!(refusals("src/x: Permission denied", Path::new("/p"), &open).is_empty());
        assert!(refusals("../q/x: Permission denied", Path::new("/p"), &|_| false).is_empty());
        let limits = BTreeMap::from([("a, refused to what it started".to_owned(), 1)]);
        assert!(notice(&BTreeMap::new(), &limits).contains("met a limit"));
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
            assert!(refusals(line, Path::new("/p"), &open).is_empty(), "{line}");
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
