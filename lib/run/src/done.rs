//! A definition of done, sorted: what is a command proves, what is a sentence must be answered.

/// Words that stand in a sentence about a command, not in the command.
const PROSE: [&str; 10] = [
    "passes", "pass", "works", "succeeds", "is", "are", "should", "must", "has", "have",
];

/// One entry of a definition of done.
#[derive(Debug, PartialEq, Eq)]
pub enum Condition {
    /// A shell command that exits with 0 when it holds.
    Gate(String),
    /// A sentence that the claim must answer.
    Sentence(String),
}

/// Reads an entry. It is a command when it is marked as one (`$ …` or in backticks), or when its
/// first word is a program (`is_program` knows: a name on the PATH, an executable file) and it does
/// not read like a sentence. In doubt it is a command: a wrong gate fails and is noticed, a wrong
/// sentence would be a proof less.
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
    let mut words = entry
        .split_whitespace()
        .skip_while(|word| is_assignment(word));
    let program = words.next().unwrap_or_default();
    let prose = entry.ends_with(['.', '。']) || words.any(|word| PROSE.contains(&word));
    if is_program(program) && !prose {
        Condition::Gate(entry.to_owned())
    } else {
        Condition::Sentence(entry.to_owned())
    }
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
        ] {
            assert!(gate(command), "{command}");
        }
        for sentence in [
            "cargo test passes",
            "The parser handles tabs.",
            "make is not needed",
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
