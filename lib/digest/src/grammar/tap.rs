//! The Test Anything Protocol: bats, tape, node:test, prove with `Test::More`.
//!
//! ```text
//! not ok 2 - ff is 254
//!   ---
//!   operator: equal
//!   ...
//! # tests 2
//! ```

mod words;

use super::super::block::Block;
use super::super::clean::clean;
use super::super::count::{Category, Counts, figure};
use super::super::facts::Facts;
use super::super::place;
use super::{Cues, Grammar, Line};
use std::mem::take;
use words::{Point, died, directive, is_total, more_failed, node_tap, plan, point};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    overnight_base::texts!(
        "ok |TAP version|1..|Bail out!|.t line |ℹ |(Wstat: |Parse errors: |Files=|Result: "
    ),
    "#",
);

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Tap {
    tool: Option<&'static str>,
    /// A failing test whose explanation follows.
    open: Option<Open>,
    /// After the result lines began, or the header of a run: the first test is of another one.
    between: bool,
    /// How far the last test was indented: one that stands further left after it is its parent.
    inner: usize,
    /// The tests that the plans at the margin announce, and the results there.
    planned: u64,
    points: u64,
    /// A version of the protocol that says which of its writers it can be.
    version: u8,
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
    /// It is the parent of tests that were counted.
    around: bool,
    yaml: bool,
    /// How far in its YAML begins.
    yaml_at: usize,
    /// In a multi-line value that tells nothing: the stack.
    stack: bool,
    /// The message is the next line.
    message_next: bool,
    /// What it says is not wanted: it was counted at once.
    told: bool,
}

impl Grammar for Tap {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        let quoted =
            (self.open.as_ref()).is_some_and(|open| open.yaml && line.indent() > open.indent);
        if let Some(point) = point(text).filter(|_| !quoted) {
            self.close(facts);
            self.point(point, line, facts);
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
        if text.starts_with("# Looks like you planned ") {
            facts.note(line.text, line.no);
            return true;
        }
        if text.starts_with("# Looks like your test exited with ") {
            // What it died of stands above.
            let said = clean(line.previous()).into_owned();
            if !said.starts_with(['#', ' ']) && point(&said).is_none() {
                facts.note(&said, line.no - 1);
            }
            return true;
        }
        if let Some(version) = text.strip_prefix("TAP version") {
            self.settle(facts);
            facts.keep();
            self.version = version.trim().parse().unwrap_or(0);
            // Where another ended it is anybody's.
            self.tool = self.tool.filter(|_| !self.between).or(Some("tap"));
            self.between = true;
            return true;
        }
        if let Some(planned) = plan(line.text) {
            self.planned = self.planned.saturating_add(planned);
            facts.keep();
            return false;
        }
        if line.text.starts_with("Bail out!") {
            facts.note(line.text, line.no);
            return true;
        }
        if died(line.text) && matches!(self.tool, None | Some("prove")) {
            facts.note(line.text, line.no);
            return true;
        }
        // node-tap writes version 14.
        if matches!(self.tool, Some("tap" | "node --test"))
            && self.version < 14
            && text.starts_with("# Subtest: ")
        {
            self.tool = Some("node --test");
            return true;
        }
        self.total(line.text, facts) || self.prove(line, facts)
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn end(&mut self, facts: &mut Facts) {
        self.close(facts);
        if self.version > 0 || self.planned > 0 || self.between {
            facts.ground("tap");
        }
        self.settle(facts);
    }
}

impl Tap {
    /// The run is over. As many as were announced did run: then their number is the total.
    fn settle(&mut self, facts: &mut Facts) {
        let (planned, points) = (take(&mut self.planned), take(&mut self.points));
        if self.tool == Some("tap")
            && planned > 0
            && planned == points
            && facts.stands("tap", Category::Total) == 0
        {
            facts.part("tap", Category::Total, planned);
        }
    }

    /// The run states its result: its plan is none.
    fn forget(&mut self, facts: &mut Facts) {
        (self.planned, self.points) = (0, 0);
        facts.keep();
    }

    fn tool(&mut self) -> &'static str {
        self.tool.get_or_insert("tap")
    }

    fn point(&mut self, point: Point<'_>, line: &Line<'_>, facts: &mut Facts) {
        let tool = self.tool();
        facts.tool(tool);
        if point.is_first && line.indent() == 0 && take(&mut self.between) {
            facts.start(tool);
        }
        self.between = false;
        let Point { ok, name, .. } = point;
        if name.ends_with(" {") {
            // The tests inside it follow.
            return;
        }
        if line.indent() == 0 {
            self.points += 1;
            // Points that are left out as known are told by `again`.
            facts.keep();
        }
        // A subtest stands below its own tests, further left: it is named, not counted.
        let around = line.indent() < self.inner && tool != "node --test";
        self.inner = line.indent();
        let (name, directive) = directive(name);
        if directive == "skip" {
            facts.saw(tool, Category::Skipped);
        } else if directive == "todo" {
            facts.saw(tool, Category::Todo);
        } else if ok && around {
        } else if ok {
            facts.saw(tool, Category::Passed);
        } else {
            let told = tool != "prove" && !facts.wants(&name);
            if told && !around {
                facts.saw(tool, Category::Failed);
            }
            if told {
                facts.fail(tool, &name, line.no);
            }
            self.open = Some(Open {
                around,
                told,
                ..Open::new(name, line)
            });
        }
    }

    /// `#   Failed test 'letters match'` of `Test::More`, which may stand alone.
    fn perl(&mut self, name: &str, line: &Line<'_>, facts: &mut Facts) {
        if self.open.as_ref().is_some_and(|open| open.name == name) {
            return;
        }
        self.close(facts);
        self.tool = Some("prove");
        self.open = Some(Open {
            around: line.indent() < self.inner,
            ..Open::new(name.to_owned(), line)
        });
    }

    /// A line that explains the failing test before it.
    fn explain(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let tool = self.tool.unwrap_or_default();
        let Some(open) = &mut self.open else {
            return false;
        };
        let text = line.trimmed();
        if open.yaml {
            open.lines.1 = line.no;
            // A message of several lines may have dots of its own, further in.
            if text == "..." && line.indent() <= open.yaml_at {
                open.yaml = false;
            } else {
                open.yaml_line(text);
                if open.parent && !open.around && take(&mut open.told) {
                    facts.unsee(tool, &open.name);
                }
            }
            return true;
        }
        if text == "---" && line.indent() >= open.indent {
            (open.yaml, open.yaml_at) = (true, line.indent());
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
        let known = tool == "prove" && facts.known(&open.name).is_some();
        if !open.around && !known {
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
        if let Some(counts) = node_tap(text) {
            let tool = self.tool();
            self.forget(facts);
            facts.result(tool, counts, None);
            facts.close(tool);
            return true;
        }
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
            (self.tool, self.between) = (None, true);
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
        self.between = true;
        self.forget(facts);
        facts.now.sums = true;
        facts.part(tool, category, number);
        true
    }

    /// prove's summary: `t/x.t (Wstat: 256 (exited 1) Tests: 3 Failed: 1)`, `Files=1, Tests=3, …`.
    fn prove(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        const TOOL: &str = "prove";
        if let Some((_, rest)) = line.text.split_once("(Wstat: ") {
            let failed = rest
                .split_once("Failed: ")
                .and_then(|(_, rest)| figure(rest.split(')').next()?.trim()));
            let mut counts = Counts::default();
            counts.add(Category::Failed, failed.unwrap_or(0));
            facts.result(TOOL, counts, None);
            facts.close(TOOL);
            // What failed in the others has a name.
            if failed.is_none_or(|failed| failed == 0) || facts.failures.is_empty() {
                facts.note(line.text, line.no);
            }
            return true;
        }
        if let Some(rest) = line.text.strip_prefix("Files=")
            && let Some((_, rest)) = rest.split_once("Tests=")
            && let Some(total) = rest.split(',').next().and_then(figure)
        {
            facts.part(TOOL, Category::Total, total);
            facts.close(TOOL);
            return true;
        }
        if line.text.starts_with("  Parse errors: ") && facts.tools.contains(&TOOL) {
            facts.note(line.text, line.no);
            return true;
        }
        let ends = line.text.starts_with("Result: ") && facts.tools.contains(&TOOL);
        if ends {
            (self.tool, self.between) = (None, true);
        }
        ends
    }
}

impl Open {
    fn new(name: String, line: &Line<'_>) -> Self {
        Self {
            name,
            indent: line.indent(),
            block: Block::default(),
            lines: (line.no, line.no),
            parent: false,
            around: false,
            yaml: false,
            yaml_at: 0,
            stack: false,
            message_next: false,
            told: false,
        }
    }

    fn yaml_line(&mut self, text: &str) {
        if take(&mut self.message_next) {
            return self.block.message(text);
        }
        if text.starts_with("type: 'suite'") {
            self.parent = true;
        } else if let Some(kind) = text.strip_prefix("failureType: ") {
            // A suite may fail by its own hook: it is named, and counted with the suites. A test around
            // others counts as one: those who tell where it is, tell a suite from it.
            let suite = self.parent;
            let inner = kind.starts_with("'subtestsFailed'");
            self.around |= suite && !inner;
            self.parent = inner && (suite || self.block.place.is_none());
        }
        if let Some((key, value)) = text.split_once(':')
            && key
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            self.stack = key == "stack";
            let value = value.trim();
            let unquoted = unquoted(value);
            match key {
                "location" | "at" => {
                    if let Some(place) = place::anywhere(unquoted) {
                        self.block.at(place);
                    }
                }
                "error" | "message" if value.starts_with('|') => self.message_next = !self.told,
                "error" | "message" if !value.is_empty() => self.block.message(unquoted),
                "expected" | "actual" | "wanted" | "found" | "got" if !value.starts_with('|') => {
                    self.block.push(text);
                }
                _ => {}
            }
            return;
        }
        if !self.stack {
            self.block.push(text);
        } else if self.block.place.is_none()
            && let Some(place) = place::anywhere(text)
            && !place::is_foreign(&place.file)
        {
            self.block.at(place);
        }
    }
}

/// A value without the quotes around it; those in it are its own.
fn unquoted(value: &str) -> &str {
    let within = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    within('\'').or_else(|| within('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests;
