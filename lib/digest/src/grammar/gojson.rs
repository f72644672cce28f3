//! `go test -json`: one object a line.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::block::Block;
use super::super::count::Category;
use super::super::facts::{Facts, Ticket};
use super::{Cues, Grammar, Line};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(&["\"Action\":\""], "");

const TOOL: &str = "go test";

/// The most tests whose output is remembered until their outcome is known.
const RUNNING_MAX: usize = 256;

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Gojson {
    running: BTreeMap<(String, String), Block>,
    /// The package of each failing test that is named without it.
    owners: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    test: String,
    #[serde(default)]
    output: String,
}

impl Grammar for Gojson {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if !(line.text.starts_with('{') && line.text.contains("\"Action\":\"")) {
            return false;
        }
        let Ok(event) = serde_json::from_str::<Event>(line.text) else {
            return false;
        };
        facts.tool(TOOL);
        let key = (event.package, event.test);
        match event.action.as_str() {
            "output" if !key.1.is_empty() => {
                let wanted = facts.wants(&key.1);
                self.output(key, &event.output, wanted);
            }
            "build-output" | "output" => package(&event.output, line, facts),
            "pass" | "fail" | "skip" if !key.1.is_empty() => {
                self.outcome(&event.action, &key, line, facts);
            }
            // The package's own: no test prints one.
            "pass" | "fail" | "skip" => facts.ground(TOOL),
            _ => {}
        }
        true
    }
}

impl Gojson {
    fn output(&mut self, key: (String, String), output: &str, wanted: bool) {
        let text = output.trim();
        if !wanted || text.starts_with("=== ") || text.starts_with("--- ") {
            return;
        }
        if self.running.len() >= RUNNING_MAX && !self.running.contains_key(&key) {
            self.running.pop_first();
        }
        self.running.entry(key).or_default().push(text);
    }

    fn outcome(
        &mut self,
        action: &str,
        key: &(String, String),
        line: &Line<'_>,
        facts: &mut Facts,
    ) {
        let block = self.running.remove(key);
        match action {
            "pass" => facts.saw(TOOL, Category::Passed),
            "skip" => facts.saw(TOOL, Category::Skipped),
            _ => {
                facts.saw(TOOL, Category::Failed);
                // The same name may fail in several packages, and again in a run of its own.
                let others = |owner: Option<&String>| owner.is_none_or(|owner| *owner != key.0);
                let known = facts.known(&key.1).is_some();
                let name = if known && others(self.owners.get(&key.1)) {
                    facts.mention(&key.1);
                    format!("{}.{}", key.0, key.1)
                } else {
                    key.1.clone()
                };
                let at = facts.fail(TOOL, &name, line.no);
                if !known && at != Ticket::NONE {
                    self.owners.insert(key.1.clone(), key.0.clone());
                }
                if let (Some(block), Some(failure)) = (block, facts.failure(at))
                    && failure.block.is_empty()
                {
                    failure.block = block;
                }
            }
        }
    }
}

/// Output of a package: build errors and panics outside of tests.
fn package(output: &str, line: &Line<'_>, facts: &mut Facts) {
    let text = output.trim();
    if text.starts_with("panic: ")
        || text.contains("[build failed]")
        || text.contains("[setup failed]")
        || text.contains(".go:")
    {
        facts.note(text, line.no);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{names, sample};

    #[test]
    fn events_give_outcome_and_output() {
        let event = |rest: &str| format!("{{\"Time\":\"x\",\"Action\":\"{rest}}}\n");
        let text = [
            event(
                "output\",\"Package\":\"p\",\"Test\":\"TestA\",\"Output\":\"    t_test.go:3: C2F(0)=30, want 32\\n\"",
            ),
            event("fail\",\"Package\":\"p\",\"Test\":\"TestA\",\"Elapsed\":0"),
            event("pass\",\"Package\":\"p\",\"Test\":\"TestB\""),
            event("fail\",\"Package\":\"p\""),
        ];
        let facts = sample(&text.concat());
        assert_eq!(facts.failures.len(), 1);
        assert_eq!(
            facts.failures[0].block.first(),
            Some("t_test.go:3: C2F(0)=30, want 32")
        );
        assert_eq!(facts.sessions[0].seen.words(), "1 failed, 1 passed");
    }

    #[test]
    fn a_test_that_fails_again_is_the_same() {
        let fail = |package: &str| {
            format!(
                "{{\"Time\":\"x\",\"Action\":\"fail\",\"Package\":\"{package}\",\"Test\":\"TestA\"}}\n"
            )
        };
        let facts = sample(&[fail("p"), fail("q"), fail("p"), fail("q")].concat());
        assert_eq!(names(&facts), ["TestA", "q.TestA"]);
    }
}
