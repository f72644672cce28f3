//! The kind in a log's name: a fixed word, never a part of the command (tests/cases/hostile.md L10).

/// What kind of run a command is, by the words in it: `test`, `build`, `lint` or `output`.
pub fn of(command: &str) -> &'static str {
    const KINDS: &[(&str, &[&str])] = &[
        (
            "test",
            &[
                "test",
                "tests",
                "spec",
                "rspec",
                "jest",
                "vitest",
                "mocha",
                "phpunit",
                "tox",
                "nox",
                "bats",
                "prove",
                "nextest",
                "playwright",
                "cypress",
                "unittest",
            ],
        ),
        (
            "lint",
            &[
                "lint",
                "clippy",
                "eslint",
                "ruff",
                "mypy",
                "flake8",
                "pylint",
                "shellcheck",
                "golangci",
                "fmt",
                "check",
                "vet",
            ],
        ),
        (
            "build",
            &[
                "build", "make", "cmake", "ninja", "compile", "tsc", "gradle", "gradlew", "mvn",
                "webpack", "install", "gcc", "clang", "bundle",
            ],
        ),
    ];
    let lower = command.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let names = |list: &&[&str]| {
        words
            .iter()
            .any(|word| list.contains(word) || *word == "pytest" && list.contains(&"test"))
    };
    KINDS
        .iter()
        .find(|(_, list)| names(list))
        .map_or("output", |(kind, _)| kind)
}

/// The kinds that [`of`] gives.
pub const ALL: &[&str] = &["test", "lint", "build", "output"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_command_tell_its_kind() {
        for (command, kind) in [
            ("cargo test", "test"),
            ("npm run test:unit", "test"),
            ("python -m pytest -q", "test"),
            ("cargo clippy --all", "lint"),
            ("make -j4", "build"),
            ("../../x\n", "output"),
            ("", "output"),
        ] {
            assert_eq!(of(command), kind, "{command}");
            assert!(ALL.contains(&of(command)));
        }
    }
}
