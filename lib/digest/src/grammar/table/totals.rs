//! What tables state of a run: the numbers of its result lines.

use super::super::super::count::{Category, Counts, duration, figure, pairs};
use super::super::super::facts::Facts;
use super::super::super::pattern::{self, Gaps};
use super::Act;

/// A result line with one category.
pub(super) fn part(
    tool: &'static str,
    act: Act,
    (category, number): (Category, u64),
    facts: &mut Facts,
) {
    if matches!(act, Act::First(_)) {
        facts.afresh(tool);
    }
    let before = match act {
        Act::Add(_) => facts.stands(tool, category),
        _ => 0,
    };
    facts.part(tool, category, before.saturating_add(number));
}

/// Numbers of categories. Where all are given but those that passed, these are the rest.
pub(super) fn tally(tool: &'static str, gaps: &Gaps<'_, '_>, facts: &mut Facts) {
    let mut counts = Counts::default();
    for (name, category) in pattern::NUMBERS {
        let dash = || {
            gaps.get(&format!("{name}?"))
                .map(|text| figure(text).unwrap_or(0))
        };
        if let Some(number) = gaps.get(name).and_then(figure).or_else(dash) {
            counts.add(*category, number);
        }
    }
    let bad = counts.get(Category::Failed);
    if let (Some(total), Some(_), None) = (
        counts.get(Category::Total),
        bad,
        counts.get(Category::Passed),
    ) {
        let others: u64 = counts
            .iter()
            .filter(|(category, _)| !matches!(category, Category::Total | Category::Warnings))
            .map(|(_, number)| number)
            .sum();
        counts.add(Category::Passed, total.saturating_sub(others));
    }
    for (category, number) in counts.iter() {
        facts.part(tool, category, number);
    }
}

/// A result line of its own: the tool's pairs, and its duration at the end.
pub(super) fn result(tool: &'static str, text: &str, facts: &mut Facts) {
    let mut counts = pairs(text);
    let skips = [Category::Skipped, Category::Ignored, Category::Pending];
    if let Some(total) = counts.get(Category::Total)
        && counts.get(Category::Passed).is_none()
    {
        let bad: u64 = [Category::Failed, Category::Errors]
            .iter()
            .chain(&skips)
            .filter_map(|category| counts.get(*category))
            .sum();
        counts.add(Category::Passed, total.saturating_sub(bad));
    }
    let spent = [" in ", "Duration: ", "duration: ", " after "]
        .iter()
        .find_map(|word| {
            let (_, rest) = text.rsplit_once(word)?;
            duration(rest.split([',', ')']).next()?)
        });
    facts.result(tool, counts, spent);
}
