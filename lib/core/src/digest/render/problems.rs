//! Compile errors and lints: one line per kind, errors first.

use super::super::problem::{Problem, Severity};
use super::super::{Digest, clean::cut_end};
use super::page::Page;

/// Warnings shown beside errors or failing tests, and those shown after a success.
const WARNINGS_BESIDE: usize = 3;
const WARNINGS_ALONE: usize = 16;
/// Those of a linter that let the run pass: they are its result.
const LINTS_ALONE: usize = 40;
/// Bytes for the places of one kind, and of all kinds together: of a few kinds more are shown.
const PLACES_BYTES: usize = 620;
const PLACES_BYTES_ALL: usize = 2_400;

impl Digest {
    pub(super) fn push_problems(&self, page: &mut Page) {
        let errors = self
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error);
        let others = self
            .problems
            .iter()
            .filter(|problem| problem.severity != Severity::Error);
        let room = PLACES_BYTES.max(PLACES_BYTES_ALL / self.problems.len().max(1));
        let mut hidden = 0_u64;
        let mut any = !self.failures.is_empty();
        for problem in errors {
            any = true;
            if page.lines() < 2 || !page.push_wide(&row(problem, room)) {
                hidden += problem.count;
            }
        }
        let most = match (any, self.is_failure()) {
            (true, _) if !self.lint => WARNINGS_BESIDE,
            (_, true) => usize::MAX,
            (_, false) if self.lint => LINTS_ALONE,
            (_, false) => WARNINGS_ALONE,
        };
        for (at, problem) in others.enumerate() {
            let aside = !self.lint && (any || at >= WARNINGS_ALONE);
            let note = problem.severity == Severity::Note && aside;
            if at >= most || note || page.lines() < 2 || !page.push_wide(&row(problem, room)) {
                hidden += problem.count;
            }
        }
        if hidden > 0 {
            page.push(&format!("{hidden} more problems in the log"));
        }
    }
}

fn row(problem: &Problem, room: usize) -> String {
    let note = problem
        .note
        .as_deref()
        .map_or(String::new(), |note| format!(" ({note})"));
    let times = match (problem.count, problem.more) {
        (count, true) => format!("×{count} or more"),
        (count, false) => format!("×{count}"),
    };
    match problem.places.as_slice() {
        [] if problem.count > 1 => format!("{}{note} ({times})", problem.text),
        [] => format!("{}{note}", problem.text),
        [place] if problem.count == 1 => {
            let colon = if problem.apart || problem.text.starts_with([':', '-']) {
                ""
            } else {
                ":"
            };
            format!("{place}{colon} {}{note}", problem.text)
        }
        places => {
            let mut row = format!("{} ({times}):", problem.text);
            let mut bytes = 0;
            for place in places {
                if bytes + place.len() > room {
                    row.push_str(" …");
                    break;
                }
                // Places of several words are told apart by commas.
                if bytes > 0 && place.contains(' ') {
                    row.push(',');
                }
                bytes += place.len() + 1;
                row.push(' ');
                row.push_str(&cut_end(place, 200));
            }
            row
        }
    }
}
