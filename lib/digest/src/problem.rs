//! Compile errors, warnings and lints, equal ones together.

use super::clean::{cut_end, shorten};
pub use super::meaning::Severity;
use super::names::{Names, same};

/// The most kinds of problems kept of one severity, and the most places of one kind: what goes into a
/// digest, with a margin for choosing. More are only counted.
const KINDS_MAX: usize = 400;
/// The same of warnings and notes.
const ASIDES_MAX: usize = 200;
const PLACES_MAX: usize = 60;

/// A problem, and everywhere it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// The message as printed after the place, with its code.
    pub text: String,
    /// Where it is, as printed (`src/a.rs:3:5`); the first of them.
    pub places: Vec<String>,
    /// How often it was found.
    pub count: u64,
    /// What the tool says about the first one, in short.
    pub note: Option<String>,
    /// The tool prints no colon between place and text.
    pub apart: bool,
    /// The line of the log where it was found first.
    pub log_line: u64,
}

/// Collects problems.
#[derive(Debug, Default)]
pub(super) struct Problems {
    list: Vec<Problem>,
    /// Those of the list by their texts.
    index: Names,
    /// How many of the list there are of each severity.
    kinds: [usize; 4],
    /// How many there are, by the tool that told of them.
    seen: Vec<((&'static str, Severity), u64)>,
    told: u64,
    /// The next one has no colon behind its place.
    apart: bool,
    /// Who told of the last one, and in which line.
    source: Option<&'static str>,
    line: u64,
}

impl Problems {
    /// Adds a problem that this tool told of (empty: nobody knows which); returns its number, for
    /// [`Problems::note`].
    pub(super) fn add(
        &mut self,
        (source, severity): (&'static str, Severity),
        place: Option<&str>,
        text: &str,
        log_line: u64,
    ) -> Option<usize> {
        *self.count_of(source, severity) += 1;
        self.note_source(source, log_line);
        let apart = std::mem::take(&mut self.apart);
        let most = match severity {
            Severity::Error | Severity::Plain => KINDS_MAX,
            Severity::Warning | Severity::Note => ASIDES_MAX,
        };
        let full = self.kinds[severity as usize] >= most;
        self.told += 1;
        let text = shorten(text.trim(), 400);
        let is = |at: usize| self.list[at].severity == severity && self.list[at].text == text;
        if let Some(at) = self.index.find(text.as_bytes(), is) {
            let known = &mut self.list[at];
            known.count += 1;
            if let Some(place) = place
                && known.places.len() < PLACES_MAX
            {
                known.places.push(cut_end(place, 300).into_owned());
            }
            return None;
        }
        if full {
            return None;
        }
        self.list.push(Problem {
            severity,
            text: text.into_owned(),
            places: place
                .iter()
                .map(|place| cut_end(place, 300).into_owned())
                .collect(),
            count: 1,
            note: None,
            apart,
            log_line,
        });
        let last = self.list.len() - 1;
        self.kinds[severity as usize] += 1;
        self.index.enter(last, |at| &self.list[at].text);
        Some(last)
    }

    /// The tool of the problem that comes next prints no colon between its place and its text.
    pub(super) fn apart(&mut self) {
        self.apart = true;
    }

    /// Who told of the last problem of which that is known; none before the first problem.
    pub(super) fn latest_source(&self) -> Option<&'static str> {
        self.source
    }

    /// Whether this tool told of the last problem of which that is known, and not above this line.
    pub(super) fn is_latest(&self, source: &str, since: u64) -> bool {
        self.source.is_some_and(|latest| same(latest, source)) && self.line >= since
    }

    fn note_source(&mut self, source: &'static str, line: u64) {
        if !source.is_empty() || self.source.is_none() {
            (self.source, self.line) = (Some(source), line);
        }
    }

    /// So many were told of.
    pub(super) fn told(&self) -> u64 {
        self.told
    }

    /// Whether some of the places are files of this folder (which ends with `/`), and others of
    /// folders in it.
    pub(super) fn lie_at_different_depths_of(&self, folder: &str) -> bool {
        let places = self.list.iter().flat_map(|problem| &problem.places);
        let depths = places.filter_map(|place| Some(place.strip_prefix(folder)?.contains('/')));
        let depths: std::collections::BTreeSet<bool> = depths.collect();
        depths.len() == 2
    }

    /// Takes this start off all places.
    pub(super) fn cut_places(&mut self, start: &str) {
        let places = self.list.iter_mut().flat_map(|problem| &mut problem.places);
        for place in places {
            if let Some(rest) = place.strip_prefix(start) {
                *place = rest.to_owned();
            }
        }
    }

    /// Adds an explanation to a problem, unless it has one.
    pub(super) fn note(&mut self, at: usize, note: &str) {
        if let Some(problem) = self.list.get_mut(at)
            && problem.note.is_none()
        {
            problem.note = Some(cut_end(note.trim(), 160).into_owned());
        }
    }

    /// How many this tool told of.
    pub(super) fn seen(&self, source: &str, severity: Severity) -> u64 {
        let own = |(known, of): &(&str, Severity)| same(known, source) && *of == severity;
        let found = self.seen.iter().find(|(key, _)| own(key));
        found.map_or(0, |(_, number)| *number)
    }

    /// What one told of was told by another.
    pub(super) fn rename(&mut self, from: &'static str, to: &'static str) {
        for ((source, severity), number) in std::mem::take(&mut self.seen) {
            let source = if source == from { to } else { source };
            *self.count_of(source, severity) += number;
        }
        self.source = self
            .source
            .map(|source| if source == from { to } else { source });
    }

    /// How many there are of this severity, whoever told of them.
    pub(super) fn all(&self, severity: Severity) -> u64 {
        let own = self.seen.iter().filter(|((_, of), _)| *of == severity);
        own.map(|(_, number)| number).sum()
    }

    /// Everybody who told of some.
    pub(super) fn sources(&self) -> Vec<&'static str> {
        let seen = self.seen.iter();
        let mut sources: Vec<&'static str> = seen.map(|((source, _), _)| *source).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// How many this tool told of, to be changed.
    fn count_of(&mut self, source: &'static str, severity: Severity) -> &mut u64 {
        let own =
            |((known, of), _): &((&str, Severity), u64)| same(known, source) && *of == severity;
        let at = self.seen.iter().position(own).unwrap_or_else(|| {
            self.seen.push(((source, severity), 0));
            self.seen.len() - 1
        });
        &mut self.seen[at].1
    }

    /// All of them, errors first. Of a command that failed, problems without severity are errors.
    pub(super) fn into_list(mut self, failed: bool) -> Vec<Problem> {
        for problem in &mut self.list {
            if failed && problem.severity == Severity::Plain {
                problem.severity = Severity::Error;
            }
        }
        self.list.sort_by_key(|problem| problem.severity);
        self.list
    }
}
