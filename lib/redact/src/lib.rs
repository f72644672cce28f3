#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! Secrets in output, replaced by `[REDACTED:kind:hash6]` before anything is stored or shown.
//!
//! About forty precise shapes ([`shapes`]) plus assignments ([`assign`]), URL credentials and
//! headers ([`header`]) and private keys ([`pem`]). One search for all their fixed beginnings gives
//! candidates; only there is a shape checked exactly. The hash is the beginning of the secret's
//! SHA-256, so that equal secrets can be told from different ones.
//!
//! Not found, and said so in the documentation: secrets without a shape (a bare password), base64
//! of a secret, and secrets torn apart by line breaks or by escape sequences in their middle.
//! Commit hashes, UUIDs and checksums stay: agents need them.

mod assign;
mod header;
pub mod multi_search;
mod pem;
mod shapes;

#[cfg(test)]
mod tests;

use crate::multi_search::MultiSearch;
use pem::Pem;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::ops::Range;
use std::sync::LazyLock;

/// An unfinished line is held back up to this size; a longer one is worked off in pieces.
const LINE_HELD_MAX: usize = 64 * 1024;
/// Nothing that is recognised is longer; so much is kept back of a line that is worked off in
/// pieces.
const SECRET_MAX: usize = 8 * 1024;
/// So much of what was already given out is kept, to look back at: the name before a value.
const CONTEXT: usize = 64;

/// Built once: its tables are larger than most texts, and a report redacts tens of thousands.
static BEGINNINGS: LazyLock<MultiSearch> = LazyLock::new(|| {
    // Of `sk-ant-` and `sk-` at one place the longer one is found.
    MultiSearch::new(shapes::beginnings(), true)
});

/// A secret at a place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    at: Range<usize>,
    kind: &'static str,
}

/// Replaces the secrets in a stream, in chunks of any size, with bounded memory.
///
/// Text comes out when its line is complete; what is not replaced comes out byte for byte.
#[derive(Debug)]
pub struct Redactor {
    beginnings: &'static MultiSearch,
    text: Vec<u8>,
    /// How much of `text` was given out already.
    done: usize,
    pem: Option<Pem>,
    count: u64,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

impl Redactor {
    /// A redactor that has read nothing.
    pub fn new() -> Self {
        Self {
            beginnings: &BEGINNINGS,
            text: Vec::new(),
            done: 0,
            pem: None,
            count: 0,
        }
    }

    /// Secrets replaced so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Is a private key being swallowed, of which nothing came out yet?
    pub fn withholds(&self) -> bool {
        self.pem.is_some()
    }

    /// Reads a chunk and appends what is ready to `out`.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        self.text.extend_from_slice(chunk);
        let length = self.text.len();
        let lines =
            memchr::memrchr(b'\n', chunk).map_or(self.done, |at| length - chunk.len() + at + 1);
        let ready = if length - lines > LINE_HELD_MAX {
            length - SECRET_MAX
        } else {
            lines
        };
        self.work_off(ready, out);
    }

    /// Gives out the unfinished line too: a prompt waits, or a reader does.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        self.work_off(self.text.len(), out);
    }

    /// Ends the text.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.flush(out);
        if let Some(pem) = self.pem.take() {
            pem.finish(out);
        }
    }

    /// Gives out the text up to `ready`, or a little further where a secret reaches over it.
    fn work_off(&mut self, ready: usize, out: &mut Vec<u8>) {
        if ready <= self.done {
            return;
        }
        out.reserve(ready - self.done);
        let mut at = self.done;
        while at < ready {
            at = match self.pem.take() {
                Some(pem) => self.go_on_in_key(pem, at, ready, out),
                None => self.go_on(at, ready, out),
            };
        }
        self.done = at;
        let forget = self.done.saturating_sub(CONTEXT);
        self.text.drain(..forget);
        self.done -= forget;
    }

    /// Copies text up to the next private key or to `ready`, and replaces the secrets in it.
    fn go_on(&mut self, from: usize, ready: usize, out: &mut Vec<u8>) -> usize {
        let text = &self.text;
        let (mut copied, mut at) = (from, from);
        while at < ready {
            let Some(hit) = self.beginnings.find(text, at) else {
                break;
            };
            let start = hit.at.start;
            if start >= ready {
                break;
            }
            if shapes::is_private_key(hit.number, &text[start..]) {
                out.extend_from_slice(&text[copied..start]);
                self.count += 1;
                self.pem = Some(Pem::default());
                return start;
            }
            at = start + 1;
            if let Some(found) = shapes::check(hit.number, text, hit.at)
                && found.at.start >= copied
            {
                out.extend_from_slice(&text[copied..found.at.start]);
                out.extend_from_slice(mark(found.kind, &hash(&text[found.at.clone()])).as_bytes());
                self.count += 1;
                copied = found.at.end;
                at = copied.max(at);
            }
        }
        let end = ready.max(copied);
        out.extend_from_slice(&text[copied..end]);
        end
    }

    /// Swallows lines of a private key; the key is replaced when it ends.
    fn go_on_in_key(
        &mut self,
        mut pem: Pem,
        from: usize,
        ready: usize,
        out: &mut Vec<u8>,
    ) -> usize {
        let end = memchr::memchr(b'\n', &self.text[from..ready]).map_or(ready, |at| from + at + 1);
        // What is judged reaches over `ready`, so that where a chunk ended makes no difference.
        let ahead = &self.text[from..self.text.len().min(end + SECRET_MAX)];
        let ahead = memchr::memchr(b'\n', ahead).map_or(ahead, |at| &ahead[..=at]);
        match pem.line(ahead, end - from) {
            pem::Line::Inside => {
                self.pem = Some(pem);
                end
            }
            pem::Line::EndsAfter(length) => {
                pem.finish(out);
                from + length
            }
        }
    }
}

/// Replaces the secrets in a whole text; gives their number too.
pub fn redact(text: &[u8]) -> (Vec<u8>, u64) {
    let mut redactor = Redactor::new();
    let mut out = Vec::with_capacity(text.len());
    redactor.push(text, &mut out);
    redactor.finish(&mut out);
    (out, redactor.count())
}

fn mark(kind: &str, hash6: &str) -> String {
    format!("[REDACTED:{kind}:{hash6}]")
}

fn hash(secret: &[u8]) -> String {
    hash6(&Sha256::digest(secret))
}

fn hash6(digest: &[u8]) -> String {
    let mut text = String::new();
    for byte in digest.iter().take(3) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
