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
use super::{Grammar, Line};

const TOOL: &str = "go test";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Gotest {
    /// The test that runs (`-v`), and what it printed.
    running: Option<(String, Block)>,
    /// A failing test whose output follows.
    open: Option<Ticket>,
    /// In a panic: the frames of the goroutines are left out.
    panic: bool,
}

impl Grammar for Gotest {
    fn line(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let text = line.trimmed();
        if let Some((outcome, name)) = outcome(text) {
            self.outcome(outcome, name, line, facts);
            return true;
        }
        if let Some((word, name)) = running(line.text) {
            self.open = None;
            if word == "RUN" || self.running.is_none() {
                self.running = Some((name.to_owned(), Block::default()));
            }
            return true;
        }
        if self.package(line, facts) {
            return true;
        }
        if line.text.starts_with("panic: ") && !line.text.contains("[recovered]")
            || line.text.starts_with("fatal error: ")
        {
            self.panic(line, facts);
            return true;
        }
        if let Some(at) = self.open {
            if line.indent() > 0 || self.panic || line.text.is_empty() {
                if !(self.panic && line.indent() == 0) {
                    facts.detail(at, text, line.no);
                }
                return true;
            }
            self.open = None;
            return false;
        }
        if let Some((_, block)) = &mut self.running
            && (line.indent() > 0 || text.contains("Error"))
        {
            block.push(text);
            return true;
        }
        false
    }

    fn is_open(&self) -> bool {
        self.open.is_some() || self.running.is_some()
    }
}

impl Gotest {
    fn outcome(&mut self, outcome: &str, name: &str, line: Line<'_>, facts: &mut Facts) {
        facts.tool(TOOL);
        self.panic = false;
        let ran = self
            .running
            .take_if(|(running, _)| running == name)
            .map(|(_, block)| block);
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
    fn package(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let text = line.text;
        let mut parts = text.split('\t');
        let (first, second) = (parts.next().unwrap_or_default().trim(), parts.next());
        let third = parts.next();
        let known = match (first, second) {
            ("ok" | "FAIL" | "---", Some(_)) => true,
            ("?", Some(_)) => third.is_some_and(|third| third.contains("no test files")),
            _ => false,
        };
        if known {
            self.open = None;
            self.running = None;
            self.panic = false;
            facts.tool(TOOL);
            if first == "FAIL" && text.contains("[build failed]") || text.contains("[setup failed]")
            {
                facts.note(text, line.no);
            }
            return true;
        }
        let last = matches!(text, "FAIL" | "PASS");
        if last && (facts.tools.contains(&TOOL) || self.running.is_some()) {
            self.open = None;
            return true;
        }
        false
    }

    fn panic(&mut self, line: Line<'_>, facts: &mut Facts) {
        let name = self.running.as_ref().map(|(name, _)| name.clone());
        let at = match (self.open, name) {
            (Some(at), _) => at,
            (None, Some(name)) => facts.fail(TOOL, &name, line.no),
            (None, None) => {
                facts.note(line.text, line.no);
                return;
            }
        };
        facts.message(at, line.text, line.no);
        self.open = Some(at);
        self.panic = true;
    }
}

/// `--- FAIL: TestTable/high (0.00s)`.
fn outcome(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("--- ")?;
    let (outcome, name) = rest.split_once(": ")?;
    let known = matches!(outcome, "FAIL" | "PASS" | "SKIP");
    let name = name
        .rsplit_once(" (")
        .filter(|(_, time)| time.ends_with("s)"))
        .map(|(name, _)| name)?;
    known.then_some((outcome, name))
}

fn running(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("=== ")?;
    let (word, name) = rest.split_once(' ')?;
    matches!(word, "RUN" | "CONT" | "PAUSE" | "NAME").then(|| (word, name.trim()))
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn output_before_and_after_the_outcome() {
        let facts = sample(
            "=== RUN   TestNew\n    ring_test.go:30: r.Len() == 1; expected 0\n--- FAIL: TestNew (0.00s)\n=== RUN   TestOk\n--- PASS: TestOk (0.00s)\n\
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
}
