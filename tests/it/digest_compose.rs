//! Outputs composed of known ones: what a digest counts must not be wrong where two tools share an
//! output, a runner puts a prefix before each line, or tests print what looks like a result.

use std::collections::{BTreeMap, BTreeSet};

use crate::digest_corpus::{self, KNOWN, UNSEEN, captures};
use overnight_digest::Digest;

/// What is wrong where outputs are composed, an item a line behind the name of its test: lines that look exactly
/// like a tool's own, and rare runners that say neither where a run ends nor which of their tests passed. The list
/// may only shrink.
const WRONG: &str = include_str!("../cases/digest-composed.txt");

/// Larger ones would repeat the same at length.
const SIZE_MAX: usize = 40_000;

/// What programs print that looks like the result of some tool.
const NOISE: &[&str] = &[
    "12 passed",
    "Tests: 3 failed",
    "Tests:       3 failed, 9 total",
    "5 tests, 2 failures",
    "3 failed, 4 passed",
    "OK (12 tests)",
    "FAILED (failures=3)",
    "Ran 9 tests in 0.1s",
    "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "All 7 tests passed.",
    "Ok: 5",
    "Fail: 3",
    "Total tests: 9",
    "0 errors",
    "3 problems",
    "not ok",
    "PASS: thing",
    "[error] worker died",
    "[warn] slow",
    "8 scenarios (3 failed, 5 passed)",
    "12 runs, 30 assertions, 2 failures, 0 errors, 0 skips",
    "== 3 failed, 4 passed in 0.12s ==",
    "100% tests passed, 0 tests failed out of 9",
    "Failed! - Failed: 3, Passed: 4, Skipped: 0, Total: 7",
    "7 pass",
    "3 fail",
    "1..4",
];

type Numbers = BTreeMap<(String, String), u64>;

#[derive(Clone)]
struct Output {
    id: String,
    exit: i32,
    bytes: Vec<u8>,
}

/// The known outputs that are not too large.
fn outputs() -> Vec<Output> {
    outputs_of(&[KNOWN, UNSEEN])
}

fn outputs_of(sets: &[&str]) -> Vec<Output> {
    let all = sets.iter().flat_map(|set| captures(set));
    let small = all.filter(|(_, bytes)| bytes.len() <= SIZE_MAX);
    small
        .map(|(capture, bytes)| Output {
            id: capture.id,
            exit: capture.exit_code,
            bytes,
        })
        .collect()
}

fn digest(bytes: &[u8], exit: i32) -> Digest {
    digest_corpus::digest(bytes, exit, usize::MAX >> 1)
}

/// The numbers of a digest by tool and category; zeros say nothing.
fn numbers(digest: &Digest) -> Numbers {
    let mut all = Numbers::new();
    for (tool, counts) in &digest.results {
        for (category, number) in counts.iter().filter(|(_, number)| *number > 0) {
            all.insert(((*tool).to_owned(), format!("{category:?}")), number);
        }
    }
    all
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    text.split(|byte| *byte == b'\n').collect()
}

/// Counts the composed outputs whose digest states a number that is not among the accepted ones.
#[derive(Default)]
struct Tally {
    wrong: Vec<String>,
}

impl Tally {
    fn check(
        &mut self,
        what: &str,
        got: &Numbers,
        accepted: impl Fn(&(String, String)) -> Vec<u64>,
    ) {
        for (key, number) in got {
            let accepted = accepted(key);
            if !accepted.contains(number) {
                self.wrong.push(format!(
                    "{what}: {} {} {number}, not {accepted:?}",
                    key.0, key.1
                ));
            }
        }
    }

    /// What is wrong is what is listed under this name.
    fn settle(mut self, name: &str) {
        self.wrong.sort();
        let listed = WRONG.lines().filter_map(|line| line.strip_prefix(name));
        let listed: Vec<&str> = listed.filter_map(|item| item.strip_prefix(": ")).collect();
        assert_eq!(
            self.wrong, listed,
            "{name}: tests/cases/digest-composed.txt"
        );
    }
}

#[test]
fn a_prefix_before_each_line_makes_no_count_wrong() {
    let mut tally = Tally::default();
    for output in outputs() {
        let plain = numbers(&digest(&output.bytes, output.exit));
        for prefix in [
            "web:test: ",
            "[web] ",
            "web-1  | ",
            "2026-01-01T00:00:00.0000000Z ",
        ] {
            let mut text = Vec::new();
            for line in lines(&output.bytes) {
                text.extend_from_slice(prefix.as_bytes());
                text.extend_from_slice(line);
                text.push(b'\n');
            }
            let got = numbers(&digest(&text, output.exit));
            tally.check(&format!("{} behind {prefix:?}", output.id), &got, |key| {
                plain.get(key).copied().into_iter().collect()
            });
        }
    }
    tally.settle("prefixed");
}

#[test]
fn two_tools_in_one_output_keep_their_counts() {
    let mut tally = Tally::default();
    let all = outputs();
    for (at, one) in all.iter().enumerate() {
        let other = &all[(at + 17) % all.len()];
        let text = [&one.bytes[..], b"\n\n", &other.bytes[..]].concat();
        let [first, second] =
            [one, other].map(|output| numbers(&digest(&output.bytes, output.exit)));
        let got = numbers(&digest(&text, 1));
        // Of the same tool the counts are added up.
        tally.check(&format!("{} + {}", one.id, other.id), &got, |key| {
            let each = [first.get(key), second.get(key)];
            vec![each.into_iter().flatten().sum()]
        });
    }
    tally.settle("joined");
}

/// A failing run of each of the runners that most projects have.
fn following() -> Vec<Output> {
    const TOOLS: &[&str] = &[
        "cargo nextest",
        "cargo test",
        "ctest",
        "go test",
        "gtest",
        "jest",
        "mocha",
        "mvn test",
        "phpunit",
        "pytest",
        "rspec",
        "tap",
        "unittest",
        "vitest",
    ];
    let known = outputs_of(&[KNOWN]);
    let of_tool = |tool: &&str| {
        let is = |output: &&Output| {
            let digest = digest(&output.bytes, output.exit);
            digest.tool.as_deref() == Some(*tool) && !digest.failures.is_empty()
        };
        known.iter().find(is).cloned()
    };
    let following: Vec<Output> = TOOLS.iter().filter_map(of_tool).collect();
    assert_eq!(following.len(), TOOLS.len());
    following
}

/// Whatever the first leaves open, be it a linter's list, a crash or half a document.
#[test]
fn two_tools_in_one_output_keep_their_failing_tests() {
    let following = following();
    let mut tally = Tally::default();
    let firsts = outputs();
    for (at, one) in firsts.iter().enumerate() {
        let first = digest(&one.bytes, one.exit);
        // What Bazel and Cypress start is part of their run.
        let around =
            (first.tool.as_deref()).is_some_and(|tool| ["bazel", "cypress"].contains(&tool));
        if around || one.bytes.len() > 8_000 {
            continue;
        }
        let end: &[u8] = if one.bytes.ends_with(b"\n") {
            b""
        } else {
            b"\n"
        };
        let other = &following[at % following.len()];
        let second = digest(&other.bytes, other.exit);
        let joined = digest(&[&one.bytes[..], end, &other.bytes[..]].concat(), 1);
        let all = names(&joined);
        let lost = names(&first).into_iter().chain(names(&second));
        let lost: Vec<&str> = lost.filter(|name| !all.contains(name)).collect();
        if !lost.is_empty() {
            tally
                .wrong
                .push(format!("{} + {}: {lost:?}", one.id, other.id));
        }
    }
    tally.settle("lost");
}

#[test]
fn a_run_that_is_repeated_counts_twice() {
    let mut tally = Tally::default();
    for output in outputs() {
        let plain = digest(&output.bytes, output.exit);
        let once = numbers(&plain);
        if once.is_empty() {
            continue;
        }
        let end: &[u8] = if output.bytes.ends_with(b"\n") {
            b""
        } else {
            b"\n"
        };
        let twice = [&output.bytes[..], end, &output.bytes[..]].concat();
        let twice = digest(&twice, output.exit);
        let got = numbers(&twice);
        tally.check(&format!("{} twice", output.id), &got, |key| {
            once.get(key).map(|number| number * 2).into_iter().collect()
        });
        // Its failing tests are the same ones.
        if names(&plain) != names(&twice) {
            tally
                .wrong
                .push(format!("{} twice: other names", output.id));
        }
    }
    tally.settle("repeated");
}

fn names(digest: &Digest) -> BTreeSet<&str> {
    let failures = digest.failures.iter();
    failures.map(|failure| failure.name.as_str()).collect()
}

#[test]
fn what_tests_print_is_no_result() {
    let mut tally = Tally::default();
    for (at, output) in outputs().into_iter().enumerate() {
        let all = lines(&output.bytes);
        let plain = numbers(&digest(&output.bytes, output.exit));
        if all.len() < 6 || plain.is_empty() {
            continue;
        }
        // Every tenth of the lines for each output, others for the next.
        for (number, noise) in NOISE
            .iter()
            .enumerate()
            .filter(|(number, _)| number % 9 == at % 9)
        {
            let middle = all.len() / 3 + number % (all.len() / 3);
            let mut text = all[..middle].join(&b"\n"[..]);
            text.extend_from_slice(format!("\n    {noise}\n").as_bytes());
            text.extend_from_slice(&all[middle..].join(&b"\n"[..]));
            let got = numbers(&digest(&text, output.exit));
            tally.check(&format!("{} with {noise:?}", output.id), &got, |key| {
                plain.get(key).copied().into_iter().collect()
            });
        }
    }
    tally.settle("noisy");
}
