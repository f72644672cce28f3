//! Single tests or whole files: what is cheaper, from what earlier runs cost.

use super::durations::Report;
use super::plan::COLLECTION_DOMINATES;
use super::rate::Rate;
use super::unit;
use std::collections::BTreeSet;

/// Files that the tests of a report stand in.
pub fn files(report: &Report) -> BTreeSet<&str> {
    let records = report.records.iter();
    records.map(|record| unit::file(&record.name)).collect()
}

/// Does a draw of whole files pay? When collecting everything costs more than a quarter of a full
/// run (its whole fixed cost, where the part is not known), and there are enough files for each
/// bucket to have one.
pub fn prefers_files(report: &Report, rate: &Rate) -> bool {
    let tests: u128 = report
        .records
        .iter()
        .map(|record| u128::from(record.nanos))
        .sum();
    let Some(fixed) = report.fixed else {
        return false;
    };
    let collecting = report.collecting.unwrap_or(fixed);
    #[expect(
        clippy::cast_precision_loss,
        reason = "a share: nanoseconds do not matter"
    )]
    let share = collecting as f64 / (u128::from(fixed) + tests).max(1) as f64;
    share > COLLECTION_DOMINATES && files(report).len() as u64 >= rate.buckets()
}

/// Files that a draw of whole files is made from: those whose tests are known, and those that
/// stand below the same top-level folders, since new ones are not known yet.
pub fn candidates<'a>(known: &BTreeSet<&'a str>, found: &'a [String]) -> BTreeSet<&'a str> {
    let top = |path: &'a str| path.split_once('/').map_or("", |(top, _)| top);
    let tops: BTreeSet<&str> = known.iter().map(|path| top(path)).collect();
    let fresh = found
        .iter()
        .map(String::as_str)
        .filter(|path| looks_like_test(path) && tops.contains(top(path)));
    let there: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let still = known.iter().copied().filter(|path| there.contains(path));
    fresh.chain(still).collect()
}

/// pytest's own rule for the names of test files.
fn looks_like_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("test_") || name.ends_with("_test.py")
}

#[cfg(test)]
mod tests {
    use super::super::durations::parse;
    use super::*;

    #[test]
    fn files_are_drawn_where_collection_dominates() {
        let report = |fixed: f64, files: usize| {
            let tests: Vec<String> = (0..files)
                .map(|i| format!("\"t/test_{i}.py::x\":0.1"))
                .collect();
            parse(&format!(
                "{{\"fixed\":{fixed},\"tests\":{{{}}}}}",
                tests.join(",")
            ))
            .unwrap()
        };
        let rate = Rate::parse("0.1").unwrap();
        assert!(prefers_files(&report(2.0, 20), &rate));
        assert!(!prefers_files(&report(0.1, 20), &rate));
        assert!(!prefers_files(&report(2.0, 9), &rate));
        let started_slowly = Report {
            collecting: Some(100_000_000),
            ..report(2.0, 20)
        };
        assert!(!prefers_files(&started_slowly, &rate));
    }

    #[test]
    fn new_files_beside_known_ones_are_candidates() {
        let found = [
            "t/test_a.py",
            "t/sub/test_b.py",
            "vendor/test_c.py",
            "t/help.py",
            "t/odd.py",
        ]
        .map(str::to_owned);
        let known = BTreeSet::from(["t/test_a.py", "t/test_gone.py", "t/odd.py"]);
        let expected = BTreeSet::from(["t/odd.py", "t/test_a.py", "t/sub/test_b.py"]);
        assert_eq!(candidates(&known, &found), expected);
    }
}
