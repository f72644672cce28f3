//! Words being built: quoting, splitting and patterns.

use crate::mark;

/// Fields of a word while its parts are added.
pub(super) struct Fields<'a> {
    done: Vec<String>,
    current: String,
    started: bool,
    separators: &'a str,
    split: bool,
}

impl<'a> Fields<'a> {
    /// Fields split at these separators; without splitting there is exactly one.
    pub(super) fn new(separators: &'a str, split: bool) -> Self {
        Self {
            done: Vec::new(),
            current: String::new(),
            started: false,
            separators,
            split,
        }
    }

    /// Text that stays as it is.
    pub(super) fn literal(&mut self, text: &str) {
        self.current.push_str(text);
        self.started = true;
    }

    /// Unquoted text of the command itself: patterns, no splitting.
    pub(super) fn pattern(&mut self, text: &str) {
        if self.split {
            push_pattern(&mut self.current, text);
        } else {
            self.current.push_str(text);
        }
        self.started = true;
    }

    /// The value of an unquoted expansion: split and with patterns.
    pub(super) fn expanded(&mut self, value: &str) {
        if !self.split {
            self.literal(value);
            return;
        }
        let mut pieces = value.split(|c| self.separators.contains(c)).peekable();
        while let Some(piece) = pieces.next() {
            if !piece.is_empty() {
                self.pattern(piece);
            }
            if pieces.peek().is_some() {
                self.finish();
            }
        }
    }

    /// Several quoted values, as of `"$@"`.
    pub(super) fn list(&mut self, values: &[String]) {
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.finish();
            }
            self.literal(value);
        }
    }

    /// The text of the field that is being built.
    pub(super) fn current(&self) -> &str {
        &self.current
    }

    fn finish(&mut self) {
        if self.started && !(self.current.is_empty() && self.done.is_empty() && !self.split) {
            self.done.push(std::mem::take(&mut self.current));
        }
        self.current.clear();
        self.started = false;
    }

    /// The finished fields.
    pub(super) fn end(mut self) -> Vec<String> {
        if self.started {
            self.done.push(self.current);
        }
        self.done
    }
}

fn push_pattern(target: &mut String, text: &str) {
    let (mut start, mut stop) = (0, 0);
    while let Some(found) = text[start..].find(['*', '?', '[']) {
        let at = start + found;
        target.push_str(&text[start..at]);
        let (mark, length) = match text.as_bytes()[at] {
            b'*' => (mark::STAR, 1),
            b'?' => (mark::QUESTION, 1),
            _ => {
                // Looked up once for all brackets before it: time stays linear.
                if stop <= at {
                    let near = text[at + 1..].find([']', '/']);
                    stop = near.map_or(text.len(), |near| at + 1 + near);
                }
                match text.as_bytes().get(stop) {
                    Some(b']') if stop > at + 1 => (mark::SET, stop + 1 - at),
                    _ => ('[', 1),
                }
            }
        };
        target.push(mark);
        start = at + length;
    }
    target.push_str(&text[start..]);
}
