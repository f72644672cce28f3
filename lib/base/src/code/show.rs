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

/// The documentation page of all codes, as Markdown.
pub fn page() -> String {
    let head = "# Error codes\n\nMade by `cargo xtask docs`. A code never changes its meaning. \
                `error-codes explain E2004` says the same on a terminal.\n\n\
```console\n$ error-codes explain E2004\nE2004: lock conflict\n…\nWhat to do: take another task or wait.\nExit status: 1\n```\n\n\
                | code | name | meaning | what to do | exit |\n|---|---|---|---|---|\n";
    Code::ALL.iter().fold(head.to_owned(), |mut text, code| {
        let (id, name, exit) = (code.id(), code.name(), code.exit().status());
        let _ = writeln!(
            text,
            "| {id} | {name} | {} | {} | {exit} |",
            code.meaning(),
            code.hint()
        );
        text
    })
}
