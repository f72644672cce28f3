//! Documents of reporters that print JSON ([`json`](super::super::json)), on one line or on many.

use super::super::facts::Facts;
use super::super::index::{Group, Index};
use super::super::json::{self, Document, State};
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(&[], "{[");

/// The state of one lane.
#[derive(Debug)]
pub(super) struct Documents {
    /// What a document on one line holds.
    words: Group,
    open: Option<Document>,
}

impl Documents {
    pub(super) fn new(index: &Index) -> Self {
        Self {
            words: index.group(json::words()),
            open: None,
        }
    }

    fn read(&mut self, mut document: Document, line: &Line<'_>, facts: &mut Facts) -> bool {
        let mut state = document.push(line.text.as_bytes(), line.no);
        if state == State::Open {
            state = document.push(b"\n", line.no);
        }
        document.flush(facts);
        if state == State::Open {
            self.open = Some(document);
            return true;
        }
        document.finish(facts);
        state == State::Done && document.is_known()
    }
}

impl Grammar for Documents {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some(document) = self.open.take() {
            return self.read(document, line, facts);
        }
        let bytes = line.text.as_bytes();
        if !Document::may_begin(bytes) || bytes.len() > 2 && !line.words.any(&self.words) {
            return false;
        }
        self.read(Document::default(), line, facts)
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn end(&mut self, facts: &mut Facts) {
        if let Some(mut document) = self.open.take() {
            document.finish(facts);
        }
    }
}

#[cfg(test)]
mod tests;
