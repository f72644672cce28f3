//! A definition of done, sorted: what is a command proves, what is a sentence must be answered.

/// Words that make a sentence of what they stand behind: `make is not needed`.
const COPULAS: [&str; 6] = ["is", "are", "should", "must", "has", "have"];
/// Words that end a sentence about a command: `cargo test passes`.
const VERDICTS: [&str; 4] = ["passes", "pass", "works", "succeeds"];
/// What only a shell knows and what no sentence begins with.
const BUILTINS: [&str; 16] = [
    "!", ".", ":", "[", "[[", "(", "{", "cd", "eval", "exec", "export", "source", "test", "trap",
    "ulimit", "umask",
];
/// Programs that prove something: an entry that begins with one is a command, also where it is missing.
const RUNNERS: [&str; 34] = [
    "bash", "bats", "bundle", "bun", "cargo", "cmake", "composer", "ctest", "deno", "docker",
    "dotnet", "go", "gradle", "grep", "jest", "just", "make", "mvn", "mypy", "node", "npm", "npx",
    "pnpm", "pytest", "python", "python3", "rspec", "ruby", "ruff", "sh", "tox", "uv", "vitest",
    "yarn",
];

/// One entry of a definition of done.
#[derive(Debug, PartialEq, Eq)]
pub enum Condition {
    /// A shell command that exits with 0 when it holds.
    Gate(String),
    /// A sentence that the claim must answer.
    Sentence(String),
}

/// Reads an entry. It is a command when it is marked as one (`$ …` or in backticks), or when it
/// begins like one (`is_program` knows names on the PATH and executable files) or holds what only a
/// shell understands, and does not read like a sentence. In doubt it is a command: a wrong gate fails
/// and is noticed, a wrong sentence would be a proof less.
pub fn read(entry: &str, is_program: &dyn Fn(&str) -> bool) -> Condition {
    let entry = entry.trim();
    let marked = entry.strip_prefix("$ ").or_else(|| {
        entry
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'))
    });
    if let Some(command) = marked {
        return Condition::Gate(command.trim().to_owned());
    }
    let words: Vec<&str> = entry
        .split_whitespace()
        .skip_while(|word| is_assignment(word))
        .collect();
    let first = words.first().copied().unwrap_or_default();
    let begins = BUILTINS.contains(&first)
        || RUNNERS.contains(&first)
        || is_path(first)
        || is_program(first);
    if (begins || has_syntax(&words)) && !is_prose(entry, &words) {
        Condition::Gate(entry.to_owned())
    } else {
        Condition::Sentence(entry.to_owned())
    }
}

/// `./check.sh`, `ci/run`, `.venv/bin/pytest`.
fn is_path(word: &str) -> bool {
    word.contains('/')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte))
}

/// Operators between commands, a substitution, an option behind the first word.
fn has_syntax(words: &[&str]) -> bool {
    let operator = |word: &&str| matches!(*word, "&&" | "||" | "|" | "2>&1" | ">" | "<");
    let option = words.get(1).is_some_and(|word| {
        word.strip_prefix('-')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'))
    });
    words.iter().any(operator) || words.iter().any(|word| word.contains("$(")) || option
}

fn is_prose(entry: &str, words: &[&str]) -> bool {
    // A full stop ends a sentence; `ls .`, `go test ./...` and `cd ..` end with a path.
    let stop = entry.ends_with('。')
        || entry
            .strip_suffix('.')
            .is_some_and(|rest| rest.ends_with(|c: char| c.is_alphanumeric() || c == ')'));
    let argument = |at: usize| at > 0 && words[at - 1].starts_with('-');
    let copula = words
        .iter()
        .enumerate()
        .skip(1)
        .any(|(at, word)| COPULAS.contains(word) && !argument(at));
    let verdict = words
        .len()
        .checked_sub(1)
        .is_some_and(|last| last > 0 && VERDICTS.contains(&words[last]) && !argument(last));
    let quoted = entry.contains(['"', '\'', '|', '&', '$']);
    !quoted && (copula || verdict) || stop
}

/// `NAME=value` before a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_sentences_are_told_apart() {
        let program = |word: &str| matches!(word, "cargo" | "make" | "./check.sh" | "npm");
        let gate = |entry| matches!(read(entry, &program), Condition::Gate(_));
        for command in [
            "cargo test --workspace",
            "CI=1 make check",
            "./check.sh",
            "$ anything at all",
            "`just test`",
            "cd sub && test -f x",
            "! grep -rn TODO src",
            ". .venv/bin/activate && pytest",
            "grep -c works f",
            "grep -q 'it is done' log",
            "./missing.sh",
            "pytest tests/unit",
            "unknown-tool --check",
            "go test ./...",
            "test -f README.md",
        ] {
            assert!(gate(command), "{command}");
        }
        for sentence in [
            "cargo test passes",
            "The parser handles tabs.",
            "make is not needed",
            "no warnings",
            "README mentions every flag",
            "docs and tests are updated",
            "The page works without -O2",
            "すべてのテストが通る",
            "",
        ] {
            assert!(!gate(sentence), "{sentence}");
        }
        assert_eq!(
            read("`just test`", &program),
            Condition::Gate("just test".to_owned())
        );
    }
}
