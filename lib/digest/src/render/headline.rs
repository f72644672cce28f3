//! The first line: whether it failed, which tool, and the counts.

use super::super::aside::{Aside, Grade, grade};
use super::super::clean::cut_end;
use super::super::outline::Spot;
use super::super::{Digest, End, Problem, Severity};

impl Digest {
    /// `FAILED (exit 101) · cargo test: 7 failed, 81 passed · 1.2 s`. The exit status decides.
    pub(super) fn headline(&self, status_of: Option<&str>) -> String {
        let counts = self.counts.words();
        let mut parts = vec![self.state(status_of)];
        parts.push(match &self.tool {
            Some(tool) if self.results.len() > 1 || counts.is_empty() => tool.clone(),
            Some(tool) => format!("{tool}: {counts}"),
            None => format!(
                "{} lines, no test, build or lint result recognised",
                self.lines_in
            ),
        });
        if let Some(counted) = &self.counted {
            let words = counted.words();
            parts.push(format!("unverified: the single tests add up to {words}"));
        } else if let Some(named) = self.named_of_more() {
            let tests = if named == 1 { "test" } else { "tests" };
            parts.push(format!("unverified: {named} failing {tests} found by name"));
        }
        parts.extend(self.duration_ms.map(human));
        parts.join(" · ")
    }

    /// One line per tool, when there are several.
    pub(super) fn tool_lines(&self) -> Vec<String> {
        if self.results.len() < 2 {
            return Vec::new();
        }
        self.results
            .iter()
            .filter(|(_, counts)| !counts.is_empty())
            .map(|(tool, counts)| format!("{tool}: {}", counts.words()))
            .collect()
    }

    /// Whether a command whose run was not recognised, or what is shown as it is, states an error.
    fn has_errors_aside(&self) -> bool {
        let strong = |aside: &Aside| aside.apart && aside.grade == Grade::Strong;
        let noted = |(_, note): &(u64, String)| grade(note, true) == Grade::Strong;
        let stated = |spot: &Spot| grade(&spot.text, false) == Grade::Strong;
        match self.tool {
            Some(_) => self.asides.iter().any(strong) || self.notes.iter().any(noted),
            None => self.outline.spots.iter().any(stated),
        }
    }

    /// Whether an error is stated, whatever the exit status is.
    pub(super) fn has_errors(&self) -> bool {
        self.has_errors_listed() || self.has_errors_aside()
    }

    /// Whether one of a compiler or a linter is.
    pub(super) fn has_errors_listed(&self) -> bool {
        let error = |problem: &Problem| problem.severity == Severity::Error;
        self.problems.iter().any(error)
    }

    fn state(&self, status_of: Option<&str>) -> String {
        let failing = self.shows_failures();
        let errors = self.has_errors();
        let of = status_of.map_or(String::new(), |name| format!(" of {}", cut_end(name, 80)));
        match self.end {
            End::Exit(0) if failing => format!("FAILED (exit 0{of})"),
            End::Exit(0) if errors => format!("exit 0{of}, with errors"),
            End::Exit(0) if self.tool.is_some() => format!("ok (exit 0{of})"),
            End::Exit(0) => format!("exit 0{of}"),
            End::Exit(status) => format!("FAILED (exit {status}{of})"),
            End::Signal(signal) => format!("FAILED (ended by signal {signal})"),
            End::Unknown if failing => "FAILED (exit status unknown: read from a pipe)".to_owned(),
            End::Unknown => "exit status unknown (read from a pipe)".to_owned(),
        }
    }
}

/// `350 ms`, `1.2 s`, `3 m 20 s`.
fn human(took: u64) -> String {
    match took {
        0..1_000 => format!("{took} ms"),
        1_000..120_000 => format!("{}.{} s", took / 1_000, took % 1_000 / 100),
        _ => format!("{} m {} s", took / 60_000, took % 60_000 / 1_000),
    }
}
