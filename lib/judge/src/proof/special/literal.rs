//! Literals of a text, read without its language's grammar, and where they stand.

mod constant;
mod scan;

pub(super) use constant::constants;
pub(super) use scan::tokens;

use super::super::protect::ending;
use std::ops::Range;

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// Its value: of a text what stands between the quotes, of a list its values with commas.
    pub(super) value: String,
    /// Where it stands, quotes included.
    pub(super) at: Range<usize>,
    /// Is it a name that stands for a text, such as an object's key?
    word: bool,
}

/// Is this a script of a shell, whose words are literals?
fn is_shell(path: &str) -> bool {
    matches!(ending(path), "sh" | "bash" | "zsh" | "bats" | "mk") || path.starts_with(super::GATE)
}

impl Token {
    /// Does the source choose by this value: compare with it, or look it up?
    pub(super) fn is_asked_for(&self, path: &str, text: &str) -> bool {
        let before = text[..self.at.start].trim_end();
        let after = text[self.at.end..].trim_start_matches([' ', '\t']);
        let last = |word: &str| {
            before.ends_with(word)
                && !before[..before.len() - word.len()]
                    .ends_with(|c: char| c.is_alphanumeric() || c == '_')
        };
        let number = self.value.starts_with(|c: char| c.is_numeric() || c == '-');
        let compared = (before.ends_with("==") && !before.ends_with("!=="))
            || last("case")
            || last("when")
            || last("eq")
            || last("-eq")
            || before.ends_with(".equals(")
            || before
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.contains("strcmp("))
            || (after.starts_with("==")
                && !before.ends_with(['%', '+', '-', '*', '/', '&', '|', '^']));
        let sliced = before.ends_with('[') && number || before.ends_with('?');
        let behind = after.strip_prefix(':').filter(|_| !sliced);
        let key = behind.is_some_and(|rest| !rest.starts_with([':', '=']));
        let assigned = after.strip_prefix(']').is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with('=') && !rest.starts_with("==")
        });
        let shell = is_shell(path)
            && (before.ends_with('=') || (after.starts_with([')', '|']) && first_in_case(before)));
        compared
            || key
            || assigned
            || shell
            || after.starts_with("=>")
            || after.starts_with("->")
            || self.is_first_of_pair(before, after)
    }

    /// `("ABC", …)` and `["ABC", …]`, but no arguments of a call.
    fn is_first_of_pair(&self, before: &str, after: &str) -> bool {
        let open = before.strip_suffix(['(', '[', '{']);
        let called = |before: &str| {
            before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '!'))
        };
        !self.word && after.starts_with(',') && open.is_some_and(|before| !called(before))
    }
}

/// Is what follows the pattern of a shell's `case`?
fn first_in_case(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    line.is_empty() || line.ends_with('|') || line.ends_with(" in") || line.ends_with(";;")
}
