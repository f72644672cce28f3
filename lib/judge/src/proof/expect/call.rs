//! The arguments of a call, read without the language's grammar.

use std::ops::Range;

/// Arguments longer than this are data.
const BYTES_MAX: usize = 4_000;

/// The arguments of the call whose bracket opens at `open`, and where it closes. `ticks`: a `'` may
/// begin a lifetime.
pub(super) fn arguments(
    text: &str,
    open: usize,
    ticks: bool,
) -> Option<(Vec<Range<usize>>, usize)> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut depth, mut from, mut at) = (0_u32, open + 1, open);
    while at < bytes.len().min(open + BYTES_MAX) {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    parts.extend(trimmed(text, from..at));
                    return Some((parts, at));
                }
            }
            b',' if depth == 1 => {
                parts.extend(trimmed(text, from..at));
                from = at + 1;
            }
            b'\'' if ticks => at = after_tick(bytes, at),
            quote @ (b'"' | b'\'' | b'`') => at = after_text(bytes, at, quote)?,
            _ => {}
        }
        at += 1;
    }
    None
}

fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = text.get(range.clone())?;
    let start = range.start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    (start < end).then_some(start..end)
}

/// Is this a literal: texts in quotes, numbers, and lists or tables of such?
pub(super) fn is_literal(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => match after_text(bytes, at, quote) {
                Some(end) => at = end,
                None => return false,
            },
            byte if byte.is_ascii_digit() || byte.is_ascii_whitespace() => {}
            byte if b"[](){},:-+._".contains(&byte) => {}
            _ => return false,
        }
        at += 1;
    }
    true
}

/// Where a text in quotes ends.
fn after_text(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let thrice = bytes.get(start..start + 3) == Some(&[quote; 3]);
    let mut at = start + if thrice { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == quote && !thrice => return Some(at),
            byte if byte == quote && bytes.get(at..at + 3) == Some(&[quote; 3]) => {
                return Some(at + 2);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// A character of Rust, or the tick of a lifetime.
fn after_tick(bytes: &[u8], start: usize) -> usize {
    let close = if bytes.get(start + 1) == Some(&b'\\') {
        start + 3
    } else {
        start + 2
    };
    if bytes.get(close) == Some(&b'\'') {
        close
    } else {
        start
    }
}

/// Does it call something? What is expected is mostly written down.
pub(super) fn has_call(text: &str) -> bool {
    text.match_indices('(').any(|(at, _)| {
        let before = &text[..at];
        // `"1h".parse::<Span>()`
        let generic = before.ends_with('>') && before.contains("::<");
        generic || before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '!' | '?'))
    })
}

/// The value with its literals changed to others of their types: of two values that are compared by a part of them
/// this part is another one, too. In a calculation it is one of them, since several might give the same again. `None`
/// where there is none.
pub(super) fn changed_literal(text: &str) -> Option<String> {
    let trimmed = text.trim();
    for (word, other) in [("true", "false"), ("false", "true")] {
        if trimmed == word {
            return Some(text.replacen(word, other, 1));
        }
    }
    let calculates = [" + ", " - ", " * ", " / ", " % "]
        .iter()
        .any(|sign| text.contains(sign));
    let (mut changed, mut any) = (String::with_capacity(text.len() + 16), false);
    let (bytes, mut at) = (text.as_bytes(), 0);
    while at < bytes.len() {
        let from = at;
        at = match bytes[at] {
            b'"' => after_text(bytes, at, b'"').map_or(bytes.len(), |end| end + 1),
            byte if byte.is_ascii_digit() => {
                at + bytes[at..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit())
                    .count()
            }
            _ => at + text[at..].chars().next().map_or(1, char::len_utf8),
        };
        let token = &text[from..at];
        let other = if any && calculates {
            None
        } else if let Some(rest) = token.strip_prefix('"') {
            Some(format!("\"overnight {rest}"))
        } else {
            another_number(text, from..at)
        };
        any |= other.is_some();
        changed.push_str(other.as_deref().unwrap_or(token));
    }
    any.then_some(changed)
}

/// Another number; none for what is part of a name (`u8`), of a number that is no plain decimal, or says how many
/// there are (`[0; 3]`).
fn another_number(text: &str, at: Range<usize>) -> Option<String> {
    let number: u64 = text[at.clone()].parse().ok()?;
    let bytes = text.as_bytes();
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'#');
    let before = at.start.checked_sub(1).and_then(|at| bytes.get(at));
    let is_part = before.is_some_and(part) || bytes.get(at.end).is_some_and(part);
    let counts = text[..at.start].trim_end().ends_with(';');
    let other = if number == 0 { 1 } else { number - 1 };
    (!is_part && !counts).then(|| other.to_string())
}
