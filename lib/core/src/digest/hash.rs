//! A hash for texts of which no two out of some thousand are likely to share one.

/// Fowler, Noll, Vo: "FNV hash", the 64-bit offset.
pub(super) const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Fowler, Noll, Vo: "FNV hash", 64 bits, eight bytes at a time.
pub(super) fn hash(start: u64, text: &[u8]) -> u64 {
    let start = start ^ (text.len() as u64) << 8;
    text.chunks(8).fold(start, |hash, part| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        // The product carries upwards only.
        let mixed = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3);
        mixed ^ mixed >> 29
    })
}
