//! Where in a line the name of its test stands. Lines of one shape have the same bytes between their
//! words, so that these tell where the name begins and ends.

use super::shape::{Gaps, SEEN_WHOLE, is_word};

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
        let count = |end: usize| raw[..end].iter().filter(|byte| !is_word(**byte)).count();
        let (before, until) = (count(start), count(end));
        let span = Self {
            before: u16::try_from(before).ok()?,
            until: u16::try_from(until).ok()?,
        };
        (whole && Gaps::holds(until)).then_some(span)
    }

    /// The name in another line of the same shape, which has these gaps.
    pub(super) fn of<'l>(self, raw: &'l [u8], gaps: &Gaps) -> Option<&'l [u8]> {
        let start = match self.before.checked_sub(1) {
            None => 0,
            Some(last) => gaps.get(last)? + 1,
        };
        raw.get(start..gaps.get(self.until).unwrap_or(raw.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::shape;
    use super::*;

    #[test]
    fn a_name_is_found_in_lines_of_the_same_shape() {
        let found = |line: &str, name, other: &'static str| {
            let span = Span::find(line.as_bytes(), name)?;
            let mut gaps = Gaps::default();
            shape(other.as_bytes(), 0, &mut gaps);
            span.of(other.as_bytes(), &gaps)
        };
        assert_eq!(
            found(
                "[  FAILED  ] V.L1 (0 ms)",
                "V.L1",
                "[  FAILED  ] V.L22 (13 ms)"
            ),
            Some(&b"V.L22"[..])
        );
        assert_eq!(
            found("FAIL  a1.js > x 3", "a1.js > x 3", "FAIL  a17.js > x 4"),
            Some(&b"a17.js > x 4"[..])
        );
        assert_eq!(found("t1 ok", "t1", "t2 ok"), Some(&b"t2"[..]));
        assert_eq!(found("abc1", "bc1", "abc2"), None);
        assert_eq!(found("x", "y", "x"), None);
    }
}
