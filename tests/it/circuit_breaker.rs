use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::Path;

fn circuit_breaker(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("circuit-breaker"));
    command
        .current_dir(folder)
        .args(arguments.split_whitespace());
    command
}

#[test]
fn it_opens_cools_down_and_lets_one_probe_decide() {
    let folder = tempfile::tempdir().unwrap();
    let record = |now: u64, changed: u64| {
        circuit_breaker(
            folder.path(),
            &format!("record --state s.json --changed {changed} --output-bytes 100 --now {now}"),
        )
    };
    record(1000, 0)
        .assert()
        .code(0)
        .stdout(contains("\"advice\":\"hint\""));
    record(1000, 0).assert().code(0);
    record(1000, 0)
        .assert()
        .code(1)
        .stdout(contains("\"state\":\"open\"").and(contains("\"reason\":\"no_progress\"")));
    circuit_breaker(folder.path(), "status --state s.json --now 2000")
        .assert()
        .code(1)
        .stdout(contains("\"remaining_s\":800"));
    circuit_breaker(folder.path(), "status --state s.json --now 2800")
        .assert()
        .code(0)
        .stdout(contains("half-open"));
    record(2800, 0)
        .assert()
        .code(1)
        .stdout(contains("\"remaining_s\":3600"));
    record(2800 + 3600, 1)
        .assert()
        .code(0)
        .stdout(contains("\"state\":\"closed\""));
}

#[test]
fn a_broken_state_file_is_noted_and_starts_closed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.json"), "{\"v\":1,\"bre").unwrap();
    circuit_breaker(
        folder.path(),
        "record --state s.json --changed 0 --output-bytes 1",
    )
    .assert()
    .code(0)
    .stderr(contains("torn"))
    .stdout(contains("\"no_progress\":1"));
    circuit_breaker(folder.path(), "status --state .")
        .assert()
        .code(64);
}

#[test]
fn reset_closes_it() {
    let folder = tempfile::tempdir().unwrap();
    for code in [0, 0, 1] {
        circuit_breaker(
            folder.path(),
            "record --state s.json --changed 0 --output-bytes 1",
        )
        .assert()
        .code(code);
    }
    circuit_breaker(folder.path(), "status --state s.json")
        .assert()
        .code(1);
    circuit_breaker(folder.path(), "reset --state s.json")
        .assert()
        .code(0);
    circuit_breaker(folder.path(), "status --state s.json")
        .assert()
        .code(0);
}

#[test]
fn an_output_names_its_errors_and_a_limit_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..=5 {
        let command = circuit_breaker(
            folder.path(),
            "record --state s.json --changed 1 --output-bytes 9 --output -",
        )
        .write_stdin(format!("building\nerror: no field `x` at line {number}\n"))
        .assert();
        command.code(i32::from(number == 5));
    }
    for _ in 0..9 {
        circuit_breaker(
            folder.path(),
            "record --state t.json --changed 0 --output-bytes 9 --error",
        )
        .arg("You've hit your session limit · resets 3pm (UTC)")
        .assert()
        .code(0);
    }
}

#[test]
fn an_unknown_zone_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    circuit_breaker(folder.path(), "classify --channel plain --tz Mars/Olympus")
        .write_stdin("x")
        .assert()
        .code(64);
}

#[test]
fn its_thresholds_are_taken_from_the_variables_of_those_who_come_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let record = "record --state s.json --changed 0 --output-bytes 100";
    let mut set = circuit_breaker(folder.path(), record);
    set.env("CB_NO_PROGRESS_THRESHOLD", "1").assert().code(1);
    let mut given = circuit_breaker(
        folder.path(),
        "record --state t.json --changed 0 --output-bytes 100 --no-progress 2",
    );
    given.env("CB_NO_PROGRESS_THRESHOLD", "1").assert().code(0);
}
