//! Fingerprints: the same error at another time, place or address has the same one.

use sha2::{Digest, Sha256};

/// A short, stable identity of an error's text. What varies from run to run is removed first:
/// terminal sequences, times, durations, numbers, addresses, ids, temporary folders, the place in
/// front of a compiler's message, case and white space.
pub fn fingerprint(text: &str) -> String {
    short_hash(&normal(text))
}

/// The fingerprint of several errors together, whatever their order.
pub fn of_set<'a>(fingerprints: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let set: std::collections::BTreeSet<&str> = fingerprints.into_iter().collect();
    match set.len() {
        0 => None,
        1 => set.first().map(|one| (*one).to_owned()),
        _ => Some(short_hash(&set.into_iter().collect::<Vec<_>>().join(" "))),
    }
}

/// The first 48 bits of SHA-256 in hexadecimal: enough for the errors of one run.
fn short_hash(text: &str) -> String {
    hash(text.as_bytes())[..12].to_owned()
}

/// SHA-256 in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digest = Sha256::digest(bytes);
    let nibbles = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles
        .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
        .collect()
}

/// The text with what varies replaced.
pub fn normal(text: &str) -> String {
    let plain = plain(text).to_lowercase();
    let plain = without_place(plain.trim());
    let mut words: Vec<String> = Vec::new();
    let mut coded = false;
    for raw in plain.split_whitespace() {
        let word = word(raw, coded);
        coded = matches!(
            raw.trim_matches(|c: char| !c.is_alphanumeric()),
            "http" | "status"
        );
        let noise = word.is_empty() || word.chars().all(|c| !c.is_alphanumeric() && c != '#');
        let repeated = word == "#" && words.last().is_some_and(|last| last == "#");
        if !(noise || repeated) {
            words.push(word);
        }
    }
    // A time stamp in front says when, not what.
    let start = words.iter().position(|word| !is_stamp(word)).unwrap_or(0);
    words[start..].join(" ")
}

/// Without terminal sequences and control characters.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => {
                if chars.next() == Some('[') {
                    chars.by_ref().find(|c| ('\u{40}'..='\u{7e}').contains(c));
                }
            }
            '\n' | '\t' => plain.push(c),
            '\u{200b}'..='\u{200f}' | '\u{feff}' => {}
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

/// `src/a.ts(3,5): error TS1: x` and `a.c:3:5: error: x` without their place.
fn without_place(text: &str) -> &str {
    for mark in [": error", ": fatal error", " - error", ": warning"] {
        if let Some(at) = text.find(mark) {
            let place = &text[..at];
            let is_place = !place.contains(char::is_whitespace)
                && place.ends_with(|c: char| c.is_ascii_digit() || c == ')');
            if is_place {
                return text[at..].trim_start_matches([':', ' ', '-']);
            }
        }
    }
    text
}

fn is_stamp(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '#'));
    bare == "#" || bare == "utc" || bare == "z" || bare.is_empty()
}

/// One word with what varies replaced by `#`; a status code after `http` stays.
fn word(raw: &str, coded: bool) -> String {
    let raw = strip_place(raw);
    if coded && raw.trim_matches(|c: char| !c.is_alphanumeric()).len() == 3 {
        return raw.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    }
    if uuid(raw) {
        return "#".into();
    }
    if let Some(path) = temporary(raw) {
        return path;
    }
    let mut word = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        if !first.is_alphanumeric() {
            if first == '.' && rest.len() == 1 {
                break;
            }
            word.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let (token, tail) = rest.split_at(end);
        word.push_str(&varying(token));
        rest = tail;
    }
    squeeze(&word)
}

fn uuid(raw: &str) -> bool {
    let bare = raw.trim_matches(|c: char| !c.is_ascii_hexdigit());
    let groups = bare
        .split('-')
        .map(|group| (group.len(), group.chars().all(|c| c.is_ascii_hexdigit())));
    groups.eq([8, 4, 4, 4, 12].map(|length| (length, true)))
}

/// Dates, clocks, versions and coordinates become one `#`.
fn squeeze(word: &str) -> String {
    let mut squeezed = String::with_capacity(word.len());
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '#' {
            squeezed.push('#');
            while let Some(next) = chars.peek().copied() {
                if matches!(next, '#' | ':' | '.' | ',' | '-' | '/' | '+' | '%') {
                    let mut ahead = chars.clone();
                    ahead.next();
                    let joins = next == '#' || ahead.peek() == Some(&'#');
                    if joins {
                        chars.next();
                        continue;
                    }
                }
                break;
            }
        } else {
            squeezed.push(c);
        }
    }
    squeezed.trim_end_matches([':', ',', ';']).to_owned()
}

/// A run of letters and digits: numbers, hexadecimal ids, durations and ISO times vary; error codes
/// such as `e0308` and `ts2322` and names such as `utf8` do not.
fn varying(token: &str) -> String {
    let digits = token.chars().filter(char::is_ascii_digit).count();
    if digits == 0 {
        return if token.len() >= 16 && token.chars().all(|c| c.is_ascii_hexdigit()) {
            "#".into()
        } else {
            token.into()
        };
    }
    let hex = token.chars().all(|c| c.is_ascii_hexdigit());
    let address = token
        .strip_prefix("0x")
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_hexdigit()));
    let starts_with_digit = token.starts_with(|c: char| c.is_ascii_digit());
    let letters = token.trim_start_matches(|c: char| c.is_ascii_digit());
    let unit = starts_with_digit
        && matches!(
            letters,
            "" | "s"
                | "ms"
                | "us"
                | "µs"
                | "ns"
                | "m"
                | "h"
                | "sec"
                | "secs"
                | "kb"
                | "mb"
                | "gb"
                | "b"
                | "k"
                | "z"
                | "x"
                | "th"
                | "st"
                | "nd"
                | "rd"
                | "am"
                | "pm"
        );
    let iso = starts_with_digit
        && letters.starts_with('t')
        && letters[1..].chars().all(|c| c.is_ascii_digit());
    let long_id = token.len() >= 7 && digits >= 2 && (hex || token.len() >= 16);
    if address || unit || iso || long_id {
        return "#".into();
    }
    token.into()
}

/// `main.rs:4:5` without its line and column; the file stays.
fn strip_place(raw: &str) -> &str {
    let mut word = raw.trim_end_matches([':', ',', ')']);
    for _ in 0..2 {
        let Some((head, tail)) = word.rsplit_once(':') else {
            break;
        };
        let number = !tail.is_empty() && tail.chars().all(|c| c.is_ascii_digit());
        if !(number && head.contains(['.', '/']))
            || head.ends_with(|c: char| c.is_ascii_digit() && !head.contains('/'))
        {
            break;
        }
        word = head;
    }
    if word.len() < raw.trim_end_matches([':', ',', ')']).len() {
        word
    } else {
        raw
    }
}

/// A path in a temporary folder: only its last name, if that has no varying part, matters.
fn temporary(raw: &str) -> Option<String> {
    const ROOTS: &[&str] = &[
        "/tmp/",
        "/var/tmp/",
        "/private/tmp/",
        "/var/folders/",
        "/private/var/folders/",
        "/dev/shm/",
        "\\temp\\",
        "/run/user/",
    ];
    let at = ROOTS.iter().filter_map(|root| raw.find(root)).min()?;
    let start = raw[..at]
        .rfind(['"', '\'', '(', '=', '`', '['])
        .map_or(0, |quote| quote + 1);
    let path = &raw[at..];
    let end = path
        .find(['"', '\'', ')', '`', ']', ','])
        .unwrap_or(path.len());
    let name = path[..end]
        .trim_end_matches([':', '/'])
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default();
    let nested = path[..end]
        .trim_end_matches('/')
        .matches(['/', '\\'])
        .count()
        > 2;
    let shown = if nested {
        word(strip_place(name), false)
    } else {
        "#".into()
    };
    Some(format!("{}<tmp>/{shown}{}", &raw[..start], &path[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        fingerprint(a) == fingerprint(b)
    }

    #[test]
    fn what_varies_does_not_change_it() {
        for (a, b) in [
            (
                "[2026-11-20 10:00:01] ERROR: db refused",
                "[2026-11-20 10:14:59] ERROR: db refused",
            ),
            (
                "2026-11-20T10:00:01.123Z ERROR timeout",
                "2026-11-20T11:00:01.999Z ERROR timeout",
            ),
            ("Error:   A", "error: a"),
            ("panic at 0x7ffe12ab", "panic at 0x55aa0010"),
            ("\u{1b}[31merror: x\u{1b}[0m", "error: x"),
            (
                "cannot open /tmp/a1b2c3/out.txt",
                "cannot open /tmp/zz99/out.txt",
            ),
            ("cannot open /tmp/tmp.Xy12", "cannot open /tmp/tmp.Ab99"),
            ("failed after 3 s", "failed after 12 s"),
            ("failed after 3s", "failed after 12s"),
            ("at line 3", "at line 4"),
            ("commit deadbeef12 is broken", "commit 0123abcd99 is broken"),
            (
                "id 550e8400-e29b-41d4-a716-446655440000 gone",
                "id 123e4567-e89b-12d3-a456-426614174000 gone",
            ),
            ("a.c:3:5: error: x", "b.c:9:1: error: x"),
            (
                "src/a.ts(3,5): error TS2322: T",
                "src/a.ts(30,15): error TS2322: T",
            ),
            (
                "thread 'main' (1234) panicked at src/a.rs:3:5:",
                "thread 'main' (99) panicked at src/a.rs:30:1:",
            ),
            ("port 8080 in use", "port 8081 in use"),
        ] {
            assert!(same(a, b), "{:?} / {:?}", normal(a), normal(b));
        }
    }

    #[test]
    fn another_error_is_another_one() {
        for (a, b) in [
            ("Error: A", "Error: B"),
            (
                "error[E0308]: mismatched types",
                "error[E0277]: mismatched types",
            ),
            ("error TS2322: x", "error TS2345: x"),
            ("HTTP 404 from the api", "HTTP 500 from the api"),
            ("Cannot find module './a'", "Cannot find module './b'"),
            ("test a_works failed", "test b_works failed"),
        ] {
            assert!(!same(a, b), "{:?} / {:?}", normal(a), normal(b));
        }
    }

    #[test]
    fn the_order_of_errors_does_not_matter() {
        assert_eq!(of_set(["a", "b"]), of_set(["b", "a", "a"]));
        assert_ne!(of_set(["a", "b"]), of_set(["a"]));
        assert_eq!(of_set([]), None);
    }
}
