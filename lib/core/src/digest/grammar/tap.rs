//! The Test Anything Protocol: bats, tape, node:test, prove with `Test::More`.
//!
//! ```text
//! not ok 2 - ff is 254
//!   ---
//!   operator: equal
//!   ...
//! # tests 2
//! ```

use super::super::block::Block;
use super::super::count::{Category, Counts, figure};
use super::super::facts::Facts;
use super::super::place;
use super::{At, Grammar, Line, from_bits, to_bits};

/// Who may print it.
const TOOLS: [Option<&str>; 4] = [None, Some("tap"), Some("prove"), Some("node --test")];

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Tap {
    tool: Option<&'static str>,
    /// A failing test whose explanation follows.
    open: Option<Open>,
    /// After the result lines began.
    totals: bool,
    /// How far the last failing test was indented.
    inner: usize,
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what follows"
)]
struct Open {
    name: String,
    indent: usize,
    block: Block,
    lines: (u64, u64),
    /// It failed only because something inside of it failed.
    parent: bool,
    yaml: bool,
    /// In a multi-line value that tells nothing: the stack.
    stack: bool,
    /// What it says is not wanted: it was counted at once.
    told: bool,
}

impl Grammar for Tap {
    fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        if let Some((ok, name)) = point(text) {
            self.close(facts);
            self.point(ok, name, line, facts);
            return true;
        }
        if let Some(name) = more_failed(text) {
            self.perl(name, line, facts);
            return true;
        }
        if self.explain(line, facts) {
            return true;
        }
        self.close(facts);
        if text.starts_with("TAP version") {
            self.tool();
            return true;
        }
        if line.text.starts_with("Bail out!") {
            facts.note(line.text, line.no);
            return true;
        }
        if died(line.text) && matches!(self.tool, None | Some("prove")) {
            facts.note(line.text, line.no);
            return true;
        }
        if matches!(self.tool, Some("tap" | "node --test")) && text.starts_with("# Subtest: ") {
            self.tool = Some("node --test");
            return true;
        }
        self.total(line.text, facts) || prove(line, facts)
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn mark(&self) -> Option<u16> {
        let tool = TOOLS.iter().position(|tool| *tool == self.tool)?;
        let bits = match &self.open {
            None => [false; 4],
            Some(open) if open.told => [true, open.parent, open.yaml, open.stack],
            Some(_) => return None,
        };
        let indent = self.open.as_ref().map_or(0, |open| open.indent);
        let [low, high] = [tool & 1 != 0, tool & 2 != 0];
        let [open, parent, yaml, stack] = bits;
        let bits = to_bits([low, high, self.totals, open, parent, yaml, stack]);
        let small = |number: usize| u16::try_from(number).ok().filter(|number| *number < 16);
        Some(bits | small(indent)? << 8 | small(self.inner)? << 12)
    }

    fn go(&mut self, mark: u16, at: At<'_>) {
        let [low, high, totals, open, parent, yaml, stack] = from_bits(mark);
        self.tool = TOOLS[usize::from(low) | usize::from(high) << 1];
        self.totals = totals;
        self.inner = usize::from(mark >> 12);
        let name = at.name.map(str::to_owned);
        let known = self.open.take().map(|open| open.name);
        self.open = open.then(|| Open {
            name: name.or(known).unwrap_or_default(),
            indent: usize::from(mark >> 8 & 15),
            block: Block::default(),
            lines: (at.no, at.no),
            parent,
            yaml,
            stack,
            told: true,
        });
    }

    fn end(&mut self, facts: &mut Facts) {
        self.close(facts);
    }
}

impl Tap {
    fn tool(&mut self) -> &'static str {
        self.tool.get_or_insert("tap")
    }

    fn point(&mut self, ok: bool, name: &str, line: Line<'_>, facts: &mut Facts) {
        self.totals = false;
        let tool = self.tool();
        facts.tool(tool);
        if name.ends_with(" {") {
            // The tests inside it follow.
            return;
        }
        let (name, directive) = directive(name);
        if directive == "skip" {
            facts.saw(tool, Category::Skipped);
        } else if directive == "todo" {
            facts.saw(tool, Category::Todo);
        } else if ok {
            facts.saw(tool, Category::Passed);
        } else {
            let told = tool != "prove" && !facts.wants(&name);
            if told {
                facts.saw(tool, Category::Failed);
                facts.fail(tool, &name, line.no);
            }
            self.open = Some(Open {
                told,
                ..Open::new(name, line)
            });
        }
    }

    /// `#   Failed test 'letters match'` of `Test::More`, which may stand alone.
    fn perl(&mut self, name: &str, line: Line<'_>, facts: &mut Facts) {
        if self.open.as_ref().is_some_and(|open| open.name == name) {
            return;
        }
        self.close(facts);
        self.tool = Some("prove");
        self.open = Some(Open::new(name.to_owned(), line));
    }

    /// A line that explains the failing test before it.
    fn explain(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let tool = self.tool.unwrap_or_default();
        let Some(open) = &mut self.open else {
            return false;
        };
        let text = line.trimmed();
        if open.yaml {
            open.lines.1 = line.no;
            if text == "..." {
                open.yaml = false;
            } else {
                open.yaml_line(text);
                if open.parent && std::mem::take(&mut open.told) {
                    facts.unsee(tool, &open.name);
                }
            }
            return true;
        }
        if text == "---" && line.indent() >= open.indent {
            open.yaml = true;
            return true;
        }
        let Some(comment) = text.strip_prefix('#') else {
            return false;
        };
        let known = comment.starts_with("   ") || comment.starts_with(" (") || !is_total(comment);
        let subtest = comment.starts_with(" Subtest: ") || comment.starts_with(" Looks like you");
        if !known || subtest {
            return false;
        }
        open.lines.1 = line.no;
        open.block.push(comment);
        true
    }

    fn close(&mut self, facts: &mut Facts) {
        let Some(open) = self.open.take() else { return };
        if open.parent || open.told {
            return;
        }
        let tool = self.tool();
        // A subtest of Perl and the test that it is: the second is named, not counted.
        let around = tool == "prove" && open.indent < self.inner;
        self.inner = open.indent;
        let known = tool == "prove" && facts.known(&open.name).is_some();
        if !around && !known {
            facts.saw(tool, Category::Failed);
        }
        let at = facts.fail(tool, &open.name, open.lines.0);
        if let Some(failure) = facts.failure(at)
            && failure.block.is_empty()
        {
            failure.block = open.block;
            failure.log_lines = open.lines;
        }
    }

    /// `# tests 47`, `ℹ pass 38`.
    fn total(&mut self, text: &str, facts: &mut Facts) -> bool {
        let (text, spec) = match text.strip_prefix("# ") {
            Some(text) => (text, false),
            None => match text.strip_prefix("ℹ ") {
                Some(text) => (text, true),
                None => return false,
            },
        };
        let Some((word, number)) = text.split_once(' ') else {
            return false;
        };
        if spec {
            self.tool = Some("node --test");
        }
        let Some(tool) = self.tool else { return false };
        if word == "duration_ms" {
            let whole = number
                .split('.')
                .next()
                .and_then(|whole| whole.parse().ok());
            facts.duration(tool, whole);
            facts.close(tool);
            self.totals = false;
            return true;
        }
        let Some(number) = figure(number.trim()) else {
            return false;
        };
        let category = match word {
            "tests" => Category::Total,
            "suites" => Category::Suites,
            _ => match Category::of(word) {
                Some(category) => category,
                None => return false,
            },
        };
        self.totals = true;
        facts.part(tool, category, number);
        true
    }
}

impl Open {
    fn new(name: String, line: Line<'_>) -> Self {
        Self {
            name,
            indent: line.indent(),
            block: Block::default(),
            lines: (line.no, line.no),
            parent: false,
            yaml: false,
            stack: false,
            told: false,
        }
    }

    fn yaml_line(&mut self, text: &str) {
        if text.starts_with("failureType: 'subtestsFailed'") || text.starts_with("type: 'suite'") {
            self.parent = true;
        }
        if let Some((key, value)) = text.split_once(':')
            && key
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            self.stack = key == "stack";
            let value = value.trim();
            let unquoted = value.trim_matches(['\'', '"']);
            match key {
                "location" | "at" => {
                    if let Some(place) = place::anywhere(unquoted) {
                        self.block.at(place);
                    }
                }
                "error" | "message" if !value.starts_with('|') && !value.is_empty() => {
                    self.block.message(unquoted);
                }
                "expected" | "actual" | "wanted" | "found" | "got" if !value.starts_with('|') => {
                    self.block.push(text);
                }
                _ => {}
            }
            return;
        }
        if !self.stack {
            self.block.push(text);
        }
    }
}

/// `ok 1 - name` or `not ok 1 name`.
fn point(text: &str) -> Option<(bool, &str)> {
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
    Some((ok, name.strip_prefix("- ").unwrap_or(name)))
}

/// The name without its directive, and the directive in lower case.
fn directive(name: &str) -> (String, &'static str) {
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
fn died(text: &str) -> bool {
    let Some((_, row)) = text
        .strip_suffix('.')
        .and_then(|text| text.rsplit_once(".t line "))
    else {
        return false;
    };
    !text.starts_with(['#', ' ']) && figure(row).is_some()
}

fn more_failed(text: &str) -> Option<&str> {
    let rest = text
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("Failed test '")?;
    rest.strip_suffix('\'')
}

fn is_total(comment: &str) -> bool {
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

/// prove's summary: `t/x.t (Wstat: 256 (exited 1) Tests: 3 Failed: 1)`, `Files=1, Tests=3, …`.
fn prove(line: Line<'_>, facts: &mut Facts) -> bool {
    const TOOL: &str = "prove";
    if let Some((_, rest)) = line.text.split_once("(Wstat: ") {
        let failed = rest
            .split_once("Failed: ")
            .and_then(|(_, rest)| figure(rest.split(')').next()?.trim()));
        let mut counts = Counts::default();
        counts.add(Category::Failed, failed.unwrap_or(0));
        facts.result(TOOL, counts, None);
        facts.close(TOOL);
        facts.note(line.text, line.no);
        return true;
    }
    if let Some(rest) = line.text.strip_prefix("Files=")
        && let Some((_, rest)) = rest.split_once("Tests=")
        && let Some(total) = rest.split(',').next().and_then(figure)
    {
        facts.part(TOOL, Category::Total, total);
        return true;
    }
    line.text.starts_with("Result: ") && facts.tools.contains(&TOOL)
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn a_parent_is_no_failure_of_its_own() {
        let facts = sample(
            "TAP version 13\n# Subtest: Cart\n    not ok 1 - bulk \\#1\n      ---\n      location: '/a/cart.test.js:12:25'\n      error: |-\n        \
             Expected values to be strictly equal:\n      stack: |-\n        at x\n      ...\nnot ok 1 - Cart\n  ---\n  type: 'suite'\n  ...\n\
             # tests 2\n# pass 1\n# fail 1\n# duration_ms 480.03\n",
        );
        assert_eq!(facts.failures.len(), 1);
        assert_eq!(facts.failures[0].name, "bulk #1");
        assert_eq!(
            facts.failures[0].block.first(),
            Some("Expected values to be strictly equal:")
        );
        assert_eq!(
            facts.sessions[0].stated.as_ref().unwrap().words(),
            "1 failed, 1 passed, 2 total"
        );
        assert_eq!(facts.sessions[0].duration_ms, Some(480));
    }

    #[test]
    fn directives_and_comments() {
        let facts = sample(
            "1..4\nok 1 a # SKIP no\nnot ok 2 b # TODO later\nnot ok 3 c in 12ms\n# (in test file c.bats, line 1)\n# cp: cannot stat 'x'\nok 4 d\n",
        );
        assert_eq!(facts.failures.len(), 1);
        assert_eq!(facts.failures[0].name, "c");
        assert!(
            facts.failures[0]
                .block
                .lines
                .iter()
                .any(|(_, text)| text.contains("cannot stat"))
                || facts.failures[0].block.lines.len() == 1
        );
        assert_eq!(
            facts.sessions[0].seen.words(),
            "1 failed, 1 passed, 1 skipped, 1 todo"
        );
    }
}
