//! Assertions that name no expected value: the condition is turned round, the opposite is asserted, or what
//! a comparison of texts compares with is another one.

use super::super::protect::ending;
use super::asked::{is_of_literals, is_one_call};
use super::call::{arguments, changed_literal, is_literal};
use super::{JAVA_THROW, RAISE, Site, THROW, WORD, in_comment};
use std::ops::Range;

/// Methods of `TestCase` and what asserts the opposite.
const OPPOSITES: [(&str, &str); 11] = [
    ("assertTrue", "assertFalse"),
    ("assertFalse", "assertTrue"),
    ("assertNotIn", "assertIn"),
    ("assertIsNone", "assertIsNotNone"),
    ("assertIsNotNone", "assertIsNone"),
    ("assertIsInstance", "assertNotIsInstance"),
    ("assertNotIsInstance", "assertIsInstance"),
    ("assertNotEqual", "assertEqual"),
    ("assertIs", "assertIsNot"),
    ("assertIsNot", "assertIs"),
    ("assertGreater", "assertLessEqual"),
];
/// Where an error is expected: no code of a project raises this one.
const RAISED: [&str; 2] = ["assertRaises", "pytest.raises"];
const OTHER_ERROR: &str = "BlockingIOError";
/// What is true of everything has this, too. Python's mocks are, on purpose.
const MISSING: &str = "overnight_expectation";
/// What tells of a result or an option, and what of its opposite.
const TOLD: [(&str, &str); 2] = [(".is_ok()", ".is_err()"), (".is_some()", ".is_none()")];
/// Comparisons of C that give 0 for what is the same.
const COMPARE: [&str; 5] = ["strcmp", "strncmp", "strcasecmp", "memcmp", "wcscmp"];
/// What a macro that compares two values for equality is called, behind a word for asserting.
const ASSERTING: [&str; 4] = ["ASSERT", "EXPECT", "CHECK", "REQUIRE"];
const OUTRIGHT: [&str; 4] = ["ASSERT(0)", "EXPECT(0)", "CHECK(0)", "REQUIRE(0)"];
const EQUALITY: [&str; 11] = [
    "EQ", "EQUAL", "EQUALS", "SAME", "IS", "STR", "STRING", "STREQ", "INT", "UINT", "LONG",
];

/// A changed range with its new text, and what fails in place of the whole.
type Change<'t> = (Range<usize>, String, &'t str);

pub(super) fn sites(path: &str, text: &str) -> Vec<Site> {
    let of = |open: usize| {
        let name = name_before(text, open);
        let call = name.start..open;
        let named = &text[name.clone()];
        if named.is_empty() || in_comment(text, open) {
            return None;
        }
        let (parts, close) = arguments(text, open, ending(path) == "rs")?;
        let (expected, new, fails) = match ending(path) {
            "py" => python(text, call, &parts),
            "rs" if named == "assert!" => in_rust(text, parts.first()?),
            "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => {
                matches!(named, "assert" | "assert.ok")
                    .then(|| parts.first().and_then(|part| in_javascript(text, part)))?
            }
            "c" | "cc" | "cpp" | "cxx" => in_c(text, named, &parts),
            "java" => java(text, named, &parts),
            _ => None,
        }?;
        Some(site(
            path,
            text,
            (expected, new),
            (name.start..close + 1, fails),
        ))
    };
    text.match_indices('(')
        .filter_map(|(at, _)| of(at))
        .collect()
}

/// As many line breaks as a range holds.
fn breaks(text: &str, range: &Range<usize>) -> String {
    "\n".repeat(text[range.clone()].matches('\n').count())
}

fn site(
    path: &str,
    text: &str,
    (expected, new): (Range<usize>, String),
    (whole, fails): (Range<usize>, &str),
) -> Site {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let breaks = breaks(text, &whole);
    Site {
        path: path.to_owned(),
        lines: (line(whole.start), line(whole.end)),
        expected: (expected, new),
        whole: (whole, format!("{fails}{breaks}")),
    }
}

/// What is called here, with what it is called upon.
fn name_before(text: &str, open: usize) -> Range<usize> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '!');
    let before = text[..open].trim_end_matches(' ');
    let length: usize = before
        .chars()
        .rev()
        .take_while(|c| part(*c))
        .map(char::len_utf8)
        .sum();
    before.len() - length..before.len()
}

fn negated<'t>(text: &str, condition: &Range<usize>, fails: &'t str) -> Option<Change<'t>> {
    let old = &text[condition.clone()];
    (!is_literal(old)).then(|| (condition.clone(), format!("!({old})"), fails))
}

/// What tells of a result or an option is asked for the opposite; any other condition is turned round.
fn in_rust<'t>(text: &'t str, condition: &Range<usize>) -> Option<Change<'t>> {
    const FAILS: &str = "assert!(false)";
    let asked = |(one, other): (&str, &str)| {
        let from = condition.start + text[condition.clone()].trim_end().strip_suffix(one)?.len();
        let others = text[condition.start..from].contains("&&")
            || text[condition.start..from].contains("||");
        (!others).then(|| (from..from + one.len(), other.to_owned(), FAILS))
    };
    let mut pairs = TOLD
        .iter()
        .flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
    pairs
        .find_map(asked)
        .or_else(|| negated(text, condition, FAILS))
}

/// The last name of what is asked for a member and nothing else: `check(form).errors.email`.
fn member(text: &str, condition: &Range<usize>) -> Option<Range<usize>> {
    let whole = text[condition.clone()].trim_end();
    let name = whole
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    let before = whole[..whole.len() - name.len()].strip_suffix('.')?;
    let mut depth = 0;
    let plain = before.chars().all(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth > 0 || c.is_alphanumeric() || "_$.)]}".contains(c)
    });
    let named = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let from = condition.start + before.len() + 1;
    (plain && named).then_some(from..from + name.len())
}

/// What is looked for in something is another text, a member is one that is not there; any other condition is
/// turned round.
fn in_javascript<'t>(text: &'t str, condition: &Range<usize>) -> Option<Change<'t>> {
    let held = [".includes(", ".startsWith(", ".endsWith("]
        .iter()
        .find_map(|call| {
            let open = condition.start + text[condition.clone()].find(call)? + call.len() - 1;
            let (parts, close) = arguments(text, open, false)?;
            let [only] = parts.as_slice() else {
                return None;
            };
            let alone = close + 1 == condition.end && !text[condition.clone()].starts_with('!');
            let written =
                text[only.clone()].starts_with(['"', '\'']) && is_literal(&text[only.clone()]);
            (alone && written).then(|| (only.clone(), WORD.to_owned(), THROW))
        });
    let missing = || Some((member(text, condition)?, MISSING.to_owned(), THROW));
    held.or_else(missing)
        .or_else(|| negated(text, condition, THROW))
}

fn python<'t>(text: &str, call: Range<usize>, parts: &[Range<usize>]) -> Option<Change<'t>> {
    let full = &text[call.clone()];
    let first = parts.first()?;
    if RAISED.iter().any(|name| full.ends_with(name)) {
        return Some((first.clone(), OTHER_ERROR.to_owned(), RAISE));
    }
    let (own, method) = full.rsplit_once('.')?;
    // What holds everything is as little to go by as what equals it.
    if method == "assertIn" {
        let listed = parts
            .get(1)
            .filter(|second| is_literal(&text[(*second).clone()]));
        let (at, new) = match listed {
            Some(second) => (second, format!("[{WORD}]")),
            None => (first, WORD.to_owned()),
        };
        return Some((at.clone(), new + &breaks(text, at), RAISE));
    }
    let (_, other) = OPPOSITES.iter().find(|(name, _)| *name == method)?;
    let from = call.start + own.len() + 1;
    Some((from..call.end, (*other).to_owned(), RAISE))
}

fn in_c<'t>(text: &str, named: &str, parts: &[Range<usize>]) -> Option<Change<'t>> {
    if let Some(rest) = ASSERTING.iter().find_map(|word| named.strip_prefix(word)) {
        let mut words = rest.split('_').filter(|word| !word.is_empty()).peekable();
        let equal = words.peek().is_some() && words.all(|word| EQUALITY.contains(&word));
        let of = |part: &Range<usize>| {
            let new =
                changed_literal(&text[part.clone()]).filter(|_| is_literal(&text[part.clone()]))?;
            Some((part.clone(), new, "__builtin_trap()"))
        };
        // gtest's own say where they failed, and go on.
        if let ("", [only]) = (rest, parts) {
            let fails = OUTRIGHT.iter().find(|fails| fails.starts_with(named))?;
            return asked(text, named, only, fails);
        }
        let [first, second] = parts else { return None };
        let plain = equal && !matches!(rest, "_EQ" | "_STREQ");
        return plain.then(|| of(second).or_else(|| of(first))).flatten();
    }
    let fails = match named {
        "assert" => "assert(0)",
        "if" => "if (1)",
        _ => return None,
    };
    let [only] = parts else { return None };
    let condition = &text[only.clone()];
    if let Some((literal, new)) = compared(condition) {
        let at = only.start;
        return Some((at + literal.start..at + literal.end, new, fails));
    }
    asked(text, named, only, fails)
}

fn java<'t>(text: &str, named: &str, parts: &[Range<usize>]) -> Option<Change<'t>> {
    let [only] = parts else { return None };
    let fails = match named {
        "if" => "if (true)",
        "check" | "expect" => JAVA_THROW,
        _ => return None,
    };
    let condition = &text[only.clone()];
    let same = condition.find(".equals(").and_then(|at| {
        let open = only.start + at + ".equals(".len() - 1;
        let (parts, close) = arguments(text, open, false)?;
        let [literal] = parts.as_slice() else {
            return None;
        };
        let old = &text[literal.clone()];
        let new = changed_literal(old).filter(|_| old.starts_with('"') && is_literal(old))?;
        (close + 1 == only.end).then(|| (literal.clone(), new, fails))
    });
    same.or_else(|| asked(text, named, only, fails))
}

/// A condition that is one call, with literals where it is not an assertion's.
fn asked<'t>(text: &str, named: &str, only: &Range<usize>, fails: &'t str) -> Option<Change<'t>> {
    let condition = &text[only.clone()];
    let call = condition.trim_start_matches(['!', ' ']);
    let told = is_one_call(call) && (named != "if" || is_of_literals(condition));
    told.then(|| negated(text, only, fails)).flatten()
}

/// A comparison of what a call gives with a literal, and nothing else: the literal, and another one.
fn compared(condition: &str) -> Option<(Range<usize>, String)> {
    let plain = condition.trim_start_matches(['!', ' ']);
    let name = COMPARE.iter().find(|name| plain.starts_with(**name))?;
    let open = condition.len() - plain.len() + name.len();
    let (parts, close) = arguments(condition, open, false)?;
    let rest = condition[close + 1..]
        .split_whitespace()
        .collect::<String>();
    let literal = parts.iter().rev().find(|part| {
        let part = &condition[(*part).clone()];
        part.starts_with('"') && is_literal(part)
    })?;
    let new = changed_literal(&condition[literal.clone()])?;
    matches!(rest.as_str(), "" | "==0" | "!=0").then(|| (literal.clone(), new))
}
