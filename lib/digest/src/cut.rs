//! Cuts a stream of chunks into lines, whatever the chunk borders, in bounded memory.
//!
//! Most lines hold nothing that a grammar could care about. They are never cut apart: whole
//! stretches between two lines that hold an anchor go to the outline at once.

use super::clean::plain;
use super::json::{Document, State};
use super::machine::Machine;
use super::outline::last;
use super::scan::{Anchors, Scanned, Scanner};
use memchr::{memchr, memchr_iter, memrchr};
use std::cell::LazyCell;

/// The most bytes of one line that are looked at. A longer line keeps its head and its tail.
const LINE_HEAD: usize = 12_000;
const LINE_TAIL: usize = 4_000;
const LINE_MAX: usize = LINE_HEAD + LINE_TAIL;

/// So much of a very long line is read as a document at once.
const PIECE: usize = 8 * LINE_TAIL;

/// Cuts chunks into lines.
#[derive(Debug)]
pub(super) struct Cutter {
    scanner: Scanner,
    /// The open line; of a very long one its head and its latest bytes.
    carry: Vec<u8>,
    open: bool,
    /// What the open line is as a document, once it is very long.
    long: Long,
    lines: u64,
    bytes: u64,
    /// The line before, as far as it is kept.
    last: Vec<u8>,
}

/// A very long line as a document.
#[derive(Debug, Default)]
enum Long {
    /// Not looked at.
    #[default]
    Short,
    Document(Box<Document>),
    /// It is none.
    Other,
}

impl Cutter {
    pub(super) fn new(scanner: Scanner) -> Self {
        Self {
            scanner,
            carry: Vec::new(),
            open: false,
            long: Long::Short,
            lines: 0,
            bytes: 0,
            last: Vec::new(),
        }
    }

    /// What finds the anchors.
    pub(super) fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    /// Lines so far; a last one without newline counts once `finish` was called.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads a chunk, which may have been looked through.
    pub(super) fn push(&mut self, chunk: &[u8], ahead: Option<&Scanned>, machine: &mut Machine) {
        self.bytes += chunk.len() as u64;
        let mut rest = chunk;
        if self.open {
            let end = memchr(b'\n', chunk);
            self.keep(&chunk[..end.unwrap_or(chunk.len())], machine);
            let Some(end) = end else { return };
            self.finish(machine);
            rest = &chunk[end + 1..];
        }
        let end = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        let ahead = ahead.map(|scanned| (scanned, chunk.len() - rest.len()));
        self.whole(&rest[..end], ahead, machine);
        if end < rest.len() {
            self.open = true;
            self.keep(&rest[end..], machine);
        }
    }

    /// The open line, if there is one, ends.
    pub(super) fn finish(&mut self, machine: &mut Machine) {
        if self.open {
            let mut line = std::mem::take(&mut self.carry);
            line.push(b'\n');
            self.whole(&line, None, machine);
            line.clear();
            self.carry = line;
            self.open = false;
        }
    }

    /// Whole lines, each with its newline; they may stand there in a text that was looked through.
    fn whole(&mut self, text: &[u8], ahead: Option<(&Scanned, usize)>, machine: &mut Machine) {
        let scanner = self.scanner.clone();
        let mut anchors = scanner.anchors(text, ahead);
        let mut from = 0;
        // Where the lines begin that the outline has not seen, and the number of the first.
        let (mut unseen, mut first) = (0, self.lines + 1);
        let plain = LazyCell::new(|| match ahead {
            Some((piece, start)) => piece.plain()?.get(start..start + text.len()),
            None => plain(text),
        });
        while from < text.len() {
            if !machine.wants_every_line() {
                let start = next_line(text, from, &mut anchors);
                self.lines += memchr_iter(b'\n', &text[from..start]).count() as u64;
                from = start;
            }
            let Some(length) = memchr(b'\n', &text[from..]) else {
                break;
            };
            let line = &text[from..from + length];
            self.lines += 1;
            let before = if from > 0 { &text[..from] } else { &self.last };
            if line.len() > LINE_MAX {
                machine.pass(&text[unseen..from], first);
                let before = last(before).to_vec();
                self.very_long(line, &before, machine);
                (unseen, first) = (from + length + 1, self.lines + 1);
            } else if !machine.knows(line, before) {
                let plain = plain.and_then(|text| text.get(from..from + length));
                machine.line(line, plain, self.lines, before);
            }
            from += length + 1;
        }
        machine.pass(&text[unseen..from], first);
        if from > 0 {
            self.last.clear();
            self.last.extend_from_slice(last(text));
        }
    }

    fn very_long(&mut self, line: &[u8], before: &[u8], machine: &mut Machine) {
        self.read(line, machine);
        if !self.is_document(machine) {
            let line = bounded(line);
            if !machine.knows(&line, before) {
                machine.line(&line, None, self.lines, before);
            }
            machine.pass(&[&line, "\n".as_bytes()].concat(), self.lines);
        }
    }

    /// Adds to the open line; once it is very long, only its head and its latest bytes are kept,
    /// one byte more than is looked at: so that it still counts as very long.
    fn keep(&mut self, bytes: &[u8], machine: &mut Machine) {
        const ROOM: usize = LINE_HEAD + 16 * LINE_TAIL;
        for part in bytes.chunks(PIECE) {
            self.carry.extend_from_slice(part);
            match &mut self.long {
                Long::Short if self.carry.len() > LINE_MAX => {
                    let line = std::mem::take(&mut self.carry);
                    self.read(&line, machine);
                    self.carry = line;
                }
                Long::Short | Long::Other => {}
                Long::Document(_) => self.read_on(part, machine),
            }
            if self.carry.len() > ROOM {
                let drop_to = self.carry.len() - LINE_TAIL - 1;
                self.carry.drain(LINE_HEAD..drop_to);
            }
        }
    }

    /// Reads the beginning of a very long line as a document, if it was not read before.
    fn read(&mut self, line: &[u8], machine: &mut Machine) {
        if !matches!(self.long, Long::Short) {
            return;
        }
        self.long = Long::Other;
        if Document::may_begin(line) {
            self.long = Long::Document(Box::default());
            for part in line.chunks(PIECE) {
                self.read_on(part, machine);
            }
        }
    }

    fn read_on(&mut self, part: &[u8], machine: &mut Machine) {
        if let Long::Document(document) = &mut self.long {
            // The line's number, whether it has ended or not.
            let line = self.lines + u64::from(self.open);
            let state = document.push(part, line);
            machine.document(document, false);
            if state == State::Lost && !document.is_known() {
                self.long = Long::Other;
            }
        }
    }

    /// A very long line has ended: was it a document?
    fn is_document(&mut self, machine: &mut Machine) -> bool {
        match std::mem::take(&mut self.long) {
            Long::Document(mut document) if document.is_known() => {
                machine.document(&mut document, true);
                true
            }
            _ => false,
        }
    }
}

/// Where the next line begins, from `from` on, that holds an anchor or is very long.
fn next_line(text: &[u8], mut from: usize, anchors: &mut Anchors<'_>) -> usize {
    let anchor = anchors.next(from);
    while anchor - from > LINE_MAX {
        match memrchr(b'\n', &text[from..=from + LINE_MAX]) {
            Some(at) => from += at + 1,
            None => return from,
        }
    }
    memrchr(b'\n', &text[from..anchor]).map_or(from, |at| from + at + 1)
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
