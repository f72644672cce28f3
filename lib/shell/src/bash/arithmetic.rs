//! Arithmetic: only the expansions inside count, the rest is numbers.

use super::ast::Word;
use super::parser::{DEPTH_MAX, Parser, Problem};
use super::word::Parts;

impl Parser<'_> {
    /// The inside of `((…))` up to and with the closing parentheses. `None` when it is none after
    /// all: then the caller reads the text again as commands.
    pub(super) fn arithmetic(&mut self) -> Result<Option<Word>, Problem> {
        let mut parts = Parts::default();
        let mut open = 0u32;
        self.enter()?;
        loop {
            if self.at_end() {
                return Err(Problem::Syntax("an arithmetic expression is not closed"));
            }
            match self.peek() {
                b'$' | b'`' => self.expansion(&mut parts, true)?,
                b'"' => self.double_quoted(&mut parts)?,
                b'(' => {
                    open += 1;
                    if open > DEPTH_MAX {
                        return Err(Problem::TooComplex);
                    }
                    self.plain(&mut parts);
                }
                b')' if open > 0 => {
                    open -= 1;
                    self.plain(&mut parts);
                }
                b')' if self.peek_at(1) == b')' => {
                    self.pos += 2;
                    self.leave();
                    return Ok(Some(parts.word()));
                }
                b')' => {
                    self.leave();
                    self.retries = self.retries.checked_sub(1).ok_or(Problem::TooComplex)?;
                    return Ok(None);
                }
                b'\\' if self.peek_at(1) < 128 && !self.at_end() => self.pos += 2,
                _ => self.plain(&mut parts),
            }
        }
    }

    fn plain(&mut self, parts: &mut Parts) {
        let length = self.rest().chars().next().map_or(1, char::len_utf8);
        parts.text(&self.text[self.pos..self.pos + length], true);
        self.pos += length;
    }
}
