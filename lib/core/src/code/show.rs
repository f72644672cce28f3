//! The codes as people and machines read them.

use super::Code;
use serde_json::{Value, json};
use std::fmt::Write;

/// One line a code: number, name, meaning.
pub fn table() -> String {
    Code::ALL.iter().fold(String::new(), |mut text, code| {
        let _ = writeln!(
            text,
            "{}  {:<24} {}",
            code.id(),
            code.name(),
            code.meaning()
        );
        text
    })
}

/// A code explained to a person.
pub fn explanation(code: Code) -> String {
    let (id, name, exit) = (code.id(), code.name(), code.exit().status());
    let (meaning, hint) = (code.meaning(), code.hint());
    format!("{id}: {name}\n\n{meaning}\nWhat to do: {hint}.\nExit status: {exit}\n")
}

/// A code as a JSON object.
pub fn to_json(code: Code) -> Value {
    json!({
        "code": code.id(),
        "name": code.name(),
        "meaning": code.meaning(),
        "hint": code.hint(),
        "exit": code.exit().status(),
    })
}

/// Every code as a JSON array.
pub fn all_to_json() -> Value {
    Code::ALL.iter().copied().map(to_json).collect()
}
