//! Bodies of here-documents.

use super::ast::{Part, Word};
use super::parser::{Parser, Problem};

impl Parser<'_> {
    /// Consumes the newline here and the bodies of all here-documents that wait for it.
    pub(super) fn read_bodies(&mut self) -> Result<(), Problem> {
        self.pos += usize::from(self.peek() == b'\n' && !self.at_end());
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            loop {
                if self.at_end() {
                    // bash takes the rest as the body, with a warning.
                    break;
                }
                let rest = self.rest();
                let end = rest.find('\n');
                let line = &rest[..end.unwrap_or(rest.len())];
                self.pos += line.len() + usize::from(end.is_some());
                let line = if pending.strip_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line == pending.delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            let word = if pending.quoted {
                Word {
                    parts: vec![Part::Text {
                        text: body,
                        quoted: true,
                    }],
                }
            } else {
                Parser::nested(&body, self.depth).document_word()?
            };
            // Set once: each body is read at exactly one newline.
            let _ = pending.body.set(word);
        }
        Ok(())
    }
}

/// The delimiter as it stands on its line: quotes and backslashes removed, nothing expanded.
pub(super) fn delimiter(raw: &str) -> String {
    let mut delimiter = String::new();
    let mut characters = raw.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' | '"' => {}
            '\\' => delimiter.extend(characters.next()),
            c => delimiter.push(c),
        }
    }
    delimiter
}
