//! The one structured error that every binary reports.

use crate::code::Code;
use crate::exit::Exit;
use serde_json::{Map, Value, json};
use std::fmt;

/// Something a person can act on: a stable code, what was wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The stable code; decides the default hint and exit status.
    pub code: Code,
    /// What was wrong and what was expected, in one lower-case sentence.
    pub reason: String,
    /// What to do about it; the code's own hint unless a better one is known.
    pub hint: Option<String>,
    /// Facts for machines: names, values, ranges.
    pub context: Map<String, Value>,
}

impl Fault {
    /// A fault with this code and reason.
    pub fn new(code: Code, reason: impl Into<String>) -> Self {
        Self {
            code,
            reason: reason.into(),
            hint: None,
            context: Map::new(),
        }
    }

    /// Replaces the code's general hint by a more concrete one.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a fact for machines.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.context.insert(key.to_owned(), value.into());
        self
    }

    /// The exit status of a process that ends with this fault.
    pub fn exit(&self) -> Exit {
        self.code.exit()
    }

    /// The form for `--json`: `{"error":{"code","name","reason","hint","context"}}`.
    pub fn to_json(&self) -> Value {
        json!({"error": {
            "code": self.code.id(),
            "name": self.code.name(),
            "reason": self.reason,
            "hint": self.hint.as_deref().unwrap_or(self.code.hint()),
            "context": self.context,
        }})
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = self.hint.as_deref().unwrap_or(self.code.hint());
        write!(
            f,
            "ERROR [{id}]: {name}: {reason} ({hint}; see: error-codes explain {id})",
            id = self.code.id(),
            name = self.code.name(),
            reason = one_line(&self.reason),
            hint = one_line(hint),
        )
    }
}

impl std::error::Error for Fault {}

/// Control characters (newlines and terminal escapes included) shown as `\u{..}`: a reason often
/// quotes untrusted input, and an error is one line.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_whatever_it_quotes() {
        let fault = Fault::new(Code::InputInvalid, "bad id \"a\n\u{1b}[2J\"");
        let line = fault.to_string();
        assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{line}");
        assert!(line.starts_with("ERROR [E4001]: invalid input: "), "{line}");
    }
}
