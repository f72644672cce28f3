//! Assignments whose name says that the value is a secret: `DB_PASSWORD=…`, `"api_key": "…"`.

use super::Found;
use super::header::{is_placeholder, skip};
use super::shapes::is_mixed;
use std::ops::Range;

const NAME_MAX: usize = 48;
const VALUE_MAX: usize = 4_096;

/// How much a name says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    /// A password or passphrase, a secret.
    Strong,
    /// A token or a key: only a value that looks like one counts.
    Weak,
    /// `SOMETHING_KEY`: may be any key.
    Faint,
}

/// How the value stands behind its name.
#[derive(Clone, Copy)]
struct Form {
    /// An upper-case name and `=` without spaces: the environment.
    env: bool,
    quoted: bool,
    equals: bool,
}

/// The value assigned to the name that the keyword at `hit` is part of.
pub(super) fn check(text: &[u8], hit: Range<usize>) -> Option<Found> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let back = &text[hit.start.saturating_sub(NAME_MAX)..hit.start];
    let start = hit.start - back.iter().rev().take_while(|byte| is_name(byte)).count();
    let ahead = &text[hit.start..text.len().min(hit.start + NAME_MAX)];
    let end = hit.start + ahead.iter().take_while(|byte| is_name(byte)).count();
    let name = &text[start..end];
    let sign = skip(text, end, b"\"'\\ ]", 3);
    let equals = match text.get(sign)? {
        b'=' => true,
        b':' => false,
        _ => return None,
    };
    let said = classify(name)?;
    // `==`, `=~`, `::` are code; `:=` and `=>` assign.
    let mut from = sign + 1;
    match (equals, text.get(from)) {
        (true, Some(b'=' | b'~')) | (false, Some(b':')) => return None,
        (true, Some(b'>')) | (false, Some(b'=')) => from += 1,
        _ => {}
    }
    let open = skip(text, from, b" \t", 3);
    let tight = open == sign + 1 && sign == end;
    let env = equals && tight && name.iter().all(|byte| !byte.is_ascii_lowercase());
    let value_at = skip(text, open, b"\\\"'`", 2);
    let quote = (value_at > open).then(|| text[value_at - 1]);
    let value = value(text, value_at, quote);
    let form = Form {
        env,
        quoted: quote.is_some(),
        equals,
    };
    is_secret(said, form, value).then(|| Found {
        at: value_at..value_at + value.len(),
        kind: kind(said),
    })
}

fn kind(name: Name) -> &'static str {
    match name {
        Name::Strong => "password",
        Name::Weak | Name::Faint => "key",
    }
}

/// Up to the closing quote, or to a space or a sign that ends a bare value.
fn value(text: &[u8], from: usize, quote: Option<u8>) -> &[u8] {
    let tail = text.get(from..).unwrap_or_default();
    let tail = &tail[..tail.len().min(VALUE_MAX)];
    let ends = |byte: &u8| match quote {
        Some(quote) => *byte == quote || matches!(byte, b'\n' | b'\\'),
        None => {
            byte.is_ascii_whitespace()
                || matches!(
                    byte,
                    b',' | b';' | b'&' | b'"' | b'\'' | b'`' | b'|' | b'<' | b'>' | 0x1b
                )
        }
    };
    &tail[..tail.iter().position(ends).unwrap_or(tail.len())]
}

const STRONG: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "_pass",
    "_pwd",
    "pgpass",
    "secret",
];
const WEAK: &[&str] = &[
    "token",
    "credential",
    "credentials",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "accesskey",
    "secret_key",
    "secretkey",
    "secret-key",
    "private_key",
    "private-key",
    "privatekey",
    "auth_key",
    "auth-key",
    "accountkey",
    "account_key",
    "master_key",
    "encryption_key",
    "signing_key",
];
const HARMLESS: &[&str] = &[
    "cache_key",
    "primary_key",
    "foreign_key",
    "public_key",
    "public-key",
    "sort_key",
    "partition_key",
    "unique_key",
    "index_key",
    "group_key",
    "host_key",
    "idempotency_key",
    "cache-key",
    "dict_key",
];
/// Said of the value, not of something else about it.
const SUFFIXES: &[&str] = &["_base", "_value", "_b64", "_base64"];

/// What the end of a name says: `AWS_SECRET_ACCESS_KEY`, `clientSecret`, `db.password`.
fn classify(name: &[u8]) -> Option<Name> {
    let lower = name.to_ascii_lowercase();
    let mut lower = std::str::from_utf8(&lower)
        .ok()?
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    for suffix in SUFFIXES {
        lower = lower.strip_suffix(suffix).unwrap_or(lower);
    }
    let ends = |list: &[&str]| list.iter().any(|end| lower.ends_with(end));
    if ends(HARMLESS) {
        None
    } else if ends(STRONG) {
        Some(Name::Strong)
    } else if ends(WEAK) {
        Some(Name::Weak)
    } else {
        lower.ends_with("_key").then_some(Name::Faint)
    }
}

fn is_secret(name: Name, form: Form, value: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "true",
        "false",
        "null",
        "none",
        "nil",
        "undefined",
        "required",
        "optional",
        "string",
        "missing",
        "invalid",
    ];
    let is_word = WORDS
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()));
    // A call or an index is code, not a value.
    let code = !form.quoted
        && value
            .iter()
            .any(|byte| matches!(byte, b'(' | b'[' | b'{' | b'}'));
    let example = memchr::memmem::find(value, b"EXAMPLE").is_some();
    if value.is_empty() || is_word || code && !form.env || example || is_placeholder(value) {
        return false;
    }
    let plain = value
        .iter()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b':'));
    match name {
        Name::Strong if form.env => value.len() >= 3,
        Name::Strong if form.quoted => value.len() >= 3,
        // Unquoted: `password: String` and `password = input` are code.
        Name::Strong if form.equals => value.len() >= 4 && !(plain && value.len() < 6),
        Name::Strong => value.len() >= 6 && !plain,
        // `_Key = std::__cxx11::basic_string`, in what a compiler says of a template.
        Name::Weak | Name::Faint if !form.env && !form.quoted && is_path(value) => false,
        Name::Weak if form.env => value.len() >= 8,
        Name::Weak => value.len() >= 16 && is_mixed(value) && !has_space(value),
        Name::Faint if form.env => value.len() >= 16 && is_mixed(value) && !is_identity(value),
        Name::Faint => {
            value.len() >= 24 && is_mixed(value) && !has_space(value) && !is_identity(value)
        }
    }
}

/// A name of C++ or Rust in its namespace.
fn is_path(value: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    value.iter().all(is_part) && memchr::memmem::find(value, b"::").is_some()
}

fn has_space(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_whitespace)
}

/// A commit, a checksum or a UUID: hexadecimal digits and dashes.
fn is_identity(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}
