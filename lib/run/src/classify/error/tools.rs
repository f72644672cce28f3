//! What compilers, runners and command line tools write when they fail.

/// `a.c:3:5: error: x`, `a.c:3: error: x`, `src/a.ts(3,5): error TS2322: x`, `a.ts:3:5 - error TS1: x`.
pub(super) fn compiler(line: &str) -> bool {
    let lower = line.to_lowercase();
    for mark in [
        ": error: ",
        ": error[",
        ": error ",
        " - error ",
        ": fatal error:",
        ": syntax error",
        " error: ",
    ] {
        if let Some(at) = lower.find(mark) {
            let place = lower[..at].trim();
            let is_place =
                !place.contains(' ') && place.ends_with(|c: char| c.is_ascii_digit() || c == ')');
            let is_tool = mark == ": error: " && !place.contains(' ') && !place.is_empty();
            let columns = mark == " error: " && !place.contains(' ') && place.ends_with(':');
            if is_place || is_tool || columns {
                return true;
            }
        }
    }
    let bare = lower
        .strip_suffix(": error")
        .is_some_and(|place| !place.contains(' ') && place.contains(['.', '/']));
    if bare || diagnostic(line) {
        return true;
    }
    // eslint: `  3:5  error  'x' is not defined  no-undef`
    let mut words = line.split_whitespace();
    let place = words.next().unwrap_or_default();
    place.contains(':')
        && place.chars().all(|c| c.is_ascii_digit() || c == ':')
        && words.next() == Some("error")
}

/// `TypeError: x`, `java.lang.NullPointerException: x`, `E   ValueError: x`, `thread … panicked`.
pub(super) fn named_exception(bare: &str) -> bool {
    let bare = bare.strip_prefix("E ").unwrap_or(bare).trim_start();
    let bare = bare.strip_prefix("Uncaught ").unwrap_or(bare);
    let name_end = bare
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '$')))
        .unwrap_or(bare.len());
    let (name, rest) = bare.split_at(name_end);
    let ends = [
        "Error",
        "Exception",
        "Failure",
        "Fault",
        "Panic",
        "Interrupt",
    ]
    .iter()
    .any(|end| name.ends_with(end));
    let starts_upper = name
        .rsplit('.')
        .next()
        .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_uppercase()));
    let told = rest.starts_with(": ")
        || rest == ":"
        || rest.starts_with(" [")
        || (rest.is_empty() && name.len() > 6 && name != "Exception");
    ends && starts_upper && told
}

/// `main.go:3:5: undefined: foo`: a place with a column, a blank, and no mere hint.
fn diagnostic(line: &str) -> bool {
    let mut parts = line.splitn(4, ':');
    let (Some(path), Some(row), Some(column), Some(message)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let file = !path.contains(' ') && path.contains('.');
    file && number(row) && number(column) && message.starts_with(' ') && !hint(message)
}

/// A compiler's message that is no error.
pub(super) fn hint(message: &str) -> bool {
    let message = message.trim_start().to_lowercase();
    [
        "warning",
        "warn",
        "note",
        "info",
        "hint",
        "help",
        "remark",
        "style",
        "convention",
        "refactor",
        "in ",
        "required from",
        "debug",
    ]
    .iter()
    .any(|word| message.starts_with(word))
}

/// `docker: error response from daemon: …`, `psql: fatal: …`, `wget: unable to …`: a program's name,
/// then its complaint.
pub(super) fn by_name(lower: &str) -> bool {
    const COMMITS: [&str; 11] = [
        "feat", "fix", "docs", "test", "tests", "chore", "refactor", "style", "perf", "ci", "note",
    ];
    const COMPLAINTS: [&str; 14] = [
        "error ",
        "error:",
        "fatal:",
        "fatal ",
        "unable to ",
        "can't ",
        "cannot ",
        "could not ",
        "couldn't ",
        "failed to ",
        "permission denied",
        "permission to ",
        "no such ",
        "unrecognized ",
    ];
    lower.split_once(": ").is_some_and(|(tool, message)| {
        !tool.is_empty()
            && !COMMITS.contains(&tool)
            && tool.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '[' | ']' | '+')
            })
            && COMPLAINTS.iter().any(|start| message.starts_with(start))
            && !super::harmless::prose(message)
    })
}

/// `Deployment failed`, `migration failed: table exists`, `Login failed for user x`: at most three
/// words, then the news.
fn failed(lower: &str) -> bool {
    const NONE: [&str; 6] = ["0", "no", "none", "nothing", "if", "when"];
    let Some((what, rest)) = lower.split_once(" failed") else {
        return false;
    };
    let told = rest.is_empty()
        || rest == "."
        || rest == "!"
        || (rest.starts_with(": ")
            && !rest[1..]
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit()))
        || rest.starts_with(" for ")
        || rest.starts_with(" with ");
    let words = what.split_whitespace().count();
    told && (1..=3).contains(&words)
        && !what
            .split_whitespace()
            .any(|word| NONE.contains(&word) || word.parse::<u64>().is_ok())
        && !super::harmless::prose(lower)
}

/// Forms that only one tool, or one language, has.
pub(super) fn says(line: &str, bare: &str, lower: &str) -> bool {
    by_name(lower)
        // pytest's lines of a failure.
        || bare.starts_with("E   ")
        // Gradle's tasks, libtest's tests.
        || bare.ends_with(" FAILED")
        || failed(lower)
        // Make below make says how deep it is.
        || (bare.starts_with("make[") && bare.contains("]: *** "))
        // Jest's heading of a failed test.
        || (line.starts_with('●') && line.contains(" › "))
        // Ruby names the class behind the message.
        || (bare.ends_with("Error)") && bare.contains(" ("))
        // Elixir puts it in front: `** (RuntimeError) boom`, without its stars here.
        || bare.strip_prefix('(').and_then(|rest| rest.split_once(')')).is_some_and(
            |(name, _)| name.ends_with("Error") && !name.contains(' '),
        )
}
