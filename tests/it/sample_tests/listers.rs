use super::{drawn, here, ids, sample_tests};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

#[test]
fn a_lister_that_fails_is_seen() {
    let folder = here();
    for (script, name) in [
        ("printf 'a\\nb\\n'; exit 3", "E5009"),
        (
            "printf 'a.py::b\\n\\n1 test collected, 1 error in 0.1s\\n'",
            "E5009",
        ),
        ("true", "E5004"),
    ] {
        sample_tests(folder.path())
            .args(["--", "sh", "-c", script, "--json"])
            .assert()
            .code(65)
            .stdout(is_empty())
            .stderr(contains(name));
    }
    sample_tests(folder.path())
        .args(["--", "no-such-lister"])
        .assert()
        .code(65)
        .stderr(contains("no-such-lister is not on the PATH"));
}

#[test]
fn a_list_is_kept_until_a_file_changes() {
    let folder = here();
    std::fs::write(folder.path().join("test_a.py"), "1").unwrap();
    std::fs::write(folder.path().join(".gitignore"), "count\n").unwrap();
    let runs = || {
        std::fs::read_to_string(folder.path().join("count"))
            .unwrap()
            .lines()
            .count()
    };
    let script =
        "echo >> count; printf 'test_a.py::x\\ntest_a.py::y\\n\\n2 tests collected in 0.10s\\n'";
    let list = |flags: &[&str]| {
        let mut command = sample_tests(folder.path());
        drawn(
            command
                .args(["--rate", "1"])
                .args(flags)
                .args(["--", "sh", "-c", script]),
            "",
        )
    };
    assert_eq!(list(&[]), ["test_a.py::x", "test_a.py::y"]);
    assert_eq!((list(&[]).len(), runs()), (2, 1));
    assert_eq!((list(&["--no-cache"]).len(), runs()), (2, 2));
    std::fs::write(folder.path().join("test_a.py"), "2").unwrap();
    assert_eq!((list(&[]).len(), runs()), (2, 3));
}

#[test]
fn arguments_that_no_command_line_holds_go_through_a_file() {
    let folder = here();
    let list = (0..40)
        .map(|i| format!("tests/test_a.py::test_x[a b-{i}]\n"))
        .collect::<Vec<_>>()
        .concat();
    let arguments = drawn(
        sample_tests(folder.path()).args(["--emit", "pytest-args"]),
        &list,
    );
    let path = arguments[0].strip_prefix('@').unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 4);
    let long = (0..9000)
        .map(|i| format!("demo a_long_module_name::{i}\n"))
        .collect::<Vec<_>>()
        .concat();
    sample_tests(folder.path())
        .args(["--rate", "1", "--emit", "nextest-filter"])
        .write_stdin(long)
        .assert()
        .code(65)
        .stdout(is_empty())
        .stderr(contains("E5003").and(contains("nextest-config")));
}

#[test]
fn durations_make_arcs_of_time_and_name_giants() {
    let folder = here();
    let seconds = |i: usize| if i == 3 { 30.0 } else { 0.1 };
    let tests: Vec<String> = ids(200)
        .lines()
        .enumerate()
        .map(|(i, id)| format!("\"{id}\":{}", seconds(i)))
        .collect();
    std::fs::write(
        folder.path().join("durations"),
        format!("{{{}}}", tests.join(",")),
    )
    .unwrap();
    sample_tests(folder.path())
        .args(["--durations", "durations", "--agent", "a"])
        .write_stdin(ids(200))
        .assert()
        .success()
        .stderr(
            contains("1 giant left to the full gate: tests/test_3.py::test_3")
                .and(contains("% of the time")),
        );
}
