//! What git says about a push, in the words of `git push --porcelain` under `LC_ALL=C`.

/// What became of one ref of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The ref was moved by this push.
    Moved,
    /// The ref had this object already: an earlier try of ours arrived.
    There,
    /// The ref is not what we expected: somebody else moved it.
    Stale,
    /// The remote, or git before sending, refused the update for this reason.
    Refused(String),
    /// Git said nothing about the ref: the connection failed, and the outcome is open.
    Unknown,
}

/// The fate of the ref `destination`.
pub fn outcome(stdout: &str, destination: &str) -> Pushed {
    let suffix = format!(":{destination}");
    let line = stdout.lines().find_map(|line| {
        let mut parts = line.splitn(3, '\t');
        let (flag, refs, summary) = (parts.next()?, parts.next()?, parts.next()?);
        (flag.len() == 1 && refs.ends_with(&suffix)).then_some((flag, summary))
    });
    match line {
        None => Pushed::Unknown,
        Some(("=", _)) => Pushed::There,
        Some(("!", summary)) if is_stale(summary) => Pushed::Stale,
        Some(("!", summary)) => Pushed::Refused(reason(summary)),
        Some(_) => Pushed::Moved,
    }
}

/// Whether git found another object at the ref than it was told to replace, or one where there was to be none. A
/// remote that refuses is quoted otherwise.
fn is_stale(summary: &str) -> bool {
    let found = [
        "stale info",
        "fetch first",
        "non-fast-forward",
        "already exists",
        "needs force",
    ];
    summary.starts_with("[rejected]") && found.iter().any(|words| summary.contains(words))
}

/// Every ref but `except` that was refused, with the reason.
pub fn refusals(stdout: &str, except: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let mut parts = line.splitn(3, '\t');
        let (flag, refs, summary) = (parts.next()?, parts.next()?, parts.next()?);
        let (_, destination) = refs.rsplit_once(':')?;
        (flag == "!" && destination != except).then(|| (destination.to_owned(), reason(summary)))
    };
    stdout.lines().filter_map(line).collect()
}

/// The words in the last parentheses: `[remote rejected] (failed to update ref)`.
fn reason(summary: &str) -> String {
    let inner = summary
        .rsplit_once(" (")
        .and_then(|(_, tail)| tail.strip_suffix(')'));
    inner.unwrap_or(summary).to_owned()
}

/// Does the remote lack `--atomic`?
pub fn lacks_atomic(stderr: &str) -> bool {
    stderr.contains("does not support --atomic")
}

/// The path of a lock file that stood in git's way, as git names it; relative to the repository
/// that git worked in. Only a lock of our own refs.
pub fn blocking_lock(stderr: &str) -> Option<&str> {
    let (_, rest) = stderr.split_once("Unable to create '")?;
    let (path, _) = rest.split_once("': File exists")?;
    let ours = path.contains("/refs/overnight/") || path.contains("/refs/heads/overnight/leases/");
    let is_lock = path.rsplit_once('.').is_some_and(|(_, end)| end == "lock");
    (ours && is_lock).then_some(path)
}

/// Does a failed fetch say that the ref is not there (and not that the remote is unreachable)?
pub fn is_missing_ref(stderr: &str) -> bool {
    stderr.contains("couldn't find remote ref")
}

#[cfg(test)]
mod tests {
    use super::*;

    const REF: &str = "refs/overnight/leases/t1";

    /// Lines as git 2.47 prints them.
    #[test]
    fn each_answer_of_git_is_understood() {
        let line = |flag: &str, summary: &str| {
            format!("To /r.git\n{flag}\t22ec8d:{REF}\t{summary}\nDone\n")
        };
        let cases = [
            (line("*", "[new reference]"), Pushed::Moved),
            (
                line("+", "22ec8dd...6c5cae9 (forced update)"),
                Pushed::Moved,
            ),
            (line(" ", "22ec8dd..6c5cae9"), Pushed::Moved),
            (line("=", "[up to date]"), Pushed::There),
            (line("!", "[rejected] (stale info)"), Pushed::Stale),
            (line("!", "[rejected] (fetch first)"), Pushed::Stale),
            (line("!", "[rejected] (non-fast-forward)"), Pushed::Stale),
            (
                line("!", "[remote rejected] (non-fast-forward)"),
                Pushed::Refused("non-fast-forward".to_owned()),
            ),
            (
                line("!", "[remote rejected] (failed to update ref)"),
                Pushed::Refused("failed to update ref".to_owned()),
            ),
            ("fatal: unable to access\n".to_owned(), Pushed::Unknown),
            (
                line("*", "[new reference]").replace("t1", "t10"),
                Pushed::Unknown,
            ),
        ];
        for (stdout, expected) in cases {
            assert_eq!(outcome(&stdout, REF), expected, "{stdout}");
        }
    }

    #[test]
    fn only_locks_of_our_own_refs_are_named() {
        let message = |path: &str| {
            format!("remote: error: cannot lock ref 'x': Unable to create '{path}': File exists.")
        };
        let ours = "/r.git/./refs/overnight/leases/t1.lock";
        assert_eq!(blocking_lock(&message(ours)), Some(ours));
        for foreign in [
            "/r.git/refs/heads/main.lock",
            "/r.git/packed-refs.lock",
            "/r.git/index.lock",
        ] {
            assert_eq!(blocking_lock(&message(foreign)), None);
        }
    }
}
