//! Texts: escapes, and the code that fills them.

use super::{Lexer, Part, Text, Token, Within, read};

/// Texts within texts at most.
const DEPTH_MAX: u32 = 4;
/// Bytes of code in a text at most: what is longer is not followed.
const INNER_MAX: usize = 4096;

impl Lexer<'_> {
    /// The text from here to its end, and where that is.
    pub(super) fn text(
        &self,
        start: usize,
        (open, close): (&str, &str),
        within: Within,
    ) -> (Text, usize) {
        let mut text = Text::default();
        let mut plain = String::new();
        let (mut at, mut depth) = (start, 0_u32);
        let escapes = !matches!(within, Within::Raw | Within::Words);
        let one_line = close.len() == 1
            && matches!(self.language.family, "python" | "node" | "lua" | "compiled");
        let fills = matches!(within, Within::Code | Within::Command);
        while let Some(c) = self.code[at..].chars().next() {
            let rest = &self.code[at..];
            if rest.starts_with(close) && depth == 0 {
                text.parts.push(Part::Plain(plain));
                return (text, at + close.len());
            }
            if c == '\n' && one_line && close != "`" {
                break;
            }
            if c == '\\'
                && (escapes || rest[1..].starts_with(close))
                && !(escapes && rest.starts_with(self.language.inner))
            {
                let (shown, length) = escape(rest);
                plain.extend(shown);
                at += length;
                continue;
            }
            if fills && let Some((code, length)) = self.inner(rest) {
                text.parts.push(Part::Plain(std::mem::take(&mut plain)));
                text.parts.push(Part::Code(code));
                at += length;
                continue;
            }
            if open != close && rest.starts_with(open) {
                depth += 1;
            } else if rest.starts_with(close) {
                depth -= 1;
            }
            plain.push(c);
            at += c.len_utf8();
        }
        text.parts.push(Part::Plain(plain));
        (text, at)
    }

    /// Code that begins in a text here.
    fn inner(&self, rest: &str) -> Option<(Vec<Token>, usize)> {
        let inner = self.language.inner;
        let after = rest.strip_prefix(inner).or_else(|| {
            // `{$x}` and `@{[ … ]}`.
            rest.strip_prefix('@')
                .filter(|after| inner == "$" && after.starts_with('{'))
        })?;
        if inner == "{" && after.starts_with('{') || self.depth >= DEPTH_MAX {
            return None;
        }
        let bracket = inner.ends_with(['{', '(']);
        let (from, end) = if bracket {
            let end = balanced(&rest[inner.len() - 1..])?;
            (inner.len(), inner.len() - 1 + end)
        } else {
            let mut end = rest.len() - after.len();
            end += after
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count();
            if rest[end..].starts_with(['{', '[']) {
                end += balanced(&rest[end..])?;
            }
            (0, end)
        };
        (end > inner.len()).then(|| {
            let code = &rest[from..end - usize::from(bracket)];
            (read(code, self.language, self.depth + 1), end)
        })
    }
}

pub(super) fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        same => same,
    }
}

/// The length of what the bracket that begins here holds, with both.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices().take(INNER_MAX) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The character that an escape stands for, and its length.
fn escape(rest: &str) -> (Option<char>, usize) {
    let mut following = rest.chars().skip(1);
    let Some(c) = following.next() else {
        return (Some('\\'), 1);
    };
    let digits = |skip: usize, most: usize, radix: u32| {
        let digits: String = rest
            .chars()
            .skip(skip)
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .collect();
        let value = u32::from_str_radix(&digits, radix)
            .ok()
            .and_then(char::from_u32);
        (value, skip + digits.len())
    };
    match c {
        'n' => (Some('\n'), 2),
        't' => (Some('\t'), 2),
        'r' => (Some('\r'), 2),
        'x' => digits(2, 2, 16),
        'u' => digits(2, 4, 16),
        '0'..='7' => digits(1, 3, 8),
        '\n' => (None, 2),
        c => (Some(c), 1 + c.len_utf8()),
    }
}
