//! A test that took the interpreter down.
//!
//! ```text
//! tests/test_a.py::test_b Fatal Python error: Segmentation fault
//!
//! Current thread 0x00007fe736feeb80 (most recent call first):
//!   File "/srv/x/tests/test_a.py", line 5 in test_b
//! ```

use super::super::super::count::Category;
use super::super::super::facts::{Facts, Ticket};
use super::super::super::place;
use super::super::Line;
use super::TOOL;

/// What Python says then.
pub(super) const FATAL: &str = "Fatal Python error: ";

/// Whether such a stack is read.
#[derive(Debug, Default)]
pub(super) struct Crash {
    error: Option<String>,
    /// The test, where its name stands before the error (`-v`).
    named: Option<(Ticket, String)>,
}

impl Crash {
    pub(super) fn is_open(&self) -> bool {
        self.error.is_some()
    }

    /// Reads a line, while pytest runs or not. What names no test is left to be shown as it is.
    pub(super) fn line(&mut self, line: &Line<'_>, runs: bool, facts: &mut Facts) -> bool {
        if let Some((before, error)) = line.text.split_once(FATAL) {
            let error = [FATAL, error].concat();
            let name = before.trim_end();
            let (module, is_name) = match name.split_once("::") {
                Some((module, _)) => (module, before.ends_with(' ') && !module.contains(' ')),
                None => ("", false),
            };
            self.named = is_name.then(|| (fail(name, &error, line.no, facts), module.to_owned()));
            self.error = (runs || is_name).then_some(error);
            return is_name;
        }
        let Some(error) = &self.error else {
            return false;
        };
        let text = line.trimmed();
        if !(text.is_empty() || text.starts_with("File \"") || text.contains("hread 0x")) {
            self.error = None;
            return false;
        }
        let Some((file, row)) = place::frame(text) else {
            return self.named.is_some();
        };
        let (_, function) = text.rsplit_once(" in ").unwrap_or_default();
        let at = match &self.named {
            Some((at, module)) => file.ends_with(module.as_str()).then_some(*at),
            None => function
                .starts_with("test")
                .then(|| fail(&format!("{file}::{function}"), error, line.no, facts)),
        };
        if let Some(at) = at {
            facts.place(at, &format!("{file}:{row}"));
            // What follows are the callers.
            self.error = None;
        }
        at.is_some() || self.named.is_some()
    }
}

fn fail(name: &str, error: &str, no: u64, facts: &mut Facts) -> Ticket {
    if facts.known(name).is_none() {
        facts.saw(TOOL, Category::Failed);
    }
    let at = facts.fail(TOOL, name, no);
    facts.message(at, error, no);
    at
}
