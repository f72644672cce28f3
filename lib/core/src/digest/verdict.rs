//! From what was found to one result: sessions added up, and checked against the single tests.

use super::count::{Category, Counts};
use super::facts::{Facts, Session};
use super::problem::Severity;

/// The result of an output.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) counts: Counts,
    pub(super) results: Vec<(&'static str, Counts)>,
    pub(super) counted: Option<Counts>,
    pub(super) duration_ms: Option<u64>,
}

/// Adds up the sessions of each tool. Where a tool states no result, its single tests are counted;
/// where it states fewer failures than were seen, both are given.
pub(super) fn of(facts: &Facts, failed: bool) -> Verdict {
    let mut totals: Vec<Session> = Vec::new();
    for session in &facts.sessions {
        let mut session = session.clone();
        if session.stated.is_none() && !session.seen.is_empty() {
            session.stated = Some(session.seen.clone());
        }
        match totals.iter_mut().find(|known| known.tool == session.tool) {
            Some(known) => known.absorb(&session),
            None => totals.push(session),
        }
    }
    // What stands in the output of a test that Bazel ran is part of that test.
    if totals
        .iter()
        .any(|session| session.tool == "bazel" && session.stated.is_some())
    {
        totals.retain(|session| session.tool == "bazel");
    }
    let mut results: Vec<(&'static str, Counts)> = Vec::new();
    let mut counted = Counts::default();
    let mut duration_ms = facts.total_ms;
    for session in &totals {
        let stated = session.stated.clone().unwrap_or_default();
        let stated = complete(session.tool, stated, &session.seen);
        if differs(&stated, &session.seen) {
            counted.merge(&session.seen);
        }
        if !stated.is_empty() {
            results.push((session.tool, stated));
        }
        duration_ms = duration_ms.or(session.duration_ms);
    }
    let mut counts = Counts::default();
    for (_, stated) in &results {
        counts.merge(stated);
    }
    if !facts.problems_stated {
        let found = problems(facts, failed);
        if !found.is_empty() && counts.is_empty() {
            counts = found;
        } else if !found.is_empty() {
            counts.merge(&found);
            match results.as_mut_slice() {
                // The warnings of a build belong to the one run that it was for.
                [(_, only)]
                    if found
                        .iter()
                        .all(|(category, _)| only.get(category).is_none()) =>
                {
                    only.merge(&found);
                }
                _ => results.push(("compiler", found)),
            }
        }
    }
    Verdict {
        counts,
        results,
        counted: (!counted.is_empty()).then_some(counted),
        duration_ms,
    }
}

/// What a runner leaves out because it is zero, or because it only shows the single tests.
fn complete(tool: &str, mut stated: Counts, seen: &Counts) -> Counts {
    use Category::{Failed, Ignored, Passed, Pending, Skipped, Todo};
    if stated.get(Failed) == seen.get(Failed) {
        for category in [Passed, Skipped] {
            if let (None, Some(number)) = (stated.get(category), seen.get(category)) {
                stated.add(category, number);
            }
        }
    }
    if stated.get(Passed).is_none() {
        // These say how many tests there are, and of single tests only which failed.
        let (Some(total), true) = (stated.get(Category::Total), tool == "boost test") else {
            return stated;
        };
        let failed = seen.get(Failed).unwrap_or(0);
        stated.set(Failed, failed);
        stated.add(Passed, total.saturating_sub(failed));
    }
    if stated.get(Failed).is_none() {
        let errors = stated.get(Category::Errors).unwrap_or(0);
        let failed = seen.get(Failed).unwrap_or(0);
        stated.add(Failed, failed.saturating_sub(errors));
    }
    if [Skipped, Ignored, Pending, Todo]
        .iter()
        .all(|category| stated.get(*category).is_none())
    {
        let own = matches!(tool, "rspec" | "mocha" | "jasmine" | "busted");
        stated.add(if own { Pending } else { Skipped }, 0);
    }
    stated
}

/// Whether more tests were seen to fail than the result line says.
fn differs(stated: &Counts, seen: &Counts) -> bool {
    let Some(failed) = seen.get(Category::Failed) else {
        return false;
    };
    let said: u64 = [Category::Failed, Category::Errors, Category::Cancelled]
        .iter()
        .filter_map(|category| stated.get(*category))
        .sum();
    failed > said
}

/// Counts of what compilers and linters found, when they state no result.
fn problems(facts: &Facts, failed: bool) -> Counts {
    let mut counts = Counts::default();
    if [
        "shellcheck",
        "black",
        "isort",
        "prettier",
        "cargo fmt",
        "gofmt",
    ]
    .iter()
    .any(|tool| facts.tools.contains(tool))
    {
        // Files to be formatted, and four levels without totals: which of them are errors is for
        // the reader to say.
        let levels = [
            Severity::Error,
            Severity::Plain,
            Severity::Warning,
            Severity::Note,
        ];
        let all = levels.iter().map(|level| facts.problems.seen(*level)).sum();
        counts.add(Category::Problems, all);
        return counts;
    }
    for (severity, category) in [
        (Severity::Error, Category::Errors),
        (Severity::Warning, Category::Warnings),
    ] {
        let mut number = facts.problems.seen(severity);
        if failed && severity == Severity::Error {
            number += facts.problems.seen(Severity::Plain);
        }
        if number > 0 {
            counts.add(category, number);
        }
    }
    counts
}
