//! Simple commands and redirections.

use super::ast::{Assign, Command, Part, Redirect, RedirectOp, Simple, Word};
use super::parser::{Parser, Pending, Problem};
use std::cell::OnceCell;
use std::rc::Rc;

/// Redirections of one command: people write a handful, and each is looked up on the disk.
const REDIRECTS_MAX: usize = 256;

/// Builtins whose arguments may be assignments, arrays included.
const DECLARING: &[&str] = &["declare", "typeset", "local", "export", "readonly"];

impl Parser<'_> {
    pub(super) fn command(&mut self) -> Result<Command, Problem> {
        self.enter()?;
        let command = match self.compound()? {
            Some(compound) => {
                let mut redirects = Vec::new();
                while let Some(redirect) = self.redirect()? {
                    redirects.push(redirect);
                }
                if redirects.is_empty() {
                    compound
                } else {
                    Command::Redirected(Box::new(compound), redirects)
                }
            }
            None => self.simple()?,
        };
        self.leave();
        Ok(command)
    }

    fn simple(&mut self) -> Result<Command, Problem> {
        let mut simple = Simple::default();
        let mut declaring = false;
        loop {
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                if simple.redirects.len() > REDIRECTS_MAX {
                    return Err(Problem::TooComplex);
                }
                continue;
            }
            self.skip_blanks();
            if self.at_metacharacter() {
                break;
            }
            if simple.words.is_empty()
                && let Some(assign) = self.assignment()?
            {
                self.count_word()?;
                simple.assigns.push(assign);
                continue;
            }
            let word = if declaring {
                self.declaration()?
            } else {
                self.word()?
            };
            if simple.words.is_empty() {
                declaring = word.bare().is_some_and(|name| DECLARING.contains(&name));
                self.skip_blanks();
                if self.peek() == b'(' {
                    return self.function(&word);
                }
            } else if simple.words.len() == 1 && !declaring {
                declaring = matches!(simple.words[0].bare(), Some("builtin" | "command"))
                    && word.bare().is_some_and(|name| DECLARING.contains(&name));
            }
            self.count_word()?;
            simple.words.push(word);
        }
        if simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty() {
            return Err(Problem::Syntax("a command is missing"));
        }
        Ok(Command::Simple(simple))
    }

    /// `name() body`.
    fn function(&mut self, name: &Word) -> Result<Command, Problem> {
        self.pos += 1;
        self.skip_blanks();
        let name = name.bare().filter(|_| self.peek() == b')');
        let name = name
            .ok_or(Problem::Syntax("a parenthesis after a word"))?
            .to_owned();
        self.pos += 1;
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: String) -> Result<Command, Problem> {
        self.skip_newlines()?;
        let body = Rc::new(self.command()?);
        Ok(Command::Function { name, body })
    }

    fn at_metacharacter(&self) -> bool {
        self.at_end()
            || match self.peek() {
                b'\n' | b';' | b'&' | b'|' | b'(' | b')' => true,
                b'<' | b'>' => self.peek_at(1) != b'(',
                _ => false,
            }
    }

    /// `name=…`, `name+=…`, `name[i]=…` where an assignment may stand.
    fn assignment(&mut self) -> Result<Option<Assign>, Problem> {
        let rest = self.rest();
        let length = identifier_length(rest);
        let start = self.pos;
        if length == 0 {
            return Ok(None);
        }
        let name = rest[..length].to_owned();
        self.pos += length;
        let index = if self.peek() == b'[' && indexed_assignment(&rest.as_bytes()[length..]) {
            self.pos += 1;
            Some(self.word_until(b']')?)
        } else {
            None
        };
        let append = self.peek() == b'+' && self.peek_at(1) == b'=';
        self.pos += usize::from(append);
        if self.peek() != b'=' {
            self.pos = start;
            return Ok(None);
        }
        self.pos += 1;
        let value = self.assigned_value()?;
        Ok(Some(Assign {
            name,
            index,
            append,
            value,
        }))
    }

    fn assigned_value(&mut self) -> Result<Word, Problem> {
        if self.peek() == b'(' {
            return Ok(Word {
                parts: vec![self.array()?],
            });
        }
        if self.at_metacharacter() || matches!(self.peek(), b' ' | b'\t') {
            return Ok(Word::default());
        }
        self.word()
    }

    /// An argument of `declare` and its kin.
    fn declaration(&mut self) -> Result<Word, Problem> {
        let mut word = self.word()?;
        if self.peek() == b'('
            && matches!(word.parts.last(), Some(Part::Text { text, quoted: false }) if text.ends_with('='))
        {
            word.parts.push(self.array()?);
        }
        Ok(word)
    }

    fn array(&mut self) -> Result<Part, Problem> {
        self.enter()?;
        self.pos += 1;
        let mut words = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.peek() == b')' {
                self.pos += 1;
                break;
            }
            if self.at_metacharacter() {
                return Err(Problem::Syntax("an array is not closed"));
            }
            self.count()?;
            words.push(self.word()?);
        }
        self.leave();
        Ok(Part::Array(words))
    }

    /// A redirection, if one stands here.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>, Problem> {
        self.skip_blanks();
        let start = self.pos;
        let fd = self.descriptor();
        let Some((op, length)) = redirect_operator(self.rest()) else {
            self.pos = start;
            return Ok(None);
        };
        let here = self.rest().starts_with("<<") && op == RedirectOp::HereDocument;
        let strip_tabs = here && self.rest().starts_with("<<-");
        self.pos += length;
        self.skip_blanks();
        if self.at_metacharacter() {
            return Err(Problem::Syntax("a redirection without a target"));
        }
        let body = Rc::new(OnceCell::new());
        let target_start = self.pos;
        let target = self.word()?;
        if here {
            let raw = &self.text[target_start..self.pos];
            self.pending.push(Pending {
                delimiter: super::document::delimiter(raw),
                quoted: raw.contains(['\'', '"', '\\']),
                strip_tabs,
                body: Rc::clone(&body),
            });
        }
        Ok(Some(Redirect {
            fd,
            op,
            target,
            body,
        }))
    }

    /// `2` or `{name}` in front of `<` or `>`; nothing is consumed when none follows.
    fn descriptor(&mut self) -> String {
        let rest = self.rest();
        let length = if let Some(name) = rest.strip_prefix('{') {
            match identifier_length(name) {
                length if length > 0 && name[length..].starts_with('}') => length + 2,
                _ => 0,
            }
        } else {
            rest.bytes().take_while(u8::is_ascii_digit).count()
        };
        if rest[length..].starts_with(['<', '>']) {
            self.pos += length;
            rest[..length].to_owned()
        } else {
            String::new()
        }
    }
}

const OPERATORS: &[(&str, RedirectOp)] = &[
    ("&>>", RedirectOp::Both),
    ("&>", RedirectOp::Both),
    ("<<<", RedirectOp::HereString),
    ("<<-", RedirectOp::HereDocument),
    ("<<", RedirectOp::HereDocument),
    ("<&", RedirectOp::DuplicateIn),
    ("<>", RedirectOp::ReadWrite),
    (">>", RedirectOp::Append),
    (">&", RedirectOp::DuplicateOut),
    (">|", RedirectOp::Write),
];

/// The operator at the start of the text and its length. `<(` and `>(` are words.
fn redirect_operator(rest: &str) -> Option<(RedirectOp, usize)> {
    if let Some((text, op)) = OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
        return Some((*op, text.len()));
    }
    match rest.as_bytes() {
        [b'<' | b'>', b'(', ..] => None,
        [b'<', ..] => Some((RedirectOp::Read, 1)),
        [b'>', ..] => Some((RedirectOp::Write, 1)),
        _ => None,
    }
}

/// Bytes of the identifier at the start of the text.
pub(super) fn identifier_length(text: &str) -> usize {
    match text.as_bytes().first() {
        Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => text
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count(),
        _ => 0,
    }
}

/// Does `[…]=` or `[…]+=` stand here? Only the next 256 bytes count, so that time stays linear.
fn indexed_assignment(bytes: &[u8]) -> bool {
    let near = &bytes[..bytes.len().min(256)];
    near.windows(2).any(|pair| pair == b"]=") || near.windows(3).any(|three| three == b"]+=")
}
