//! How many tests an output reports: what the digest recognises, and the words by which a runner says
//! that it found no test.

use super::TestCounts;
use overnight_digest::{Category, Counts, Digest, Digester, End, Options};

/// Phrases by which a runner says that it found no test.
const NOTHING: [&str; 15] = [
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

/// How pytest's progress ends: its summary alone, as wrappers print it, might be anybody's line.
const PROGRESS: &str = ".  [100%]\n";

/// The counts of the whole output of a command that ended with this status, where it is known; `None`
/// when no runner states any.
pub fn count(output: &str, exit: Option<i32>) -> Option<TestCounts> {
    // A digest is dear to set up, and a journal is folded again for every look at it.
    if !output.contains(|letter: char| letter.is_ascii_digit()) {
        return nothing(output);
    }
    let read = |parts: &[&str]| {
        let mut digester = Digester::new(Options {
            tests: true,
            ..Options::default()
        });
        for part in parts {
            digester.push(part.as_bytes());
        }
        let end = exit.map_or(End::Unknown, End::Exit);
        let digest = digester.finish(end, None);
        let parts = subtests(&digest);
        tests(&digest.counts).map(|counts| TestCounts { parts, ..counts })
    };
    let lone = || {
        let mut lines = output.lines().filter(|line| !line.trim().is_empty());
        let line = lines.next().filter(|line| line.contains(" passed in "))?;
        lines
            .next()
            .is_none()
            .then(|| read(&[PROGRESS, line, "\n"]))?
    };
    read(&[output]).or_else(lone).or_else(|| nothing(output))
}

/// Does a runner say that there was nothing to run? Go's says so of each package without tests.
fn nothing(output: &str) -> Option<TestCounts> {
    let ran = |line: &str| line.starts_with("ok  \t") || line.starts_with("ok \t");
    let says = |line: &str| {
        let line = line.to_ascii_lowercase();
        NOTHING.iter().any(|phrase| line.contains(phrase))
    };
    (output.lines().any(says) && !output.lines().any(ran)).then_some(TestCounts::of(0, 0, 0))
}

/// The counts that are about tests: a figure that no runner states stays unknown.
fn tests(counts: &Counts) -> Option<TestCounts> {
    let sum = |categories: &[Category]| {
        let stated = categories.iter().filter_map(|one| counts.get(*one));
        stated.reduce(u64::saturating_add)
    };
    let found = TestCounts {
        passed: sum(&[Category::Passed, Category::Xpassed]),
        failed: sum(&[Category::Failed, Category::Errors]),
        skipped: sum(&[
            Category::Skipped,
            Category::Ignored,
            Category::Pending,
            Category::Todo,
            Category::Xfailed,
        ]),
        parts: 0,
    };
    // Errors alone are a compiler's or a linter's.
    let runs = found.passed.is_some() || counts.get(Category::Failed).is_some();
    runs.then_some(found)
}

/// Failing subtests that are counted beside the tests that hold them: unittest's are more than the
/// tests that ran, pytest's have the name of their test before their own.
fn subtests(digest: &Digest) -> u64 {
    let more = |(_, counts): &(&str, Counts)| {
        let total = counts.get(Category::Total)?;
        let all = [
            Category::Passed,
            Category::Failed,
            Category::Errors,
            Category::Skipped,
            Category::Xfailed,
            Category::Xpassed,
        ];
        let all: u64 = all.iter().filter_map(|one| counts.get(*one)).sum();
        Some(all.saturating_sub(total))
    };
    let subtest = |name: &str| {
        let own = name.find([' ', '[']);
        own.is_some_and(|at| name[..at].contains(".py::") && name[at..].starts_with(' '))
    };
    let named = digest.failures.iter().filter(|one| subtest(&one.name));
    let stated: u64 = digest.results.iter().filter_map(more).sum();
    stated.saturating_add(named.count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(output: &str, exit: i32) -> Option<TestCounts> {
        count(output, Some(exit))
    }

    #[test]
    fn what_the_digest_recognises_is_counted() {
        let cases = [
            (
                "....s\n\nRan 5 tests in 0.003s\n\nOK (skipped=1)\n",
                0,
                (4, 0, 1),
            ),
            (
                "EEE.\n\nRan 4 tests in 0.001s\n\nFAILED (errors=3)\n",
                1,
                (1, 3, 0),
            ),
            (
                "..x\n\nRan 3 tests in 0.001s\n\nOK (expected failures=1)\n",
                0,
                (2, 0, 1),
            ),
            (
                "===== 3 failed, 14 passed, 1 skipped in 0.12s =====\n",
                1,
                (14, 3, 1),
            ),
            (
                "TAP version 13\nok 1 - a\nnot ok 2 - b\nok 3 - c # TODO\n1..3\n# tests 3\n# suites 0\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 1\n# duration_ms 5\n",
                1,
                (1, 1, 1),
            ),
            (
                "\n  dash\n    ✔ splits\n\n\n  2 passing (3ms)\n\n",
                0,
                (2, 0, 0),
            ),
            ("no tests ran in 0.01s\n", 5, (0, 0, 0)),
            ("14 passed in 1.02s\n", 0, (14, 0, 0)),
            ("?   \texample.com/x\t[no test files]\n", 0, (0, 0, 0)),
        ];
        for (output, exit, (passed, failed, skipped)) in cases {
            let expected = Some(TestCounts::of(passed, failed, skipped));
            assert_eq!(counts(output, exit), expected, "{output}");
        }
        for output in [
            "",
            "Compiling x",
            "Finished in 3 s",
            "wrote 14 files",
            "src/a.c:1:2: error: x\n",
        ] {
            assert_eq!(counts(output, 1), None, "{output}");
        }
    }

    #[test]
    fn failing_subtests_are_no_tests_of_their_own() {
        let unittest = "FFF\n======================================================================\n\
            FAIL: test_a (t.T.test_a) (i=1)\n\
            ----------------------------------------------------------------------\n\
            AssertionError: 1 != 9\n\n\
            ----------------------------------------------------------------------\n\
            Ran 2 tests in 0.001s\n\nFAILED (failures=6)\n";
        let pytest = "uu..                                  [100%]\n\
            =========================== short test summary info ============================\n\
            SUBFAILED(i=0) test_s.py::T::test_a - AssertionError: 0 != 9\n\
            SUBFAILED[m] (i=1) test_s.py::T::test_a - AssertionError: 1 != 9\n\
            FAILED test_s.py::test_b[x (y)] - AssertionError: 1 != 9\n\
            3 failed, 1 passed in 0.07s\n";
        for (output, failed) in [(unittest, 6), (pytest, 3)] {
            let counted = counts(output, 1).unwrap();
            assert_eq!((counted.failed, counted.ran()), (Some(failed), Some(2)));
        }
    }

    #[test]
    fn a_figure_that_no_runner_states_stays_unknown() {
        let failed = "--- FAIL: TestA (0.00s)\n    a_test.go:3: x\nFAIL\nFAIL\texample.com/p\t0.002s\nFAIL\n";
        let counted = counts(failed, 1).unwrap();
        assert_eq!((counted.failed, counted.passed), (Some(1), None));
        assert_eq!(counted.words(), "1 failed");
        let passed = "ok  \texample.com/p\t0.002s\n?   \texample.com/q\t[no test files]\n";
        assert_eq!(counts(passed, 0), None);
    }
}
