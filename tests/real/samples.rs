//! Real suites, from their registries, in their own set-up: as many tests run as the plan says, and
//! ten iterations run each of them once. Real listers of the other runners.

use crate::fetched::{self, Suite};
use crate::support::skip;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

fn sample_tests(folder: &Path, bin: Option<&Path>) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("sample-tests"));
    let own = overnight_host::env::get_os(&overnight_base::vars::PATH).unwrap();
    let folders = bin.into_iter().map(Path::to_owned);
    let path = std::env::join_paths(folders.chain(std::env::split_paths(&own))).unwrap();
    command.current_dir(folder).env("PATH", path);
    for name in ["SAMPLE_RATE", "SEED", "AGENT_ID", "OVERNIGHT_ITERATION"] {
        command.env_remove(name);
    }
    command
}

/// A project of its own, with nothing recorded yet.
fn fresh(folder: &Path) {
    let git = folder.join(".git");
    let _ = std::fs::remove_dir_all(git.join("overnight"));
    std::fs::create_dir_all(git.join("info")).unwrap();
    let done = Command::new("git")
        .args(["init", "-q"])
        .current_dir(folder)
        .status();
    assert!(done.unwrap().success());
    std::fs::write(git.join("info/exclude"), "node_modules\ntarget\nlogs\n").unwrap();
}

/// A real run draws so many parts.
const PARTS: u32 = 5;

/// Runs these iterations of `parts` and gives the tests that ran, as the runner recorded them, and how
/// many there are.
fn iterations(
    folder: &Path,
    bin: Option<&Path>,
    runner: &str,
    (parts, numbers): (u32, std::ops::RangeInclusive<u64>),
) -> (Vec<String>, u64) {
    fresh(folder);
    let plan_file = folder.join(".git/plan.json");
    let durations = folder
        .join(".git/overnight/tests")
        .join(runner)
        .join("durations.json");
    let (mut ran, mut n) = (Vec::new(), 0);
    for number in numbers {
        let _ = std::fs::remove_file(&durations);
        let output = sample_tests(folder, bin)
            .args([
                "run", "--agent", "a", "--unit", "test", "--runner", runner, "--rate",
            ])
            .arg((1.0 / f64::from(parts)).to_string())
            .args(["--iteration", &number.to_string(), "--plan"])
            .arg(&plan_file)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{runner} {number}: {}",
            said(&output)
        );
        let plan = json(&plan_file);
        n = plan["n"].as_u64().unwrap();
        let tests = json(&durations)["tests"].as_object().unwrap().clone();
        // The parts of a ring differ by one test at most.
        let (k, least) = (plan["k"].as_u64().unwrap(), n / u64::from(parts));
        assert!((least..=least + 1).contains(&k), "{k} of {n}");
        assert_eq!(
            tests.len() as u64,
            k,
            "{runner} {number}: {}",
            said(&output)
        );
        ran.extend(tests.into_iter().map(|(id, _)| id));
    }
    (ran, n)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

/// All parts: each test once, and no other.
fn each_once(folder: &Path, bin: Option<&Path>, runner: &str, at_least: u64) {
    let (ran, n) = iterations(folder, bin, runner, (PARTS, 1..=PARTS.into()));
    let distinct: BTreeSet<&String> = ran.iter().collect();
    assert_eq!((ran.len() as u64, distinct.len() as u64), (n, n));
    assert!(n >= at_least, "{n}");
}

#[test]
fn jinja2_runs_each_test_once_in_five_iterations() {
    let Some(Suite { source, bin }) = fetched::python("jinja2", "3.1.6", &["trio"]) else {
        return;
    };
    each_once(&source, Some(&bin), "pytest", 900);
}

/// 60,000 tests: an iteration takes half a minute, so one has to do.
#[test]
#[ignore = "half a minute of CPU"]
fn packaging_runs_as_many_tests_as_the_plan_says() {
    let needs = ["pretend", "hypothesis", "tomli_w"];
    let Some(Suite { source, bin }) = fetched::python("packaging", "26.3", &needs) else {
        return;
    };
    let (ran, n) = iterations(&source, Some(&bin), "pytest", (10, 3..=3));
    assert!(n > 50_000 && ran.len() as u64 >= n / 10, "{n}");
}

#[test]
#[ignore = "compiles for a minute and a half"]
fn a_crate_of_1700_tests_runs_each_test_once_in_five_iterations() {
    let Some(source) = fetched::rust("typenum") else {
        return;
    };
    each_once(&source, None, "nextest", 1_500);
}

#[test]
fn a_jest_project_runs_each_file_once_in_five_iterations() {
    let Some(folder) = fetched::npm(&["jest@30"]) else {
        return;
    };
    for i in 0..30 {
        let text = format!("test('t{i}', () => {{ expect({i}).toBeLessThan(30); }});\n");
        std::fs::write(folder.join(format!("t{i}.test.js")), text).unwrap();
    }
    each_once(&folder, None, "jest", 30);
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// What `sample-tests --rate 1` makes of a lister, and that it sees the lister fail on `broken`.
fn lists(folder: &Path, lister: &[&str], expected: &[&str], broken: (&str, &str)) {
    let list = || {
        let mut command = sample_tests(folder, None);
        command
            .args(["--rate", "1", "--no-cache", "--"])
            .args(lister);
        command.output().unwrap()
    };
    let _ = std::fs::remove_file(folder.join(broken.0));
    let output = list();
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{lister:?}");
    write(folder, broken.0, broken.1);
    let output = list();
    let _ = std::fs::remove_file(folder.join(broken.0));
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(65), 0),
        "{lister:?}"
    );
    assert!(said(&output).contains("E5009"), "{}", said(&output));
}

#[test]
fn vitest_lists_and_runs() {
    let Some(folder) = fetched::npm(&["vitest@4"]) else {
        return;
    };
    let broken = ("src/broken.test.ts", "import { from 'x");
    write(
        &folder,
        "src/a.test.ts",
        "import { describe, it } from 'vitest';\ndescribe('sums', () => { it('adds > one', () => {}); });\nit('top', () => {});\n",
    );
    write(
        &folder,
        "src/b.test.ts",
        "import { test } from 'vitest';\ntest.each([1, 2])('n %i', () => {});\n",
    );
    let vitest = "node_modules/.bin/vitest";
    let ids = [
        "src/a.test.ts > sums > adds > one",
        "src/a.test.ts > top",
        "src/b.test.ts > n 1",
        "src/b.test.ts > n 2",
    ];
    lists(&folder, &[vitest, "list"], &ids, broken);
    lists(&folder, &[vitest, "list", "--json"], &ids, broken);
    fresh(&folder);
    let files = sample_tests(&folder, None)
        .args([
            "--rate",
            "1",
            "--no-cache",
            "--",
            vitest,
            "list",
            "--filesOnly",
        ])
        .output()
        .unwrap();
    assert_eq!(
        files.stdout,
        b"src/a.test.ts\nsrc/b.test.ts\n",
        "{}",
        said(&files)
    );
    let output = sample_tests(&folder, None)
        .args([
            "run",
            "--rate",
            "0.5",
            "--runner",
            "vitest",
            "--iteration",
            "1",
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let kept = json(&folder.join(".git/overnight/tests/vitest/durations.json"));
    assert_eq!(kept["tests"].as_object().unwrap().len(), 1, "{kept}");
}

#[test]
fn playwright_lists() {
    let Some(folder) = fetched::npm(&["@playwright/test@1"]) else {
        return;
    };
    write(
        &folder,
        "playwright.config.ts",
        "export default { testDir: './e2e', projects: [{ name: 'chromium' }, { name: 'firefox' }] };\n",
    );
    write(
        &folder,
        "e2e/a.spec.ts",
        "import { test } from '@playwright/test';\ntest('logs in', async () => {});\ntest.describe('group', () => { test('odd › one', async () => {}); });\n",
    );
    let ids = [
        "[chromium] › a.spec.ts:2:1 › logs in",
        "[chromium] › a.spec.ts:3:32 › group › odd › one",
        "[firefox] › a.spec.ts:2:1 › logs in",
        "[firefox] › a.spec.ts:3:32 › group › odd › one",
    ];
    let broken = ("e2e/broken.spec.ts", "import {");
    let playwright = "node_modules/.bin/playwright";
    lists(&folder, &[playwright, "test", "--list"], &ids, broken);
}

#[test]
fn rspec_lists() {
    if !fetched::runs("rspec", &["--version"]) {
        skip("rspec is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        "spec/a_spec.rb",
        "RSpec.describe 'sums' do\n  it('adds') { }\n  context('deep') { 2.times { |i| it(\"t#{i}\") { } } }\nend\n",
    );
    let ids = [
        "./spec/a_spec.rb[1:1]",
        "./spec/a_spec.rb[1:2:1]",
        "./spec/a_spec.rb[1:2:2]",
    ];
    let broken = ("spec/broken_spec.rb", "RSpec.describe 'x' do");
    lists(
        folder.path(),
        &["rspec", "--dry-run", "--format", "json"],
        &ids,
        broken,
    );
}
