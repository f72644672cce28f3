//! Credentials in URLs and in HTTP headers.

use super::Found;
use super::shapes::is_mixed;
use std::ops::Range;

const VALUE_MAX: usize = 4_096;

/// `scheme://user:password@host`: the password; `scheme://token@host`: a long token.
pub(super) fn url(text: &[u8], hit: Range<usize>) -> Option<Found> {
    const AUTHORITY_MAX: usize = 512;
    const TOKEN_MIN: usize = 20;
    let scheme = text[..hit.start].last()?;
    if !scheme.is_ascii_alphanumeric() {
        return None;
    }
    let tail = &text[hit.end..text.len().min(hit.end + AUTHORITY_MAX)];
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`')
    };
    let authority = &tail[..tail.iter().position(ends).unwrap_or(tail.len())];
    let user = &authority[..memchr::memrchr(b'@', authority)?];
    let (from, secret) = match memchr::memchr(b':', user) {
        Some(colon) => (hit.end + colon + 1, &user[colon + 1..]),
        None if user.len() >= TOKEN_MIN && is_mixed(user) => (hit.end, user),
        None => return None,
    };
    (!secret.is_empty() && !is_placeholder(secret)).then(|| Found {
        at: from..from + secret.len(),
        kind: "url-password",
    })
}

/// `Authorization: Bearer …`, in headers, JSON and code: what follows the scheme.
pub(super) fn authorization(text: &[u8], name_end: usize) -> Option<Found> {
    const SCHEMES: &[&str] = &[
        "bearer ",
        "basic ",
        "token ",
        "digest ",
        "apikey ",
        "negotiate ",
    ];
    let mut at = skip(text, name_end, b"\"'\\ \t]", 4);
    if !matches!(text.get(at), Some(b':' | b'=')) {
        return None;
    }
    at = skip(text, at + 1, b"\"'\\ \t", 4);
    let scheme = SCHEMES.iter().find(|scheme| {
        let word = text.get(at..at + scheme.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(scheme.as_bytes()))
    });
    let least = if scheme.is_some() { 4 } else { 8 };
    value(
        text,
        at + scheme.map_or(0, |scheme| scheme.len()),
        least,
        scheme.is_none(),
    )
}

/// `Bearer …` anywhere: a long mixed value.
pub(super) fn bearer(text: &[u8], end: usize) -> Option<Found> {
    value(text, end, 16, true)
}

fn value(text: &[u8], from: usize, least: usize, mixed: bool) -> Option<Found> {
    let tail = text.get(from..)?;
    let tail = &tail[..tail.len().min(VALUE_MAX)];
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'.' | b'_' | b'-' | b'+' | b'/' | b'=' | b'~' | b':')
    };
    let secret = &tail[..tail
        .iter()
        .position(|byte| !is_part(byte))
        .unwrap_or(tail.len())];
    (secret.len() >= least && (!mixed || is_mixed(secret))).then(|| Found {
        at: from..from + secret.len(),
        kind: "authorization",
    })
}

/// A value that stands for one: `$TOKEN`, `<token>`, `{{ token }}`, `***`, `[REDACTED…`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or_default();
    matches!(first, b'$' | b'<' | b'{' | b'%' | b'[' | b'(')
        || value
            .iter()
            .all(|byte| matches!(byte, b'*' | b'.' | b'x' | b'X' | b'-' | b'?'))
}

/// The place after at most `most` of these characters.
pub(super) fn skip(text: &[u8], from: usize, of: &[u8], most: usize) -> usize {
    let tail = text.get(from..).unwrap_or_default();
    from + tail
        .iter()
        .take(most)
        .take_while(|byte| of.contains(byte))
        .count()
}
