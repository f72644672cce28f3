//! Compile errors and lints: one line per kind, errors first.

use super::super::problem::{Problem, Severity};
use super::super::{Digest, clean::cut_end};
use super::page::Page;

/// Warnings shown beside errors or failing tests, and those shown after a success.
const WARNINGS_BESIDE: usize = 3;
const WARNINGS_ALONE: usize = 6;
/// Bytes for the places of one kind.
const PLACES_BYTES: usize = 620;

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
        let mut hidden = 0_u64;
        let mut any = !self.failures.is_empty();
        for problem in errors {
            any = true;
            if page.lines() < 2 || !page.push(&row(problem)) {
                hidden += problem.count;
            }
        }
        let most = match (any, self.is_failure()) {
            (true, _) if !self.lint => WARNINGS_BESIDE,
            (_, true) => usize::MAX,
            (_, false) => WARNINGS_ALONE,
        };
        for (at, problem) in others.enumerate() {
            let note = problem.severity == Severity::Note && (any || at >= WARNINGS_ALONE);
            if at >= most || note || page.lines() < 2 || !page.push(&row(problem)) {
                hidden += problem.count;
            }
        }
        if hidden > 0 {
            page.push(&format!("{hidden} more problems in the log"));
        }
    }
}

fn row(problem: &Problem) -> String {
    let note = problem
        .note
        .as_deref()
        .map_or(String::new(), |note| format!(" ({note})"));
    match problem.places.as_slice() {
        [] if problem.count > 1 => format!("{}{note} (×{})", problem.text, problem.count),
        [] => format!("{}{note}", problem.text),
        [place] if problem.count == 1 => {
            let colon = if problem.text.starts_with([':', '-']) {
                ""
            } else {
                ":"
            };
            format!("{place}{colon} {}{note}", problem.text)
        }
        places => {
            let mut row = format!("{} (×{}):", problem.text, problem.count);
            let mut bytes = 0;
            for place in places {
                if bytes + place.len() > PLACES_BYTES {
                    row.push_str(" …");
                    break;
                }
                bytes += place.len() + 1;
                row.push(' ');
                row.push_str(&cut_end(place, 200));
            }
            row
        }
    }
}
