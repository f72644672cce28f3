//! Commands with a button that copies them, and the page's only script.

use super::escape;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// It does one thing: the button's command goes to the clipboard, or is selected where there is none.
const SCRIPT: &str = include_str!("copy.js");

/// A command and its button.
pub(super) fn command(out: &mut String, command: &str) {
    let command = escape(command);
    let _ = write!(
        out,
        "<span class=\"command\"><code>{command}</code> <button>Copy</button></span>"
    );
}

/// The script's element. Upper case sets it apart from whatever text could try to be one.
pub(super) fn script() -> String {
    format!("<SCRIPT>{SCRIPT}</SCRIPT>\n")
}

/// What the page's policy lets run: this script by its hash, nothing else.
pub(super) fn policy() -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(SCRIPT)))
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
        let bits = (a << 16) | (b << 8) | c;
        for at in 0..4 {
            let index = (bits >> (18 - 6 * at)) & 63;
            let known = at <= chunk.len();
            text.push(if known {
                char::from(ALPHABET[index as usize])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in vectors {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }
}
