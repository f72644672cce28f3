//! Private keys in PEM form: everything from BEGIN to END, or to the end of what can be a key.

use super::{hash6, mark};
use sha2::{Digest, Sha256};

/// A private key that is being swallowed. Its line breaks are kept, so that line numbers hold.
#[derive(Debug, Default)]
pub(super) struct Pem {
    hash: Sha256,
    breaks: usize,
    lines: usize,
}

/// What a line is to the key.
pub(super) enum Line {
    /// It belongs to the key.
    Inside,
    /// The key ends after so many bytes of it; 0: the line is something else.
    EndsAfter(usize),
}

impl Pem {
    /// Reads one line, its line break included.
    pub(super) fn line(&mut self, line: &[u8]) -> Line {
        let begins = self.lines == 0;
        self.lines += 1;
        if let Some(length) = end_marker(line) {
            self.hash.update(&line[..length]);
            return Line::EndsAfter(length);
        }
        if !begins && !is_key_material(line) {
            return Line::EndsAfter(0);
        }
        self.hash.update(line);
        self.breaks += usize::from(line.ends_with(b"\n"));
        Line::Inside
    }

    /// The replacement for what was swallowed.
    pub(super) fn finish(self, out: &mut Vec<u8>) {
        out.extend_from_slice(mark("private-key", &hash6(&self.hash.finalize())).as_bytes());
        out.resize(out.len() + self.breaks, b'\n');
    }
}

/// How many bytes of the line the END marker takes, what stands before it included.
fn end_marker(line: &[u8]) -> Option<usize> {
    let at = memchr::memmem::find(line, b"-----END ")?;
    let tail = &line[at + 9..];
    let close = memchr::memmem::find(tail, b"-----").map_or(tail.len(), |close| close + 5);
    Some(at + 9 + close)
}

/// A line without an END marker that can be a part of a key: empty, one word of base64 (whatever
/// quotes it), a header of an encrypted key, or a long run of base64 behind the prefix of a log.
fn is_key_material(line: &[u8]) -> bool {
    const RUN_MIN: usize = 40;
    const HEADERS: &[&[u8]] = &[b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:"];
    let line = line.trim_ascii();
    if HEADERS.iter().any(|header| line.starts_with(header)) {
        return true;
    }
    let mut words = line.split(u8::is_ascii_whitespace).rev();
    let last = words.next().unwrap_or_default();
    let quoted = |byte: &u8| matches!(byte, b'"' | b'\'' | b',' | b'\\' | b'+' | b'/' | b'=');
    let base64 = last
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || quoted(byte));
    base64 && (words.next().is_none() || last.len() >= RUN_MIN)
}
