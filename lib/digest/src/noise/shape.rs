//! The shape of a line.

use super::super::hash::{OFFSET, hash};
use super::MIXER;
use wide::u8x16;

/// So much of the beginning and of the end of a line makes its shape.
const HEAD: usize = 512;
const TAIL: usize = 128;
/// A line of so many bytes or less counts whole.
pub(super) const SEEN_WHOLE: usize = HEAD;
/// A mask has a bit for each of so many bytes.
const BLOCK: usize = 64;
/// So many are looked at together.
const STEP: usize = 16;
/// What stands for a word with digits.
const DIGITS: u64 = 0x9e37_79b9;

/// Of the beginning of a line: which of its bytes are part of no word, and which are digits.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    at: [u64; HEAD / BLOCK],
    digits: [u64; HEAD / BLOCK],
    /// So many bytes are known.
    length: usize,
}

impl Gaps {
    /// Where the one of this number stands, from 0; none when there are fewer, or it is not known.
    pub(super) fn get(&self, number: u16) -> Option<usize> {
        let mut left = u32::from(number);
        for (block, mask) in Self::known(&self.at, self.length).iter().enumerate() {
            let count = mask.count_ones();
            if left < count {
                // The lowest bit goes, as often as there are others before it.
                let mask = (0..left).fold(*mask, |mask, _| mask & (mask - 1));
                let at = block * BLOCK + mask.trailing_zeros() as usize;
                return (at < self.length).then_some(at);
            }
            left -= count;
        }
        None
    }

    /// Whether the one of this number would be known.
    pub(super) fn holds(number: usize) -> bool {
        number < HEAD
    }

    /// Those of this text, of which only the beginning counts.
    fn find(&mut self, text: &[u8]) {
        self.length = text.len().min(HEAD);
        let mut from = 0;
        for block in 0..Self::blocks(self.length) {
            let end = self.length.min(from + BLOCK);
            (self.at[block], self.digits[block]) = block_kinds(&text[..end], from);
            from = end;
        }
    }

    /// So many blocks tell of a text of this length.
    fn blocks(length: usize) -> usize {
        (length / BLOCK + 1).min(HEAD / BLOCK)
    }

    /// The masks of the blocks that are known.
    fn known(masks: &[u64; HEAD / BLOCK], length: usize) -> &[u64] {
        &masks[..Self::blocks(length)]
    }

    /// Where the first word with a digit begins and ends that ends behind `from`.
    fn word(&self, from: usize) -> Option<(usize, usize)> {
        let digit = first(Self::known(&self.digits, self.length), from)?;
        let block = digit / BLOCK;
        let before = self.at[block] & ((1 << (digit % BLOCK)) - 1);
        let start = match before.checked_ilog2() {
            Some(gap) => block * BLOCK + gap as usize + 1,
            None => self.at[..block]
                .iter()
                .rposition(|gaps| *gaps != 0)
                .map_or(0, |at| at * BLOCK + self.at[at].ilog2() as usize + 1),
        };
        let end = first(Self::known(&self.at, self.length), digit).unwrap_or(HEAD);
        Some((start.max(from), end.min(self.length)))
    }
}

/// The first bit from `from` on.
fn first(masks: &[u64], from: usize) -> Option<usize> {
    let block = from / BLOCK;
    let mask = masks.get(block)? & u64::MAX << (from % BLOCK);
    if mask != 0 {
        return Some(block * BLOCK + mask.trailing_zeros() as usize);
    }
    let later = masks[block + 1..].iter().position(|mask| *mask != 0)?;
    let block = block + 1 + later;
    Some(block * BLOCK + masks[block].trailing_zeros() as usize)
}

/// The same for lines that differ in words with digits only. Notes where the gaps are in the part of
/// the line that comes first.
pub(super) fn shape(raw: &[u8], open: u64, gaps: &mut Gaps) -> u64 {
    let (head, rest) = raw.split_at(raw.len().min(HEAD));
    gaps.find(head);
    let mut whole = words(head, OFFSET ^ open, gaps);
    if !rest.is_empty() {
        let tail = &rest[rest.len().saturating_sub(TAIL)..];
        let mut gaps = Gaps::default();
        gaps.find(tail);
        whole = words(tail, whole, &gaps);
    }
    mixed(whole)
}

/// The same for no lines of this shape but those with the same text.
pub(super) fn exact(raw: &[u8], shape: u64) -> u64 {
    mixed(hash(shape, raw))
}

/// A hash of whose upper bits, which choose the place, each depends on all bits of this one: lines
/// without text differ in a few of them only.
fn mixed(hash: u64) -> u64 {
    (hash ^ hash >> 32).wrapping_mul(MIXER)
}

/// The hash with this text, in which a word with digits is as good as any other.
fn words(text: &[u8], mut whole: u64, gaps: &Gaps) -> u64 {
    let mut from = 0;
    while let Some((start, end)) = gaps.word(from) {
        whole = hash(whole, &text[from..start]) ^ DIGITS;
        from = end;
    }
    hash(whole, &text[from..])
}

/// Whether the byte is part of a word: a letter, a digit, `_`, or not ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Which bytes of a step are gaps, and which are digits: a bit for each, the first lowest.
fn kinds(bytes: &[u8; STEP]) -> (u64, u64) {
    let bytes = u8x16::new(*bytes);
    let within = |bytes: u8x16, first: u8, last: u8| {
        let above = bytes - u8x16::splat(first);
        above.min(u8x16::splat(last - first)).simd_eq(above)
    };
    let digits = within(bytes, b'0', b'9');
    let lower = bytes | u8x16::splat(b'a' - b'A');
    let letters = within(lower, b'a', b'z') | bytes.simd_eq(u8x16::splat(b'_'));
    // The highest bits are those of bytes that are not ASCII.
    let words = (digits | letters | bytes).to_bitmask();
    (
        u64::from(!words & u32::from(u16::MAX)),
        u64::from(digits.to_bitmask()),
    )
}

/// The same of the block that begins here and goes to the end of the text, behind which stands a gap.
fn block_kinds(text: &[u8], from: usize) -> (u64, u64) {
    let (steps, rest) = text[from..].as_chunks();
    let (mut gaps, mut digits, mut length) = (0, 0, 0);
    for bytes in steps {
        let more = kinds(bytes);
        gaps |= more.0 << length;
        digits |= more.1 << length;
        length += STEP;
    }
    if length < BLOCK {
        let more = last_kinds(text, rest);
        gaps |= (more.0 | 1 << rest.len()) << length;
        digits |= more.1 << length;
    }
    (gaps, digits)
}

/// The same of the rest of a text, which is less than a step.
fn last_kinds(text: &[u8], rest: &[u8]) -> (u64, u64) {
    let missing = STEP - rest.len();
    if rest.is_empty() {
        return (0, 0);
    }
    if let Some(last) = text.last_chunk() {
        // Cheaper than to copy a few bytes: those before them are shifted out.
        let (gaps, digits) = kinds(last);
        return (gaps >> missing, digits >> missing);
    }
    let mut bytes = [b'x'; STEP];
    bytes[..rest.len()].copy_from_slice(rest);
    kinds(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_that_differ_in_numbers_have_one_shape() {
        let shape = |line: &str, open| shape(line.as_bytes(), open, &mut Gaps::default());
        let same = |one: &str, other: &str| shape(one, 0) == shape(other, 0);
        assert!(same(
            "09:01 request a1f3 took 12ms",
            "10:59 request 0c took 7ms"
        ));
        assert!(!same("request 1 failed", "request 1 passed"));
        assert!(!same("a.b", "a:b"));
        assert!(!same("", "7"));
        assert_ne!(shape("x", 0), shape("x", 1));
    }

    #[test]
    fn blank_lines_in_different_states_have_different_places() {
        let place = |open| shape(b"", open, &mut Gaps::default()) >> 40 & 0x3fff;
        let places: std::collections::BTreeSet<u64> = (0..16)
            .flat_map(|open| [open, open << 7, open << 30])
            .map(place)
            .collect();
        assert_eq!(places.len(), 16 * 3 - 2);
    }

    #[test]
    fn each_byte_is_of_a_kind() {
        for byte in 0..=255_u8 {
            let is = byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
            assert_eq!(is_word(byte), is, "{byte}");
            for at in 0..STEP {
                let mut bytes = [b'x'; STEP];
                bytes[at] = byte;
                let bit = |is: bool| u64::from(is) << at;
                assert_eq!(
                    kinds(&bytes),
                    (bit(!is), bit(byte.is_ascii_digit())),
                    "{byte}"
                );
            }
        }
    }

    /// The line with `0` for each word with digits, byte by byte.
    fn template(line: &[u8]) -> Vec<u8> {
        let same_kind = |one: &u8, other: &u8| is_word(*one) && is_word(*other);
        let words = line.chunk_by(same_kind).map(|word| {
            let has_digit = word.iter().any(u8::is_ascii_digit);
            if has_digit { b"0" } else { word }
        });
        words.flatten().copied().collect()
    }

    proptest! {
        #[test]
        fn the_shape_is_that_of_the_text_without_words_with_digits(
            words in proptest::collection::vec("[a-c ]{0,30}|[0-9a-b]{1,3}|[.: _é]{1,9}|x{60,70}", 0..12),
            other in proptest::collection::vec("[0-9]{1,9}[a-b_é]{0,70}", 12),
        ) {
            let line = words.concat().into_bytes();
            let line = &line[..line.len().min(SEEN_WHOLE / 8)];
            // Other digits in the words that have some, of other lengths.
            let mut numbers = other.iter();
            let mut changed = Vec::new();
            for part in line.chunk_by(|one, other| is_word(*one) && is_word(*other)) {
                let number = part.iter().any(u8::is_ascii_digit).then(|| numbers.next()).flatten();
                changed.extend_from_slice(number.map_or(part, |number| number.as_bytes()));
            }
            let mut gaps = Gaps::default();
            let known = shape(line, 0, &mut gaps);
            if template(line) == template(&changed) && changed.len() <= SEEN_WHOLE {
                prop_assert_eq!(known, shape(&changed, 0, &mut gaps));
            }
            let found: Vec<usize> = (0..).map_while(|number| gaps.get(number)).collect();
            let expected: Vec<usize> =
                (0..changed.len().min(SEEN_WHOLE)).filter(|at| !is_word(changed[*at])).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
