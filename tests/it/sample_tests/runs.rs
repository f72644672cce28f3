//! `sample-tests run` with real runners.

use super::{fetched, here, sample_tests};
use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::Path;

/// A project of 30 tests in Python of which one fails.
fn project(folder: &Path) {
    std::fs::write(folder.join("pytest.ini"), "[pytest]\n").unwrap();
    std::fs::create_dir(folder.join("tests")).unwrap();
    for file in 0..3 {
        let odd = "@pytest.mark.parametrize('x', ['a b', 'c/d', 'é', \"'\", '[1]'])\ndef test_odd(x): pass\n";
        let plain: Vec<String> = (0..5)
            .map(|i| format!("def test_{i}(): assert ({file}, {i}) != (1, 3)\n"))
            .collect();
        let text = format!("import pytest\n{odd}{}", plain.concat());
        std::fs::write(folder.join(format!("tests/test_{file}.py")), text).unwrap();
    }
}

fn run(folder: &Path, bin: &Path, arguments: &[&str]) -> Command {
    let mut command = sample_tests(folder);
    let path = std::env::join_paths([bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    command
        .env("PATH", path)
        .args(["run", "--rate", "0.1"])
        .args(arguments);
    command
}

#[test]
fn a_planted_regression_is_seen_within_ten_iterations_by_one_agent() {
    let Some(bin) = fetched::pytest() else { return };
    let folder = here();
    project(folder.path());
    let mut seen = Vec::new();
    let mut ran = 0;
    for iteration in 1..=10 {
        let iteration = iteration.to_string();
        let output = run(
            folder.path(),
            &bin,
            &["--agent", "a", "--iteration", &iteration, "--", "-q"],
        )
        .output()
        .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("27 deselected") || seen.len() == 1, "{text}");
        ran += 1;
        if output.status.code() == Some(1) {
            assert!(text.contains("tests/test_1.py::test_3"), "{text}");
            seen.push(ran);
        } else {
            assert_eq!(output.status.code(), Some(0), "{text}");
        }
    }
    // Seen once by the sample, and from then on because it failed last time.
    let first = *seen.first().unwrap();
    assert_eq!(seen, (first..=10).collect::<Vec<_>>());
}

#[test]
fn a_planted_regression_is_seen_within_one_iteration_by_ten_agents() {
    let Some(bin) = fetched::pytest() else { return };
    let folder = here();
    project(folder.path());
    // All at once, as agents are; what one records meanwhile must not change another's part.
    let agents: Vec<_> = (1..=10)
        .map(|index| {
            let mut command =
                std::process::Command::new(assert_cmd::cargo::cargo_bin!("sample-tests"));
            let path =
                std::env::join_paths([&bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
            command
                .current_dir(folder.path())
                .env("PATH", path)
                .args([
                    "run",
                    "--rate",
                    "0.1",
                    "--of",
                    "10",
                    "--index",
                    &index.to_string(),
                    "--",
                    "-q",
                    "-p",
                    "no:cacheprovider",
                ])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let statuses: Vec<_> = agents
        .into_iter()
        .map(|mut agent| agent.wait().unwrap().code())
        .collect();
    assert!(statuses.contains(&Some(1)), "{statuses:?}");
    assert!(
        statuses.iter().all(|status| matches!(status, Some(0 | 1))),
        "{statuses:?}"
    );
}

#[test]
fn the_second_night_knows_what_tests_take_and_what_failed() {
    let Some(bin) = fetched::pytest() else { return };
    let folder = here();
    project(folder.path());
    let all = sample_tests(folder.path())
        .env(
            "PATH",
            std::env::join_paths([&bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap(),
        )
        .args(["run", "--rate", "1", "--runner", "pytest", "--", "-q"])
        .output()
        .unwrap();
    assert_eq!(all.status.code(), Some(1));
    run(folder.path(), &bin, &["--agent", "b"])
        .assert()
        .stderr(contains("% of the time").and(contains("fixed cost")))
        .stdout(contains("test_1.py"));
    // A collection that fails is no green run, and neither is one that finds no test.
    std::fs::write(
        folder.path().join("tests/test_0.py"),
        "import nothing_of_this_name\n",
    )
    .unwrap();
    run(folder.path(), &bin, &["--agent", "b"]).assert().code(2);
    std::fs::remove_dir_all(folder.path().join("tests")).unwrap();
    run(folder.path(), &bin, &["--agent", "b"]).assert().code(5);
}

#[test]
fn a_folder_without_or_with_several_runners_says_so() {
    let folder = here();
    sample_tests(folder.path())
        .arg("run")
        .assert()
        .code(66)
        .stderr(contains("no known test runner"));
    std::fs::write(folder.path().join("go.mod"), "").unwrap();
    std::fs::write(folder.path().join("pytest.ini"), "").unwrap();
    sample_tests(folder.path())
        .arg("run")
        .assert()
        .code(64)
        .stderr(contains("several runners in this folder: go, pytest"));
}

#[test]
fn what_failed_in_a_run_that_the_filter_saw_runs_again() {
    let Some(bin) = fetched::pytest() else { return };
    let folder = here();
    project(folder.path());
    let path = std::env::join_paths([&bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    Command::new(assert_cmd::cargo::cargo_bin!("output-filter"))
        .current_dir(folder.path())
        .env("PATH", &path)
        .args(["--", "pytest", "-v"])
        .assert()
        .code(1)
        .stdout(contains("tests/test_1.py::test_3"));
    for agent in ["a", "b", "c"] {
        run(folder.path(), &bin, &["--agent", agent, "--", "-q"])
            .assert()
            .code(1)
            .stdout(contains("tests/test_1.py::test_3"));
    }
    // Once it has passed it is a test like any other.
    std::fs::write(
        folder.path().join("tests/test_1.py"),
        "def test_3(): pass\n",
    )
    .unwrap();
    run(folder.path(), &bin, &["--agent", "d", "--", "-q"])
        .assert()
        .success()
        .stderr(contains("+1 always"));
    run(folder.path(), &bin, &["--agent", "d", "--", "-q"])
        .assert()
        .success()
        .stderr(contains("always").not());
}
