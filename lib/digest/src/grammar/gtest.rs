//! C++ tests: `GoogleTest`.
//!
//! ```text
//! [ RUN      ] Vec.Len
//! v.cpp:2: Failure
//! [  FAILED  ] Vec.Len (0 ms)
//! ```

use super::super::block::Block;
use super::super::count::{Category, figure};
use super::super::facts::Facts;
use super::super::place;
use super::{Cues, Grammar, Line, begins_run};

/// What gives its lines away.
pub(super) const CUES: Cues = Cues::Any(&[": Failure"], "[");

const TOOL: &str = "gtest";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Gtest {
    running: Option<Running>,
}

/// The test that runs.
#[derive(Debug)]
struct Running {
    name: String,
    /// What it printed.
    block: Block,
    /// The line where it began.
    first: u64,
    /// That is wanted, should it fail.
    wanted: bool,
    own: Own,
    /// Known by its failure alone: with `--gtest_brief=1` there is no line where it begins.
    brief: bool,
    /// Another program began: this one died in the test, unless it goes on.
    left: bool,
}

/// So many lines a failure in brief may have: nobody says that its test ends.
const BRIEF_MAX: u64 = 200;

/// What googletest says of a failure itself.
const OWN_WORDS: [&str; 9] = [
    "Expected",
    "Value of:",
    "Actual",
    "The difference",
    "Failed",
    "C++ exception",
    "Which is:",
    "Death test:",
    "Result:",
];

/// Tells what a test says of its failure from what googletest says.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// Below `Failure`: it may follow.
    failing: bool,
}

impl Own {
    /// Whether this line is the test's own message.
    pub(super) fn is_message(&mut self, line: &Line<'_>) -> bool {
        let text = line.text;
        if text.ends_with(": Failure") {
            self.failing = true;
            return false;
        }
        let theirs = line.indent() > 0
            || text.contains(" evaluates to ")
            || OWN_WORDS.iter().any(|word| text.starts_with(word));
        !theirs && !text.is_empty() && std::mem::take(&mut self.failing)
    }
}

impl Running {
    fn new(name: &str, first: u64, wanted: bool) -> Self {
        Self {
            name: name.to_owned(),
            block: Block::default(),
            first,
            wanted,
            own: Own::default(),
            brief: false,
            left: false,
        }
    }

    /// A line without a tag; false when it is not the test's.
    fn says(&mut self, line: &Line<'_>) -> bool {
        self.left |= begins_run(line.text);
        if self.wanted && !self.left {
            self.keep(line);
        }
        !self.left
    }

    fn keep(&mut self, line: &Line<'_>) {
        if self.own.is_message(line) {
            self.block.message(line.text);
        } else {
            self.block.push(line.text);
        }
    }
}

impl Grammar for Gtest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        // Of cmocka; what a test says may begin so too.
        if let Some(name) = line.text.strip_prefix("[  ERROR   ] ")
            && self.running.is_some()
            && line.previous().starts_with(b"Could not run test")
        {
            self.failed(name, line, facts);
            return true;
        }
        let Some((word, rest)) = tag(line.text) else {
            if self.running.is_none() && is_failure(line.text) {
                self.running = Some(Running {
                    brief: true,
                    ..Running::new("", line.no, facts.wants(""))
                });
            }
            self.running
                .take_if(|running| running.brief && line.no - running.first > BRIEF_MAX);
            if is_crash(line.text) && self.running.is_some() {
                self.died(line.text, facts);
                return true;
            }
            return self.running.as_mut().is_some_and(|it| it.says(line));
        };
        // The totals come when no test runs: these are a test's own words.
        if self.running.is_some() && matches!(word, "PASSED" | "FAILED") && total(rest).is_some() {
            return true;
        }
        match word {
            "==========" | "----------" => {
                self.running = None;
                if word.starts_with('=') && rest.starts_with("Running ") {
                    facts.start(TOOL);
                } else if word.starts_with('=')
                    && (rest.contains(" ran.") || rest.ends_with(" run."))
                {
                    self.total(Category::Total, rest, facts);
                }
            }
            "RUN" => {
                self.running = Some(Running::new(rest, line.no, facts.wants(rest)));
            }
            "OK" => {
                self.running = None;
                facts.saw(TOOL, Category::Passed);
            }
            "PASSED" => {
                self.total(Category::Passed, rest, facts);
                facts.part(TOOL, Category::Skipped, 0);
            }
            "SKIPPED" if total(rest).is_some() => self.total(Category::Skipped, rest, facts),
            "SKIPPED" if self.running.take().is_some() => facts.saw(TOOL, Category::Skipped),
            "FAILED" if total(rest).is_some() => self.total(Category::Failed, rest, facts),
            "FAILED" => self.failed(rest, line, facts),
            _ => {}
        }
        true
    }

    fn is_open(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.left)
    }

    fn end(&mut self, facts: &mut Facts) {
        if facts.failed == Some(true) {
            self.died("did not end", facts);
        }
    }
}

impl Gtest {
    fn total(&mut self, category: Category, rest: &str, facts: &mut Facts) {
        self.running = None;
        if let Some(number) = total(rest) {
            facts.now.sums = true;
            facts.part(TOOL, category, number);
        }
    }

    /// The program died in the test that ran.
    fn died(&mut self, how: &str, facts: &mut Facts) {
        let Some(running) = self.running.take().filter(|it| !it.brief) else {
            return;
        };
        facts.saw(TOOL, Category::Failed);
        let at = facts.fail(TOOL, &running.name, running.first);
        if let Some(failure) = facts.failure(at) {
            failure.block = running.block;
        }
        facts.message(at, how, facts.now.no);
    }

    fn failed(&mut self, rest: &str, line: &Line<'_>, facts: &mut Facts) {
        let name = rest.split(" (").next().unwrap_or(rest);
        let name = name.split(", where ").next().unwrap_or(name).trim();
        let running = self.running.take();
        if running.is_some() || rest.ends_with(" ms)") {
            facts.saw(TOOL, Category::Failed);
        }
        let at = facts.fail(TOOL, name, line.no);
        if let Some(running) = running.filter(|running| running.wanted)
            && let Some(failure) = facts.failure(at)
        {
            failure.block = running.block;
            failure.log_lines = (running.first, line.no);
        }
    }
}

/// `bash: line 1: 31531 Aborted   ./t`: what a shell says of a program that a signal ended.
fn is_crash(text: &str) -> bool {
    const SIGNALS: [&str; 8] = [
        "Aborted",
        "Segmentation fault",
        "Bus error",
        "Floating point exception",
        "Illegal instruction",
        "Trace/breakpoint trap",
        "Killed",
        "Terminated",
    ];
    let said = text.rsplit(": ").next().unwrap_or(text);
    let said = said.trim_start_matches(|found: char| found.is_ascii_digit() || found == ' ');
    SIGNALS.iter().any(|signal| {
        let rest = said.strip_prefix(signal);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with("  ") || rest == " (core dumped)"
        }) || rest.is_some_and(|rest| rest.starts_with(" (core dumped)  "))
    })
}

/// `v.cpp:2: Failure`, and what is thrown comes from an `unknown file`.
fn is_failure(text: &str) -> bool {
    text.strip_suffix(": Failure").is_some_and(|place| {
        place == "unknown file" || place::leading(place).is_some_and(|(_, end)| end == place.len())
    })
}

/// `[  FAILED  ] Vec.Len (0 ms)`.
pub(super) fn tag(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('[')?;
    let (word, rest) = rest.split_once(']')?;
    let known = matches!(
        word.trim(),
        "RUN" | "OK" | "FAILED" | "PASSED" | "SKIPPED" | "DISABLED" | "==========" | "----------"
    );
    (known && word.len() == 10).then(|| (word.trim(), rest.trim()))
}

/// `2 tests, listed below:`.
fn total(rest: &str) -> Option<u64> {
    let (number, rest) = rest.split_once(' ')?;
    rest.starts_with("test").then(|| figure(number)).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Digester, End, Options};
    use super::super::{names, sample, stated};

    #[test]
    fn the_test_in_which_the_program_died_failed() {
        let head = "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] V.L\n[       OK ] V.L (0 ms)\n[ RUN      ] V.X\nabout to\n";
        for (rest, exit, named) in [
            (
                "bash: line 1: 31531 Aborted                 ./mt\nx.py:1: E1: no\n",
                134,
                true,
            ),
            ("Segmentation fault (core dumped)\n", 139, true),
            ("", 134, true),
            // `| head`
            ("", 0, false),
        ] {
            let mut digester = Digester::new(Options::default());
            digester.push(format!("{head}{rest}").as_bytes());
            let digest = digester.finish(End::Exit(exit), None);
            let names: Vec<&str> = digest
                .failures
                .iter()
                .map(|failure| &*failure.name)
                .collect();
            assert_eq!(names == ["V.X"], named, "{rest} {names:?}");
        }
    }

    #[test]
    fn a_test_that_prints_a_total_still_runs() {
        let facts = sample(
            "[==========] Running 1 test from 1 test suite.\n[ RUN      ] V.L\n[  PASSED  ] 99 tests. (noise)\nv.cpp:2: Failure\nValue of: false\ndot is off\n[  FAILED  ] V.L (0 ms)\n\
             [==========] 1 test from 1 test suite ran. (3 ms total)\n[  PASSED  ] 0 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] V.L\n",
        );
        assert_eq!(facts.failures[0].block.first(), Some("dot is off"));
        assert_eq!(stated(&facts), "1 failed, 0 passed, 0 skipped, 1 total");
    }

    #[test]
    fn a_test_of_cmocka_may_not_run_at_all() {
        let facts = sample(
            "[==========] Running 2 test(s).\n[ RUN      ] t_pop\n[  ERROR   ] --- 0 != 0x5\n[   LINE   ] --- t.c:10: error: Failure!\n[  FAILED  ] t_pop\n\
             [ RUN      ] t_ok\nCould not run test: Test setup failed\n[  ERROR   ] t_ok\n[==========] 2 test(s) run.\n[  PASSED  ] 0 test(s).\n",
        );
        assert_eq!(names(&facts), ["t_pop", "t_ok"]);
        let said = "Could not run test: Test setup failed";
        assert_eq!(facts.failures[1].block.first(), Some(said));
    }

    #[test]
    fn in_brief_a_failure_begins_its_test() {
        let facts = sample(
            "unknown file: Failure\nC++ exception with description \"poisoned\" thrown in the test body.\n[  FAILED  ] R.Throws (0 ms)\n\
             g.cpp:5: Failure\nExpected: (n) < (3u), actual: 3 vs 3\nring grew\n[  FAILED  ] R.Drops (0 ms)\n\
             [==========] 2 tests from 1 test suite ran. (3 ms total)\n[  PASSED  ] 0 tests.\n",
        );
        let [throws, drops] = &facts.failures[..] else {
            panic!("{:?}", facts.failures);
        };
        let said = "C++ exception with description \"poisoned\" thrown in the test body.";
        assert_eq!(
            (throws.name.as_str(), throws.block.first()),
            ("R.Throws", Some(said))
        );
        assert_eq!(drops.name, "R.Drops");
        assert!(drops.block.lines.contains(&(0, "ring grew".to_owned())));
    }

    #[test]
    fn gtest_results() {
        let facts = sample(
            "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] V.L\nv.cpp:2: Failure\nValue of: false\ndot is off\n[  FAILED  ] V.L (0 ms)\n[ RUN      ] V.O\n\
             [       OK ] V.O (0 ms)\n[==========] 2 tests from 1 test suite ran. (3 ms total)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] V.L\n",
        );
        assert_eq!(stated(&facts), "1 failed, 1 passed, 0 skipped, 2 total");
        assert_eq!(
            facts.failures[0].block.place.as_ref().unwrap().shown,
            "v.cpp:2"
        );
        let said = (0, "dot is off".to_owned());
        assert!(facts.failures[0].block.lines.contains(&said));
    }
}
