//! The small language in which tables describe lines: text with named gaps.
//!
//! `test {name} ... ok` matches `test a::b ... ok` with `name` = `a::b`. A gap takes as little as
//! it can; gaps named `line`, `col`, `n` and those named like a category ([`NUMBERS`]) take digits
//! only (with a `?` behind the name also a `-`), `id` takes no blank, `file` the name of a file, `time` a duration, `label` no blank either and begins with `//`, `at` takes a place, `call` ends with a bracket; `{}` takes anything, also nothing. A blank stands for one or more blanks. `^` at the start: the line is not indented; otherwise
//! blanks before it do not matter. The pattern describes the line to its end.

use super::count::Category;
use super::place;

/// The most steps that one match may take: a match costs at most a few passes over the line.
const STEPS_MAX: u32 = 4_000;

/// Gaps that are the number of a category.
pub(super) const NUMBERS: &[(&str, Category)] = &[
    ("passed", Category::Passed),
    ("failed", Category::Failed),
    ("errors", Category::Errors),
    ("skipped", Category::Skipped),
    ("ignored", Category::Ignored),
    ("pending", Category::Pending),
    ("warnings", Category::Warnings),
    ("xfailed", Category::Xfailed),
    ("total", Category::Total),
];

/// Whether a gap of this name may hold this text.
fn holds(name: &str, text: &str) -> bool {
    match name {
        "label" => text.starts_with("//"),
        "call" => text.ends_with(')'),
        "file" => is_file(text),
        "time" => is_time(text),
        "at" => place::leading(text).is_some_and(|(_, end)| end == text.len()),
        _ => true,
    }
}

/// Whether the text is a duration: `12ms`, `1s 203ms`.
fn is_time(text: &str) -> bool {
    text.ends_with('s')
        && text.split(' ').all(|part| {
            part.starts_with(|byte: char| byte.is_ascii_digit())
                && super::count::duration(part).is_some()
        })
}

/// Whether a gap of this name takes no blanks.
fn is_word(name: &str) -> bool {
    matches!(name, "label" | "id" | "file")
}

/// Whether the text is the name of a file: it has an extension.
fn is_file(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    (1..=10).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// The gaps of a match by name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Gaps<'p, 't> {
    gaps: Vec<(&'p str, &'t str)>,
}

impl<'t> Gaps<'_, 't> {
    pub(super) fn get(&self, name: &str) -> Option<&'t str> {
        self.gaps
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, text)| *text)
    }
}

/// The longest text of a pattern that stands in every line it matches: what is looked for first.
pub(super) const fn anchor(pattern: &str) -> &str {
    let (mut longest, mut rest) = ("", pattern);
    while let Some((b'^', _)) = rest.as_bytes().split_first() {
        (_, rest) = rest.split_at(1);
    }
    loop {
        let mut end = 0;
        while end < rest.len() && !matches!(rest.as_bytes()[end], b' ' | b'{' | b'}') {
            end += 1;
        }
        let (part, after) = rest.split_at(end);
        if part.len() >= longest.len() && !matches!(after.as_bytes(), [b'}', ..]) {
            longest = part;
        }
        let Some((_, after)) = after.split_at_checked(1) else {
            return longest;
        };
        rest = after;
    }
}

/// Matches `text` (without trailing blanks) against `pattern`.
pub(super) fn find<'p, 't>(pattern: &'p str, text: &'t str) -> Option<Gaps<'p, 't>> {
    let (pattern, text) = match pattern.strip_prefix('^') {
        Some(pattern) => (pattern, text),
        None => (pattern, text.trim_start()),
    };
    let mut gaps = Gaps::default();
    let mut steps = 0;
    step(pattern, text, &mut gaps, &mut steps).then_some(gaps)
}

fn step<'p, 't>(pattern: &'p str, text: &'t str, gaps: &mut Gaps<'p, 't>, steps: &mut u32) -> bool {
    *steps += 1;
    if *steps > STEPS_MAX {
        return false;
    }
    let literal_end = find_char(pattern, '{').unwrap_or(pattern.len());
    let Some(text) = literal(&pattern[..literal_end], text) else {
        return false;
    };
    let rest = &pattern[literal_end..];
    let Some(inner) = rest.strip_prefix('{') else {
        return text.trim_end().is_empty();
    };
    let Some(end) = find_char(inner, '}') else {
        return false;
    };
    fill(&inner[..end], &inner[end + 1..], text, gaps, steps)
}

fn fill<'p, 't>(
    name: &'p str,
    after: &'p str,
    text: &'t str,
    gaps: &mut Gaps<'p, 't>,
    steps: &mut u32,
) -> bool {
    let number = name.strip_suffix('?').unwrap_or(name);
    if matches!(name, "line" | "col" | "n") || NUMBERS.iter().any(|(known, _)| *known == number) {
        let end = if number != name && text.starts_with('-') {
            1
        } else {
            text.find(|byte: char| !byte.is_ascii_digit())
                .unwrap_or(text.len())
        };
        return end > 0 && take(name, after, text.split_at(end), gaps, steps);
    }
    // A gap without blanks ends at the first: to try longer ones would take the square of the time.
    let blank = || text.find(char::is_whitespace);
    let most = is_word(name).then(blank).flatten().unwrap_or(text.len());
    if after.is_empty() {
        let gap = text.trim_end();
        let fits = name.is_empty() || !gap.is_empty() && gap.len() <= most && holds(name, gap);
        if fits {
            gaps.gaps.push((name, gap));
        }
        return fits;
    }
    let first = after.chars().next().filter(|first| *first != '{');
    let starts = |rest: &str| match first {
        Some(' ') => rest.find(char::is_whitespace),
        Some(first) => find_char(rest, first),
        None => Some(0),
    };
    let next = |at: usize| Some(at + text[at..].chars().next()?.len_utf8());
    let mut from = if name.is_empty() { Some(0) } else { next(0) };
    while let Some(end) = from.and_then(|at| Some(at + starts(&text[at..])?)) {
        if end > most {
            return false;
        }
        if holds(name, &text[..end]) && take(name, after, text.split_at(end), gaps, steps) {
            return true;
        }
        from = next(end);
    }
    false
}

/// Where the character stands first.
fn find_char(text: &str, wanted: char) -> Option<usize> {
    match u8::try_from(wanted) {
        Ok(byte) if byte.is_ascii() => memchr::memchr(byte, text.as_bytes()),
        _ => text.find(wanted),
    }
}

/// Fills a gap with the first part, if the rest of the pattern matches the other.
fn take<'p, 't>(
    name: &'p str,
    after: &'p str,
    (gap, rest): (&'t str, &'t str),
    gaps: &mut Gaps<'p, 't>,
    steps: &mut u32,
) -> bool {
    gaps.gaps.push((name, gap));
    let matched = step(after, rest, gaps, steps);
    if !matched {
        gaps.gaps.pop();
    }
    matched
}

/// What follows `literal` at the start of `text`.
fn literal<'t>(literal: &str, mut text: &'t str) -> Option<&'t str> {
    let mut parts = literal.split(' ');
    text = text.strip_prefix(parts.next()?)?;
    for part in parts {
        let rest = text.trim_start();
        if rest.len() == text.len() && !(rest.is_empty() && part.is_empty()) {
            return None;
        }
        text = rest.strip_prefix(part)?;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_anchor_is_the_longest_text_that_is_no_gap() {
        for (pattern, longest) in [
            ("^test {name} ... {state}", "test"),
            ("{at}: error: {message}", "error:"),
            ("{longest_name} ok", "ok"),
            ("shellcheck ^-- {id}", "shellcheck"),
            ("{n}) {id}日本語", "日本語"),
            ("{}", ""),
        ] {
            assert_eq!(anchor(pattern), longest, "{pattern}");
        }
    }

    #[test]
    fn gaps_are_filled() {
        let found = find("test {name} ... {state}", "test a::b ... ok").unwrap();
        assert_eq!(found.get("name"), Some("a::b"));
        assert_eq!(found.get("state"), Some("ok"));
        assert!(find("{file}:{line}: {message}", "a.c:x: y").is_none());
        let found = find("{file}:{line}: {message}", "C:/a.c:12: y: z").unwrap();
        assert_eq!(
            (found.get("file"), found.get("message")),
            (Some("C:/a.c"), Some("y: z"))
        );
        assert!(find("{at}: {message}", "a.c:12:3: y").is_some());
        assert!(find("{at}: {message}", "hash: y").is_none());
        assert!(find("FAIL: {id}", "FAIL: t1.sh").is_some());
        assert!(find("FAIL: {id}", "FAIL: test_x (m.C)").is_none());
        assert!(find("{passed} ok", "many ok").is_none());
        assert!(find("^FAIL {name}", "  FAIL x").is_none());
        assert!(find("FAIL {name}", "  FAIL   x").is_some());
        assert!(find("all done{}", "all done").is_some());
        assert!(find("日本{x}!", "日本語!").is_some());
    }

    #[test]
    fn hostile_patterns_end() {
        let text = "a".repeat(10_000);
        assert!(find("{a}a{b}a{c}a{d}a{e}ab", &text).is_none());
    }
}
