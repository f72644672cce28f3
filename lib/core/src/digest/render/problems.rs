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
/// The least bytes for the places of one kind where the files stand apart, and the most files.
const PLACES_BYTES_MIN: usize = 160;
const FILES_MAX: usize = 60;

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
        let mut room = PLACES_BYTES.max(PLACES_BYTES_ALL / self.problems.len().max(1));
        if self.by_file
            && self
                .problems
                .iter()
                .any(|problem| bytes(&problem.places) > room)
        {
            // Not all places fit: then each file is named once, and the kinds share what is left.
            self.push_files(page);
            let texts: usize = self.problems.iter().map(|problem| problem.text.len()).sum();
            let left = page.bytes().saturating_sub(texts) / self.problems.len();
            room = left.clamp(PLACES_BYTES_MIN, PLACES_BYTES);
        }
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

impl Digest {
    fn push_files(&self, page: &mut Page) {
        let places = self.problems.iter().flat_map(|problem| &problem.places);
        let mut files: Vec<&str> = Vec::new();
        for place in places {
            let file = file(place);
            if !files.contains(&file) && files.len() < FILES_MAX {
                files.push(file);
            }
        }
        if files.len() > 1 {
            page.push_wide(&format!("in {}", files.join(" ")));
        }
    }
}

/// The file of a place.
fn file(place: &str) -> &str {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match place.rsplit_once(':') {
        Some((rest, column)) if digits(column) => file(rest),
        _ => place,
    }
}

/// What these places take in a row.
fn bytes(places: &[String]) -> usize {
    places.iter().map(|place| place.len() + 1).sum()
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
