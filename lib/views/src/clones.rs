//! Duplicated code: what a clone detector reports, as groups in the order in which they are worth a
//! look. A group is all places that hold the same code, however many pairs the detector made of them.

mod report;

pub use report::parse;

use overnight_base::text::one_line;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Fewest tokens of a clone. Below it, imports and signatures of the projects that were looked at
/// (jinja2, click, werkzeug) count as clones; jscpd's own default of 50 finds three times as many.
pub const TOKENS_MIN: u32 = 75;
/// Fewest lines of a clone: a shorter one costs more to name than to leave.
pub const LINES_MIN: u32 = 8;
/// Groups that are shown: more than an agent merges in one go.
pub const GROUPS_SHOWN_MAX: usize = 20;
/// Places of a group that are shown.
const PLACES_SHOWN_MAX: usize = 6;
/// Characters of a path that are shown.
const PATH_CHARS_MAX: usize = 200;

/// Lines of a file, both ends included, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LineRange {
    /// The file, relative to the folder that was searched.
    pub file: String,
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl LineRange {
    fn lines(&self) -> u32 {
        self.last - self.first + 1
    }

    fn overlap(&self, other: &Self) -> u32 {
        if self.file != other.file {
            return 0;
        }
        (self.last.min(other.last) + 1).saturating_sub(self.first.max(other.first))
    }

    /// Does it say the same as the other: do they share more than half of the shorter one?
    fn is(&self, other: &Self) -> bool {
        self.overlap(other) * 2 > self.lines().min(other.lines())
    }
}

/// Two places with the same code, as a detector reports them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The places.
    pub places: [LineRange; 2],
    /// The same but for the names in it?
    pub renamed: bool,
}

/// Places that hold the same code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    /// At least two, in the order of their files.
    pub places: Vec<LineRange>,
    /// The same but for the names in it?
    pub renamed: bool,
    /// Does one of the places stand in a changed file?
    pub changed: bool,
    /// Lines that would be gone if one place were left.
    pub saves: u32,
}

/// The groups of these pairs: those that touch a changed file first, then those that save most.
/// A pair that overlaps itself is a repetition inside one place (a table, a list of imports), which
/// no function merges; it is left out.
pub fn groups(pairs: &[Pair], changed: &BTreeSet<String>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for pair in pairs {
        let [a, b] = &pair.places;
        if a.overlap(b) > 0 {
            continue;
        }
        let holds = |group: &Group| {
            let mut known = group.places.iter();
            known.any(|place| place.is(a) || place.is(b))
        };
        let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(holds);
        groups = others;
        let mut group = Group {
            places: Vec::new(),
            renamed: pair.renamed,
            changed: false,
            saves: 0,
        };
        let known = joined.iter().flat_map(|group| &group.places);
        for place in known.chain(&pair.places) {
            if !group.places.iter().any(|known| known.is(place)) {
                group.places.push(place.clone());
            }
        }
        group.renamed |= joined.iter().any(|group| group.renamed);
        groups.push(group);
    }
    for group in &mut groups {
        group.places.sort();
        group.changed = group
            .places
            .iter()
            .any(|place| changed.contains(&place.file));
        let lines = group.places.iter().map(LineRange::lines);
        group.saves = lines.clone().sum::<u32>() - lines.max().unwrap_or(0);
    }
    // What overlaps itself may have joined places of one stretch of code into one.
    groups.retain(|group| group.places.len() > 1);
    groups.sort_by(|a, b| {
        let key = |group: &Group| (!group.changed, std::cmp::Reverse(group.saves));
        key(a).cmp(&key(b)).then_with(|| a.places.cmp(&b.places))
    });
    groups
}

/// The groups as people and agents read them, at most [`GROUPS_SHOWN_MAX`].
pub fn text(groups: &[Group]) -> String {
    let mut text = match groups.len() {
        0 => "no clones found\n".to_owned(),
        1 => "1 group of clones\n".to_owned(),
        count => format!("{count} groups of clones, those in changed files first\n"),
    };
    for (index, group) in groups.iter().take(GROUPS_SHOWN_MAX).enumerate() {
        let kind = if group.renamed {
            "names differ"
        } else {
            "the same"
        };
        let changed = if group.changed { ", changed" } else { "" };
        let (places, saves) = (group.places.len(), group.saves);
        let _ = writeln!(
            text,
            "{}. {places} places, {kind}{changed}, saves {saves} lines",
            index + 1
        );
        for place in group.places.iter().take(PLACES_SHOWN_MAX) {
            let file = one_line(&place.file, PATH_CHARS_MAX);
            let _ = writeln!(text, "   {file}:{}-{}", place.first, place.last);
        }
        if let Some(more @ 1..) = places.checked_sub(PLACES_SHOWN_MAX) {
            let _ = writeln!(text, "   and {more} more places");
        }
    }
    if let Some(more @ 1..) = groups.len().checked_sub(GROUPS_SHOWN_MAX) {
        let _ = writeln!(text, "and {more} more groups (--json shows all)");
    }
    text
}

#[cfg(test)]
mod tests;
