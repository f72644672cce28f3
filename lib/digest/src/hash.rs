//! A hash for texts of which no two out of some thousand are likely to share one.

/// Fowler, Noll, Vo: "FNV hash", the 64-bit offset.
pub(super) const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Fowler, Noll, Vo: "FNV hash", the 64-bit prime.
pub(super) const PRIME: u64 = 0x0100_0000_01b3;

/// Fowler, Noll, Vo: "FNV hash", 64 bits, eight bytes at a time.
pub(super) fn hash(start: u64, text: &[u8]) -> u64 {
    let start = start ^ (text.len() as u64) << 8;
    eights(text).fold(start, |hash, word| {
        // The product carries upwards only.
        let mixed = (hash ^ word).wrapping_mul(PRIME);
        mixed ^ mixed >> 29
    })
}

/// The text, eight bytes at a time, the first one lowest; behind its end stand zeros.
fn eights(text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let (whole, rest) = text.as_chunks();
    let rest = (!rest.is_empty()).then(|| match text.last_chunk() {
        // Cheaper than to copy a few bytes: those before them are shifted out.
        Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * rest.len()),
        None => rest
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)),
    });
    whole
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .chain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_at_a_time_are_all_of_them() {
        let text: Vec<u8> = (1..=27).collect();
        for end in 0..text.len() {
            let bytes: Vec<u8> = eights(&text[..end]).flat_map(u64::to_le_bytes).collect();
            assert_eq!(bytes.len(), end.next_multiple_of(8));
            assert_eq!(bytes[..end], text[..end]);
            assert!(bytes[end..].iter().all(|byte| *byte == 0));
        }
    }
}
