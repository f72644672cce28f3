//! Several tools in one call: what one leaves open swallows nothing of the next, and each run counts.

use super::super::count::Category;
use super::super::*;
use std::path::{Path, PathBuf};

/// What the test runners say that run below all others, and who they are. Each has a failing test.
const BELOW: &[(&str, &str)] = &[
    ("cargo-heck-fail", "cargo test"),
    ("ctest-dev-fail", "ctest"),
    ("dv-bats-fail", "tap"),
    ("dv-mvn-fail", "mvn test"),
    ("dv-phpunit-fail", "phpunit"),
    ("gotest-ring-fail", "go test"),
    ("jest-cart-fail", "jest"),
    ("nextest-edge-dev", "cargo nextest"),
    ("pytest-toolz-fail", "pytest"),
    ("rspec-dev-fail", "rspec"),
    ("unittest-bisect-fail", "unittest"),
    ("vitest-cart-fail", "vitest"),
];
/// Bazel, Cypress and the like: what other tools print below is taken for the output of their tests. And ends of
/// outputs that break off in the middle of a test or a document.
const OPEN: &[&str] = &[
    "bazel",
    "cypress",
    "gotestsum",
    "gtest-plots-crash-color",
    "gtest-segv",
    "gtest-sonar-throw",
    "jest28-junit-reporter",
    "prove-gatehouse-v",
];
/// Larger captures repeat the same kinds of lines.
const SIZE_MAX: u64 = 40_000;

/// The kept captures in the order of their names.
#[expect(clippy::disallowed_methods, reason = "the captures are files")]
fn captures() -> Vec<PathBuf> {
    let sets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/output-filter");
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .collect::<Vec<_>>()
    };
    let mut paths: Vec<PathBuf> = entries(&sets)
        .iter()
        .flat_map(|set| entries(set))
        .filter(|path| {
            let small = path.metadata().unwrap().len() < SIZE_MAX;
            small && path.extension().is_some_and(|end| end == "txt")
        })
        .collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "the captures are files")]
fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    format!("{}\n", text.trim_end_matches('\n'))
}

fn digest(text: &str) -> Digest {
    let mut digester = Digester::new(Options::default());
    digester.push(text.as_bytes());
    digester.finish(End::Exit(1), None)
}

fn failed(digest: &Digest, tool: &str) -> u64 {
    let mut results = digest.results.iter();
    let own = results.find(|(known, _)| *known == tool);
    own.and_then(|(_, counts)| counts.get(Category::Failed))
        .unwrap_or(0)
}

#[test]
fn what_one_tool_leaves_open_swallows_nothing_of_the_next() {
    let paths = captures();
    let mut lost = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        if OPEN.iter().any(|open| stem(path).contains(open)) {
            continue;
        }
        let first = text(path);
        let alone = digest(&first);
        // Each below some of the others, all below many.
        let (name, tool) = BELOW[at % BELOW.len()];
        let below = paths.iter().find(|path| stem(path) == name).unwrap();
        let own = digest(&text(below));
        let both = digest(&format!("{first}{}", text(below)));
        let named = |failure: &Failure| both.failures.iter().any(|both| both.name == failure.name);
        let known = alone
            .failures
            .iter()
            .filter(|failure| own.failures.iter().any(|own| own.name == failure.name));
        let counts =
            failed(&both, tool) == failed(&alone, tool) + failed(&own, tool) || known.count() > 0;
        if !(own.failures.iter().all(named) && counts) {
            lost.push(format!("{tool} below {}", stem(path)));
        }
    }
    assert_eq!(lost, [] as [String; 0]);
}

/// One of each tool whose totals do not say by themselves that a run is over, and of others.
const AGAIN: &[&str] = &[
    "behave-library-green-color",
    "busted-ok-pass",
    "cargo-heck-fail",
    "deno-check-fails",
    "deno-test-fail",
    "deno-test-pass",
    "dv-ava-fail",
    "dv-bats-fail",
    "dv-mix-fail",
    "dv-mvn-fail",
    "dv-phpunit-fail",
    "gotest-ring-fail",
    "jest-cart-fail",
    "mocha-cart-fail",
    "more-node-spec",
    "nextest-edge-dev",
    "npm-workspaces-test",
    "pytest-attrs-pass-q",
    "pytest-toolz-fail",
    "rebar3-eunit-verbose",
    "redocly-lint",
    "robot-vending-dotted",
    "rspec-dev-fail",
    "ruff-tree-statistics",
    "sphinx-warn",
    "stestr-slugs",
    "tape-colors-fail",
    "ty-apisrv",
    "unittest-bisect-fail",
    "vitest-cart-fail",
];

#[test]
fn each_of_several_runs_counts() {
    let paths = captures();
    for name in AGAIN {
        let path = paths.iter().find(|path| stem(path) == *name);
        let run = text(path.unwrap_or_else(|| panic!("{name}")));
        let results = |text: &str, times: u64| -> Vec<String> {
            let results = digest(text).results;
            let shown = results.iter().map(|(tool, counts)| {
                let each = counts
                    .iter()
                    .map(|(category, number)| (category, number * times));
                format!("{tool}: {:?}", each.collect::<Vec<_>>())
            });
            shown.collect()
        };
        assert_eq!(results(&run.repeat(3), 1), results(&run, 3), "{name}");
    }
}
