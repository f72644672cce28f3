//! The shape of a line.

/// So much of the beginning and of the end of a line makes its shape.
const HEAD: usize = 512;
const TAIL: usize = 128;
/// A line of so many bytes or less counts whole.
pub(super) const SEEN_WHOLE: usize = HEAD;

/// Fowler, Noll, Vo: "FNV hash", the 64-bit offset and prime.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
/// What stands for a word with digits.
const DIGITS: u64 = 0x9e37_79b9;

/// The places of the bytes of a line that are part of no word, as many of them as [`Gaps::MAX`].
#[derive(Debug)]
pub(super) struct Gaps {
    at: [u16; Self::MAX],
    count: usize,
}

impl Default for Gaps {
    fn default() -> Self {
        Self {
            at: [0; Self::MAX],
            count: 0,
        }
    }
}

impl Gaps {
    /// The most that are known.
    const MAX: usize = 128;

    /// Where the one of this number stands, from 0; none when there are fewer, or it is not known.
    pub(super) fn get(&self, number: u16) -> Option<usize> {
        let known = &self.at[..self.count.min(Self::MAX)];
        known.get(usize::from(number)).map(|at| usize::from(*at))
    }

    /// Whether the one of this number would be known.
    pub(super) fn holds(number: usize) -> bool {
        number < Self::MAX
    }
}

/// The same for lines that differ in words with digits only. Notes where the gaps are in the part of
/// the line that comes first.
pub(super) fn shape(raw: &[u8], open: u64, gaps: &mut Gaps) -> u64 {
    let (head, rest) = raw.split_at(raw.len().min(HEAD));
    gaps.count = 0;
    let whole = words(head, OFFSET ^ open, |at| {
        gaps.at[gaps.count % Gaps::MAX] = at;
        gaps.count += 1;
    });
    let whole = if rest.is_empty() {
        whole
    } else {
        words(&rest[rest.len().saturating_sub(TAIL)..], whole, |_| {})
    };
    // The upper bits are the best mixed ones of a product.
    whole.wrapping_mul(PRIME.rotate_left(24))
}

/// The hash with these words and what stands between them.
fn words(text: &[u8], mut whole: u64, mut gap: impl FnMut(u16)) -> u64 {
    let (mut word, mut kinds) = (0_u64, 0_u8);
    for (at, byte) in (0_u16..).zip(text) {
        let kind = KINDS[usize::from(*byte)];
        if kind == 0 {
            gap(at);
            whole = join(whole, word, kinds) ^ u64::from(*byte);
            (word, kinds) = (0, 0);
        } else {
            word = word.rotate_left(7) ^ u64::from(*byte);
            kinds |= kind;
        }
    }
    join(whole, word, kinds)
}

/// Whether the byte is part of a word.
pub(super) fn is_word(byte: u8) -> bool {
    KINDS[usize::from(byte)] != 0
}

/// The hash with one more word.
fn join(whole: u64, word: u64, kinds: u8) -> u64 {
    let last = if kinds & DIGIT == 0 { word } else { DIGITS };
    (whole ^ last.rotate_left(23))
        .wrapping_mul(PRIME)
        .rotate_left(19)
}

/// Of each byte whether it is part of a word, and a digit.
static KINDS: [u8; 256] = kinds();
const LETTER: u8 = 1;
const DIGIT: u8 = 2;

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut at = 0;
    while at < 256 {
        kinds[at] = match at {
            0x30..=0x39 => DIGIT,
            0x41..=0x5a | 0x61..=0x7a | 0x5f | 0x80.. => LETTER,
            _ => 0,
        };
        at += 1;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
