//! What begins with `$`, a backquote, `<(` or `>(`.

use super::ast::{Command, Param, ParamOp, Part, Word};
use super::command::identifier_length;
use super::parser::{Parser, Problem};
use super::word::Parts;
use std::rc::Rc;

impl Parser<'_> {
    /// An expansion at `$` or a backquote; a lone `$` is text.
    pub(super) fn expansion(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), Problem> {
        self.count_word()?;
        if self.peek() == b'`' {
            let part = self.backquoted(quoted)?;
            parts.push(part);
            return Ok(());
        }
        match self.peek_at(1) {
            b'(' => {
                let part = self.parenthesised(quoted)?;
                parts.push(part);
            }
            b'{' => {
                self.pos += 2;
                self.enter()?;
                let param = Box::new(self.braced()?);
                self.leave();
                parts.push(Part::Param { param, quoted });
            }
            b'[' => {
                self.pos += 2;
                let inner = self.word_until(b']')?;
                parts.push(Part::Arithmetic { inner });
            }
            b'\'' if !quoted => {
                self.pos += 1;
                let text = self.ansi_quoted()?;
                parts.text(&text, true);
            }
            b'"' if !quoted => {
                self.pos += 1;
                self.double_quoted(parts)?;
            }
            _ => self.plain_parameter(parts, quoted),
        }
        Ok(())
    }

    fn plain_parameter(&mut self, parts: &mut Parts, quoted: bool) {
        let after = &self.rest()[1..];
        let length = match identifier_length(after) {
            0 if after.starts_with(|c: char| c.is_ascii_digit() || "@*#?-$!".contains(c)) => 1,
            length => length,
        };
        self.pos += 1 + length;
        if length == 0 {
            parts.text("$", quoted);
            return;
        }
        let param = Param {
            name: after[..length].to_owned(),
            indirect: false,
            length: false,
            index: None,
            op: ParamOp::None,
        };
        parts.push(Part::Param {
            param: Box::new(param),
            quoted,
        });
    }

    /// `$((…))` or `$(…)`.
    fn parenthesised(&mut self, quoted: bool) -> Result<Part, Problem> {
        self.pos += 2;
        if self.peek() == b'(' {
            let start = self.pos;
            let depth = self.depth;
            self.pos += 1;
            if let Some(inner) = self.arithmetic()? {
                return Ok(Part::Arithmetic { inner });
            }
            self.pos = start;
            self.depth = depth;
        }
        let body = Rc::new(self.substituted()?);
        Ok(Part::Command { body, quoted })
    }

    /// The commands up to `)`, which is consumed.
    fn substituted(&mut self) -> Result<Command, Problem> {
        let body = self.list_until(&[")"])?;
        self.pos += 1;
        Ok(body)
    }

    pub(super) fn process_substitution(&mut self, parts: &mut Parts) -> Result<(), Problem> {
        let write = self.peek() == b'>';
        self.pos += 2;
        let body = Rc::new(self.substituted()?);
        parts.push(Part::Process { body, write });
        Ok(())
    }

    /// Old-style substitution: the text is unescaped once and then read on its own.
    fn backquoted(&mut self, quoted: bool) -> Result<Part, Problem> {
        self.pos += 1;
        let mut text = String::new();
        let mut characters = self.rest().char_indices();
        let length = loop {
            match characters.next() {
                None => return Err(Problem::Syntax("a backquote is not closed")),
                Some((at, '`')) => break at,
                Some((_, '\\')) => match characters.next() {
                    Some((_, c)) if matches!(c, '`' | '\\' | '$') || (c == '"' && quoted) => {
                        text.push(c);
                    }
                    Some((_, c)) => {
                        text.push('\\');
                        text.push(c);
                    }
                    None => return Err(Problem::Syntax("a backquote is not closed")),
                },
                Some((_, c)) => text.push(c),
            }
        };
        self.pos += length + 1;
        self.enter()?;
        let mut inner = Parser::nested(&text, self.depth);
        let mut list = Vec::new();
        while let Some(command) = inner.next_command()? {
            self.count()?;
            list.push((super::ast::Join::Next, command));
        }
        self.leave();
        Ok(Part::Command {
            body: Rc::new(Command::List(list)),
            quoted,
        })
    }

    /// `'…'` after a `$`: escapes are decoded. Bytes that are no UTF-8 become U+FFFD.
    fn ansi_quoted(&mut self) -> Result<String, Problem> {
        let bytes = self.text.as_bytes();
        let mut decoded = Vec::new();
        let mut at = self.pos + 1;
        loop {
            match bytes.get(at) {
                None => return Err(Problem::Syntax("a quote is not closed")),
                Some(b'\'') => break,
                Some(b'\\') => at = unescape(bytes, at + 1, &mut decoded),
                Some(byte) => {
                    decoded.push(*byte);
                    at += 1;
                }
            }
        }
        self.pos = at + 1;
        // bash ends the string at an escaped NUL.
        let end = decoded
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(decoded.len());
        Ok(String::from_utf8_lossy(&decoded[..end]).into_owned())
    }

    /// `${…}` behind its opening brace.
    fn braced(&mut self) -> Result<Param, Problem> {
        let mut param = Param {
            name: String::new(),
            indirect: false,
            length: false,
            index: None,
            op: ParamOp::None,
        };
        let next = self.peek_at(1);
        if self.peek() == b'!' && next != b'}' {
            param.indirect = true;
            self.pos += 1;
        } else if self.peek() == b'#' && next != b'}' && !b":-=?+%/".contains(&next) {
            param.length = true;
            self.pos += 1;
        }
        let rest = self.rest();
        let length = match identifier_length(rest) {
            0 => match rest.bytes().take_while(u8::is_ascii_digit).count() {
                0 if rest.starts_with(|c: char| "@*#?-$!".contains(c)) => 1,
                digits => digits,
            },
            length => length,
        };
        if length == 0 {
            return Err(Problem::Syntax("a parameter without a name"));
        }
        rest[..length].clone_into(&mut param.name);
        self.pos += length;
        if self.peek() == b'[' {
            self.pos += 1;
            param.index = Some(self.word_until(b']')?);
        }
        if param.indirect && matches!(self.peek(), b'@' | b'*') && self.peek_at(1) == b'}' {
            // `${!prefix@}`: names, not values.
            self.pos += 1;
        }
        param.op = self.operation()?;
        if self.peek() != b'}' || self.at_end() {
            return Err(Problem::Syntax("an expansion is not closed"));
        }
        self.pos += 1;
        Ok(param)
    }

    /// `${x/pattern/with}`, after the name.
    fn replacement(&mut self, second: u8) -> Result<ParamOp, Problem> {
        let kind = if b"/#%".contains(&second) {
            second
        } else {
            b' '
        };
        self.pos += 1 + usize::from(kind != b' ');
        let pattern = self.word_until_either(b'/', b'}')?;
        let with = if self.peek() == b'/' {
            self.pos += 1;
            self.operand()?
        } else {
            Word::default()
        };
        Ok(ParamOp::Replace {
            kind: char::from(kind),
            pattern,
            with,
        })
    }

    fn operation(&mut self) -> Result<ParamOp, Problem> {
        let (first, second) = (self.peek(), self.peek_at(1));
        let double = first == second;
        Ok(match first {
            b':' if b"-=?+".contains(&second) => {
                self.pos += 2;
                ParamOp::Default {
                    sign: char::from(second),
                    colon: true,
                    word: self.operand()?,
                }
            }
            b':' => {
                self.pos += 1;
                ParamOp::Slice {
                    range: self.operand()?,
                }
            }
            b'-' | b'=' | b'?' | b'+' => {
                self.pos += 1;
                ParamOp::Default {
                    sign: char::from(first),
                    colon: false,
                    word: self.operand()?,
                }
            }
            b'#' | b'%' => {
                self.pos += 1 + usize::from(double);
                ParamOp::Strip {
                    suffix: first == b'%',
                    longest: double,
                    pattern: self.operand()?,
                }
            }
            b'/' => self.replacement(second)?,
            b'^' | b',' => {
                self.pos += 1 + usize::from(double);
                self.operand()?;
                ParamOp::Case {
                    upper: first == b'^',
                    all: double,
                }
            }
            b'@' => {
                self.pos += 2;
                ParamOp::Transform(char::from(second))
            }
            _ => ParamOp::None,
        })
    }

    fn operand(&mut self) -> Result<Word, Problem> {
        self.word_until_either(b'}', b'}')
    }
}

/// Decodes the escape behind a backslash; gives the place after it.
pub(crate) fn unescape(bytes: &[u8], at: usize, decoded: &mut Vec<u8>) -> usize {
    let Some(&byte) = bytes.get(at) else {
        decoded.push(b'\\');
        return at;
    };
    let (radix, skip, digits_max) = match byte {
        b'0'..=b'7' => (8, 0, 3),
        b'x' => (16, 1, 2),
        b'u' => (16, 1, 4),
        b'U' => (16, 1, 8),
        _ => (0, 0, 0),
    };
    if radix > 0 {
        let digits: String = bytes[at + skip..]
            .iter()
            .map(|digit| char::from(*digit))
            .take(digits_max)
            .take_while(|digit| digit.is_digit(radix))
            .collect();
        if let Ok(value) = u32::from_str_radix(&digits, radix) {
            match byte {
                b'u' | b'U' => decoded.extend(
                    char::from_u32(value)
                        .unwrap_or('\u{fffd}')
                        .to_string()
                        .bytes(),
                ),
                _ => decoded.push(value.to_le_bytes()[0]),
            }
            return at + skip + digits.len();
        }
    }
    match byte {
        b'a' => decoded.push(7),
        b'b' => decoded.push(8),
        b'e' | b'E' => decoded.push(27),
        b'f' => decoded.push(12),
        b'n' => decoded.push(b'\n'),
        b'r' => decoded.push(b'\r'),
        b't' => decoded.push(b'\t'),
        b'v' => decoded.push(11),
        b'\\' | b'\'' | b'"' | b'?' => decoded.push(byte),
        b'c' => {
            decoded.push(bytes.get(at + 1).map_or(0, |control| control & 0x1f));
            return at + 2;
        }
        _ => decoded.extend([b'\\', byte]),
    }
    at + 1
}
