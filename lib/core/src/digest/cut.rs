//! Cuts a stream of chunks into lines, whatever the chunk borders, in bounded memory.

use super::anchors::Anchors;
use super::machine::Machine;

/// The most bytes of one line that are looked at. A longer line keeps its head and its tail.
const LINE_HEAD: usize = 12_000;
const LINE_TAIL: usize = 4_000;

/// Cuts chunks into lines.
#[derive(Debug)]
pub(super) struct Cutter {
    anchors: Anchors,
    carry: Vec<u8>,
    /// Bytes of the open line that were dropped from the middle of `carry`.
    dropped: bool,
    open: bool,
    lines: u64,
    bytes: u64,
}

impl Cutter {
    pub(super) fn new(anchors: Anchors) -> Self {
        Self {
            anchors,
            carry: Vec::new(),
            dropped: false,
            open: false,
            lines: 0,
            bytes: 0,
        }
    }

    /// Lines so far; a last one without newline counts once `finish` was called.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn push(&mut self, chunk: &[u8], machine: &mut Machine) {
        self.bytes += chunk.len() as u64;
        let mut start = 0;
        if self.open {
            let end = memchr::memchr(b'\n', chunk);
            self.keep(&chunk[..end.unwrap_or(chunk.len())]);
            let Some(end) = end else { return };
            self.emit_carry(machine);
            start = end + 1;
        }
        let rest = &chunk[start..];
        let mut scan = self.anchors.scan(rest);
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', rest) {
            self.lines += 1;
            let line = &rest[from..end];
            if line.len() > LINE_HEAD + LINE_TAIL {
                machine.line(&bounded(line), true, self.lines);
            } else {
                machine.line(line, scan.hits(from, end), self.lines);
            }
            from = end + 1;
        }
        if from < rest.len() {
            self.open = true;
            self.keep(&rest[from..]);
        }
    }

    pub(super) fn finish(&mut self, machine: &mut Machine) {
        if self.open {
            self.emit_carry(machine);
        }
    }

    fn emit_carry(&mut self, machine: &mut Machine) {
        self.lines += 1;
        if self.carry.len() > LINE_HEAD + LINE_TAIL || self.dropped {
            let line = bounded(&self.carry);
            machine.line(&line, true, self.lines);
        } else {
            let flagged = self.anchors.scan(&self.carry).hits(0, self.carry.len());
            machine.line(&self.carry, flagged, self.lines);
        }
        self.carry.clear();
        self.dropped = false;
        self.open = false;
    }

    /// Adds to the open line; once it is long, only its head and its latest bytes are kept.
    fn keep(&mut self, bytes: &[u8]) {
        const ROOM: usize = LINE_HEAD + 16 * LINE_TAIL;
        for part in bytes.chunks(8 * LINE_TAIL) {
            self.carry.extend_from_slice(part);
            if self.carry.len() > ROOM {
                let drop_to = self.carry.len() - LINE_TAIL;
                self.carry.drain(LINE_HEAD..drop_to);
                self.dropped = true;
            }
        }
    }
}

/// Head and tail of a long line. Only whole-line position decides, so that every chunking of the
/// same bytes gives the same text.
fn bounded(line: &[u8]) -> Vec<u8> {
    let mut short = Vec::with_capacity(LINE_HEAD + LINE_TAIL + 3);
    short.extend_from_slice(&line[..LINE_HEAD.min(line.len())]);
    short.extend_from_slice("…".as_bytes());
    short.extend_from_slice(&line[line.len().saturating_sub(LINE_TAIL)..]);
    short
}
