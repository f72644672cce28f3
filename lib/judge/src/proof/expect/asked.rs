//! Whether a text of C or Java checks what calls give, by an assertion or by a condition.

use super::call::{arguments, is_literal};

/// What assertions are called, in lower case.
const ASSERTIONS: [&str; 6] = ["assert", "expect", "check", "require", "verify", "same"];
/// Words that stand before a bracket and call nothing.
const NO_CALLS: [&str; 5] = ["if", "while", "for", "switch", "return"];
/// Names that are values.
const VALUES: [&str; 5] = ["NULL", "nullptr", "null", "true", "false"];

/// Does it assert what a call gives, or ask for it with nothing but literals: `assert(f(x) == 3)`,
/// `if (f(500) != 100)`?
pub(in crate::proof) fn checks(text: &str) -> bool {
    text.match_indices('(').any(|(open, _)| {
        let line = text[..open].rfind('\n').map_or(0, |end| end + 1);
        let before = text[line..open].trim_start();
        if before.starts_with(['#', '*']) || before.contains("//") {
            return false;
        }
        let name = name_before(text, open);
        let lower = name.to_ascii_lowercase();
        let asserts = ASSERTIONS.iter().any(|word| lower.starts_with(word));
        let Some((parts, close)) = (asserts || name == "if")
            .then(|| arguments(text, open, false))
            .flatten()
        else {
            return false;
        };
        let condition = &text[open + 1..close];
        if name == "if" {
            return is_of_literals(condition);
        }
        let compares = parts.len() > 1 || condition.contains("==");
        let negated = condition.trim_start_matches(['!', ' ']);
        calls(condition).next().is_some() && (compares || is_one_call(negated))
    })
}

/// The name that stands directly before a place.
fn name_before(text: &str, at: usize) -> &str {
    let text = text[..at].trim_end_matches(' ');
    let from = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric() || *c == '_')
        .last()
        .map_or(text.len(), |(from, _)| from);
    &text[from..]
}

/// The brackets of the calls in a condition.
fn calls(condition: &str) -> impl Iterator<Item = usize> {
    let opens = condition.match_indices('(').map(|(at, _)| at);
    opens.filter(|at| {
        let name = name_before(condition, *at);
        name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !NO_CALLS.contains(&name)
    })
}

/// Is it a single call and nothing behind it?
pub(super) fn is_one_call(condition: &str) -> bool {
    let open = condition.find('(');
    let closed = open.and_then(|open| arguments(condition, open, false));
    closed
        .is_some_and(|(parts, close)| !parts.is_empty() && condition[close + 1..].trim().is_empty())
}

/// Does it ask what a call gives for literals, and for nothing that has a name?
pub(super) fn is_of_literals(condition: &str) -> bool {
    let given = calls(condition).any(|open| {
        arguments(condition, open, false).is_some_and(|(parts, _)| {
            parts
                .iter()
                .any(|part| is_literal(&condition[part.clone()]))
        })
    });
    given && !names_a_value(condition)
}

/// Does a name stand in it that is neither called nor looked into?
fn names_a_value(condition: &str) -> bool {
    let bytes = condition.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let inside = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let length = bytes[at..].iter().take_while(|byte| inside(byte)).count();
                let name = &condition[at..at + length];
                let behind = condition[at + length..].trim_start();
                if !behind.starts_with(['(', '.']) && !VALUES.contains(&name) {
                    return true;
                }
                at += length - 1;
            }
            // With what belongs to a number: `10u`, `0xff`.
            byte if byte.is_ascii_digit() => {
                let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
                at += bytes[at..].iter().take_while(|byte| part(byte)).count() - 1;
            }
            _ => {}
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_ask_what_calls_give_and_sources_ask_for_what_they_hold() {
        for text in [
            "assert(clamp(500) == 100);",
            "char *s = slug(\"A b\"); assert(strcmp(s, \"a-b\") == 0);",
            "EXPECT_EQ(clamp(-5), 0);",
            "assert(!is_word(\"a b\"));",
            "CHECK(near(mean(a, 2), 1.5));",
            "if (clamp(-5) != 0) { puts(\"low\"); return 1; }",
            "if (strcmp(slug(\"A\"), \"a\")) return 1;",
            "if (Span.clamp(31) != 31) throw new AssertionError();",
        ] {
            assert!(checks(text), "{text}");
        }
        for text in [
            "assert(n > 0);",
            "assert(p != NULL);",
            "assert(strlen(name) < 64);",
            "if (n > 1 && !strcmp(v[1], \"--test\")) return 1;",
            "if (fork() == 0) return 1;",
            "if (fclose(f) != 0) return 1;",
            "#define assert(x) ((x) == 0 ? f(1) : g(2))",
            "// assert(clamp(500) == 100);",
            "int check(int x);",
            "clamp(500);",
        ] {
            assert!(!checks(text), "{text}");
        }
    }
}
