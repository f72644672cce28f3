//! A trace as text, written event by event.

use overnight_base::code::Code;
use overnight_base::fault::Fault;
use overnight_views::trace::Entry;
use std::io::{BufWriter, ErrorKind, IntoInnerError, Write};

/// Events as the elements of one JSON object's list, a line each.
pub(super) struct Trace<W: Write> {
    out: BufWriter<W>,
    begun: bool,
    /// What the first write said that failed: nothing is written after it.
    failed: Option<std::io::Error>,
}

impl Trace<Vec<u8>> {
    /// Elements that are appended to others.
    pub(super) fn part() -> Self {
        Self {
            begun: true,
            ..Self::new(Vec::new())
        }
    }
}

impl<W: Write> Trace<W> {
    /// A list without an element.
    pub(super) fn new(out: W) -> Self {
        Self {
            out: BufWriter::new(out),
            begun: false,
            failed: None,
        }
    }

    /// Appends elements.
    pub(super) fn events(&mut self, events: impl IntoIterator<Item = Entry>) {
        for event in events {
            let before = if self.begun {
                ",\n"
            } else {
                "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
            };
            self.begun = true;
            self.text(before);
            if self.failed.is_none() {
                let written = serde_json::to_writer(&mut self.out, &event);
                self.failed = written.err().map(std::io::Error::from);
            }
        }
    }

    /// Appends a part behind at least one element.
    pub(super) fn append(&mut self, part: Trace<Vec<u8>>) {
        let written = part.out.into_inner().map_err(IntoInnerError::into_error);
        if self.failed.is_none() {
            let written = written.and_then(|text| self.out.write_all(&text));
            self.failed = part.failed.or_else(|| written.err());
        }
    }

    fn text(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// Ends the list. A reader that went away (`| head`) is no error.
    pub(super) fn end(mut self) -> Result<(), Fault> {
        self.text("\n]}\n");
        let failed = self.failed.or_else(|| self.out.flush().err());
        match failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(Fault::new(
                Code::FileWrite,
                format!("cannot write to stdout: {error}"),
            )),
            _ => Ok(()),
        }
    }
}
