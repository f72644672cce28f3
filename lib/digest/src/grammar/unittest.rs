//! Python's unittest, and tracebacks of any Python program.
//!
//! ```text
//! ERROR: test_lo (test_bisect.TestBisect.test_lo)
//! ----------------------------------------------------------------------
//! Traceback (most recent call last):
//!   File "test_bisect.py", line 125, in test_lo
//! IndexError: lo must be non-negative
//! Ran 42 tests in 0.016s
//! FAILED (errors=1)
//! ```

use super::super::block::{Block, has_exception};
use super::super::clean::clean;
use super::super::count::{Category, Counts, duration, figure, pairs};
use super::super::facts::{Facts, Ticket};
use super::super::place;
use super::super::problem::Severity;
use super::{Cues, Grammar, Line, is_after_blank, ruler};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    overnight_base::texts!(
        "[FAIL]|[ERROR]|Traceback (most|ERROR: |FAIL: |ERROR [|FAIL [|UNEXPECTED SUCCESS|Ran \
         | ... "
    ),
    "",
);

const TOOL: &str = "unittest";
/// What its headings and its result stand below.
const RULES: [&str; 2] = ["-----", "====="];

/// The last place of a traceback that is the project's own, else the first.
#[derive(Debug, Default)]
struct Traceback {
    /// The file and the line.
    last: Option<(String, u64)>,
}

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Unittest {
    /// In the section of this failing test.
    section: Option<Ticket>,
    /// The number of tests that ran, until the verdict comes.
    ran: Option<(u64, Option<u64>)>,
    /// The last line that belonged to a section was a rule.
    rule: bool,
    /// `Ran 3 tests` stood below a rule, where the runner prints it: a test may print another one.
    ruled: bool,
    /// In a traceback outside of any test: the last place in it.
    traceback: Option<Traceback>,
    /// Trial's way: a failure whose tests are named after it, and whether one was.
    unnamed: Option<(Block, bool)>,
}

impl Grammar for Unittest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some(at) = self.section {
            return self.section_line(at, line, facts);
        }
        if self.traceback.is_some() {
            return self.traceback_line(line, facts);
        }
        if self.unnamed.is_some() {
            return self.unnamed_line(line, facts);
        }
        // Maven prints such a line too.
        if matches!(line.text, "[FAIL]" | "[ERROR]") && self.below_rule(line) {
            self.unnamed = Some((Block::default(), false));
            return true;
        }
        if line.text.starts_with("Traceback (most recent call last):") {
            self.traceback = Some(Traceback::default());
            return true;
        }
        if let Some(rest) = heading(line.text).filter(|_| self.below_rule(line)) {
            // What a test printed of its own.
            self.ran = None;
            let at = facts.fail(TOOL, &name(rest), line.no);
            self.section = Some(at);
            return true;
        }
        if let Some(ran) = ran(line.text) {
            self.ran = Some(ran);
            // green prints no rule.
            self.ruled = self.below_rule(line) || line.text.contains(" using ");
            return true;
        }
        if self.ran.is_some() && verdict(line.text) {
            self.finish(line.text, facts);
            return true;
        }
        if let Some(name) = worker(line.text) {
            facts.saw(TOOL, Category::Failed);
            self.section = Some(facts.fail(TOOL, name, line.no));
            return true;
        }
        // Nothing is known of the line before while this is open.
        self.rule = self.ran.is_some() && is_rule(line.text);
        single(line.text, facts)
    }

    fn is_open(&self) -> bool {
        self.section.is_some()
            || self.traceback.is_some()
            || self.unnamed.is_some()
            || self.ran.is_some()
    }
}

impl Unittest {
    fn section_line(&mut self, at: Ticket, line: &Line<'_>, facts: &mut Facts) -> bool {
        let other = line.text.starts_with('{') && line.text.contains(" ... ");
        let below = self.rule || is_after_blank(line, facts);
        if other || below && ran(line.text).is_some() {
            self.section = None;
            return self.line(line, facts);
        }
        self.rule = is_rule(line.text);
        if ruler(line.text, '=').is_some() || line.text.starts_with("=====") {
            self.section = None;
            self.rule = true;
            return true;
        }
        if let Some(place) = line
            .trimmed()
            .strip_prefix("File \"")
            .and_then(|_| place::anywhere(line.text))
            && !place::is_foreign(&place.file)
            && let Some(failure) = facts.failure(at)
        {
            failure.block.at(place);
            return true;
        }
        // Source lines of the traceback are indented; what the exception says is not, but below
        // stestr's heading.
        if line.indent() < 4 || line.indent() == 4 && has_exception(line.trimmed()) {
            facts.detail(at, line.text, line.no);
        }
        true
    }

    /// Whether the runner may have printed this line: its own headings stand below a rule.
    fn below_rule(&mut self, line: &Line<'_>) -> bool {
        let previous = clean(line.previous());
        std::mem::take(&mut self.rule) || RULES.iter().any(|end| previous.trim_end().ends_with(end))
    }

    /// What went wrong, and below a blank line the names of the tests that failed so.
    fn unnamed_line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let rule = line.text.len() > 40 && line.text.bytes().all(|byte| b"=-".contains(&byte));
        let Some((block, named)) = self.unnamed.as_mut().filter(|_| !rule) else {
            self.unnamed = None;
            return true;
        };
        let name = !line.text.contains(' ') && line.text.contains('.') && line.indent() == 0;
        if name && (is_after_blank(line, facts) || *named) {
            *named = true;
            let at = facts.fail(TOOL, line.text, line.no);
            if let Some(failure) = facts.failure(at)
                && failure.block.is_empty()
            {
                failure.block = block.clone();
            }
        } else if let Some(place) = place::anywhere(line.text).filter(|_| line.indent() > 0) {
            if !place::is_foreign(&place.file) {
                block.at(place);
            }
        } else if line.indent() < 4 {
            block.push(line.text);
        }
        true
    }

    fn traceback_line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if line.text.starts_with(' ') || line.text.is_empty() {
            if let Some((file, at)) = place::frame(line.trimmed())
                && let Some(Traceback { last }) = &mut self.traceback
                && (last.is_none() || !place::is_foreign(file))
            {
                let last = last.get_or_insert_default();
                last.0.clear();
                last.0.push_str(file);
                last.1 = at;
            }
            return true;
        }
        let last = self.traceback.take().and_then(|traceback| traceback.last);
        facts.fallback = facts.fallback.or(Some("python"));
        let shown = last.map(|(file, at)| format!("{file}:{at}"));
        facts.problem(("", Severity::Error), shown.as_deref(), line.text, line.no);
        true
    }

    fn finish(&mut self, text: &str, facts: &mut Facts) {
        let Some((total, took)) = self.ran.take() else {
            return;
        };
        // testrepository says it once more in its own way, without the expected failures.
        if text.contains("(id=") && facts.states(TOOL) {
            return;
        }
        // `expected failures=1` is neither a failure nor, in `unexpected successes=1`, a pass.
        let plain = text
            .replace("expected failures=", "expected=")
            .replace("unexpected successes=", "unexpected=");
        let stated = pairs(&plain);
        let mut counts = Counts::default();
        counts.add(Category::Total, total);
        let mut bad = 0;
        for category in [Category::Failed, Category::Errors, Category::Skipped] {
            let number = stated.get(category).unwrap_or(0);
            bad += number;
            if number > 0 || category == Category::Failed {
                counts.add(category, number);
            }
        }
        for (category, word) in [
            (Category::Xfailed, "expected failures="),
            (Category::Xpassed, "unexpected successes="),
            (Category::Xfailed, "expected_failures="),
            (Category::Xpassed, "unexpected_passes="),
            (Category::Xfailed, "expectedFailures="),
            (Category::Xpassed, "unexpectedSuccesses="),
        ] {
            let number = text
                .split_once(word)
                .and_then(|(_, rest)| rest.split([',', ')']).next()?.parse().ok());
            if let Some(number) = number {
                bad += number;
                counts.add(category, number);
            }
        }
        let passed = stated.get(Category::Passed);
        let passed = passed.unwrap_or_else(|| total.saturating_sub(bad));
        counts.add(Category::Passed, passed);
        facts.result(TOOL, counts, took);
        if self.ruled {
            facts.close(TOOL);
        }
    }
}

/// `FAIL: test_a (m.TestA.test_a)`.
fn heading(text: &str) -> Option<&str> {
    let (kind, rest) = text.split_once(": ")?;
    // unittest-xml-reporting adds the time: `FAIL [0.001s]: test_a (m.T.test_a)`.
    let kind = kind.split_once(" [").map_or(kind, |(kind, _)| kind);
    if !matches!(kind, "ERROR" | "FAIL" | "UNEXPECTED SUCCESS") {
        return None;
    }
    let named = rest.contains(" (") && rest.contains(')') || rest.starts_with("test");
    // nose2 numbers the rows of a table of tests: `test_cron.test_parse:5`.
    let numbered = |word: &str| {
        let row = word.rsplit_once(':');
        row.is_some_and(|(test, row)| figure(row).is_some() && !test.contains([':', '/']))
    };
    (named
        && rest
            .split(' ')
            .next()
            .is_some_and(|word| !word.contains(':') || numbered(word)))
    .then_some(rest)
    // pip: `ERROR: Could not find a version that satisfies flask==99.1 (from versions: 0.1, 0.2)`.
    .filter(|rest| {
        !rest
            .split(" (")
            .next()
            .is_some_and(|test| test.contains(' '))
    })
}

/// `test_a (m.TestA.test_a)` and `test_a (m.TestA)` are both `m.TestA.test_a`.
fn name(heading: &str) -> String {
    let Some((test, rest)) = heading.split_once(" (") else {
        return heading.to_owned();
    };
    let (class, tail) = rest.split_once(')').unwrap_or((rest, ""));
    let full = if class.ends_with(&format!(".{test}")) || test == "setUpClass" || class == test {
        if class.ends_with(test) {
            class.to_owned()
        } else {
            format!("{test} ({class})")
        }
    } else {
        format!("{class}.{test}")
    };
    format!("{full}{tail}")
}

fn is_rule(text: &str) -> bool {
    RULES.iter().any(|start| text.starts_with(start))
}

fn ran(text: &str) -> Option<(u64, Option<u64>)> {
    let rest = text.strip_prefix("Ran ")?;
    let (number, rest) = rest.split_once(" test")?;
    let (_, took) = rest.split_once(" in ")?;
    Some((number.parse().ok()?, duration(took)))
}

fn verdict(text: &str) -> bool {
    text == "OK"
        || text == "FAILED"
        || text.starts_with("OK (")
        || text.starts_with("PASSED (")
        || text.starts_with("FAILED (")
        || text.starts_with("NO TESTS RAN")
}

/// stestr: `{0} m.TestA.test_b [0.000049s] ... FAILED`.
fn worker(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('{')?.strip_suffix(" ... FAILED")?;
    let (number, name) = rest.split_once("} ")?;
    let name = match name.rsplit_once(" [") {
        Some((name, time)) if time.ends_with("s]") => name,
        _ => name,
    };
    number.parse::<u32>().is_ok().then_some(name)
}

/// `test_a (m.TestA.test_a) ... ok`.
fn single(text: &str, facts: &mut Facts) -> bool {
    let Some((name, outcome)) = text.rsplit_once(" ... ") else {
        return false;
    };
    let category = match outcome {
        "ok" => Category::Passed,
        "FAIL" | "ERROR" => Category::Failed,
        _ if outcome.starts_with("skipped") || outcome.starts_with("SKIPPED") => Category::Skipped,
        _ => return false,
    };
    if name.starts_with("test ") || name.starts_with(' ') {
        return false;
    }
    facts.saw(TOOL, category);
    true
}

#[cfg(test)]
mod tests {
    use super::super::{sample, stated};
    use super::*;

    #[test]
    fn names_of_old_and_new_versions() {
        assert_eq!(name("test_a (m.T.test_a)"), "m.T.test_a");
        assert_eq!(name("test_a (m.T)"), "m.T.test_a");
        assert_eq!(name("test_a (m.T.test_a) [case 1]"), "m.T.test_a [case 1]");
    }

    #[test]
    fn an_error_of_pip_is_no_test() {
        assert_eq!(
            heading("ERROR: Could not find flask==99.1 (from versions: 0.1, 0.2)"),
            None
        );
        assert_eq!(
            heading("FAIL: test_cron.test_parse:5"),
            Some("test_cron.test_parse:5")
        );
        assert_eq!(heading("ERROR: tests/a.py:12: bad"), None);
        assert_eq!(
            heading("FAIL: test_a (m.T.test_a) (i=3)"),
            Some("test_a (m.T.test_a) (i=3)")
        );
    }

    #[test]
    fn what_a_test_prints_like_a_result_hides_no_failure() {
        let rules = ["=".repeat(70), "-".repeat(70)];
        let [double, single] = &rules;
        let facts = sample(&format!(
            "test_a (m.T.test_a) ... FAIL\ntest_p (m.T.test_p) ... Ran 12 tests in 0.001s\nok\n\n\
             {double}\nFAIL: test_a (m.T.test_a)\n{single}\nTraceback (most recent call last):\n  File \"/w/m.py\", line 3, in test_a\n    x()\n\
             AssertionError: 1 != 2\n\n{single}\nRan 2 tests in 0.003s\n\nFAILED (failures=1)\n"
        ));
        assert_eq!(facts.failures[0].name, "m.T.test_a");
        assert_eq!(stated(&facts), "1 failed, 1 passed, 2 total");
    }

    #[test]
    fn a_traceback_ends_with_its_exception() {
        let facts = sample(
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x()\nValueError: bad\n",
        );
        let problems = facts.problems.into_list(false);
        assert_eq!(
            (problems[0].text.as_str(), problems[0].places[0].as_str()),
            ("ValueError: bad", "a.py:3")
        );
    }
}
