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

/// The same for lines that differ in words with digits only.
pub(super) fn shape(raw: &[u8], open: u64) -> u64 {
    let head = &raw[..raw.len().min(HEAD)];
    let tail = &raw[raw.len().saturating_sub(TAIL).max(head.len())..];
    let (mut whole, mut word, mut kinds) = (OFFSET ^ open, 0_u64, 0_u8);
    for byte in head.iter().chain(tail) {
        let kind = KINDS[usize::from(*byte)];
        if kind == 0 {
            whole = join(whole, word, kinds) ^ u64::from(*byte);
            (word, kinds) = (0, 0);
        } else {
            word = word.rotate_left(7) ^ u64::from(*byte);
            kinds |= kind;
        }
    }
    whole = join(whole, word, kinds);
    // The upper bits are the best mixed ones of a product.
    whole.wrapping_mul(PRIME.rotate_left(24))
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
        let same = |one: &str, other: &str| shape(one.as_bytes(), 0) == shape(other.as_bytes(), 0);
        assert!(same(
            "09:01 request a1f3 took 12ms",
            "10:59 request 0c took 7ms"
        ));
        assert!(!same("request 1 failed", "request 1 passed"));
        assert!(!same("a.b", "a:b"));
        assert!(!same("", "7"));
        assert_ne!(shape(b"x", 0), shape(b"x", 1));
    }
}
