//! Where in a line the name of its test stands. Lines of one shape have the same bytes between their
//! words, so that these tell where the name begins and ends.

use super::shape::{SEEN_WHOLE, is_word};

/// The name stands between these two of the bytes that are part of no word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct Span {
    /// So many stand before the name.
    before: u16,
    /// So many stand before its end.
    until: u16,
}

impl Span {
    /// Where `name` stands in the line; none when it does not stand there as it is, in words of its own.
    pub(in super::super) fn find(raw: &[u8], name: &str) -> Option<Self> {
        if raw.len() > SEEN_WHOLE || name.is_empty() {
            return None;
        }
        let start = memchr::memmem::find(raw, name.as_bytes())?;
        let end = start + name.len();
        let whole = (start == 0 || !is_word(raw[start - 1]))
            && raw.get(end).is_none_or(|byte| !is_word(*byte));
        let count = |end| raw[..end].iter().filter(|byte| !is_word(**byte)).count();
        let span = Self {
            before: u16::try_from(count(start)).ok()?,
            until: u16::try_from(count(end)).ok()?,
        };
        (whole && span.of(raw) == Some(name)).then_some(span)
    }

    /// The name in another line of the same shape.
    pub(in super::super) fn of(self, raw: &[u8]) -> Option<&str> {
        let mut others = raw
            .iter()
            .enumerate()
            .filter(|(_, byte)| !is_word(**byte))
            .map(|(at, _)| at);
        let mut count = 0;
        let mut nth = |number: u16| {
            let skipped = usize::from(number).checked_sub(count)?;
            count = usize::from(number) + 1;
            others.nth(skipped)
        };
        let start = match self.before.checked_sub(1) {
            None => 0,
            Some(last) => nth(last)? + 1,
        };
        let end = nth(self.until).unwrap_or(raw.len());
        std::str::from_utf8(raw.get(start..end)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_lines_of_the_same_shape() {
        let found = |line: &str, name, other: &'static str| {
            Span::find(line.as_bytes(), name).and_then(|span| span.of(other.as_bytes()))
        };
        assert_eq!(
            found(
                "[  FAILED  ] V.L1 (0 ms)",
                "V.L1",
                "[  FAILED  ] V.L22 (13 ms)"
            ),
            Some("V.L22")
        );
        assert_eq!(
            found("FAIL  a1.js > x 3", "a1.js > x 3", "FAIL  a17.js > x 4"),
            Some("a17.js > x 4")
        );
        assert_eq!(found("t1 ok", "t1", "t2 ok"), Some("t2"));
        assert_eq!(found("abc1", "bc1", "abc2"), None);
        assert_eq!(found("x", "y", "x"), None);
    }
}
