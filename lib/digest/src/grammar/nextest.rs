//! `cargo nextest run`.
//!
//! ```text
//!         FAIL [   0.013s] (2/3) edgedev tests::noisy
//!   stderr ───
//!     thread 'tests::noisy' (19219) panicked at src/lib.rs:6:84:
//!      Summary [   0.016s] 3 tests run: 1 passed, 2 failed, 1 skipped
//! ```

use super::super::count::{Category, duration, pairs};
use super::super::facts::{Facts, Ticket};
use super::super::place;
use super::{Cues, Grammar, Line, libtest};

/// The status of a test with its time, and what stands around the tests.
pub(super) const CUES: Cues = Cues::Any(
    overnight_base::texts!(
        "PASS [|FAIL [|EOUT [|TMT [|ABRT [|SEGV [|KILL [|BUS [|ILL [|TERM [|HUP [|INT [|QUIT [\
         |TRAP [|FPE [|PIPE [|ALRM [|LEAK [|LAKY [|SLOW [|BORT [|SKIP [|TRY |Summary [\
         |Nextest run|Starting "
    ),
    "",
);

const TOOL: &str = "cargo nextest";

/// The state of one lane.
#[derive(Debug, Default)]
pub(super) struct Nextest {
    /// In the output of this failing test.
    section: Option<Ticket>,
    running: bool,
    message_next: bool,
    /// The failing test that was listed last after the result: its output may stand there too.
    listed: Option<Ticket>,
    /// That output is being read; it is indented.
    last: bool,
}

impl Grammar for Nextest {
    fn line(&mut self, line: &Line<'_>, facts: &mut Facts) -> bool {
        if let Some((status, name)) = status(line) {
            self.status(status, name, line, facts);
            return true;
        }
        let text = line.trimmed();
        if let Some(rest) = text.strip_prefix("Summary [") {
            self.summary(rest, facts);
            return true;
        }
        if text.starts_with("Nextest run ID")
            || text.starts_with("Starting ") && text.contains(" across ")
        {
            facts.start(TOOL);
            self.running = true;
            return true;
        }
        if let Some(at) = self.listed
            && line.indent() > 0
            && (text.starts_with("stdout ─") || text.starts_with("stderr ─"))
        {
            (self.section, self.last) = (Some(at), true);
            return true;
        }
        let over = text.starts_with("────") || self.last && line.indent() == 0 && !text.is_empty();
        match self.section {
            Some(at) if !over => {
                self.detail(at, line, facts);
                true
            }
            _ => {
                self.section = None;
                false
            }
        }
    }

    fn is_open(&self) -> bool {
        self.section.is_some() || self.listed.is_some()
    }
}

impl Nextest {
    fn status(&mut self, status: &str, name: &str, line: &Line<'_>, facts: &mut Facts) {
        self.section = None;
        self.listed = None;
        self.last = false;
        let listed = !self.running;
        match status {
            "TRY" if !listed => {}
            "PASS" | "LEAK" | "FLAKY" | "SLOW" | "SKIP" => {
                if status == "PASS" && !listed {
                    facts.saw(TOOL, Category::Passed);
                }
            }
            _ => {
                let known = facts.known(name).is_some();
                let at = facts.fail(TOOL, name, line.no);
                if !known && !listed {
                    facts.saw(TOOL, Category::Failed);
                }
                if listed {
                    self.listed = Some(at);
                } else {
                    self.section = Some(at);
                }
            }
        }
    }

    fn summary(&mut self, rest: &str, facts: &mut Facts) {
        self.section = None;
        self.running = false;
        let (took, rest) = rest.split_once(']').unwrap_or(("", rest));
        let (total, rest) = rest.split_once(':').unwrap_or(("", rest));
        let mut counts = pairs(rest);
        let total = total
            .trim()
            .split(['/', ' '])
            .next()
            .and_then(|number| number.parse().ok());
        if let Some(total) = total {
            counts.add(Category::Total, total);
        }
        for category in [Category::Failed, Category::Skipped] {
            if counts.get(category).is_none() {
                counts.add(category, 0);
            }
        }
        facts.result(TOOL, counts, duration(took));
    }

    fn detail(&mut self, at: Ticket, line: &Line<'_>, facts: &mut Facts) {
        let text = line.trimmed();
        if let Some((_, place)) = libtest::panicked(text) {
            if let (Some(place), Some(failure)) = (place::anywhere(place), facts.failure(at)) {
                failure.block.at(place);
            }
            self.message_next = true;
        } else if std::mem::take(&mut self.message_next) {
            facts.message(at, text, line.no);
        } else if !is_harness(text) {
            facts.detail(at, text, line.no);
        }
    }
}

/// What the inner harness prints about the one test it ran.
fn is_harness(text: &str) -> bool {
    text.starts_with("running ")
        || text == "failures:"
        || text.starts_with("test ")
        || text.ends_with("───")
        || text.starts_with("--- ")
        || text.starts_with("Cancel")
        || !text.contains([' ', ':']) && text.len() < 3
        || !text.contains(' ') && text.contains("::")
}

/// `FAIL [   0.013s] (2/3) edgedev tests::noisy`.
fn status<'t>(line: &Line<'t>) -> Option<(&'t str, &'t str)> {
    const WORDS: &[&str] =
        overnight_base::words!("PASS FAIL TIMEOUT TMT LEAK FLAKY SLOW ABORT LEAK-FAIL XFAIL SKIP");
    /// By which a test ends itself, or is ended.
    const SIGNALS: &[&str] = &[
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "SEGV", "PIPE", "ALRM",
        "TERM",
    ];
    let text = line.trimmed();
    let (head, rest) = text.split_once(" [")?;
    let (time, rest) = rest.split_once(']')?;
    let rest = rest.trim_start();
    let numbered = rest
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(") "));
    let name = numbered.map_or(rest, |(_, name)| name.trim_start());
    let known = |head: &str| {
        // `SIGSEGV`; where it was tried several times, `SEGV`.
        let signal = head.strip_prefix("SIG").unwrap_or(head);
        let word = WORDS.iter().find(|word| **word == head).copied();
        word.or_else(|| SIGNALS.contains(&signal).then_some("FAIL"))
    };
    let word = match head.strip_prefix("TRY ") {
        Some(tried) => {
            let (_, word) = tried.split_once(' ')?;
            // The last try decides: it has the test's number. Older ones repeat it without `TRY`.
            match numbered {
                Some((number, _)) if number.contains(|c: char| c.is_ascii_digit()) => known(word)?,
                _ if word == "PASS" => "FLAKY",
                Some(_) => "SKIP",
                // Without numbers only the list at the end tells which try was the last.
                None => "TRY",
            }
        }
        None => known(head)?,
    };
    let timed = time
        .trim_start_matches(['>', ' '])
        .starts_with(|byte: char| byte.is_ascii_digit());
    (line.indent() >= 2 && timed && !name.is_empty()).then_some((word, name))
}

#[cfg(test)]
mod tests {
    use super::super::{messages, names, sample, stated};

    #[test]
    fn inner_harness_output_is_no_result() {
        let facts = sample(
            " Nextest run ID x\n        FAIL [   0.01s] (1/2) e t::n\n  stdout ───\n    running 1 test\n    test t::n ... FAILED\n\
             \n    test result: FAILED. 0 passed; 1 failed\n  stderr ───\n    thread 't::n' (1) panicked at src/lib.rs:6:8:\n    boom\n\
             ────────────\n     Summary [   0.016s] 2 tests run: 1 passed, 1 failed, 1 skipped\n        FAIL [   0.01s] (1/2) e t::n\n",
        );
        assert_eq!(facts.failures.len(), 1);
        assert_eq!(facts.failures[0].block.first(), Some("boom"));
        assert_eq!(stated(&facts), "1 failed, 1 passed, 1 skipped, 2 total");
        assert_eq!(facts.tools, ["cargo nextest"]);
    }

    #[test]
    fn a_test_that_a_signal_ends_is_named() {
        let facts = sample(
            " Nextest run ID x\n  SIGSEGV [   0.01s] (1/3) e t::wreck\n  TRY 1 ABRT [   0.01s] (───) e t::deep\n  TRY 2 ABRT [   0.01s] (2/3) e t::deep\n  SIGTERM [   0.01s] (3/3) e t::slow\n\
             ────────────\n     Summary [   0.6s] 3 tests run: 0 passed, 3 failed, 0 skipped\n",
        );
        assert_eq!(names(&facts), ["e t::wreck", "e t::deep", "e t::slow"]);
    }

    #[test]
    fn without_numbers_the_list_at_the_end_tells_which_try_was_the_last() {
        let facts = sample(
            " Nextest run ID x\n  TRY 1 FAIL [   0.2s] e t::f\n  TRY 2 PASS [   0.1s] e t::f\n  TRY 1 FAIL [   0.2s] e t::n\n  TRY 2 FAIL [   0.2s] e t::n\n\
             ────────────\n     Summary [   0.6s] 2 tests run: 1 passed (1 flaky), 1 failed, 0 skipped\n  TRY 2 FAIL [   0.2s] e t::n\n  stderr ───\n\n    thread 't::n' (2) panicked at src/lib.rs:6:8:\n    twice\n",
        );
        assert_eq!(messages(&facts), [("e t::n", "twice")]);
        assert_eq!(
            stated(&facts),
            "1 failed, 1 passed, 0 skipped, 1 flaky, 2 total"
        );
    }

    #[test]
    fn the_last_try_of_a_test_decides() {
        let facts = sample(
            " Nextest run ID x\n  TRY 1 FAIL [   0.2s] (───────) e t::n\n  stderr ───\n    thread 't::n' (1) panicked at src/lib.rs:6:8:\n    once\n\
             \n  TRY 1 FAIL [   0.2s] (───────) e t::f\n  TRY 2 PASS [   0.1s] (1/2) e t::f\n\
             \n  TRY 2 FAIL [   0.2s] (2/2) e t::n\n  stderr ───\n    thread 't::n' (2) panicked at src/lib.rs:6:8:\n    twice\n\
             ────────────\n     Summary [   0.6s] 2 tests run: 1 passed (1 flaky), 1 failed, 0 skipped\n  TRY 2 FAIL [   0.2s] (2/2) e t::n\n",
        );
        assert_eq!(facts.failures.len(), 1);
        assert_eq!(facts.failures[0].name, "e t::n");
        assert_eq!(facts.failures[0].block.first(), Some("twice"));
    }
}
