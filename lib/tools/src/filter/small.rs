//! An output as long as it is small enough to be passed on unchanged.

use std::io::Write;

/// The bytes with the stream each part came from.
#[derive(Debug, Default)]
pub(super) struct Small {
    bytes: Vec<u8>,
    /// Where a part ends, and whether it came from stderr.
    parts: Vec<(usize, bool)>,
    lines: usize,
    shown: usize,
}

impl Small {
    /// Adds a chunk; false, and nothing added, when the output would not be small any more.
    pub(super) fn push(&mut self, chunk: &[u8], from_stderr: bool, limits: (usize, usize)) -> bool {
        let lines = self.lines + memchr::memchr_iter(b'\n', chunk).count();
        let open = usize::from(chunk.last().is_some_and(|byte| *byte != b'\n'));
        if self.bytes.len() + chunk.len() > limits.1 || lines + open > limits.0 {
            return false;
        }
        self.lines = lines;
        self.bytes.extend_from_slice(chunk);
        match self.parts.last_mut() {
            Some((end, stderr)) if *stderr == from_stderr => *end = self.bytes.len(),
            _ => self.parts.push((self.bytes.len(), from_stderr)),
        }
        true
    }

    /// What was not shown yet, up to `end`.
    pub(super) fn unshown(&self, end: usize) -> &[u8] {
        self.bytes.get(self.shown..end).unwrap_or_default()
    }

    pub(super) fn all(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Shows the next `length` bytes, each part where it belongs.
    pub(super) fn show(&mut self, length: usize) {
        let until = (self.shown + length).min(self.bytes.len());
        for (end, from_stderr) in &self.parts {
            let end = (*end).min(until);
            if end > self.shown {
                show(&self.bytes[self.shown..end], *from_stderr);
                self.shown = end;
            }
        }
    }
}

/// Writes to stdout or stderr. A reader that went away is no error: the log goes on.
pub(super) fn show(bytes: &[u8], to_stderr: bool) {
    if to_stderr {
        let _ = std::io::stderr().lock().write_all(bytes);
    } else {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }
}
