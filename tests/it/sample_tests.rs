use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use std::collections::BTreeSet;
use std::path::Path;

#[allow(dead_code, reason = "tests/real fetches more with it")]
mod fetched;
mod listers;
mod records;
mod runs;

fn sample_tests(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("sample-tests"));
    command.current_dir(folder);
    for name in [
        "SAMPLE_RATE",
        "SEED",
        "AGENT_ID",
        "OVERNIGHT_SAMPLE_RATE",
        "OVERNIGHT_SEED",
        "OVERNIGHT_AGENT_ID",
        "OVERNIGHT_ITERATION",
    ] {
        command.env_remove(name);
    }
    command
}

fn here() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn ids(n: usize) -> String {
    (0..n)
        .map(|i| format!("tests/test_{}.py::test_{i}\n", i % 37))
        .collect::<Vec<_>>()
        .concat()
}

fn drawn(command: &mut Command, list: &str) -> Vec<String> {
    let output = command
        .write_stdin(list)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    String::from_utf8(output)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Computed with Python's hashlib from the definition: see `sample::tests`.
#[test]
fn the_same_agent_gets_the_same_tests_everywhere() {
    let folder = here();
    let expected = drawn(
        sample_tests(folder.path()).args(["--rate", "0.05", "--agent", "agent-1"]),
        &ids(200),
    );
    assert_eq!(expected.len(), 10);
    assert!(expected.contains(&GOLDEN.to_owned()), "{expected:?}");
    let crlf = ids(200).replace('\n', "\r\n") + "\r\n" + &ids(200);
    let other = drawn(
        sample_tests(folder.path())
            .env("AGENT_ID", "agent-1")
            .env("SAMPLE_RATE", "0.05"),
        &crlf,
    );
    assert_eq!(other, expected);
    let seed = drawn(
        sample_tests(folder.path())
            .args(["--rate=0.050", "--seed=agent-1"])
            .env("AGENT_ID", "agent-2"),
        &ids(200),
    );
    assert_eq!(seed, expected);
}

const GOLDEN: &str = "tests/test_23.py::test_23";

#[test]
fn the_line_on_stderr_draws_the_same_again() {
    let folder = here();
    let mut command = sample_tests(folder.path());
    let run = command
        .args([
            "--agent",
            "it's me",
            "--iteration",
            "4",
            "--stratify",
            "module",
        ])
        .write_stdin(ids(300))
        .assert()
        .success();
    let line = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    let words = line
        .split_once("sample-tests/v1 ")
        .unwrap()
        .1
        .split_once(" set ")
        .unwrap()
        .0;
    let again = std::process::Command::new("sh")
        .args([
            "-c",
            &format!("\"$0\" {words} < list"),
            assert_cmd::cargo::cargo_bin!("sample-tests")
                .to_str()
                .unwrap(),
        ])
        .current_dir({
            std::fs::write(folder.path().join("list"), ids(300)).unwrap();
            folder.path()
        })
        .output()
        .unwrap();
    assert_eq!(again.stdout, run.get_output().stdout);
}

#[test]
fn agents_and_iterations_see_everything_once() {
    let folder = here();
    for flag in ["--index", "--iteration"] {
        let mut seen = Vec::new();
        for turn in 1..=10 {
            let mut command = sample_tests(folder.path());
            command.args(["--rate", "0.1", flag, &turn.to_string(), "--agent"]);
            if flag == "--index" {
                command.args([&format!("a{turn}"), "--of", "10"]);
            } else {
                command.arg("a1");
            }
            seen.extend(drawn(&mut command, &ids(123)));
        }
        assert_eq!(seen.len(), 123);
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 123);
    }
}

#[test]
fn bad_rates_are_refused_before_anything_is_printed() {
    let folder = here();
    for rate in [
        "NaN", "inf", "0", "-1", "1.1", "0.1abc", "1e-400", "", "0.0001",
    ] {
        sample_tests(folder.path())
            .args(["--rate", rate])
            .write_stdin(ids(9))
            .assert()
            .code(64)
            .stdout(is_empty())
            .stderr(contains("ERROR [E5001]"));
        if !rate.is_empty() {
            sample_tests(folder.path())
                .env("SAMPLE_RATE", rate)
                .write_stdin(ids(9))
                .assert()
                .code(78)
                .stdout(is_empty())
                .stderr(contains("SAMPLE_RATE"));
        }
    }
}

#[test]
fn bad_seeds_turns_and_lists_are_refused_before_anything_is_printed() {
    let folder = here();
    let long = "x".repeat(100_000);
    for (arguments, code, name) in [
        (&["--seed", &long][..], 64, "E5002"),
        (&["--seed", ""], 64, "E5002"),
        (&["--agent", "a\nb"], 64, "E5002"),
        (&["--seed-file", "missing"], 64, "E5002"),
        (&["--index", "11", "--of", "10"], 64, "E5007"),
        (&["--index", "1"], 64, "E4001"),
        (&["--agent", "a", "--seed", "b"], 64, "E4001"),
        (&["--unit", "line"], 64, "E4001"),
        (&["--durations", "missing"], 65, "E5008"),
    ] {
        sample_tests(folder.path())
            .args(arguments)
            .write_stdin(ids(9))
            .assert()
            .code(code)
            .stdout(is_empty())
            .stderr(contains(name));
    }
    for (variable, value) in [
        ("SEED", long.as_str()),
        ("AGENT_ID", "\u{1b}[2J"),
        ("OVERNIGHT_SEED", &long),
    ] {
        sample_tests(folder.path())
            .env(variable, value)
            .write_stdin(ids(9))
            .assert()
            .code(78)
            .stdout(is_empty())
            .stderr(contains(variable));
    }
    for (list, name) in [
        (Vec::new(), "E5004"),
        (b"\r\n\n".to_vec(), "E5004"),
        (vec![b'x'; 10_000_000], "E5003"),
        (b"a\xff\n".to_vec(), "E5006"),
        (b"a\0b".to_vec(), "E5006"),
    ] {
        sample_tests(folder.path())
            .write_stdin(list)
            .assert()
            .code(65)
            .stdout(is_empty())
            .stderr(contains(name));
    }
    sample_tests(folder.path())
        .arg("--allow-empty")
        .write_stdin("")
        .assert()
        .success()
        .stdout(is_empty());
}

#[test]
fn a_fault_is_json_where_json_is_asked_for() {
    let folder = here();
    let output = sample_tests(folder.path())
        .args(["--json", "--rate", "2"])
        .write_stdin(ids(9))
        .assert()
        .code(64)
        .get_output()
        .stdout
        .clone();
    let fault: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(fault["error"]["code"], "E5001");
}

#[test]
fn null_lists_rest_plan_and_json() {
    let folder = here();
    let list = (0..20)
        .map(|i| format!("test\n{i}\0"))
        .collect::<Vec<_>>()
        .concat();
    let output = sample_tests(folder.path())
        .args([
            "-0",
            "--rate",
            "0.2",
            "--rest",
            "rest",
            "--plan",
            "plan.json",
        ])
        .write_stdin(list.clone())
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let count = |bytes: &[u8]| bytes.split(|byte| *byte == 0).count() - 1;
    let rest = std::fs::read(folder.path().join("rest")).unwrap();
    assert_eq!((count(&output), count(&rest)), (4, 16));
    let plan: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("plan.json")).unwrap()).unwrap();
    assert_eq!(
        (&plan["n"], &plan["k"], &plan["rate"]),
        (&20.into(), &4.into(), &"0.2".into())
    );
    let output = sample_tests(folder.path())
        .args(["-0", "--rate", "0.2", "--json"])
        .write_stdin(list)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let both: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(
        (both["sample"].as_array().unwrap().len(), &both["plan"]),
        (4, &plan)
    );
}

#[test]
fn extras_come_on_top_of_the_sample() {
    let folder = here();
    let git = |arguments: &[&str]| overnight_host::git::read(folder.path(), arguments).unwrap();
    sample_tests(folder.path())
        .arg("--changed")
        .write_stdin(ids(9))
        .assert()
        .code(66)
        .stderr(contains("E9007"));
    git(&["init", "-q"]);
    sample_tests(folder.path())
        .args(["--changed", "nothing"])
        .write_stdin(ids(9))
        .assert()
        .code(64)
        .stdout(is_empty())
        .stderr(contains("is no commit of this repository"));
    std::fs::write(
        folder.path().join("failed"),
        "tests/test_1.py::test_38\ngone\n",
    )
    .unwrap();
    git(&["add", "."]);
    git(&[
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "commit",
        "-q",
        "-m",
        "x",
    ]);
    std::fs::create_dir(folder.path().join("tests")).unwrap();
    std::fs::write(folder.path().join("tests/test_5.py"), "").unwrap();
    let alone = drawn(
        sample_tests(folder.path()).args(["--rate", "0.05", "--seed", "1"]),
        &ids(100),
    );
    let more = drawn(
        sample_tests(folder.path()).args([
            "--rate",
            "0.05",
            "--seed",
            "1",
            "--always",
            "failed",
            "--changed",
        ]),
        &ids(100),
    );
    let (alone, more): (BTreeSet<_>, BTreeSet<_>) =
        (alone.into_iter().collect(), more.into_iter().collect());
    assert!(alone.is_subset(&more) && alone.len() == 5);
    assert!(more.contains("tests/test_1.py::test_38"));
    for test in [5, 42, 79] {
        assert!(more.contains(&format!("tests/test_5.py::test_{test}")));
    }
    assert!(more.len() <= 9);
}

#[test]
fn files_below_a_folder_are_listed_from_wherever_they_are() {
    let folder = here();
    std::fs::write(folder.path().join(".gitignore"), "out\n").unwrap();
    for file in ["t/test_a.py", "t/out/test_b.py", "t/b.test.ts", "t/c.txt"] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let all = ["--rate", "1", "--root"];
    assert_eq!(
        drawn(sample_tests(folder.path()).args(all).arg("t"), ""),
        ["t/b.test.ts", "t/test_a.py"]
    );
    assert_eq!(
        drawn(
            sample_tests(folder.path())
                .args(all)
                .arg(folder.path().canonicalize().unwrap())
                .args(["--include", "*.txt"]),
            ""
        ),
        ["t/c.txt"]
    );
    assert_eq!(
        drawn(
            sample_tests(folder.path()).args(["--rate", "1", "--exclude", "test_3.py"]),
            &ids(5)
        )
        .len(),
        4
    );
    sample_tests(folder.path())
        .args(all)
        .arg("none")
        .assert()
        .code(66)
        .stdout(is_empty());
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = here();
    sample_tests(folder.path())
        .arg("--help")
        .assert()
        .success()
        .stdout(contains("--rate").and(contains("--emit")));
    sample_tests(folder.path())
        .arg("--version")
        .assert()
        .success();
}
