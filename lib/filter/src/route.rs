//! Which commands are left alone: their output is data for the agent, a person or a file.

use super::words::{self, Simple};

/// What to do with a command's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Digest it when it is long.
    Filter,
    /// Leave it alone, and why.
    Raw(&'static str),
}

/// Programs that print what the agent asked to see.
const DATA: &[&str] = &[
    "cat", "head", "tail", "sed", "awk", "grep", "egrep", "fgrep", "rg", "ag", "fd", "find", "ls",
    "tree", "wc", "sort", "uniq", "cut", "tr", "paste", "column", "nl", "tac", "rev", "fold",
    "diff", "comm", "cmp", "jq", "yq", "xmllint", "xxd", "od", "hexdump", "base64", "strings",
    "curl", "stat", "file", "du", "df", "env", "printenv", "ps", "less", "more", "bat", "zcat",
    "xargs",
];
/// Commands of git that print what the agent asked to see.
const GIT_DATA: &[&str] = &[
    "show",
    "diff",
    "log",
    "blame",
    "cat-file",
    "grep",
    "ls-files",
    "ls-tree",
    "rev-list",
    "config",
    "reflog",
    "shortlog",
    "status",
    "format-patch",
    "archive",
];
/// Programs that talk to a person.
const INTERACTIVE: &[&str] = &[
    "vi", "vim", "nvim", "nano", "emacs", "top", "htop", "btop", "ssh", "tmux", "screen", "watch",
    "man", "gdb", "lldb", "psql", "mysql", "sqlite3", "claude", "fzf",
];
/// Programs that print nothing or a line.
const QUIET: &[&str] = &[
    "cd", "pushd", "popd", "export", "unset", "set", "shopt", "alias", "true", "false", ":",
    "test", "[", "mkdir", "touch", "rm", "rmdir", "cp", "mv", "ln", "chmod", "echo", "printf",
    "pwd", "exit", "sleep", "wait", "which", "type", "command", "umask", "local", "read",
];
/// Those of [`QUIET`] that print a line at most, whatever their arguments.
const SHORT: &[&str] = &[
    "cd", "true", "false", "test", "mkdir", "touch", "echo", "printf", "pwd", "sleep",
];
/// Those of [`DATA`] for which it depends on their arguments.
const DEPENDS: &[&str] = &["find", "xargs", "env"];
/// Programs that run what follows them.
const WRAPPERS: &[&str] = &["sudo", "nice", "nohup", "stdbuf", "command", "builtin"];

/// Programs whose call with plain words (no quotes, no shell syntax) needs no filter: the shell
/// itself sees that, and is not replaced for them.
pub(super) fn plain() -> Vec<&'static str> {
    let data = DATA.iter().filter(|name| !DEPENDS.contains(name));
    SHORT.iter().chain(data).copied().collect()
}

/// The same for commands of git.
pub(super) fn plain_of_git() -> &'static [&'static str] {
    GIT_DATA
}

/// The rule. A command is left alone when
/// 1. it begins with `OUTPUT_FILTER=raw`,
/// 2. one of its programs talks to a person (`vim`, `ssh`, …), or
/// 3. each of its pipelines ends in a program that prints data (`cat`, `jq`, `git show`, …), in a
///    redirection to a file, or prints next to nothing (`cd`, `mkdir`), and one of the first two
///    occurs.
///
/// Everything else, and whatever is not a plain list of commands, is filtered.
pub fn route(command: &str) -> Route {
    let command = command.trim();
    if escapes(command) {
        return Route::Raw("OUTPUT_FILTER=raw");
    }
    let Some(line) = words::parse(command) else {
        return Route::Filter;
    };
    let mut data = false;
    for pipeline in &line {
        if pipeline
            .iter()
            .any(|simple| INTERACTIVE.contains(&program(simple).0))
        {
            return Route::Raw("interactive");
        }
        let Some(last) = pipeline.last() else {
            continue;
        };
        if last.redirected || is_data(last) {
            data = true;
        } else if !QUIET.contains(&program(last).0) {
            return Route::Filter;
        }
    }
    if data {
        Route::Raw("data")
    } else {
        Route::Filter
    }
}

/// Whether a command prints next to nothing, whatever becomes of it.
pub(super) fn is_quiet(simple: &Simple) -> bool {
    QUIET.contains(&program(simple).0)
}

fn escapes(command: &str) -> bool {
    let command = command.strip_prefix("export ").unwrap_or(command);
    ["OUTPUT_FILTER=raw", "OVERNIGHT_OUTPUT_FILTER=raw"]
        .iter()
        .any(|sign| {
            let rest = command.strip_prefix(sign);
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', '&'])
            })
        })
}

fn is_data(simple: &Simple) -> bool {
    let (name, arguments) = program(simple);
    match name {
        "git" => arguments
            .iter()
            .scan(false, |takes_value, word| {
                let is_value = std::mem::replace(takes_value, matches!(word.as_str(), "-C" | "-c"));
                Some((is_value, word))
            })
            .find(|(is_value, word)| !is_value && !word.starts_with('-'))
            .is_some_and(|(_, word)| GIT_DATA.contains(&word.as_str())),
        // A search that changes or runs something prints what that prints.
        "find" => !arguments
            .iter()
            .any(|word| word.starts_with("-exec") || word.starts_with("-ok")),
        "xargs" => arguments
            .iter()
            .any(|word| DATA.contains(&word.as_str()) && word != "xargs"),
        "env" => arguments.is_empty(),
        name => DATA.contains(&name),
    }
}

/// The program's name without its folder, and its arguments; assignments and wrappers before it
/// are skipped.
pub(super) fn program(simple: &Simple) -> (&str, &[String]) {
    let is_assignment = |word: &str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
    };
    let mut words = simple.words.as_slice();
    while let Some((word, rest)) = words.split_first() {
        if is_assignment(word) || WRAPPERS.contains(&word.as_str()) && !rest.is_empty() {
            words = rest;
        } else {
            return (word.rsplit('/').next().unwrap_or(word), rest);
        }
    }
    ("", &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_for_the_agent_is_left_alone() {
        for command in [
            "cat src/main.rs",
            "git show HEAD~1",
            "git -C a --no-pager diff",
            "jq . a.json",
            "cd x && cat y",
            "cargo test > out.txt 2>&1",
            "cargo test 2>&1 | tail -50",
            "ls -la; wc -l x",
            "curl -s http://x | jq .a",
            "sed -n '1,80p' a.rs",
            "cargo metadata | jq '.packages'",
            "X=1 /bin/cat y",
            "find . -name '*.rs' | xargs grep x",
        ] {
            assert_eq!(route(command), Route::Raw("data"), "{command}");
        }
    }

    #[test]
    fn what_the_shell_lets_pass_is_left_alone_here_too() {
        for name in plain() {
            let routed = route(&format!("{name} a b"));
            assert!(
                routed == Route::Raw("data")
                    || routed == Route::Raw("interactive")
                    || SHORT.contains(&name),
                "{name}"
            );
        }
        for name in plain_of_git() {
            assert_eq!(
                route(&format!("git {name} a")),
                Route::Raw("data"),
                "{name}"
            );
        }
        assert!(SHORT.iter().all(|name| QUIET.contains(name)));
    }

    #[test]
    fn runs_are_filtered() {
        for command in [
            "cargo test",
            "make -j4 2>&1",
            "make >&2",
            "cd x && npm test",
            "cat x; cargo test",
            "pytest | tee out.txt",
            "for i in 1 2; do cat x; done",
            "git push",
            "git commit -m show",
            "find . -exec cargo test \\;",
            "env X=1 cargo test",
            "mkdir x",
            "cat <<'EOF' | sh\nls\nEOF",
            "timeout 5 cargo test",
            "",
        ] {
            assert_eq!(route(command), Route::Filter, "{command}");
        }
    }

    #[test]
    fn the_escape_and_interactive_programs_are_left_alone() {
        for command in [
            "OUTPUT_FILTER=raw cargo test",
            "export OUTPUT_FILTER=raw; x",
            "OVERNIGHT_OUTPUT_FILTER=raw\nmake",
        ] {
            assert_eq!(route(command), Route::Raw("OUTPUT_FILTER=raw"), "{command}");
        }
        assert_eq!(route("OUTPUT_FILTER=rawish cargo test"), Route::Filter);
        assert_eq!(route("vim a.txt"), Route::Raw("interactive"));
    }
}
