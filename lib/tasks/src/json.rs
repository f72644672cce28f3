//! A JSON reader that keeps positions and every member of an object, duplicates included.
//!
//! `serde_json` silently keeps the last of two equal keys and forgets where a value stood; a task
//! list is written by people and models, who need to be told both. Bounded: nesting, number of
//! values; one pass, no recursion deeper than [`DEPTH_MAX`].

use std::ops::Range;

/// Deepest nesting that is read; a task list needs four levels, the rest is room for unknown fields.
pub(crate) const DEPTH_MAX: usize = 64;
/// Most values in one document: 10,000 tasks with a hundred values each.
pub(crate) const VALUES_MAX: usize = 1_000_000;

/// A value and the bytes that it stood in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) value: Value,
}

/// A JSON value; of numbers only whole ones are kept, since a task counts nothing else.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool,
    Number(Option<u64>),
    Text(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// One `"key": value` of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) node: Node,
}

/// The first place where the text is not JSON, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) at: usize,
    pub(crate) message: String,
}

impl Value {
    /// What a person calls this kind of value.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// Reads the one value that `text` starts with; gives it and the offset behind it.
pub(crate) fn read(text: &str, start: usize) -> Result<(Node, usize), SyntaxError> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: start,
        values: 0,
    };
    reader.skip_space();
    let node = reader.value(0)?;
    Ok((node, reader.at))
}

/// The offset of the first byte at or after `at` that is no JSON white space.
pub(crate) fn skip_space(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    at + rest
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        .count()
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    values: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        self.at = skip_space(self.text, self.at);
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            at: self.at,
            message: message.into(),
        })
    }

    /// Names what stands here instead of what was expected.
    fn unexpected<T>(&self, expected: &str) -> Result<T, SyntaxError> {
        let rest = &self.text[self.at..];
        let found = match rest.chars().next() {
            None => "the text ends here".to_owned(),
            Some('/') if rest.starts_with("//") || rest.starts_with("/*") => {
                "JSON has no comments".to_owned()
            }
            Some('\'' | '\u{201c}' | '\u{201d}') => {
                "strings and keys stand in straight double quotes".to_owned()
            }
            Some(c) => format!("found {c:?}"),
        };
        self.error(format!("expected {expected}, {found}"))
    }

    fn value(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        self.values += 1;
        if self.values > VALUES_MAX {
            return self.error(format!("more than {VALUES_MAX} values"));
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Value::Bool)?,
            Some(b'f') => self.word("false", Value::Bool)?,
            Some(b'n') => self.word("null", Value::Null)?,
            _ => return self.unexpected("a value"),
        };
        Ok(Node {
            span: start..self.at,
            value,
        })
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, SyntaxError> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        self.unexpected("a value")
    }

    fn enter(&mut self, depth: usize) -> Result<(), SyntaxError> {
        if depth >= DEPTH_MAX {
            return self.error(format!("nested deeper than {DEPTH_MAX} levels"));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.enter(depth)?;
        let mut members = Vec::new();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek() != Some(b'"') {
                return match (self.peek(), members.is_empty()) {
                    (Some(b'}'), false) => self.error("a comma before the closing brace"),
                    _ => self.unexpected("a key in double quotes"),
                };
            }
            let key_start = self.at;
            let key = self.string()?;
            let key_span = key_start..self.at;
            self.skip_space();
            if self.peek() != Some(b':') {
                return self.unexpected("a colon after the key");
            }
            self.at += 1;
            self.skip_space();
            let node = self.value(depth + 1)?;
            members.push(Member {
                key,
                key_span,
                node,
            });
            if self.ends(b'}', "a comma or the closing brace")? {
                return Ok(Value::Object(members));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.enter(depth)?;
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            if self.peek() == Some(b']') {
                return self.error("a comma before the closing bracket");
            }
            items.push(self.value(depth + 1)?);
            if self.ends(b']', "a comma or the closing bracket")? {
                return Ok(Value::Array(items));
            }
        }
    }

    /// After an item: `true` at the closing byte, `false` after a comma.
    fn ends(&mut self, closing: u8, expected: &str) -> Result<bool, SyntaxError> {
        self.skip_space();
        match self.peek() {
            Some(byte) if byte == closing => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(false)
            }
            _ => self.unexpected(expected),
        }
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if start == self.at {
            return self.unexpected("a digit");
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Value, SyntaxError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Value::Number(self.text[start..self.at].parse().ok()))
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let opening = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            text.push_str(&self.text[from..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(b'\n') => return self.error("a line break inside a string; write \\n"),
                Some(byte) => {
                    return self.error(format!("a raw control character {byte:#04x} in a string"));
                }
                None => {
                    self.at = opening;
                    return self.error("this string never ends");
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, SyntaxError> {
        let known = match self.bytes.get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return self.error("an unknown escape after the backslash"),
        };
        self.at += 2;
        Ok(known)
    }

    /// `\uXXXX`, or two of them that form a surrogate pair.
    fn unicode(&mut self) -> Result<char, SyntaxError> {
        let first = self.hex(self.at + 2);
        let second = match first {
            Some(0xd800..=0xdbff) if self.text[self.at + 6..].starts_with("\\u") => {
                self.hex(self.at + 8)
            }
            _ => None,
        };
        let (point, length) = match (first, second) {
            (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                (0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), 12)
            }
            (Some(point), _) => (point, 6),
            (None, _) => return self.error("\\u needs four hexadecimal digits"),
        };
        let Some(c) = char::from_u32(point) else {
            return self.error("half of a surrogate pair");
        };
        self.at += length;
        Ok(c)
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |value, digit| {
            Some(value * 16 + char::from(*digit).to_digit(16)?)
        })
    }
}
