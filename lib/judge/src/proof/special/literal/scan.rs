//! From a text to its literals.

use super::super::super::protect::ending;
use super::{Token, is_shell};

/// A text longer than this is prose.
const TEXT_BYTES_MAX: usize = 400;

/// The literals of a text in the order in which they begin; comments are passed over.
pub(in super::super) fn tokens(path: &str, text: &str) -> Vec<Token> {
    let mut scan = Scan {
        path,
        text,
        bytes: text.as_bytes(),
        at: 0,
        found: Vec::new(),
        lists: Vec::new(),
    };
    while scan.at < scan.bytes.len() {
        scan.step();
    }
    scan.found.sort_by_key(|token| token.at.start);
    scan.found
}

struct Scan<'a> {
    path: &'a str,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    found: Vec<Token>,
    /// Open `[`: where, the number of tokens before it, and whether only literals stood in it so far.
    lists: Vec<(usize, usize, bool)>,
}

impl Scan<'_> {
    fn step(&mut self) {
        let byte = self.bytes[self.at];
        if self.passes_comment() {
            return;
        }
        match byte {
            b'"' | b'\'' | b'`' => self.quoted(byte),
            b'0'..=b'9' => self.number(),
            b'[' => {
                self.lists.push((self.at, self.found.len(), true));
                self.at += 1;
            }
            b']' => self.list(),
            b',' | b' ' | b'\n' | b'\t' | b'-' => self.at += 1,
            _ => self.other(),
        }
    }

    fn passes_comment(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let end = ending(self.path);
        let hash = is_shell(self.path)
            || matches!(
                end,
                "py" | "rb" | "pl" | "ex" | "exs" | "r" | "yml" | "yaml" | "toml"
            );
        let alone = self.at == 0 || self.bytes[self.at - 1].is_ascii_whitespace();
        let line = (hash && rest[0] == b'#' && alone) || (!hash && rest.starts_with(b"//"));
        if line {
            self.at += rest
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(rest.len());
        } else if !hash && rest.starts_with(b"/*") {
            let end = self.text[self.at..].find("*/");
            self.at = end.map_or(self.bytes.len(), |end| self.at + end + 2);
        } else {
            return false;
        }
        true
    }

    fn quoted(&mut self, quote: u8) {
        let start = self.at;
        let thrice = [quote; 3];
        if quote != b'`' && self.bytes[start..].starts_with(&thrice) {
            // Documentation, mostly.
            let rest = &self.bytes[start + 3..];
            let end = rest.windows(3).position(|part| part == thrice);
            self.at = end.map_or(self.bytes.len(), |end| start + end + 6);
            return;
        }
        let mut end = start + 1;
        while end < self.bytes.len() && self.bytes[end] != quote {
            if self.bytes[end] == b'\n' && quote != b'`' || end - start > TEXT_BYTES_MAX {
                end = self.bytes.len();
            }
            end += 1 + usize::from(self.bytes.get(end) == Some(&b'\\'));
        }
        if end >= self.bytes.len() {
            // An apostrophe, the tick of a lifetime, or a text of many lines.
            self.at += 1;
            return;
        }
        let inner = &self.text[start + 1..end];
        let lifetime =
            quote == b'\'' && ending(self.path) == "rs" && inner.contains([' ', ',', '>']);
        if lifetime {
            self.at += 1;
            return;
        }
        if is_shell(self.path) && inner.contains(['$', '(']) {
            // What it runs stands in it.
            self.at += 1;
            return;
        }
        self.push(
            as_list(inner).unwrap_or_else(|| inner.to_owned()),
            (start, end + 1),
        );
        self.at = end + 1;
    }

    fn number(&mut self) {
        let start = self.at;
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let mut end = start
            + self.bytes[start..]
                .iter()
                .take_while(|byte| part(byte))
                .count();
        while self.bytes[end - 1] == b'.' || self.text[start..end].contains("..") {
            end -= 1;
        }
        let raw = self.text[start..end].replace('_', "");
        let value = if is_shell(self.path) {
            raw
        } else {
            decimal(&raw)
        };
        let from = start - usize::from(self.is_negative());
        let sign = if from < start { "-" } else { "" };
        self.push(format!("{sign}{value}"), (from, end));
        self.at = end;
    }

    /// Is the number behind a sign that subtracts nothing?
    fn is_negative(&self) -> bool {
        let Some(before) = self.text[..self.at].strip_suffix('-') else {
            return false;
        };
        let before = before.trim_end();
        before.is_empty()
            || before.ends_with(['(', ',', '=', '[', '{', ':', '<', '>', '?', '|'])
            || before.ends_with("case")
            || before.ends_with("return")
            || before.ends_with("when")
            || self.text[..self.at - 1].ends_with('\n')
            || self.text[..self.at - 1]
                .trim_end_matches([' ', '\t'])
                .ends_with(['\n', '{'])
    }

    fn list(&mut self) {
        self.at += 1;
        let Some((open, before, clean)) = self.lists.pop() else {
            return;
        };
        let inner: Vec<&str> = self.found[before..]
            .iter()
            .filter(|token| token.at.start > open)
            .map(|token| token.value.as_str())
            .collect();
        if clean && inner.len() > 1 {
            let value = inner.join(",");
            self.push(value, (open, self.at));
        }
    }

    /// A name, or a sign.
    fn other(&mut self) {
        let start = self.at;
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let shell = is_shell(self.path);
        let more = |byte: &u8| part(byte) || (shell && matches!(byte, b'-' | b'.' | b':' | b'/'));
        let length = self.bytes[start..]
            .iter()
            .take_while(|byte| more(byte))
            .count();
        if let Some(list) = self.lists.last_mut() {
            list.2 = false;
        }
        if length == 0 || !part(&self.bytes[start]) {
            self.at += 1;
            return;
        }
        let end = start + length;
        let key = self.bytes.get(end) == Some(&b':') && self.bytes.get(end + 1) != Some(&b':');
        let keys = matches!(
            ending(self.path),
            "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" | "rb"
        );
        let variable = start > 0 && self.bytes[start - 1] == b'$';
        if (shell && !variable) || (keys && key) {
            self.found.push(Token {
                value: self.text[start..end].to_owned(),
                at: start..end,
                word: true,
            });
        }
        self.at = end;
    }

    fn push(&mut self, value: String, (start, end): (usize, usize)) {
        self.found.push(Token {
            value,
            at: start..end,
            word: false,
        });
    }
}

/// A number without its type, and without a part behind the point that says nothing.
fn decimal(raw: &str) -> String {
    let radix = raw.len() > 1 && raw.starts_with('0') && raw.as_bytes()[1].is_ascii_alphabetic();
    if radix {
        return raw.to_owned();
    }
    let plain = raw.find(|c: char| c.is_ascii_alphabetic());
    let plain = plain.map_or(raw, |at| &raw[..at]);
    let short = plain.strip_suffix(".0").unwrap_or(plain);
    short.to_owned()
}

/// `"[2, 4]"` and `"2,4"` as the list that they stand for.
fn as_list(text: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, ',' | ' ' | '[' | ']' | '-' | '.');
    let listed = text.contains(',') && text.contains(|c: char| c.is_ascii_digit());
    (listed && text.chars().all(plain)).then(|| text.replace([' ', '[', ']'], ""))
}
