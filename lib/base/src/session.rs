//! Names of a client's sessions, which arrive as unchecked text.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Bytes of an id that is used as it stands; the client's are UUIDs of 36.
const PLAIN_BYTES_MAX: usize = 64;

/// A file name for a session: the id itself when it is plain, else a hash of it.
pub fn key(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (1..=PLAIN_BYTES_MAX).contains(&id.len()) && id.bytes().all(plain) {
        return id.to_owned();
    }
    hex(Sha256::digest(id.as_bytes()).as_slice())
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_id_its_key_is_a_plain_file_name() {
        assert_eq!(key("c47f-1b70_A"), "c47f-1b70_A");
        for id in [
            "",
            ".",
            "..",
            "../../../../tmp/pwned",
            "a\n\u{1b}[2J",
            &"x".repeat(100_000),
        ] {
            let key = key(id);
            assert_eq!(key.len(), 64, "{id:?}");
            assert!(key.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    }
}
