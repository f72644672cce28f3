//! How many tests an output reports: only the summary lines of the common runners are read. This is
//! the judge's own light counter, so that a gate can be vacuous; digests are `digest`'s.

use super::TestCounts;

/// Phrases by which a runner says that it found no test.
const NOTHING: &[&str] = &[
    "no tests ran",
    "no tests found",
    "no test files",
    "no tests to run",
    "no tests collected",
    "no tests were run",
    "collected 0 items",
    "no test suite found",
    "no tests executed",
    "no tests were found",
    "no test is available",
    "no test specified",
    "no specs found",
    "no tests match",
    "0 tests collected",
];

/// The counts of the whole output; `None` when no line is a runner's summary.
pub fn count(output: &str) -> Option<TestCounts> {
    let mut total: Option<TestCounts> = None;
    let mut nothing = false;
    let mut packages = TestCounts::default();
    for line in output.lines() {
        let line = strip_ansi(line);
        let lower = line.trim().to_ascii_lowercase();
        if let Some(counts) = summary(&lower) {
            let sum = total.get_or_insert_default();
            sum.passed += counts.passed;
            sum.failed += counts.failed;
            sum.skipped += counts.skipped;
        } else if NOTHING.iter().any(|phrase| lower.contains(phrase)) {
            nothing = true;
        } else if lower.starts_with("--- pass")
            || lower.starts_with("ok  \t")
            || lower.starts_with("ok \t")
        {
            packages.passed += 1;
        } else if lower.starts_with("--- fail") {
            packages.failed += 1;
        } else if lower.starts_with("--- skip") {
            packages.skipped += 1;
        }
    }
    let packages_ran = packages != TestCounts::default();
    total
        .or(packages_ran.then_some(packages))
        .or(nothing.then_some(TestCounts::default()))
}

/// The counts of one summary line, already in lower case.
fn summary(line: &str) -> Option<TestCounts> {
    let line = line.trim_matches(|c: char| matches!(c, '=' | ' ' | '#' | 'ℹ'));
    if let Some(rest) = line.strip_prefix("test result: ") {
        return Some(tally(rest, &["passed"], &["failed"], &["ignored"]));
    }
    if line.starts_with("tests run: ") {
        return Some(labelled(
            line,
            "tests run",
            &["failures", "errors"],
            "skipped",
        ));
    }
    if line.starts_with("passed!") || line.starts_with("failed!") {
        let (failed, skipped) = (after(line, "failed:"), after(line, "skipped:"));
        return Some(TestCounts {
            passed: after(line, "passed:"),
            failed,
            skipped,
        });
    }
    if let Some(rest) = line.strip_prefix("ran ") {
        // unittest: `Ran 14 tests in 0.003s`; its failures follow on another line.
        let mut words = rest.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let tests = words.next().is_some_and(|word| word.starts_with("test"));
        return tests.then_some(TestCounts {
            passed: number,
            ..TestCounts::default()
        });
    }
    if line.starts_with("ok (") && line.contains(" test") {
        return Some(tally(line, &["tests", "test"], &[], &[]));
    }
    if let Some(rest) = line
        .strip_prefix("tests:")
        .or_else(|| line.strip_prefix("tests "))
    {
        let counts = tally(
            rest,
            &["passed"],
            &["failed"],
            &["skipped", "todo", "pending"],
        );
        return (counts != TestCounts::default()
            || rest.contains("total")
            || rest.contains("passed"))
        .then_some(counts);
    }
    other(line).or_else(|| short(line))
}

/// nextest, deno, ctest and rspec.
fn other(line: &str) -> Option<TestCounts> {
    if line.starts_with("summary [") || line.starts_with("ok | ") || line.starts_with("failed | ") {
        return Some(tally(
            line,
            &["passed"],
            &["failed"],
            &["skipped", "ignored"],
        ));
    }
    if let Some(at) = line.find(" tests failed out of ") {
        let failed = line[..at].split_whitespace().next_back()?.parse().ok()?;
        let all: u64 = number(line[at..].split_whitespace().next_back()?)?;
        return Some(TestCounts {
            passed: all.saturating_sub(failed),
            failed,
            skipped: 0,
        });
    }
    if line.contains(" example") && line.contains(" failure") {
        let all = tally(
            line,
            &["examples", "example"],
            &["failures", "failure"],
            &["pending"],
        );
        let passed = all.passed.saturating_sub(all.failed + all.skipped);
        return Some(TestCounts { passed, ..all });
    }
    None
}

/// pytest's `14 passed, 1 skipped in 0.12s`, mocha's `14 passing (3s)`, bun's `14 pass`, TAP's `pass 14`.
fn short(line: &str) -> Option<TestCounts> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let pytest = line.contains(" in ") && words.first().is_some_and(|word| number(word).is_some());
    if pytest
        && [
            "passed",
            "failed",
            "skipped",
            "error",
            "xfailed",
            "deselected",
        ]
        .iter()
        .any(|word| line.contains(word))
    {
        return Some(tally(
            line,
            &["passed", "xpassed"],
            &["failed", "error", "errors"],
            &["skipped", "xfailed"],
        ));
    }
    let only = |passed, failed, skipped| {
        Some(TestCounts {
            passed,
            failed,
            skipped,
        })
    };
    match words.as_slice() {
        [n, "passing", ..] | [n, "pass"] | ["pass", n] => only(number(n)?, 0, 0),
        [n, "failing" | "fail"] | ["fail", n] => only(0, number(n)?, 0),
        [n, "pending" | "skip"] | ["skipped" | "skip" | "todo", n] => only(0, 0, number(n)?),
        _ => None,
    }
}

fn tally(line: &str, passed: &[&str], failed: &[&str], skipped: &[&str]) -> TestCounts {
    let mut counts = TestCounts::default();
    let words: Vec<&str> = line.split_whitespace().collect();
    for pair in words.windows(2) {
        let Some(value) = number(pair[0]) else {
            continue;
        };
        let name = pair[1].trim_matches(|c: char| !c.is_ascii_alphabetic());
        if passed.contains(&name) {
            counts.passed += value;
        } else if failed.contains(&name) {
            counts.failed += value;
        } else if skipped.contains(&name) {
            counts.skipped += value;
        }
    }
    counts
}

/// Maven's `Tests run: 14, Failures: 0, Errors: 0, Skipped: 1`.
fn labelled(line: &str, all: &str, failed: &[&str], skipped: &str) -> TestCounts {
    let failed = failed.iter().map(|name| after(line, name)).sum();
    let skipped = after(line, skipped);
    let all = after(line, all);
    TestCounts {
        passed: all.saturating_sub(failed + skipped),
        failed,
        skipped,
    }
}

fn after(line: &str, label: &str) -> u64 {
    let rest = line.split_once(label).map_or("", |(_, rest)| rest);
    rest.split_whitespace().find_map(number).unwrap_or(0)
}

fn number(word: &str) -> Option<u64> {
    word.trim_matches(|c: char| matches!(c, ',' | '(' | ')' | ';' | '.'))
        .parse()
        .ok()
}

fn strip_ansi(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            if chars.next() == Some('[') {
                chars.by_ref().find(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(output: &str) -> Option<(u64, u64, u64)> {
        count(output).map(|counts| (counts.passed, counts.failed, counts.skipped))
    }

    #[test]
    fn summaries_of_the_common_runners_are_counted() {
        let cases = [
            (
                "test result: ok. 14 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\ntest result: ok. 1 passed; 0 failed; 0 ignored",
                (15, 0, 2),
            ),
            (
                "===== 3 failed, 14 passed, 1 skipped in 0.12s =====",
                (14, 3, 1),
            ),
            (
                "Tests:       1 failed, 2 skipped, 14 passed, 17 total",
                (14, 1, 2),
            ),
            ("      Tests  14 passed (14)", (14, 0, 0)),
            ("  14 passing (3s)\n  1 pending", (14, 0, 1)),
            ("# tests 3\n# pass 2\n# fail 1\n# skipped 0", (2, 1, 0)),
            (
                "Tests run: 14, Failures: 1, Errors: 1, Skipped: 2",
                (10, 2, 2),
            ),
            ("14 examples, 1 failure, 2 pending", (11, 1, 2)),
            ("100% tests passed, 0 tests failed out of 14", (14, 0, 0)),
            ("Ran 14 tests in 0.003s\n\nOK", (14, 0, 0)),
            ("OK (14 tests, 20 assertions)", (14, 0, 0)),
            (
                "     Summary [   0.1s] 14 tests run: 14 passed, 1 skipped",
                (14, 0, 1),
            ),
            ("ok | 14 passed | 0 failed (12ms)", (14, 0, 0)),
            (
                "Passed!  - Failed:     0, Passed:    14, Skipped:     1, Total:    15",
                (14, 0, 1),
            ),
            (" 14 pass\n 1 fail", (14, 1, 0)),
            (
                "--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\nPASS",
                (1, 0, 1),
            ),
            ("no tests ran in 0.01s", (0, 0, 0)),
            ("?   \texample.com/x\t[no test files]", (0, 0, 0)),
            ("\u{1b}[32m14 passed\u{1b}[0m in 0.1s", (14, 0, 0)),
        ];
        for (output, expected) in cases {
            assert_eq!(counts(output), Some(expected), "{output}");
        }
        for output in ["", "Compiling x", "Finished in 3 s", "wrote 14 files"] {
            assert_eq!(counts(output), None, "{output}");
        }
    }
}
