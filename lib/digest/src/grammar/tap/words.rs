//! The words of the protocol.

use super::super::super::count::{Category, Counts, figure, pairs};

/// `1..46`, not indented and not empty.
pub(super) fn plan(text: &str) -> Option<u64> {
    let rest = text.strip_prefix("1..")?;
    figure(rest.split(' ').next()?)
}

/// node-tap: `# { total: 16, pass: 10, fail: 4, todo: 1, skip: 1 }`.
pub(super) fn node_tap(text: &str) -> Option<Counts> {
    let inner = text.strip_prefix("# { total: ")?.strip_suffix(" }")?;
    let (total, rest) = inner.split_once(',').unwrap_or((inner, ""));
    let mut counts = pairs(rest);
    for category in [Category::Failed, Category::Passed] {
        if counts.get(category).is_none() {
            counts.add(category, 0);
        }
    }
    counts.add(Category::Total, figure(total)?);
    Some(counts)
}

/// The line of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point<'a> {
    pub(super) ok: bool,
    /// It has the number 1.
    pub(super) is_first: bool,
    pub(super) name: &'a str,
}

/// `ok 1 - name` or `not ok 1 name`.
pub(super) fn point(text: &str) -> Option<Point<'_>> {
    let (ok, rest) = match text.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix("ok")?),
    };
    let rest = rest.strip_prefix(' ')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = &rest[digits..];
    if digits == 0 || !(after.is_empty() || after.starts_with(' ')) {
        return None;
    }
    let name = after.trim_start();
    Some(Point {
        ok,
        is_first: &rest[..digits] == "1",
        name: name.strip_prefix("- ").unwrap_or(name),
    })
}

/// The name without its directive, and the directive in lower case.
pub(super) fn directive(name: &str) -> (String, &'static str) {
    let mut from = 0;
    while let Some(at) = name[from..].find('#').map(|at| at + from) {
        let escaped = name[..at].ends_with('\\');
        let word = name[at + 1..].trim_start().to_ascii_lowercase();
        if !escaped
            && (word.starts_with("skip") || word.starts_with("todo") || word.starts_with("time="))
        {
            let kind = match &word[..4] {
                "skip" => "skip",
                "todo" => "todo",
                _ => "",
            };
            return (unescape(name[..at].trim()), kind);
        }
        from = at + 1;
    }
    (unescape(timed(name)), "")
}

/// bats with timing: `copies file in 12ms`.
fn timed(name: &str) -> &str {
    match name.rsplit_once(" in ") {
        Some((head, tail))
            if tail
                .strip_suffix("ms")
                .or(tail.strip_suffix("sec"))
                .is_some_and(|number| figure(number).is_some()) =>
        {
            head
        }
        _ => name,
    }
}

fn unescape(name: &str) -> String {
    name.replace("\\#", "#").replace("\\\\", "\\")
}

/// `broken at t/c.t line 1.`: how a Perl test ends early.
pub(super) fn died(text: &str) -> bool {
    let Some((_, row)) = text
        .strip_suffix('.')
        .and_then(|text| text.rsplit_once(".t line "))
    else {
        return false;
    };
    !text.starts_with(['#', ' ']) && figure(row).is_some()
}

pub(super) fn more_failed(text: &str) -> Option<&str> {
    let rest = text
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("Failed test '")?;
    rest.strip_suffix('\'')
}

pub(super) fn is_total(comment: &str) -> bool {
    let mut words = comment.split_whitespace();
    let word = words.next().unwrap_or_default();
    let number = words.next().is_some_and(|number| {
        number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    });
    number
        && matches!(
            word,
            "tests"
                | "pass"
                | "fail"
                | "skip"
                | "skipped"
                | "suites"
                | "todo"
                | "cancelled"
                | "duration_ms"
        )
}
