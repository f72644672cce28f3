//! Raw arguments to words, the way a person means them.

/// A word, and whether it was quoted (then it is never a flag).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) quoted: bool,
}

/// Splits at white space. A quote holds a word together when it begins the word (or its value
/// behind `=`) and is closed at a word's end; any other quote is a character: people write
/// "don't".
pub(super) fn split(raw: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = raw.trim_start();
    while !rest.is_empty() {
        let (word, after) = next(rest);
        words.push(word);
        rest = after.trim_start();
    }
    words
}

fn next(text: &str) -> (Word, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let start = match text[..end].find('=') {
        Some(at) if text.starts_with("--") => at + 1,
        _ => 0,
    };
    if let Some((inner, after)) = quoted(&text[start..]) {
        let word = Word {
            text: format!("{}{inner}", &text[..start]),
            quoted: start == 0,
        };
        return (word, after);
    }
    let word = Word {
        text: text[..end].to_owned(),
        quoted: false,
    };
    (word, &text[end..])
}

/// What stands in the quotes that the text begins with, and what follows them.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut inner = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        let escaped = characters
            .peek()
            .copied()
            .filter(|(_, next)| matches!(next, '"' | '\\'));
        match escaped {
            Some((_, next)) if quote == '"' && c == '\\' => {
                inner.push(next);
                characters.next();
            }
            _ if c == quote => {
                let after = &text[at + 1..];
                let at_end = after.chars().next().is_none_or(char::is_whitespace);
                if at_end {
                    return Some((inner, after));
                }
                inner.push(c);
            }
            _ => inner.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(raw: &str) -> Vec<String> {
        split(raw).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn quotes_hold_words_together_and_apostrophes_do_not() {
        assert_eq!(texts(r#"a "b c" 'd "e"' f"#), ["a", "b c", r#"d "e""#, "f"]);
        assert_eq!(texts("don't break 'em"), ["don't", "break", "'em"]);
        assert_eq!(
            texts(r#"--agent-prompt="my goal.md" x"#),
            ["--agent-prompt=my goal.md", "x"]
        );
        assert_eq!(texts(r#""say \"hi\" \\ now" "#), [r#"say "hi" \ now"#]);
        assert_eq!(texts(" 全角　空白 "), ["全角", "空白"]);
        assert!(split(r#""--not-a-flag""#)[0].quoted);
    }

    proptest! {
        #[test]
        fn nothing_but_white_space_and_quotes_is_lost(raw in "[a-z '\"=\\\\-]{0,40}") {
            let kept: String = split(&raw).iter().flat_map(|word| word.text.chars()).filter(char::is_ascii_lowercase).collect();
            let all: String = raw.chars().filter(char::is_ascii_lowercase).collect();
            prop_assert_eq!(kept, all);
        }
    }
}
