//! Compile errors and lints: one line per kind, errors first.

use std::collections::BTreeMap;

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
/// Bytes of a row besides its text and places.
const ROW_BYTES: usize = 12;

impl Digest {
    pub(super) fn push_problems(&self, page: &mut Page) {
        let most = PLACES_BYTES.max(PLACES_BYTES_ALL / self.problems.len().max(1));
        let wide = |problem: &Problem| bytes(&problem.places) > most;
        let rooms = if self.by_file && self.problems.iter().any(wide) {
            // Not all places fit: then each file is named once, and the kinds share what is left.
            self.push_files(page);
            let share = self.left(page) / self.problems.len();
            vec![share.clamp(PLACES_BYTES_MIN, PLACES_BYTES); self.problems.len()]
        } else {
            self.rooms(most, self.left(page))
        };
        let mut hidden = 0_u64;
        let kept = 2 + self.stated_elsewhere();
        let mut any = !self.failures.is_empty();
        let all = || self.problems.iter().zip(rooms.iter().copied());
        let errors = all().filter(|(problem, _)| problem.severity == Severity::Error);
        let others = all().filter(|(problem, _)| problem.severity != Severity::Error);
        for (problem, room) in errors {
            any = true;
            if page.lines() < kept || !page.push_wide(&row(problem, room)) {
                hidden += problem.count;
            }
        }
        let most = match (any, self.is_failure()) {
            (true, _) if !self.lint => WARNINGS_BESIDE,
            (_, true) => usize::MAX,
            (_, false) if self.lint => LINTS_ALONE,
            (_, false) => WARNINGS_ALONE,
        };
        for (at, (problem, room)) in others.enumerate() {
            let aside = !self.lint && (any || at >= WARNINGS_ALONE);
            let note = problem.severity == Severity::Note && aside;
            if at >= most || note || page.lines() < kept || !page.push_wide(&row(problem, room)) {
                hidden += problem.count;
            }
        }
        if hidden > 0 {
            page.push(&format!("{hidden} more problems in the log"));
        }
    }
}

impl Digest {
    /// The bytes that the texts of all kinds leave for places.
    fn left(&self, page: &Page) -> usize {
        let texts = self.problems.iter().take(page.lines());
        let texts: usize = texts.map(|problem| problem.text.len() + ROW_BYTES).sum();
        page.bytes().saturating_sub(texts)
    }

    /// The bytes for the places of each kind, at most so many of one and of all together. Where they do
    /// not fit, the first files have all of theirs.
    fn rooms(&self, most: usize, all: usize) -> Vec<usize> {
        let each = self.problems.iter();
        let wanted: Vec<usize> = each
            .map(|problem| bytes(&problem.places).min(most))
            .collect();
        if wanted.iter().sum::<usize>() <= all {
            return wanted;
        }
        let mut files: BTreeMap<&str, usize> = BTreeMap::new();
        let mut places = Vec::new();
        for (kind, problem) in self.problems.iter().enumerate() {
            for place in &problem.places {
                let file = file(place);
                let line = line_of(&place[file.len()..]);
                places.push((file, line, kind, place.len() + 1));
                let first = files.entry(file).or_insert(usize::MAX);
                *first = (*first).min(usize::try_from(problem.log_line).unwrap_or(usize::MAX));
            }
        }
        places.sort_by_key(|(file, line, kind, _)| (files[file], *file, *line, *kind));
        let mut rooms = vec![0; self.problems.len()];
        let mut left = all;
        for (_, _, kind, bytes) in places {
            if bytes <= left && rooms[kind] + bytes <= wanted[kind] {
                rooms[kind] += bytes;
                left -= bytes;
            }
        }
        rooms
    }

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

/// The line in `:3:5`; 0 without one.
fn line_of(rest: &str) -> u64 {
    let line = rest.split(':').find(|part| !part.is_empty());
    line.and_then(|line| line.parse().ok()).unwrap_or(0)
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
    let times = format!("×{}", problem.count);
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
                if bytes + place.len() > room && bytes > 0 {
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
