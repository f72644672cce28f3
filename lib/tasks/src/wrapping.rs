//! What stands around the JSON: fences, prose, byte order marks. Named, never cut away.

use super::json;
use super::problem::{self, Found, Problem};

const MARK: &str = "\u{feff}";

/// The length of a leading byte order mark.
pub(super) fn mark(text: &str) -> usize {
    if text.starts_with(MARK) {
        MARK.len()
    } else {
        0
    }
}

/// The text of a list, without a leading byte order mark (editors on Windows write one; it is no
/// part of the text).
pub(super) fn text(bytes: &[u8]) -> Result<&str, Problem> {
    let bytes = bytes.strip_prefix(MARK.as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        let message = if bytes.contains(&0) {
            "the file is not UTF-8 (UTF-16?)"
        } else {
            "a byte that is not UTF-8"
        };
        one(valid, valid.len(), message)
    })
}

/// Is something other than JSON at the start? Models wrap their answer; ADR-005 wants that named.
pub(super) fn before(text: &str) -> Result<usize, Problem> {
    let start = json::skip_space(text, 0);
    let rest = &text[start..];
    if rest.is_empty() {
        return Err(one(
            text,
            start,
            "the file is empty; expected one JSON object",
        ));
    }
    if rest.starts_with("```") || rest.starts_with("~~~") {
        let message = "a Markdown code fence around the list; the file must be the JSON object alone, starting with {";
        return Err(one(text, start, message));
    }
    if rest.starts_with('{') || is_json(text, start) {
        return Ok(start);
    }
    let message = if rest.contains("```") {
        "text and a Markdown code fence before the list; the file must be the JSON object alone, starting with {"
    } else if rest.contains('{') {
        "text before the list; the file must be the JSON object alone, starting with {"
    } else {
        "this is not JSON; expected one JSON object"
    };
    Err(one(text, start, message))
}

/// Is something behind the list?
pub(super) fn after(text: &str, end: usize) -> Result<(), Problem> {
    let at = json::skip_space(text, end);
    let rest = &text[at..];
    let message = match rest.chars().next() {
        None => return Ok(()),
        Some('`') if rest.starts_with("```") => "a Markdown code fence behind the list",
        Some('{' | '[') => "a second JSON document behind the list",
        Some('}' | ']') => "one closing bracket too many",
        Some(_) => "text behind the list",
    };
    Err(one(text, at, message))
}

/// A syntax problem at this byte.
pub(super) fn one(text: &str, at: usize, message: &str) -> Problem {
    let found = Found {
        at,
        task: None,
        field: None,
        message: message.to_owned(),
    };
    problem::place(text, vec![found], true).swap_remove(0)
}

/// Is the text at `start` another kind of JSON value? Then the schema says so, not we.
fn is_json(text: &str, start: usize) -> bool {
    json::read(text, start).is_ok_and(|(_, end)| after(text, end).is_ok())
}
