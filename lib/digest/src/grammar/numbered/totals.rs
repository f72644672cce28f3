//! The result lines of runners that number their failures.

use super::super::super::count::{Category, Counts, figure, pairs};
use super::Kind;

/// The result line of a runner.
pub(super) fn counted(text: &str, kind: Kind) -> Option<(&'static str, Counts)> {
    if let Some(rest) = text
        .strip_prefix("Tests: ")
        .filter(|_| text.contains("Assertions: "))
    {
        return Some(("phpunit", totalled(rest, "Tests")));
    }
    if let Some(counts) = junit(text).filter(|_| kind == Kind::Phpunit) {
        return Some(("junit", counts));
    }
    if let Some(passed) = all_passed(text) {
        return Some(("phpunit", passed));
    }
    if let Some(counts) = lab(text) {
        return Some(("lab", counts));
    }
    let (number, rest) = text.split_once(' ')?;
    let number = figure(number)?;
    let word = rest.split([',', ' ']).next()?;
    let tool = match word {
        "examples" | "example" if rest.contains(" failure") => "rspec",
        "specs" | "spec" if rest.contains(" failure") => "jasmine",
        "runs" | "run" if rest.contains("assertions") => "minitest",
        "tests" | "test" if rest.contains("assertions") && rest.contains("failures") => "test-unit",
        "tests" | "test" if rest.contains(" failure") && kind == Kind::Exunit => "mix test",
        "tests" | "test" if rest.contains(" failure") && !rest.contains("assert") => "mix test",
        "doctest" | "doctests" | "property" | "properties" if rest.contains(" failure") => {
            "mix test"
        }
        "scenarios" | "scenario" if rest == word || rest[word.len()..].starts_with(" (") => {
            "cucumber"
        }
        _ => return None,
    };
    let mut counts = Counts::default();
    let mut total = number;
    if tool == "mix test" {
        total = added_up(text);
    }
    // `1 doctest, 25 tests`: how many there are in all, ExUnit does not say.
    if total == number {
        counts.add(Category::Total, total);
    }
    let mut bad = 0;
    let others = pairs(rest);
    for (category, number) in others
        .iter()
        .filter(|(category, _)| *category != Category::Total)
    {
        bad += number;
        counts.add(category, number);
    }
    if tool == "rspec" && rest.contains("occurred outside") {
        bad = bad.saturating_sub(counts.get(Category::Errors).unwrap_or(0));
    }
    if tool != "cucumber" && counts.get(Category::Passed).is_none() {
        counts.add(Category::Passed, total.saturating_sub(bad));
    }
    Some((tool, counts))
}

/// `OK (3 tests, 5 assertions)` of `PHPUnit`.
fn all_passed(text: &str) -> Option<Counts> {
    let rest = text
        .strip_prefix("OK (")
        .filter(|_| text.contains(" assertion"))?;
    let mut counts = Counts::default();
    counts.add(Category::Passed, figure(rest.split(' ').next()?)?);
    Some(counts)
}

/// `5 of 6 tests failed (2 skipped)`.
fn lab(text: &str) -> Option<Counts> {
    let (failed, rest) = text.split_once(" of ")?;
    let (total, rest) = rest.split_once(' ')?;
    let mut counts = rest.starts_with("tests failed").then(|| pairs(rest))?;
    counts.set(Category::Failed, figure(failed)?);
    counts.set(Category::Total, figure(total)?);
    Some(counts)
}

/// `1 doctest, 3 tests, 0 failures`: what runs, added up.
fn added_up(text: &str) -> u64 {
    text.split(", ")
        .filter(|part| ["test", "propert"].iter().any(|word| part.contains(word)))
        .filter_map(|part| figure(part.split(' ').next()?))
        .sum()
}

/// `3, Assertions: 2, Errors: 1, Failures: 1.`, where `word` names the first number.
fn totalled(rest: &str, word: &str) -> Counts {
    let mut counts = Counts::default();
    let mut bad = 0;
    for part in format!("{word}: {rest}").trim_end_matches('.').split(", ") {
        let Some((name, number)) = part.split_once(": ") else {
            continue;
        };
        let Some(number) = figure(number) else {
            continue;
        };
        let category = match name {
            "Tests" => Category::Total,
            "Incomplete" => Category::Pending,
            "Skipped" => Category::Skipped,
            _ => match Category::of(name) {
                Some(category) => category,
                None => continue,
            },
        };
        if !matches!(category, Category::Total | Category::Warnings) {
            bad += number;
        }
        counts.add(category, number);
    }
    let total = counts.get(Category::Total).unwrap_or(0);
    counts.add(Category::Passed, total.saturating_sub(bad));
    for category in [Category::Failed, Category::Errors, Category::Skipped] {
        if counts.get(category).is_none() {
            counts.add(category, 0);
        }
    }
    counts
}

/// JUnit's text runner: `Tests run: 7,  Failures: 5`.
fn junit(text: &str) -> Option<Counts> {
    let rest = text.strip_prefix("Tests run: ")?;
    let mut counts = pairs(rest);
    counts.set(Category::Total, figure(rest.split(',').next()?)?);
    Some(counts)
}
