//! What `sample-tests run` keeps of runners whose output is their only report, and what it is told
//! by the driver.

use super::{drawn, here, ids, sample_tests};
use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::Path;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn run(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = sample_tests(folder);
    command
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("CARGO_TERM_COLOR")
        .arg("run")
        .args(arguments);
    command
}

/// Durations and failures of a first whole run; then a sample by time, with what failed on top.
fn remembers(folder: &Path, runner: &str, slow: &str, failing: &str) {
    run(folder, &["--rate", "1", "--runner", runner])
        .assert()
        .failure()
        .stdout(contains(failing));
    let kept = folder.join(".overnight/tests").join(runner);
    let text = std::fs::read_to_string(kept.join("durations.json")).unwrap();
    let durations: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(durations["tests"].as_object().unwrap().len(), 30, "{text}");
    assert!(durations["tests"][slow].as_f64().unwrap() > 0.0, "{text}");
    assert_eq!(
        std::fs::read_dir(&kept).unwrap().count(),
        3,
        "no report is left behind"
    );
    for iteration in ["1", "2"] {
        run(
            folder,
            &[
                "--rate",
                "0.1",
                "--runner",
                runner,
                "--iteration",
                iteration,
            ],
        )
        .assert()
        .failure()
        .stdout(contains(failing))
        .stderr(contains("% of the time").and(contains("fixed cost")));
    }
}

#[test]
fn cargo_test_says_what_its_binaries_take_and_what_failed() {
    let folder = here();
    write(
        folder.path(),
        "Cargo.toml",
        "[package]\nname = \"planted\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    let tests = |from: usize, to: usize| {
        let tests =
            (from..to).map(|i| format!("#[test]\nfn case_{i}() {{ assert_ne!({i}, 7); }}\n"));
        tests.collect::<String>()
    };
    write(
        folder.path(),
        "src/lib.rs",
        &format!("mod a {{\n{}}}\n", tests(0, 15)),
    );
    write(folder.path(), "tests/other.rs", &tests(15, 30));
    write(folder.path(), ".gitignore", "target\nlogs\n");
    remembers(folder.path(), "cargo", "case_20", "a::case_7");
}

#[test]
fn go_test_says_what_its_tests_take_and_what_failed() {
    let there = std::process::Command::new("go").arg("version").output();
    if !there.is_ok_and(|done| done.status.success()) {
        crate::support::skip("go is not installed");
        return;
    }
    let folder = here();
    write(folder.path(), "go.mod", "module example.com/m\n\ngo 1.18\n");
    for (package, from) in [("a", 0), ("b", 15)] {
        let tests = (from..from + 15).map(|i| {
            let nap = if i == 20 {
                "time.Sleep(60 * time.Millisecond)"
            } else {
                "_ = time.Now"
            };
            let fail = if i == 7 { "t.Fail()" } else { "" };
            format!("func TestCase{i}(t *testing.T) {{ {nap}; {fail} }}\n")
        });
        let text = format!(
            "package {package}\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\n{}",
            tests.collect::<String>()
        );
        write(
            folder.path(),
            &format!("{package}/{package}_test.go"),
            &text,
        );
    }
    remembers(
        folder.path(),
        "go",
        "example.com/m/b.TestCase20",
        "TestCase7",
    );
}

#[test]
fn an_agent_of_a_run_draws_the_part_of_its_iteration() {
    let folder = here();
    let asked = drawn(
        sample_tests(folder.path()).args(["--seed", "s", "--iteration", "4"]),
        &ids(90),
    );
    let told = drawn(
        sample_tests(folder.path())
            .args(["--seed", "s"])
            .env("OVERNIGHT_ITERATION", "4"),
        &ids(90),
    );
    assert_eq!(asked, told);
    sample_tests(folder.path())
        .env("OVERNIGHT_ITERATION", "four")
        .write_stdin(ids(9))
        .assert()
        .code(78)
        .stderr(contains("OVERNIGHT_ITERATION"));
}
