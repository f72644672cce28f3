//! The result of a document.

use super::super::count::{Category, Counts};
use super::shapes::Shape;

/// What a reporter leaves to be reckoned.
pub(super) fn settle(shape: &Shape, counts: &mut Counts) {
    let get = |counts: &Counts, category| counts.get(category);
    if let (Some(errors), Some(warnings), "eslint") = (
        get(counts, Category::Errors),
        get(counts, Category::Warnings),
        shape.tool,
    ) {
        counts.set(Category::Problems, errors + warnings);
    }
    if let (Some(total), None, true) = (
        get(counts, Category::Total),
        get(counts, Category::Passed),
        shape.tests,
    ) {
        let others = [Category::Failed, Category::Pending, Category::Skipped];
        let others: u64 = others
            .iter()
            .filter_map(|category| counts.get(*category))
            .sum();
        counts.set(Category::Passed, total.saturating_sub(others));
    }
    if counts.get(Category::Errors) == Some(0) && shape.tests {
        counts.remove(Category::Errors);
    }
}
