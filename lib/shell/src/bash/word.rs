//! Words: quotes, escapes and where they end.

use super::ast::{Part, Word};
use super::parser::{Parser, Problem};

/// What a word is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Argument,
    /// Inside `[[ ]]`, where parentheses and bars may be part of a pattern.
    Test,
    /// Up to one of two characters: in `${…}` and `[…]`.
    Until(u8, u8),
}

/// Collects parts and merges neighbouring text of the same quoting.
#[derive(Default)]
pub(super) struct Parts(Vec<Part>);

impl Parts {
    pub(super) fn text(&mut self, piece: &str, quote: bool) {
        if let Some(Part::Text { text, quoted }) = self.0.last_mut()
            && *quoted == quote
        {
            text.push_str(piece);
            return;
        }
        self.0.push(Part::Text {
            text: piece.to_owned(),
            quoted: quote,
        });
    }

    pub(super) fn push(&mut self, part: Part) {
        self.0.push(part);
    }

    pub(super) fn word(self) -> Word {
        Word { parts: self.0 }
    }
}

impl<'a> Parser<'a> {
    /// A word of a command.
    pub(super) fn word(&mut self) -> Result<Word, Problem> {
        let word = self.word_in(Within::Argument)?;
        if word.parts.is_empty() {
            return Err(Problem::Syntax("a word is missing"));
        }
        Ok(word)
    }

    /// An operand of `[[ ]]`.
    pub(super) fn test_word(&mut self) -> Result<Word, Problem> {
        self.word_in(Within::Test)
    }

    /// Text up to this closing character, which is consumed.
    pub(super) fn word_until(&mut self, close: u8) -> Result<Word, Problem> {
        let word = self.word_until_either(close, close)?;
        if self.peek() != close || self.at_end() {
            return Err(Problem::Syntax("an expansion is not closed"));
        }
        self.pos += 1;
        Ok(word)
    }

    /// Text up to one of two closing characters, which is not consumed.
    pub(super) fn word_until_either(&mut self, one: u8, other: u8) -> Result<Word, Problem> {
        self.enter()?;
        let word = self.word_in(Within::Until(one, other))?;
        self.leave();
        Ok(word)
    }

    fn word_in(&mut self, place: Within) -> Result<Word, Problem> {
        let mut parts = Parts::default();
        let mut open = 0u32;
        while !self.at_end() {
            let byte = self.peek();
            if ends(place, byte, self.peek_at(1), open) {
                break;
            }
            match byte {
                b'\'' => {
                    self.count_word()?;
                    let text = self.single_quoted()?;
                    parts.text(text, true);
                }
                b'"' => {
                    self.count_word()?;
                    self.double_quoted(&mut parts)?;
                }
                b'\\' => self.escape(&mut parts),
                b'$' | b'`' => self.expansion(&mut parts, false)?,
                b'<' | b'>' if self.peek_at(1) == b'(' && place != Within::Test => {
                    self.process_substitution(&mut parts)?;
                }
                b'(' if place == Within::Test => {
                    open += 1;
                    self.pos += 1;
                    parts.text("(", false);
                }
                b')' if place == Within::Test => {
                    open = open.saturating_sub(1);
                    self.pos += 1;
                    parts.text(")", false);
                }
                b'?' | b'*' | b'+' | b'@'
                    if self.peek_at(1) == b'(' && place == Within::Argument =>
                {
                    return Err(Problem::Syntax("an extended pattern"));
                }
                _ => {
                    let piece = self.plain_run(place);
                    parts.text(piece, false);
                }
            }
        }
        Ok(parts.word())
    }

    /// The characters from here to the next that may mean something, at least one.
    fn plain_run(&mut self, place: Within) -> &'a str {
        let rest = self.rest();
        let close = match place {
            Within::Until(one, other) => [one, other],
            _ => [b' ', b' '],
        };
        let special = |byte: &u8| b" \t\n'\"\\$`<>();&|?*+@".contains(byte) || close.contains(byte);
        let bytes = rest.as_bytes();
        let length = bytes
            .iter()
            .skip(1)
            .position(special)
            .map_or(bytes.len(), |at| at + 1);
        // A special byte is ASCII, so the cut is a character border, except behind a first byte
        // of several: then the run goes on to the character's end.
        let length = (length..=rest.len())
            .find(|at| rest.is_char_boundary(*at))
            .unwrap_or(rest.len());
        self.pos += length;
        &rest[..length]
    }

    fn single_quoted(&mut self) -> Result<&'a str, Problem> {
        let rest = &self.rest()[1..];
        let end = rest
            .find('\'')
            .ok_or(Problem::Syntax("a quote is not closed"))?;
        self.pos += end + 2;
        Ok(&rest[..end])
    }

    fn escape(&mut self, parts: &mut Parts) {
        let mut characters = self.rest()[1..].chars();
        match characters.next() {
            None => {
                parts.text("\\", true);
                self.pos += 1;
            }
            Some('\n') => self.pos += 2,
            Some(c) => {
                let mut buffer = [0; 4];
                parts.text(c.encode_utf8(&mut buffer), true);
                self.pos += 1 + c.len_utf8();
            }
        }
    }

    pub(super) fn double_quoted(&mut self, parts: &mut Parts) -> Result<(), Problem> {
        self.pos += 1;
        parts.text("", true);
        loop {
            if self.at_end() {
                return Err(Problem::Syntax("a quote is not closed"));
            }
            if self.peek() == b'"' {
                self.pos += 1;
                return Ok(());
            }
            self.quoted_piece(parts, b'"')?;
        }
    }

    /// The body of a here-document that is expanded: all of the text.
    pub(crate) fn document_word(&mut self) -> Result<Word, Problem> {
        let mut parts = Parts::default();
        self.enter()?;
        while !self.at_end() {
            self.quoted_piece(&mut parts, 0)?;
        }
        self.leave();
        Ok(parts.word())
    }

    /// One piece of what stands between double quotes, or in a here-document (`quote` 0).
    fn quoted_piece(&mut self, parts: &mut Parts, quote: u8) -> Result<(), Problem> {
        match self.peek() {
            b'$' | b'`' => self.expansion(parts, true),
            b'\\' => {
                let next = self.peek_at(1);
                if next == b'\n' {
                    self.pos += 2;
                } else if matches!(next, b'$' | b'`' | b'\\') || (next == b'"' && quote == b'"') {
                    parts.text(&self.text[self.pos + 1..self.pos + 2], true);
                    self.pos += 2;
                } else {
                    parts.text("\\", true);
                    self.pos += 1;
                }
                Ok(())
            }
            _ => {
                let rest = self.rest();
                let end = rest
                    .bytes()
                    .position(|byte| {
                        matches!(byte, b'$' | b'`' | b'\\') || (quote != 0 && byte == quote)
                    })
                    .unwrap_or(rest.len());
                parts.text(&rest[..end], true);
                self.pos += end;
                Ok(())
            }
        }
    }
}

fn ends(place: Within, byte: u8, next: u8, open: u32) -> bool {
    match place {
        Within::Until(one, other) => byte == one || byte == other,
        Within::Test => match byte {
            b' ' | b'\t' | b'\n' | b')' | b';' => open == 0,
            b'&' | b'|' => next == byte && open == 0,
            _ => false,
        },
        Within::Argument => match byte {
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => true,
            b'<' | b'>' => next != b'(',
            _ => false,
        },
    }
}
