//! A line as a person sees it: without escape sequences, after its carriage returns, and short.

use memchr::memrchr_iter;
use std::borrow::Cow;

/// Whole lines as text, when each is plain text: nothing of it has to be removed or replaced. Asked of many
/// lines at once, which is faster than of each.
pub(super) fn plain(lines: &[u8]) -> Option<&str> {
    std::str::from_utf8(lines).ok().filter(|_| is_plain(lines))
}

/// The text of a raw line: escape sequences and control characters removed, the last state of a
/// line that was rewritten with carriage returns, invalid UTF-8 replaced, trailing blanks cut.
pub(super) fn clean(raw: &[u8]) -> Cow<'_, str> {
    let mut end = raw.len();
    while end > 0 && raw[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    let raw = &raw[..end];
    if is_plain(raw) {
        return text(raw);
    }
    let raw = last_state(raw);
    let plain = without_escapes(raw);
    let mut text = String::from_utf8(plain)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    text.truncate(text.trim_end().len());
    Cow::Owned(text)
}

/// The bytes as text. Valid text, nearly all there is, is recognised faster than it is repaired.
fn text(raw: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(raw) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(raw),
    }
}

/// `text` in at most `max` bytes, its middle replaced by `…` when it is longer.
pub(super) fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let tail = max / 4;
    let head = floor(text, max.saturating_sub(tail + '…'.len_utf8()));
    let back = ceil(text, text.len() - tail);
    Cow::Owned(format!("{}…{}", &text[..head], &text[back..]))
}

/// `text` in at most `max` bytes, its end replaced by `…` when it is longer.
pub(super) fn cut_end(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let head = floor(text, max.saturating_sub('…'.len_utf8()));
    Cow::Owned(format!("{}…", &text[..head]))
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// What is left of a line after its carriage returns: the last part that shows something.
fn last_state(raw: &[u8]) -> &[u8] {
    // To the first column: the same as a carriage return.
    let first_column = |at: &usize| raw[*at..].starts_with(b"\x1b[1G");
    let from = memrchr_iter(b'\x1b', raw)
        .find(first_column)
        .map_or(0, |at| at + 4);
    let rest = &raw[from..];
    let shows = from > 0 && without_escapes(rest).iter().any(u8::is_ascii_graphic);
    let raw = if shows { rest } else { raw };
    if memchr::memchr(b'\r', raw).is_none() {
        return raw;
    }
    raw.rsplit(|byte| *byte == b'\r')
        .find(|part| !is_idle(part))
        .unwrap_or_default()
}

/// Whether this neither shows nor erases anything: blanks and colours.
fn is_idle(mut part: &[u8]) -> bool {
    loop {
        part = part.trim_ascii();
        let Some(rest) = part.strip_prefix(b"\x1b[") else {
            return part.is_empty();
        };
        let digits = |byte: &u8| !(byte.is_ascii_digit() || *byte == b';');
        match rest.iter().position(digits) {
            Some(end) if rest[end] == b'm' => part = &rest[end + 1..],
            _ => return false,
        }
    }
}

/// Whether there is no control character but tabs and ends of lines.
pub(super) fn is_plain(raw: &[u8]) -> bool {
    let (eights, rest) = raw.as_chunks();
    let mut eights = eights.iter().map(|bytes| u64::from_le_bytes(*bytes));
    !eights.any(holds_control) && !rest.iter().any(|byte| is_control(*byte))
}

/// Whether one of these eight bytes is such a character. Each is looked at in its own bits, whose sums stay below
/// those of the next, and its highest bit says what is asked of it: a loop over bytes is not turned into that by
/// the compiler where the whole program is built to be small.
fn holds_control(eight: u64) -> bool {
    const EACH: u64 = u64::MAX / 255;
    let reaches = |bytes: u64, more: u64| ((bytes & (0x7f * EACH)) + more * EACH) | bytes;
    let differs = |byte: u64| reaches(eight ^ (byte * EACH), 0x7f);
    let shows = reaches(eight, 0x80 - 0x20);
    let odd = !shows & differs(0x09) & differs(0x0a) | !differs(0x7f);
    odd & (0x80 * EACH) != 0
}

fn is_control(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\t' | b'\n') || byte == 0x7f
}

fn without_escapes(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(plain) = raw[at..].iter().position(|byte| is_control(*byte)) {
        out.extend_from_slice(&raw[at..at + plain]);
        at += plain;
        match raw[at] {
            0x1b => at = after_escape(raw, at + 1),
            byte => {
                if byte == 0x08 {
                    out.pop();
                }
                at += 1;
            }
        }
    }
    out.extend_from_slice(&raw[at..]);
    out
}

/// The position after the escape sequence whose first byte after ESC is at `at` (ECMA-48).
fn after_escape(raw: &[u8], at: usize) -> usize {
    let rest = &raw[at.min(raw.len())..];
    match rest.first() {
        // CSI: parameters, then one final byte.
        Some(b'[') => rest[1..]
            .iter()
            .position(|byte| (0x40..=0x7e).contains(byte))
            .map_or(raw.len(), |end| at + end + 2),
        // OSC and the other strings: until BEL or ESC \.
        Some(b']' | b'P' | b'_' | b'^' | b'X') => rest
            .iter()
            .position(|byte| matches!(byte, 0x07 | 0x1b))
            .map_or(raw.len(), |end| {
                let esc = rest[end] == 0x1b && rest.get(end + 1) == Some(&b'\\');
                at + end + 1 + usize::from(esc)
            }),
        Some(b'(' | b')' | b'#' | b'%') => (at + 2).min(raw.len()),
        Some(_) => at + 1,
        None => raw.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_progress_disappear() {
        assert_eq!(
            clean(b"\x1b[31mFAILED\x1b[0m a\x1b[1mb\x1b[0m  \r\n"),
            "FAILED ab"
        );
        assert_eq!(clean(b"10%\r50%\r100% done\r"), "100% done");
        assert_eq!(clean(b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
        assert_eq!(clean(b"a\0b\x07c"), "abc");
        assert_eq!(clean(b"caf\xe9"), "caf\u{fffd}");
        assert_eq!(clean(b"\x1b["), "");
        assert_eq!(clean(b" 1 a\x1b[1G x a\x1b[0m"), " x a");
        assert_eq!(clean(b" x a\x1b[1G\x1b[0m"), " x a");
        assert_eq!(clean(b"a\r x\r\x1b[0;1m \r"), " x");
        assert_eq!(clean(b"a\r\x1b[K"), "");
    }

    #[test]
    fn plain_text_is_told_from_control_characters_wherever_they_stand() {
        for byte in 0..=255_u8 {
            for at in 0..19 {
                let mut line = [b'x'; 19];
                line[at] = byte;
                assert_eq!(is_plain(&line), !is_control(byte), "{byte} at {at}");
            }
        }
    }

    #[test]
    fn long_lines_lose_their_middle() {
        assert_eq!(shorten("abcdefghij", 10), "abcdefghij");
        let short = shorten("日本語日本語日本語", 16);
        assert!(short.len() <= 16 && short.contains('…'), "{short}");
        assert_eq!(cut_end("abcdef", 5), "ab…");
    }
}
