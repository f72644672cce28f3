//! One lexer for all languages: names, texts and signs, by the table of how a language quotes.

mod texts;

use super::languages::{Form, Language, Within};
use crate::mark;
use crate::names::one_of;
use texts::closing;

/// A piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name with its members, joined by `.`; a member of what stands before begins with it.
    Name(String),
    /// A text.
    Text(Text),
    /// A command between quotes of its own.
    Command(Text),
    /// Anything else.
    Sign(char),
    /// The end of a statement.
    End,
}

impl Token {
    pub(super) fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// A text with the code in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Text {
    pub(super) parts: Vec<Part>,
    /// Each word of it is a text of its own.
    pub(super) words: bool,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Plain(String),
    Code(Vec<Token>),
}

impl Text {
    /// What it says, with a mark where code fills it.
    pub(super) fn shown(&self) -> String {
        let part = |part: &Part| match part {
            Part::Plain(text) => text.clone(),
            Part::Code(_) => mark::ANY.to_string(),
        };
        self.parts.iter().map(part).collect()
    }
}

/// Reads code.
pub(super) fn tokens(code: &str, language: &'static Language) -> Vec<Token> {
    read(code, language, 0)
}

fn read(code: &str, language: &'static Language, depth: u32) -> Vec<Token> {
    let mut lexer = Lexer {
        code,
        at: 0,
        language,
        depth,
        tokens: Vec::new(),
        open: Vec::new(),
        glued: false,
    };
    while lexer.at < code.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'a> {
    code: &'a str,
    at: usize,
    language: &'static Language,
    depth: u32,
    tokens: Vec<Token>,
    /// Brackets that are open.
    open: Vec<char>,
    /// Does the last token touch what comes?
    glued: bool,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.code[self.at..]
    }

    fn push(&mut self, token: Token, length: usize) {
        self.at += length;
        self.glued = true;
        match (&token, self.tokens.last_mut()) {
            (Token::Name(member), Some(Token::Name(name))) if member.starts_with('.') => {
                name.push_str(member);
            }
            // `...name` hands on what is left of a list.
            (Token::Name(name), Some(Token::Sign('.')))
                if name.starts_with('.') && self.language.family == "node" =>
            {
                self.tokens.push(Token::Name(name[1..].to_owned()));
            }
            _ => self.tokens.push(token),
        }
        self.fold();
    }

    /// `require("x")` is the module x, and `getattr(a, "b")` is `a.b`.
    fn fold(&mut self) {
        let (length, name) = match self.tokens.as_slice() {
            [
                ..,
                Token::Name(call),
                Token::Sign('('),
                Token::Text(text),
                Token::Sign(')'),
            ] if one_of(call, "require import __import__ importlib.import_module") => {
                let module = text.shown();
                let module = module.strip_prefix("node:").unwrap_or(&module);
                (
                    4,
                    module
                        .strip_suffix("/promises")
                        .unwrap_or(module)
                        .replace('/', "."),
                )
            }
            [
                ..,
                Token::Name(call),
                Token::Sign('('),
                Token::Name(of),
                Token::Sign(','),
                Token::Text(text),
                Token::Sign(')'),
            ] if call == "getattr" => (6, format!("{of}.{}", text.shown())),
            // `new (name)(x)`
            [
                ..,
                Token::Name(new),
                Token::Sign('('),
                Token::Name(name),
                Token::Sign(')'),
            ] if new == "new" => (3, name.clone()),
            _ => return,
        };
        if name.starts_with(is_name) && name.chars().all(|c| is_name(c) || matches!(c, '.' | '-')) {
            self.tokens.truncate(self.tokens.len() - length);
            self.tokens.push(Token::Name(name));
        }
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return };
        if let Some(length) = self.comment() {
            self.at += length;
            self.glued = false;
        } else if c == '\n' || c == ';' {
            self.at += 1;
            self.glued = false;
            if c == ';' || !self.open.ends_with(&['(']) && !self.open.ends_with(&['[']) {
                self.tokens.push(Token::End);
            }
        } else if c.is_whitespace() {
            self.at += c.len_utf8();
            self.glued = false;
        } else if !(self.delimited() || self.quoted() || self.pattern(c) || self.here_document()) {
            self.name_or_sign(c);
        }
    }

    fn comment(&self) -> Option<usize> {
        let rest = self.rest();
        // `$#list` is no comment.
        let dollar = self.glued && self.tokens.last().is_some_and(|last| last.is('$'));
        let (open, close) = self
            .language
            .comments
            .iter()
            .find(|(open, _)| rest.starts_with(open))?;
        let end = rest[open.len()..].find(close).map_or(rest.len(), |end| {
            open.len() + end + if *close == "\n" { 0 } else { close.len() }
        });
        (!dollar).then_some(end)
    }

    fn quoted(&mut self) -> bool {
        let rest = self.rest();
        let quotes = self.language.quotes;
        let Some((within, open, close)) = quotes.iter().find(|(_, open, _)| rest.starts_with(open))
        else {
            return false;
        };
        let (mut within, open, close) = (*within, *open, *close);
        if self.language.family == "python"
            && self.glued
            && let Some(Token::Name(prefix)) = self.tokens.last()
            && prefix.len() <= 2
            && prefix.bytes().all(|byte| b"rRbBfFuUtT".contains(&byte))
        {
            within = match prefix.to_ascii_lowercase() {
                prefix if prefix.contains('f') => Within::Code,
                prefix if prefix.contains('r') => Within::Raw,
                _ => within,
            };
            self.tokens.pop();
        }
        let at = self.at + open.len();
        let (text, end) = self.text(at, (open, close), within);
        self.take(text, within, end);
        true
    }

    fn take(&mut self, text: Text, within: Within, end: usize) {
        let token = match within {
            Within::Command => Token::Command(text),
            Within::Pattern => Token::Text(Text::default()),
            _ => Token::Text(text),
        };
        let length = end - self.at;
        self.push(token, length);
    }

    /// `q{…}`, `%w[…]`, `s/…/…/`.
    fn delimited(&mut self) -> bool {
        let rest = self.rest();
        let member = self.glued
            && matches!(
                self.tokens.last(),
                Some(Token::Name(_) | Token::Sign('$' | '@'))
            );
        let found = self.language.delimited.iter().find_map(|(word, within)| {
            let after = rest.strip_prefix(word)?;
            let delimiter = after.chars().next().filter(char::is_ascii_punctuation)?;
            let no = ['_', ',', ';', ')', ']', '}', '=', '.', '-', '>'];
            (!member && !no.contains(&delimiter)).then_some((*word, *within, delimiter))
        });
        let Some((word, within, delimiter)) = found else {
            return false;
        };
        let close = closing(delimiter);
        let (open, close) = (delimiter.to_string(), close.to_string());
        let mut end = self.at + word.len() + open.len();
        let (mut text, mut first) = (Text::default(), true);
        let parts = 1 + usize::from(matches!(word, "s" | "tr" | "y"));
        for _ in 0..parts {
            if !first && open != close {
                end = self.code[end..]
                    .find(&open)
                    .map_or(end, |found| end + found + 1);
            }
            let (read, after) = self.text(end, (&open, &close), within);
            (end, first) = (after, false);
            text.parts.extend(read.parts);
        }
        text.words = within == Within::Words;
        self.take(text, within, end);
        true
    }

    /// Where a value is wanted, a slash begins a pattern that ends in its line.
    fn pattern(&mut self, c: char) -> bool {
        let wanted = match self.tokens.last() {
            None | Some(Token::End) => true,
            Some(Token::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
            Some(Token::Name(name)) => one_of(name, "return if unless and or not split grep when"),
            _ => false,
        };
        if !(c == '/' && wanted && self.language.slashes) {
            return false;
        }
        let (mut escaped, mut class) = (false, false);
        let end = self.rest().char_indices().skip(1).find(|(_, c)| {
            let ends = !escaped && (*c == '\n' || *c == '/' && !class);
            class = !escaped && (*c == '[' || class && *c != ']');
            escaped = !escaped && *c == '\\';
            ends
        });
        let Some((end, '/')) = end else { return false };
        let flags = self.rest()[end + 1..]
            .bytes()
            .take_while(u8::is_ascii_alphabetic)
            .count();
        self.push(Token::Text(Text::default()), end + 1 + flags);
        true
    }

    /// `<<~END` up to a line that holds the word alone.
    fn here_document(&mut self) -> bool {
        if !matches!(self.language.family, "ruby" | "perl" | "php") {
            return false;
        }
        let Some(after) = self.rest().strip_prefix("<<") else {
            return false;
        };
        let word = after.trim_start_matches(['<', '~', '-', '"', '\'']);
        let word = &word[..word.find(|c: char| !is_name(c)).unwrap_or(word.len())];
        if word.is_empty() || word.starts_with(|c: char| !c.is_ascii_uppercase()) {
            return false;
        }
        let mut start = self
            .rest()
            .find('\n')
            .map_or(self.code.len(), |end| self.at + end + 1);
        let body = start;
        for line in self.code[body..].split_inclusive('\n') {
            if line.trim().trim_end_matches(';') == word {
                let text = Part::Plain(self.code[body..start].to_owned());
                // What stands behind it in its line is left out with it.
                let text = Text {
                    parts: vec![text],
                    words: false,
                };
                let length = start + line.len() - self.at;
                self.push(Token::Text(text), length);
                self.tokens.push(Token::End);
                return true;
            }
            start += line.len();
        }
        false
    }

    fn name_or_sign(&mut self, c: char) {
        let list = self.language.form == Form::List;
        let length = name_length(self.rest(), list);
        let joined = self.join();
        if length == 0 && joined.is_none() {
            match c {
                '(' | '[' | '{' => self.open.push(c),
                ')' | ']' | '}' => {
                    self.open.pop();
                }
                _ => {}
            }
            self.push(Token::Sign(c), c.len_utf8());
            return;
        }
        let mut name = String::new();
        if joined.is_some() {
            while self.tokens.last() == Some(&Token::End) {
                self.tokens.pop();
            }
        }
        let mut join = joined.unwrap_or(0);
        name.push_str(if join > 0 { "." } else { "" });
        loop {
            self.at += join;
            let length = name_length(self.rest(), list);
            name.push_str(&self.rest()[..length]);
            self.at += length;
            match self.join() {
                Some(next) => (join, name) = (next, name + "."),
                None => break,
            }
        }
        // `rm_rf!` is called like any other, `env!` asks what it is built with.
        let mut after = self.rest().chars();
        let bang = after.next() == Some('!')
            && !list
            && after.next().is_some_and(|c| matches!(c, '(' | ' '));
        if bang && name == "env" {
            name.push_str(".var");
        }
        self.push(Token::Name(name), usize::from(bang));
    }

    /// The length of what joins a member to what stands before.
    fn join(&self) -> Option<usize> {
        let rest = self.rest();
        self.language.joins.iter().find_map(|join| {
            let after = rest.strip_prefix(join)?;
            let member = after.starts_with(|c: char| is_name(c) && !c.is_ascii_digit());
            member.then_some(join.len())
        })
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$') || mark::is_mark(c)
}

fn name_length(text: &str, list: bool) -> usize {
    let in_lists =
        |c: char| list && matches!(c, '-' | '/' | '*' | '!' | '?' | ':' | '>' | '<' | '.');
    text.find(|c: char| !(is_name(c) || in_lists(c)))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests;
