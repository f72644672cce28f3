//! Private keys in PEM form: everything from BEGIN to END, or to the end of what can be a key.

use super::{hash6, mark};
use sha2::{Digest, Sha256};

/// A private key that is being swallowed. Its line breaks are kept, so that line numbers hold.
#[derive(Debug, Default)]
pub(super) struct Pem {
    hash: Sha256,
    breaks: usize,
    lines: usize,
    /// Is the rest of a long line expected that was already found to belong to the key?
    in_line: bool,
}

/// What a line is to the key.
pub(super) enum Line {
    /// It belongs to the key.
    Inside,
    /// The key ends after so many bytes of it; 0: the line is something else.
    EndsAfter(usize),
}

impl Pem {
    /// Reads one line with its line break, or the next piece of a long line: the first `take` bytes
    /// of `line`, of which more is shown than is taken.
    pub(super) fn line(&mut self, line: &[u8], take: usize) -> Line {
        let begins = self.lines == 0;
        if let Some((at, length)) = end_marker(line)
            && at < take
        {
            self.hash.update(&line[..length]);
            return Line::EndsAfter(length);
        }
        let judged = &line[..line.len().min(JUDGED_MAX)];
        if !(begins || self.in_line || is_key_material(judged)) {
            return Line::EndsAfter(0);
        }
        let piece = &line[..take];
        self.hash.update(piece);
        self.in_line = !piece.ends_with(b"\n");
        if !self.in_line {
            self.breaks += 1;
        }
        self.lines += 1;
        Line::Inside
    }

    /// The replacement for what was swallowed.
    pub(super) fn finish(self, out: &mut Vec<u8>) {
        out.extend_from_slice(mark("private-key", &hash6(&self.hash.finalize())).as_bytes());
        out.resize(out.len() + self.breaks, b'\n');
    }
}

/// Bytes at the beginning of a line that say whether it belongs to a key.
const JUDGED_MAX: usize = super::SECRET_MAX / 2;

/// Where the END marker begins in the line and where it ends.
fn end_marker(line: &[u8]) -> Option<(usize, usize)> {
    const LABEL_MAX: usize = 128;
    let at = memchr::memmem::find(line, b"-----END ")?;
    let tail = &line[at + 9..];
    let tail = &tail[..tail.len().min(LABEL_MAX)];
    let close = memchr::memmem::find(tail, b"-----").map_or(tail.len(), |close| close + 5);
    Some((at, at + 9 + close))
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
