//! The parser's state, its bounds, and lists of commands.

use super::ast::{Command, Join, Word};
use std::cell::OnceCell;
use std::rc::Rc;

/// Nesting of commands, words and texts at most. Real scripts stay below 10; the frames of one
/// level take about 3 KB of stack.
pub(crate) const DEPTH_MAX: u32 = 100;
/// `((` that turned out to be two parentheses, per text: each costs a second reading of its rest.
const RETRIES_MAX: u32 = 16;
/// Commands in one list at most before it is handed on.
const NODES_MAX: u32 = 50_000;
/// Words, quoted pieces and expansions in one list at most: each takes some 200 bytes while it is
/// judged.
const WORDS_MAX: u32 = 100_000;

/// Why a text was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// bash would refuse it, or it uses a construct that is not read.
    Syntax(&'static str),
    /// Deeper or longer than the bounds.
    TooComplex,
}

/// A here-document whose body starts after the end of this line.
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) quoted: bool,
    pub(super) strip_tabs: bool,
    pub(super) body: Rc<OnceCell<Word>>,
}

/// Reads a text command by command.
pub(crate) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
    pub(super) depth: u32,
    pub(super) retries: u32,
    pub(super) pending: Vec<Pending>,
    nodes: u32,
    words: u32,
}

impl<'a> Parser<'a> {
    /// A parser of a text inside another; depth counts on.
    pub(crate) fn nested(text: &'a str, depth: u32) -> Self {
        Self {
            text,
            pos: 0,
            depth,
            retries: RETRIES_MAX,
            pending: Vec::new(),
            nodes: 0,
            words: 0,
        }
    }

    /// The next complete command: all up to a newline or, when no here-document waits, up to a
    /// separator. `None` at the end.
    pub(crate) fn next_command(&mut self) -> Result<Option<Command>, Problem> {
        self.nodes = 0;
        self.words = 0;
        self.skip_separators()?;
        if self.at_end() {
            return Ok(None);
        }
        let mut list = Vec::new();
        loop {
            let command = self.and_or(Join::Next)?;
            let ended = self.terminator(&mut list, command)?;
            if ended || self.pending.is_empty() {
                break;
            }
            self.skip_blanks();
            if self.at_end() || self.peek() == b'\n' {
                break;
            }
        }
        if self.peek() == b'\n' || self.at_end() {
            self.read_bodies()?;
        }
        Ok(Some(single(list)))
    }

    /// Commands up to one of these closing words or characters, which is not consumed.
    pub(super) fn list_until(&mut self, closers: &[&str]) -> Result<Command, Problem> {
        self.enter()?;
        let mut list = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.at_closer(closers) {
                break;
            }
            if self.at_end() {
                return Err(Problem::Syntax("unexpected end"));
            }
            let command = self.and_or(Join::Next)?;
            self.terminator(&mut list, command)?;
        }
        self.leave();
        if list.is_empty() && !closers.contains(&")") {
            return Err(Problem::Syntax("empty list"));
        }
        Ok(single(list))
    }

    /// Takes `;`, `&` or a newline after a command. True when the line has ended.
    fn terminator(
        &mut self,
        list: &mut Vec<(Join, Command)>,
        command: Command,
    ) -> Result<bool, Problem> {
        self.skip_blanks();
        match self.peek() {
            b'&' if self.peek_at(1) != b'&' => {
                self.pos += 1;
                list.push((Join::Background, Command::Background(Box::new(command))));
                Ok(false)
            }
            b';' => {
                self.pos += usize::from(self.peek_at(1) != b';');
                list.push((Join::Next, command));
                if self.peek() == b';' && self.peek_at(1) == b';' {
                    return Ok(true);
                }
                Ok(false)
            }
            b'\n' => {
                list.push((Join::Next, command));
                self.read_bodies()?;
                Ok(true)
            }
            _ if self.at_end() || self.peek() == b')' => {
                list.push((Join::Next, command));
                Ok(true)
            }
            _ => {
                list.push((Join::Next, command));
                Ok(true)
            }
        }
    }

    /// `a && b || c`.
    pub(super) fn and_or(&mut self, join: Join) -> Result<Command, Problem> {
        let mut list = vec![(join, self.pipeline()?)];
        loop {
            self.skip_blanks();
            let join = match (self.peek(), self.peek_at(1)) {
                (b'&', b'&') => Join::And,
                (b'|', b'|') => Join::Or,
                _ => break,
            };
            self.pos += 2;
            self.skip_newlines()?;
            list.push((join, self.pipeline()?));
        }
        Ok(single(list))
    }

    fn pipeline(&mut self) -> Result<Command, Problem> {
        self.count()?;
        self.skip_prefixes();
        let mut parts = vec![self.command()?];
        loop {
            self.skip_blanks();
            if self.peek() != b'|' || self.peek_at(1) == b'|' {
                break;
            }
            self.pos += 1 + usize::from(self.peek_at(1) == b'&');
            self.skip_newlines()?;
            self.count()?;
            self.skip_prefixes();
            parts.push(self.command()?);
        }
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Command::Pipeline(parts)
        })
    }

    /// `!` and `time [-p] [--]` change nothing about what is run.
    fn skip_prefixes(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() == b'!' && matches!(self.peek_at(1), b' ' | b'\t' | b'(' | b'\n') {
                self.pos += 1;
            } else if self.looking_at_word("time") {
                self.pos += 4;
                self.skip_blanks();
                if self.looking_at_word("-p") {
                    self.pos += 2;
                    self.skip_blanks();
                }
                if self.looking_at_word("--") {
                    self.pos += 2;
                }
            } else {
                return;
            }
        }
    }

    pub(super) fn enter(&mut self) -> Result<(), Problem> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Problem::TooComplex);
        }
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn count(&mut self) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(Problem::TooComplex);
        }
        Ok(())
    }

    pub(super) fn count_word(&mut self) -> Result<(), Problem> {
        self.words += 1;
        if self.words > WORDS_MAX {
            return Err(Problem::TooComplex);
        }
        Ok(())
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.text.len()
    }

    pub(super) fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    /// The byte that many places on; 0 past the end (a NUL in the text ends it for bash as well).
    pub(super) fn peek_at(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.pos + ahead)
            .copied()
            .unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or("")
    }

    /// Blanks, continued lines and comments.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.peek_at(1) == b'\n' => self.pos += 2,
                b'#' if self.at_word_start() => {
                    let rest = self.rest();
                    self.pos += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn at_word_start(&self) -> bool {
        self.pos == 0
            || matches!(
                self.text.as_bytes().get(self.pos - 1),
                Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b'`')
            )
    }

    /// Blanks and newlines; the bodies of waiting here-documents are read at each.
    pub(super) fn skip_newlines(&mut self) -> Result<(), Problem> {
        loop {
            self.skip_blanks();
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.read_bodies()?;
        }
    }

    fn skip_separators(&mut self) -> Result<(), Problem> {
        // A lone `;` on a line is an error for bash; what follows it is judged all the same.
        loop {
            self.skip_newlines()?;
            if self.peek() != b';' || self.peek_at(1) == b';' {
                break;
            }
            self.pos += 1;
        }
        if self.peek() == b'&' {
            return Err(Problem::Syntax("a separator without a command"));
        }
        Ok(())
    }

    pub(super) fn at_closer(&self, closers: &[&str]) -> bool {
        closers.iter().any(|closer| match *closer {
            ")" => self.peek() == b')',
            ";;" => self.rest().starts_with(";;") || self.rest().starts_with(";&"),
            word => self.looking_at_word(word),
        })
    }

    /// Does this word stand here, unquoted and whole?
    pub(super) fn looking_at_word(&self, word: &str) -> bool {
        self.rest().strip_prefix(word).is_some_and(|after| {
            matches!(
                after.as_bytes().first(),
                None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
            )
        })
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Result<(), Problem> {
        self.skip_newlines()?;
        if !self.looking_at_word(word) {
            return Err(Problem::Syntax("a reserved word is missing"));
        }
        self.pos += word.len();
        Ok(())
    }
}

fn single(mut list: Vec<(Join, Command)>) -> Command {
    if list.len() == 1 {
        list.remove(0).1
    } else {
        Command::List(list)
    }
}
