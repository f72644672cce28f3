//! Is an output binary data, which must pass untouched?

/// So much of the beginning is looked at, as git does.
pub const PREFIX: usize = 8_000;
/// Text has next to no such bytes, compressed data 9 % (24 of 256), UTF-16 half.
const PERCENT_MAX: usize = 5;

/// Whether the beginning of an output is binary: more than a twentieth of it are control characters
/// that no text has. A stray NUL in a test's output does not make it binary.
pub fn is_binary(prefix: &[u8]) -> bool {
    let prefix = &prefix[..prefix.len().min(PREFIX)];
    let odd = |byte: &&u8| matches!(byte, 0..=6 | 14..=26 | 28..=31);
    let number = prefix.iter().filter(odd).count();
    number * 100 > prefix.len() * PERCENT_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_utf16_are_binary_and_coloured_text_is_not() {
        assert!(is_binary(
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0"
        ));
        assert!(is_binary(
            &"text"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<_>>()
        ));
        assert!(!is_binary(b"\x1b[32mok\x1b[0m\n"));
        assert!(!is_binary("日本語のテスト\n".as_bytes()));
        assert!(!is_binary(b"one stray \0 in a long line of test output\n"));
        assert!(!is_binary(b""));
    }
}
