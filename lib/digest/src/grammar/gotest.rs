//! `go test`, its text.
//!
//! ```text
//! === RUN   TestNew
//!     ring_test.go:30: r.Len() == 1; expected 0
//! --- FAIL: TestNew (0.00s)
//! FAIL    example.com/ring    0.003s
//! ```

use super::super::block::Block;
use super::super::count::Category;
use super::super::facts::{Facts, Ticket};
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(
    overnight_base::texts!("--- |=== |ok |ok\t|FAIL|PASS|---\t|? |?\t|panic: |fatal error: "),
    "",
);

const TOOL: &str = "go test";

/// The most tests whose output is remembered until their outcome is known.
const RUNNING_MAX: usize = 128;

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Gotest {
    /// The tests that run (`-v`), and what they printed, where that is wanted; the last one is
    /// printing.
    running: Vec<(String, Option<Block>)>,
    /// A failing test whose output follows.
    open: Option<Ticket>,
    /// In a panic: the frames of the goroutines are left out.
    panic: bool,
    /// Of a package that ran out of time: what it says, until the end of the stacks.
    late: Option<String>,
    /// The tests of the package begin with a line of their own (`-v`).
    begins: bool,
    /// Some that run are not among those that are known to.
    forgot: bool,
}

impl Grammar for Gotest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        if let Some((outcome, name)) = outcome(text)
            && !self.is_printed(name)
        {
            self.outcome(outcome, name, line, facts);
            return true;
        }
        if let Some((word, name)) = running(line.text) {
            self.open = None;
            self.begins |= word == "RUN";
            if word != "PAUSE" {
                let wanted = facts.wants(name);
                self.goes_on(name, wanted);
            }
            return true;
        }
        // Behind what a test printed without a newline.
        let holds = |text: &str| memchr::memchr(b'=', text.as_bytes()).is_some();
        self.forgot |= self.begins && holds(text) && text.contains("=== RUN ");
        if self.package(line, facts) {
            return true;
        }
        if line.text.starts_with("panic: ") || line.text.starts_with("fatal error: ") {
            self.panic(line, facts);
            return true;
        }
        if self.late(line, facts) {
            return true;
        }
        // gotestsum's last words.
        let over = line.text.starts_with("DONE ");
        if let Some(at) = self.open.filter(|_| !over) {
            if line.indent() > 0 || self.panic || line.text.is_empty() {
                if !(self.panic && line.indent() == 0) {
                    facts.detail(at, text, line.no);
                }
                return true;
            }
            self.open = None;
            return false;
        }
        if let Some((_, block)) = self.running.last_mut()
            && (line.indent() > 0 || text.contains("Error"))
        {
            if let Some(block) = block {
                block.push(text);
            }
            return true;
        }
        false
    }

    fn is_open(&self) -> bool {
        self.open.is_some() || !self.running.is_empty() || self.late.is_some()
    }
}

impl Gotest {
    /// This test prints now.
    fn goes_on(&mut self, name: &str, wanted: bool) {
        // Mostly it is one of the last.
        let known = self.running.iter().rposition(|(known, _)| known == name);
        let test = match known {
            Some(at) => self.running.remove(at),
            None => (name.to_owned(), wanted.then(Block::default)),
        };
        if self.running.len() >= RUNNING_MAX {
            // One that has printed nothing has nothing to lose.
            let silent =
                |(_, block): &(_, Option<Block>)| block.as_ref().is_none_or(Block::is_empty);
            let at = self.running.iter().position(silent).unwrap_or(0);
            self.running.remove(at);
            self.forgot = true;
        }
        self.running.push(test);
    }

    /// Whether the outcome of a test of this name is one that another test printed: none has begun, nor
    /// any of its subtests, whose outcomes follow its own.
    fn is_printed(&self, name: &str) -> bool {
        let its = |known: &str| {
            let rest = known.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // Mostly it is the last one.
        let known = || self.running.iter().rev().any(|(known, _)| its(known));
        // Benchmarks begin otherwise.
        let test = || name.starts_with("Test") || name.starts_with("Example");
        self.begins && !self.forgot && !known() && test() && !name.contains('/')
    }

    fn outcome(&mut self, outcome: &str, name: &str, line: &Line<'_>, facts: &mut Facts) {
        facts.tool(TOOL);
        self.panic = false;
        let ran = self.running.iter().rposition(|(known, _)| known == name);
        let ran = ran.and_then(|at| self.running.remove(at).1);
        match outcome {
            "PASS" => facts.saw(TOOL, Category::Passed),
            "SKIP" => facts.saw(TOOL, Category::Skipped),
            _ => {
                facts.saw(TOOL, Category::Failed);
                let at = facts.fail(TOOL, name, line.no);
                if let (Some(block), Some(failure)) = (ran, facts.failure(at))
                    && failure.block.is_empty()
                {
                    failure.block = block;
                }
                self.open = Some(at);
                return;
            }
        }
        self.open = None;
    }

    /// The line of a package: it ends what was open.
    fn package(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        let mut parts = text.split('\t');
        let (first, second) = (parts.next().unwrap_or_default().trim(), parts.next());
        let third = parts.next();
        let known = match (first, second) {
            ("ok" | "FAIL" | "---", Some(_)) => third.is_none_or(is_end),
            ("?", Some(_)) => third.is_some_and(|third| third.contains("no test files")),
            _ => false,
        };
        if known {
            self.open = None;
            self.running.clear();
            (self.panic, self.begins, self.forgot) = (false, false, false);
            self.late = None;
            facts.tool(TOOL);
            facts.ground(TOOL);
            facts.rest(TOOL);
            if first == "FAIL" && text.contains("[build failed]") || text.contains("[setup failed]")
            {
                facts.note(text, line.no);
            }
            return true;
        }
        let last = matches!(text, "FAIL" | "PASS");
        if last && (facts.tools.contains(&TOOL) || !self.running.is_empty()) {
            self.open = None;
            return true;
        }
        false
    }

    /// The tests that ran when the time was over.
    fn late(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        let Some(message) = &self.late else {
            return false;
        };
        if !is_stack(line.text) {
            self.late = None;
            return false;
        }
        if let Some(name) = hung(line.text) {
            if facts.known(name).is_none() {
                facts.saw(TOOL, Category::Failed);
            }
            let at = facts.fail(TOOL, name, line.no);
            facts.message(at, message, line.no);
        }
        true
    }

    fn panic(&mut self, line: &Line<'_>, facts: &mut Facts) {
        if line.text.starts_with("panic: test timed out") {
            self.late = Some(line.text.to_owned());
        }
        let name = self.running.last().map(|(name, _)| name.clone());
        let at = match (self.open, name) {
            (Some(at), _) => at,
            (None, Some(name)) => facts.fail(TOOL, &name, line.no),
            (None, None) => {
                facts.note(line.text, line.no);
                return;
            }
        };
        let text = line.text.split(" [recovered").next().unwrap_or(line.text);
        facts.message(at, text, line.no);
        self.open = Some(at);
        self.panic = true;
    }
}

/// What stands last in the line of a package: `0.003s`, `(cached)`, `[no test files]`. A test may
/// print a line that begins like one.
fn is_end(text: &str) -> bool {
    let time = text.strip_suffix('s').unwrap_or(text);
    text.starts_with(['(', '['])
        || text.starts_with("coverage: ")
        || !time.is_empty()
            && time
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether the line may stand among the stacks of a package that ran out of time.
fn is_stack(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(['\t', ' '])
        || text.ends_with([')', '}'])
        || ["running tests:", "goroutine ", "created by ", "panic: "]
            .iter()
            .any(|start| text.starts_with(start))
}

/// `\tTestLock (3s)` below `running tests:`, or the frame of a test: `example.com/q.TestLock(0xc000…)`.
fn hung(text: &str) -> Option<&str> {
    let name = match text.strip_prefix('\t') {
        Some(listed) => listed.strip_suffix("s)")?.split_once(" (")?.0,
        None => text.split_once("(0x")?.0.rsplit_once('.')?.1,
    };
    let is_test = ["Test", "Fuzz", "Example", "Benchmark"]
        .iter()
        .any(|kind| name.starts_with(kind));
    (is_test && !name.contains(' ')).then_some(name)
}

/// `--- FAIL: TestTable/high (0.00s)`.
fn outcome(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("--- ")?;
    let (outcome, rest) = rest.split_at_checked(4)?;
    let known = matches!(outcome, "FAIL" | "PASS" | "SKIP");
    let named = rest.strip_prefix(": ").filter(|_| known)?;
    // The time stands last.
    let timed = named.strip_suffix("s)")?;
    let (name, _) = timed.split_at(memchr::memrchr(b'(', timed.as_bytes())?);
    Some((outcome, name.strip_suffix(' ')?))
}

fn running(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("=== ")?;
    let (word, name) = rest.split_once(' ')?;
    matches!(word, "RUN" | "CONT" | "PAUSE" | "NAME").then(|| (word, name.trim()))
}

#[cfg(test)]
mod tests {
    use super::super::{messages, sample};

    #[test]
    fn output_before_and_after_the_outcome() {
        let facts = sample(
            "=== RUN   TestNew\n    ring_test.go:30: r.Len() == 1; expected 0\n--- FAIL: TestNew (0.00s)\n=== RUN   TestOk\n--- PASS: TestOk (0.00s)\nFAIL\nFAIL\texample.com/a\t0.003s\n\
             --- FAIL: TestTable (0.00s)\n    --- FAIL: TestTable/high (0.00s)\n        t_test.go:4: sensor saturated\nFAIL\nFAIL\texample.com/ring\t0.003s\nFAIL\n",
        );
        let seen: Vec<_> = facts
            .failures
            .iter()
            .map(|failure| (failure.name.as_str(), failure.block.first().unwrap_or("-")))
            .collect();
        assert_eq!(
            seen,
            [
                ("TestNew", "ring_test.go:30: r.Len() == 1; expected 0"),
                ("TestTable", "-"),
                ("TestTable/high", "t_test.go:4: sensor saturated")
            ]
        );
        assert_eq!(facts.sessions[0].seen.words(), "3 failed, 1 passed");
    }

    #[test]
    fn tests_that_ran_when_the_time_was_over() {
        for stack in [
            "running tests:\n\tTestLock (3s)\n\ngoroutine 17 [running]:\ntesting.(*M).startAlarm.func1()\n\t/usr/lib/go/src/testing/testing.go:2036 +0x8e\n",
            "\ngoroutine 6 [chan receive]:\nexample.com/queue/lock.TestLock(0xc000007860)\n\t/srv/queue/lock/lock_test.go:9 +0x5b\n",
        ] {
            let facts = sample(&format!(
                "--- PASS: TestA (0.00s)\npanic: test timed out after 3s\n{stack}FAIL\texample.com/queue/lock\t3.010s\n"
            ));
            assert_eq!(
                messages(&facts),
                [("TestLock", "panic: test timed out after 3s")]
            );
        }
        // Whoever comes next is read.
        let facts = sample(
            "--- PASS: TestA (0.00s)\npanic: test timed out after 3s\n\nexit status 2\n1 failing\n=== RUN   TestB\n--- FAIL: TestB (0.00s)\n",
        );
        assert_eq!(messages(&facts), [("TestB", "")]);
        for name in ["TestA", "BenchmarkA"] {
            let text = format!(
                "=== RUN   TestB\n--- PASS: TestB (0.00s)\n--- FAIL: {name}\n--- FAIL: {name} (0.00s)\n"
            );
            assert_eq!(
                sample(&text).failures.len(),
                usize::from(name == "BenchmarkA")
            );
        }
    }

    #[test]
    fn a_test_that_never_began_was_printed() {
        let names = |text: &str| -> Vec<String> {
            let facts = sample(text);
            facts
                .failures
                .into_iter()
                .map(|failure| failure.name)
                .collect()
        };
        assert_eq!(
            names(
                "=== RUN   TestNoise\n--- FAIL: TestGhost (0.00s)\n--- FAIL: TestNoise (0.00s)\nFAIL\nFAIL\ta\t0.1s\n--- FAIL: TestOther (0.00s)\n"
            ),
            ["TestNoise", "TestOther"]
        );
        // The beginning of the output is missing, or that of the test.
        assert_eq!(
            names(
                "=== RUN   TestA/one\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\n"
            ),
            ["TestA", "TestA/one"]
        );
        assert_eq!(
            names(
                "=== RUN   TestA\n--- PASS: TestA (0.00s)\nprinted=== RUN   TestB\n--- FAIL: TestB (0.00s)\n"
            ),
            ["TestB"]
        );
    }
}
