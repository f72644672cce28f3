//! Sources that ask whether they run under test, or that read the tests.

use super::super::named::takes_in_runner;
use super::{GATE, Source};
use std::collections::{BTreeMap, BTreeSet};

/// What says so by itself.
const ALONE: [&str; 27] = [
    "f_locals",
    "linecache.getline",
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "PYTEST_XDIST",
    "JEST_WORKER_ID",
    "NODE_TEST_CONTEXT",
    "VITEST",
    "import.meta.vitest",
    "cfg!(test)",
    "cfg(not(test))",
    "testing.Testing()",
    "test.v\"",
    "\"test.",
    "defined?(RSpec)",
    "defined?(Minitest)",
    "defined?(Test::Unit)",
    "PHPUNIT_",
    "BATS_TEST",
    "CTEST_",
    "GTEST_",
    "RUST_TEST_THREADS",
    "NEXTEST",
    "MIX_ENV",
    "npm_lifecycle_event",
    "TOX_ENV_NAME",
    "OVERNIGHT_",
];
/// What says so beside a word for tests.
const BESIDE: [&str; 20] = [
    "sys.modules",
    "sys.argv",
    "NODE_ENV",
    "RAILS_ENV",
    "RACK_ENV",
    "APP_ENV",
    "inspect.stack",
    "inspect.currentframe",
    "sys._getframe",
    "traceback.extract_stack",
    "traceback.format_stack",
    "os.Args",
    "os.Executable",
    "env::args",
    "env::current_exe",
    "process.argv",
    "require.main",
    ".stack",
    "caller",
    "$PROGRAM_NAME",
];
const TESTS: [&str; 5] = ["test", "spec", "jest", "mocha", "vitest"];

pub(super) fn look(source: &Source, tests: &BTreeMap<String, String>) -> Vec<String> {
    let known: BTreeSet<&str> = source.before.lines().map(str::trim).collect();
    let text = super::work(&source.path, &source.after);
    // A gate's own words are no file's name.
    let files = || tests.keys().filter(|test| !test.starts_with(GATE));
    let mut lines = text.lines().enumerate().peekable();
    let mut found = Vec::new();
    while let Some((number, line)) = lines.next() {
        let trimmed = line.trim();
        if known.contains(trimmed) || is_comment(trimmed) {
            continue;
        }
        let next = lines.peek().map_or("", |(_, next)| next);
        let place = format!("{}:{}", source.path, number + 1);
        if asks(trimmed, next) || takes_in_runner(&source.path, trimmed) {
            found.push(format!(
                "{place} asks whether it runs under test: {trimmed}"
            ));
        } else if let Some(test) = files().find(|test| reads(trimmed, test)) {
            found.push(format!("{place} names the test {test}"));
        }
    }
    found
}

fn is_comment(line: &str) -> bool {
    // Some are told to the compiler, as which file to embed.
    let told = line.starts_with("//go:");
    line.starts_with("//") && !told
        || line.starts_with("# ")
        || line.starts_with("* ")
        || line == "#"
}

fn asks(line: &str, next: &str) -> bool {
    let near = format!("{line}\n{next}").to_ascii_lowercase();
    let tested = || TESTS.iter().any(|word| near.contains(word));
    ALONE.iter().any(|word| has(line, word))
        || (BESIDE.iter().any(|word| has(line, word)) && tested())
}

/// A word that is no part of a longer one.
fn has(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let before = word.starts_with(part) && line[..at].ends_with(part);
        let after = line[at + word.len()..].starts_with(part);
        let open = word.ends_with(['_', '"', ')']) || !word.ends_with(part);
        !before && (open || !after)
    })
}

/// Does a text in the line name this test file?
fn reads(line: &str, test: &str) -> bool {
    let name = test.rsplit('/').next().unwrap_or(test);
    name.contains('.')
        && name.len() > 6
        && ['"', '\'', '/']
            .iter()
            .any(|quote| line.contains(&format!("{quote}{name}")))
}
