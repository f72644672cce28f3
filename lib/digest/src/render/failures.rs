//! Failing tests: all names that fit, then why.

use std::collections::{BTreeMap, BTreeSet};

use super::super::facts::Failure;
use super::super::outline::template;
use super::super::{Digest, clean::cut_end};
use super::page::Page;

/// Up to so many failing tests each has lines of its own.
const SINGLE_MAX: usize = 18;
/// So many lines more for a test that says so many things that went wrong.
const ERRORS_MORE: usize = 2;
/// Up to so many each has one line.
const LINE_MAX: usize = 32;
/// Bytes of a message that shares a line with a name, and of one on its own line: the longest
/// messages of real assertions need about 160.
const MESSAGE_MAX: usize = 230;
/// All names are shown if they take at most so many bytes.
const NAMES_BYTES: usize = 6_600;
/// Else the first of them: then reasons tell more than further names.
const FIRST_NAMES_BYTES: usize = 5_000;
/// So many names are whole, also where they share a stem.
const NAMES_WHOLE: usize = 30;
/// The shortest stem worth leaving out.
const STEM_MIN: usize = 10;
/// Lines of a cause, its first one apart, where there is room.
const CAUSE_LINES: usize = 3;
/// So many causes have a line of their own, and so many messages are said that differ from theirs in
/// numbers.
const CAUSES_MAX: usize = 24;
const MESSAGES_MAX: usize = 40;
/// Places of failing tests that have the message of another one: they take one line.
const PLACES_MAX: usize = 30;
/// Lines of a failure among which one is looked for that was not shown yet.
const LINES_ASKED: usize = 6;
/// Bytes of a line of names.
const ROW_MAX: usize = 600;

impl Digest {
    pub(super) fn push_failures(&self, page: &mut Page) {
        match self.failures.len() {
            0 => {}
            count if count <= SINGLE_MAX && count * 2 <= page.lines() => self.push_single(page),
            count if count <= LINE_MAX && count + 4 <= page.lines() => self.push_rows(page),
            _ => self.push_many(page),
        }
        if self.failures_left_out > 0 {
            page.push(&format!(
                "{} more failing tests are not listed; the first is at line {} of the log",
                self.failures_left_out,
                self.left_out_at.unwrap_or(0)
            ));
        }
    }

    /// Each failure with a few lines.
    fn push_single(&self, page: &mut Page) {
        let count = self.failures.len();
        let each = match count {
            1 => 9,
            2 => 6,
            3..=5 => 4,
            6..=9 => 3,
            _ => 2,
        };
        let mut said = BTreeSet::new();
        let titles = self.titles();
        let mut names: usize = titles.iter().map(|title| title.len() + 1).sum();
        for (at, (failure, title)) in self.failures.iter().zip(&titles).enumerate() {
            page.push(title);
            // The names of the failures that follow need one line each.
            names -= title.len() + 1;
            let spare = page.lines().saturating_sub(count - at - 1);
            // Further errors of one that failed in several ways.
            let more = failure.errors().saturating_sub(each).min(ERRORS_MORE);
            for line in failure.chosen((each + more).min(spare)) {
                let line = format!("    {}", cut_end(line, MESSAGE_MAX));
                if names + line.len() < page.bytes() && said.insert(line.clone()) {
                    page.push(&line);
                }
            }
            page.end_section(at);
        }
    }

    fn titles(&self) -> Vec<String> {
        let each = self.failures.iter().enumerate();
        each.map(|(at, failure)| title(at, failure)).collect()
    }

    /// Each failure on one line: with one message, and where there is room for all those, with another
    /// that states an error. What was said is not repeated.
    fn push_rows(&self, page: &mut Page) {
        let mut said = BTreeSet::new();
        let mut rows = self.titles();
        let mut bytes: usize = rows.iter().map(|row| row.len() + 1).sum();
        let mut add = |row: &mut String, lines: Vec<&str>| {
            for message in lines {
                let message = cut_end(message, MESSAGE_MAX).into_owned();
                let size = message.len() + " · ".len();
                if bytes + size < page.bytes() && said.insert(message.clone()) {
                    row.push_str(" · ");
                    row.push_str(&message);
                    bytes += size;
                    break;
                }
            }
        };
        for (failure, row) in self.failures.iter().zip(&mut rows) {
            // Many say the same first: then what else one says tells it from the others.
            let first = failure.block.first().into_iter();
            add(row, first.chain(failure.chosen(LINES_ASKED)).collect());
        }
        for (failure, row) in self.failures.iter().zip(&mut rows) {
            add(row, failure.chosen(failure.errors()));
        }
        for row in &rows {
            page.push(row);
        }
    }

    /// Names, several on a line; then the first distinct reasons.
    fn push_many(&self, page: &mut Page) {
        let mut all = page.clone();
        if self.push_names(&mut all, NAMES_BYTES) == self.failures.len() {
            *page = all;
        } else {
            // What the reasons leave is for further names, but for the end of a row.
            let mut tried = page.clone();
            self.push_some(&mut tried, FIRST_NAMES_BYTES);
            self.push_causes(&mut tried);
            let rows = tried.lines().saturating_sub(1) * ROW_MAX;
            let more = rows.min(tried.bytes().saturating_sub(ROW_MAX / 2));
            self.push_some(page, FIRST_NAMES_BYTES + more);
        }
        let known = self.push_causes(page);
        self.push_places(known, page);
    }

    /// Names that fit into so many bytes, and where the others are.
    fn push_some(&self, page: &mut Page, bytes: usize) {
        let shown = self.push_names(page, bytes);
        if let Some(next) = self.failures.get(shown) {
            let more = self.failures.len() - shown;
            page.push(&format!(
                "and {more} more, from line {} of the log",
                next.log_lines.0
            ));
        }
    }

    /// The names that fit into so many bytes, and at least the first; how many.
    fn push_names(&self, page: &mut Page, bytes: usize) -> usize {
        let mut rows = Rows::default();
        let mut shown = 0;
        let names_end = page.bytes().min(bytes);
        let stem = |at: usize| self.failures.get(at).map(|failure| stem(&failure.name));
        for failure in &self.failures {
            let own = stem(shown);
            let alone = own != stem(shown + 1) && own != shown.checked_sub(1).and_then(stem);
            let whole = shown < NAMES_WHOLE || alone;
            if shown >= NAMES_WHOLE && rows.bytes + failure.name.len() > names_end
                || !rows.add(&failure.name, whole, page)
            {
                break;
            }
            shown += 1;
        }
        rows.end(page);
        shown
    }

    /// The first distinct reasons; the places that they told.
    fn push_causes(&self, page: &mut Page) -> BTreeSet<&str> {
        let mut causes: Vec<(&str, usize, u64)> = Vec::new();
        // Messages that differ in numbers only: where the first is.
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for (at, failure) in self.failures.iter().enumerate() {
            let Some(message) = failure.block.first() else {
                continue;
            };
            let kind = template(message);
            if let Some(known) = kinds.get(&kind) {
                causes[*known].2 += 1;
            } else if causes.len() < CAUSES_MAX {
                kinds.insert(kind, causes.len());
                causes.push((message, at, 1));
            }
        }
        let mut said: BTreeSet<&str> = causes.iter().map(|(message, ..)| *message).collect();
        let each = page.lines() / causes.len().max(1);
        let mut places = BTreeSet::new();
        for (message, at, count) in causes {
            let failure = &self.failures[at];
            let times = if count > 1 {
                format!(" (×{count})")
            } else {
                String::new()
            };
            places.extend(failure.block.place.as_ref().map(|place| &*place.shown));
            let message = cut_end(message, MESSAGE_MAX);
            page.push(&format!("  {}{times}: {message}", place(failure, at)));
            for line in failure.chosen(each.clamp(1, CAUSE_LINES)) {
                if said.insert(line) {
                    page.push(&format!("    {}", cut_end(line, MESSAGE_MAX)));
                }
            }
        }
        self.push_messages(said, places, page)
    }

    /// The messages that were not said yet, as far as they are short, behind their places, and those
    /// that are known now.
    fn push_messages<'d>(
        &'d self,
        mut said: BTreeSet<&'d str>,
        mut known: BTreeSet<&'d str>,
        page: &mut Page,
    ) -> BTreeSet<&'d str> {
        let messages = self.failures.iter().filter_map(|failure| {
            let message = failure.block.first()?;
            let new = message.len() <= MESSAGE_MAX && said.insert(message);
            let place = failure.block.place.as_ref().filter(|_| new);
            let place = place.map_or("", |place| &place.shown);
            let said = !known.insert(place) || message.contains(place);
            new.then_some((if said { "" } else { place }, message))
        });
        let messages: Vec<(&str, &str)> = messages.take(MESSAGES_MAX).collect();
        let each = messages.iter();
        let bytes: usize = each
            .map(|(place, message)| place.len() + message.len() + 4)
            .sum();
        // The places only where they take no message's room.
        let placed = bytes <= page.bytes();
        let mut row = String::new();
        for (place, message) in messages {
            let place = if placed { place } else { "" };
            if row.len() + place.len() + message.len() > ROW_MAX {
                page.push(&std::mem::take(&mut row));
            }
            row.push_str(if row.is_empty() { "  " } else { " · " });
            if !place.is_empty() {
                row.push_str(place);
                row.push(' ');
            }
            row.push_str(message);
        }
        if !row.is_empty() {
            page.push(&row);
        }
        known
    }

    /// The places of failing tests of which nothing else is left to say.
    fn push_places<'d>(&'d self, mut known: BTreeSet<&'d str>, page: &mut Page) {
        let all = self.failures.iter();
        let places = all.filter_map(|failure| failure.block.place.as_ref());
        let new: Vec<&str> = places
            .map(|place| &*place.shown)
            .filter(|place| known.insert(place))
            .take(PLACES_MAX)
            .collect();
        if !new.is_empty() {
            page.push(&format!("  also at {}", new.join(" ")));
        }
    }
}

/// Names, several on a line. Those after the first [`NAMES_WHOLE`] that share all but their last part
/// with the ones beside them stand behind that stem.
#[derive(Debug, Default)]
struct Rows {
    row: String,
    stem: String,
    bytes: usize,
}

impl Rows {
    /// Adds a name; false when no line is left.
    fn add(&mut self, name: &str, whole: bool, page: &mut Page) -> bool {
        let stem = if whole { "" } else { stem(name) };
        let rest = &name[stem.len()..];
        let apart = if name.contains(' ') { " | " } else { " " };
        let other = self.stem != stem;
        let more = apart.len() + rest.len() + if other { stem.len() + "; …".len() } else { 0 };
        if self.row.len() + more > ROW_MAX {
            if !self.end(page) {
                return false;
            }
        } else if other && !self.row.is_empty() {
            self.row.push_str("; ");
        }
        let before = self.row.len();
        if other || self.row.is_empty() {
            stem.clone_into(&mut self.stem);
            if !stem.is_empty() {
                self.row.push_str(stem);
                self.row.push('…');
            }
        }
        if !(self.row.is_empty() || other && stem.is_empty()) {
            self.row.push_str(apart);
        }
        self.row.push_str(rest);
        self.bytes += self.row.len() - before;
        true
    }

    fn end(&mut self, page: &mut Page) -> bool {
        let row = std::mem::take(&mut self.row);
        row.is_empty() || page.push(&row)
    }
}

/// What stands before the last part of a test's name, if it is worth leaving out.
fn stem(name: &str) -> &str {
    // What a parameter holds is no part of its own.
    let head = name.split(['[', '(', '"']).next().unwrap_or(name);
    let ends = ["::", " > ", " › ", "#"];
    let end = ends
        .iter()
        .filter_map(|part| Some(head.rfind(part)? + part.len()));
    let end = end.max();
    let end = end.filter(|end| *end >= STEM_MIN && *end < name.len());
    &name[..end.unwrap_or(0)]
}

/// `1. name · src/a.rs:3:5`.
fn title(at: usize, failure: &Failure) -> String {
    let place = place(failure, at);
    if place.is_empty() {
        format!("✗ {}", failure.name)
    } else {
        format!("✗ {} · {place}", failure.name)
    }
}

fn place(failure: &Failure, at: usize) -> String {
    let log = match failure.log_lines {
        (first, last) if first == last => format!("log {first}"),
        (first, last) => format!("log {first}-{last}"),
    };
    match &failure.block.place {
        Some(place) => format!("{} [{} {log}]", place.shown, at + 1),
        None => format!("[{} {log}]", at + 1),
    }
}

impl Failure {
    /// How many of its lines state an error.
    fn errors(&self) -> usize {
        let lines = self.block.lines.iter();
        lines.filter(|(rank, _)| *rank == 0).count()
    }

    /// The best lines of the message, at most `max`, in their order.
    fn chosen(&self, max: usize) -> Vec<&str> {
        let mut order: Vec<usize> = (0..self.block.lines.len()).collect();
        order.sort_by_key(|at| (self.block.lines[*at].0, *at));
        order.truncate(max);
        order.sort_unstable();
        order
            .into_iter()
            .map(|at| self.block.lines[at].1.as_str())
            .collect()
    }
}
