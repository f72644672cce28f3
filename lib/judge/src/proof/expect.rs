//! Wrong expectations: the expected value of an assertion is changed, so that it must fail. One that
//! still holds looks at something that equals everything, or is never reached.

mod asked;
mod call;
mod turned;

use super::inline;
use super::protect::ending;
pub(super) use asked::checks;
use call::{arguments, changed_literal, has_call, is_literal};
use std::collections::BTreeMap;
use std::ops::Range;

/// Assertions of one project that are tried at most.
pub const SITES_MAX: usize = 2_000;
/// What stands in place of an expected value where any type will do.
const WORD: &str = "\"overnight expectation\"";

/// One assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its file.
    pub path: String,
    /// The lines that it stands on, counted from 1.
    pub lines: (usize, usize),
    /// The expected value, and what takes its place.
    expected: (Range<usize>, String),
    /// The whole assertion, and what fails in its place.
    whole: (Range<usize>, String),
}

impl Site {
    /// Its place, for people.
    pub fn place(&self) -> String {
        format!("{}:{}", self.path, self.lines.0)
    }

    /// Does an output name this place, as runners do of an assertion that failed?
    pub fn is_told(&self, output: &str) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        output.match_indices(name).any(|(at, _)| {
            let rest = &output[at + name.len()..];
            let number = rest
                .strip_prefix(':')
                .or_else(|| rest.strip_prefix("\", line "))
                .or_else(|| rest.strip_prefix(" line "));
            let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
            number
                .and_then(|text| text[..digits(text)].parse::<usize>().ok())
                .is_some_and(|line| (self.lines.0..=self.lines.1).contains(&line))
        })
    }
}

/// How an assertion is written.
#[derive(Clone, Copy)]
struct Form {
    /// What its call begins with; a name of its own.
    call: &'static str,
    /// What fails in place of the whole.
    fails: &'static str,
    /// Is the expected value any value, or must it stay of its type?
    typed: bool,
    /// Does one argument hold both sides (`assert(a == b)`), parted by this?
    sides: &'static [&'static str],
}

const fn two(call: &'static str, fails: &'static str, typed: bool) -> Form {
    Form {
        call,
        fails,
        typed,
        sides: &[],
    }
}

const fn one(call: &'static str, fails: &'static str, sides: &'static [&'static str]) -> Form {
    Form {
        call,
        fails,
        typed: true,
        sides,
    }
}

const RAISE: &str = "(_ for _ in ()).throw(AssertionError(\"overnight\"))";
const THROW: &str = "(() => { throw new Error(\"overnight\"); })()";
const JAVA_THROW: &str = "if (true) throw new AssertionError(\"overnight\")";
const PERL: [Form; 2] = [
    two("is(", "ok(0, \"overnight\")", false),
    two("is_deeply(", "ok(0, \"overnight\")", false),
];
const PYTHON: [Form; 5] = [
    two("assertEqual(", RAISE, false),
    two("assertEquals(", RAISE, false),
    two("assertAlmostEqual(", RAISE, false),
    two("assertListEqual(", RAISE, false),
    two("assertDictEqual(", RAISE, false),
];
const JAVASCRIPT: [Form; 9] = [
    two("strictEqual(", THROW, false),
    two("deepStrictEqual(", THROW, false),
    two("deepEqual(", THROW, false),
    two("equal(", THROW, false),
    two(".toBe(", THROW, false),
    two(".toEqual(", THROW, false),
    two(".toStrictEqual(", THROW, false),
    two(".toContain(", THROW, false),
    one("if (", "if (true)", &["!==", "!="]),
];
const RUST: [Form; 1] = [two("assert_eq!(", "assert!(false)", true)];
const RUBY: [Form; 2] = [
    two("assert_equal(", "raise(\"overnight\")", true),
    two(".to eq(", "raise(\"overnight\")", true),
];
const C: [Form; 7] = [
    one("assert(", "assert(0)", &["=="]),
    one("REQUIRE(", "REQUIRE(false)", &["=="]),
    one("CHECK(", "CHECK(false)", &["=="]),
    two("EXPECT_EQ(", "EXPECT_TRUE(false)", true),
    two("ASSERT_EQ(", "ASSERT_TRUE(false)", true),
    one("if (", "if (1)", &["!="]),
    one("if(", "if (1)", &["!="]),
];
/// Also what a program that checks itself calls its own.
const JAVA: [Form; 6] = [
    two("assertEquals(", "assertEquals(1, 2)", true),
    two("check(", JAVA_THROW, true),
    two("same(", JAVA_THROW, true),
    two("expect(", JAVA_THROW, true),
    one("if (", "if (true)", &["!="]),
    one("if(", "if (true)", &["!="]),
];

fn forms(path: &str) -> &'static [Form] {
    match ending(path) {
        "py" => &PYTHON,
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => &JAVASCRIPT,
        "rs" => &RUST,
        "rb" => &RUBY,
        "c" | "cc" | "cpp" | "cxx" => &C,
        "java" => &JAVA,
        "t" => &PERL,
        _ => &[],
    }
}

/// Is it a program that is a test, in a language whose assertions may be compiled away?
pub fn is_program(path: &str, text: &str) -> bool {
    matches!(ending(path), "c" | "cc" | "cpp" | "cxx") && text.contains("main(")
}

/// The assertions of a test file whose expected value can be told.
pub fn sites(path: &str, text: &str) -> Vec<Site> {
    // These first: of two that begin at one place the first stays.
    let mut found = turned::sites(path, text);
    for form in forms(path) {
        let from = text.match_indices(form.call);
        found.extend(from.filter_map(|(at, _)| site(path, text, (form, at))));
    }
    match ending(path) {
        "py" => {
            found.extend(asserted(path, text));
            found.extend(compared(path, text));
        }
        "rb" => found.extend(unbracketed(path, text)),
        _ => {}
    }
    // What a program checks of itself stands in its checks alone.
    let checks = inline::checks_within(path, text);
    let within = |site: &Site| {
        let at = site.whole.0.start;
        checks.iter().any(|(from, to)| (*from..*to).contains(&at))
    };
    found.retain(|site| checks.is_empty() || within(site));
    found.sort_by_key(|site| site.whole.0.start);
    // One inside another, as in a comparison of comparisons, is left out.
    let mut end = 0;
    found.retain(|site| {
        let apart = site.whole.0.start >= end;
        end = end.max(site.whole.0.end);
        apart
    });
    found
}

fn site(path: &str, text: &str, (form, at): (&Form, usize)) -> Option<Site> {
    let name = form.call.starts_with(|c: char| c.is_alphanumeric());
    let inside = text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$'));
    if (name && inside) || in_comment(text, at) {
        return None;
    }
    let open = at + form.call.len() - 1;
    let (parts, close) = arguments(text, open, ending(path) == "rs")?;
    if parts
        .iter()
        .skip(2)
        .any(|part| is_skipped(&text[part.clone()]))
    {
        return None;
    }
    let expected = match (form.sides, parts.as_slice()) {
        ([], [only]) if form.call.starts_with('.') => only.clone(),
        ([], [first, second, ..]) => {
            let written = !has_call(&text[first.clone()]);
            let first_is = written && (has_call(&text[second.clone()]) || ending(path) == "java");
            if first_is {
                first.clone()
            } else {
                second.clone()
            }
        }
        (sides, [only]) if !sides.is_empty() => {
            let whole = &text[only.clone()];
            let alone = !["&&", "||", "?"].iter().any(|word| whole.contains(word));
            let side = sides
                .iter()
                .find(|side| whole.matches(**side).count() == 1)?;
            let right = only.start + whole.find(side).filter(|_| alone)? + side.len();
            right..only.end
        }
        _ => return None,
    };
    // The whole begins with what is called upon: `self.`, `assert.`, `expect(…)`.
    let start = if form.call.starts_with('.') {
        text[..at].rfind("expect(")?
    } else {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
        at - text[..at]
            .chars()
            .rev()
            .take_while(|c| part(*c))
            .map(char::len_utf8)
            .sum::<usize>()
    };
    build(
        path,
        text,
        (form.typed, expected),
        (start..close + 1, form.fails),
    )
}

/// tape's assertions are skipped by an option of their own: `{ skip: "why" }`.
fn is_skipped(argument: &str) -> bool {
    argument.starts_with('{') && (argument.contains("skip") || argument.contains("todo"))
}

fn build(
    path: &str,
    text: &str,
    (typed, expected): (bool, Range<usize>),
    (whole, fails): (Range<usize>, &str),
) -> Option<Site> {
    let old = &text[expected.clone()];
    // A literal becomes another one of its kind: what equals every number does not equal a text.
    let literal = changed_literal(old).filter(|_| typed || is_literal(old));
    let typed = typed || literal.is_some();
    let new = if typed { literal? } else { WORD.to_owned() };
    let breaks = |range: &Range<usize>| "\n".repeat(text[range.clone()].matches('\n').count());
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    // Lines below keep their numbers.
    let (kept, more) = (breaks(&expected), breaks(&whole));
    let kept = if typed { String::new() } else { kept };
    Some(Site {
        path: path.to_owned(),
        lines: (line(whole.start), line(whole.end)),
        expected: (expected, new + &kept),
        whole: (whole, format!("{fails}{more}")),
    })
}

fn in_comment(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let before = text[line..at].trim_start();
    before.starts_with('#') && !before.starts_with("#[") || before.starts_with("//")
}

/// Python's `assert a == b` on a line of its own.
fn asserted(path: &str, text: &str) -> Vec<Site> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let body = line.trim();
        let Some(condition) = body.strip_prefix("assert ") else {
            continue;
        };
        let plain = condition.matches(" == ").count() == 1
            && ![" and ", " or ", " if ", " for ", " in ", "#"]
                .iter()
                .any(|word| condition.contains(word))
            && ["()", "[]", "{}"].iter().all(|pair| {
                let count = |at: usize| condition.matches(&pair[at..=at]).count();
                count(0) == count(1)
            })
            && !body.ends_with('\\');
        let Some(equals) = condition.find(" == ").filter(|_| plain) else {
            continue;
        };
        let right = at + "assert ".len() + equals + " == ".len();
        let end = at + body.len();
        // A message may stand behind a comma; one inside brackets belongs to the value.
        let message = text[right..end]
            .find(", ")
            .filter(|comma| !text[right..right + comma].contains(['(', '[', '{', '"', '\'']));
        let value = right..message.map_or(end, |comma| right + comma);
        found.extend(build(path, text, (false, value), (at..end, "assert False")));
    }
    found
}

/// Python's `assert "a" in f()` and `if f() != want:`, as programs that check something have it.
fn compared(path: &str, text: &str) -> Vec<Site> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        let body = line.trim_end();
        let end = start - line.len() + body.len();
        let alone = |condition: &str, by: &str| {
            condition.matches(by).count() == 1
                && ![
                    " and ", " or ", " if ", " for ", " not ", " == ", " is ", "#", ", ",
                    "__name__",
                ]
                .iter()
                .any(|word| condition.contains(word))
        };
        let body = body.trim_start();
        let change = if let Some(condition) = body.strip_prefix("assert ") {
            let held = condition.find(" in ").filter(|_| alone(condition, " in "));
            let from = at + "assert ".len();
            held.filter(|held| is_literal(&condition[..*held]))
                .map(|held| (from..from + held, at..end, "assert False"))
        } else {
            body.strip_prefix("if ")
                .and_then(|rest| rest.strip_suffix(':'))
                .filter(|condition| alone(condition, " != "))
                .and_then(|condition| condition.find(" != "))
                .map(|unlike| {
                    (
                        at + "if ".len() + unlike + " != ".len()..end - 1,
                        at..end,
                        "if True:",
                    )
                })
        };
        if let Some((expected, whole, fails)) = change {
            found.extend(build(path, text, (false, expected), (whole, fails)));
        }
    }
    found
}

/// Ruby's `assert_equal 100, clamp(500)` on a line of its own.
fn unbracketed(path: &str, text: &str) -> Vec<Site> {
    let of = |(at, call): (usize, &str)| {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let rest = &text[at + call.len()..end];
        let comma = rest
            .find(", ")
            .filter(|_| !rest.contains(['{', '}', ';', '#']))?;
        let value = at + call.len()..at + call.len() + comma;
        build(path, text, (true, value), (at..end, "raise(\"overnight\")"))
    };
    text.match_indices("assert_equal ").filter_map(of).collect()
}

/// The texts with these assertions changed: each expects something else, or fails outright (`forced`).
pub fn applied<'s>(
    texts: &BTreeMap<String, String>,
    sites: impl IntoIterator<Item = &'s Site>,
    forced: impl Fn(&Site) -> bool,
) -> BTreeMap<String, String> {
    let mut by_path: BTreeMap<&str, Vec<&Site>> = BTreeMap::new();
    for site in sites {
        by_path.entry(&site.path).or_default().push(site);
    }
    let change = |(path, text): (&String, &String)| {
        let mut text = text.clone();
        for site in by_path.get(path.as_str()).into_iter().flatten().rev() {
            let (range, by) = if forced(site) {
                &site.whole
            } else {
                &site.expected
            };
            text.replace_range(range.clone(), by);
        }
        (path.clone(), text)
    };
    texts.iter().map(change).collect()
}

#[cfg(test)]
mod tests;
