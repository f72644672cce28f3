use super::project;
use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::Path;

fn completion_check(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("completion-check"));
    command
        .current_dir(folder)
        .env_remove("OVERNIGHT_CHECK_ID")
        .env_remove("OVERNIGHT_DECISION_FILE");
    command
}

#[test]
fn a_declaration_is_read_back_and_only_for_its_check() {
    let folder = tempfile::tempdir().unwrap();
    let judge = |id: &str| {
        let mut command = completion_check(folder.path());
        command.args(["judge", "--decision-file", "d.json", "--check-id", id]);
        command
    };
    completion_check(folder.path())
        .args([
            "declare",
            "complete",
            "--reason",
            "a \"quoted\"\nreason",
            "--fingerprint",
            "f1",
        ])
        .env("OVERNIGHT_CHECK_ID", "chk-1")
        .env("OVERNIGHT_DECISION_FILE", "d.json")
        .assert()
        .success();
    judge("chk-1")
        .assert()
        .code(0)
        .stdout(contains("\"source\":\"file-json\"").and(contains("f1")));
    judge("chk-2")
        .arg("--verbose")
        .assert()
        .code(1)
        .stdout(contains("\"failure\":\"check id mismatch\""))
        .stderr(contains("decision_source=none").and(contains(
            "E6002 check id mismatch: expected \"chk-2\", found \"chk-1\"",
        )));
}

#[test]
fn a_declaration_without_its_driver_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    completion_check(folder.path())
        .args(["declare", "complete"])
        .assert()
        .code(66)
        .stderr(contains("ERROR [E4002]").and(contains("OVERNIGHT_DECISION_FILE")));
}

#[test]
fn a_claim_needs_its_gates_and_a_vacuous_one_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let judge = |gate: &str| {
        let mut command = completion_check(folder.path());
        command
            .args(["judge", "--text", "-", "--gate", gate])
            .write_stdin("<DONE>ok</DONE>");
        command.assert()
    };
    judge("true").code(0).stdout(contains("\"exit\":0"));
    judge("echo 3 passed in 0.1s")
        .code(0)
        .stdout(contains("\"passed\":3"));
    judge("echo oops; exit 3")
        .code(1)
        .stdout(contains("failed with exit 3").and(contains("oops")));
    judge("echo no tests ran in 0.1s")
        .code(1)
        .stdout(contains("ran no test"));
    judge("echo '2 passed, 1 failed in 0.1s'")
        .code(1)
        .stdout(contains("1 failed"));
}

#[test]
fn a_gate_past_its_deadline_is_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    completion_check(folder.path())
        .args([
            "judge",
            "--text",
            "-",
            "--gate",
            "sleep 60",
            "--gate-timeout",
            "200ms",
        ])
        .write_stdin("<DONE>ok</DONE>")
        .assert()
        .code(1)
        .stdout(contains("past its deadline"));
}

#[test]
fn what_stands_at_the_decision_files_path_is_never_a_failure_of_the_judge() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at("link")).unwrap();
    project::named_pipe(&at("pipe"));
    std::fs::write(at("huge"), vec![b'P'; 8 << 20]).unwrap();
    for name in ["folder", "link", "pipe", "huge", "missing"] {
        completion_check(folder.path())
            .args(["judge", "--decision-file", name, "--check-id", "c"])
            .assert()
            .code(1)
            .stdout(contains("\"decision\":\"incomplete\"").and(contains("\"source\":\"none\"")));
    }
}

#[test]
fn wrong_use_is_told_apart_from_incomplete() {
    let folder = tempfile::tempdir().unwrap();
    completion_check(folder.path())
        .arg("judge")
        .assert()
        .code(64);
    completion_check(folder.path())
        .args(["judge", "--text", "none.txt"])
        .assert()
        .code(66);
    completion_check(folder.path())
        .args(["judge", "--text", ".", "--marker", "<x>"])
        .assert()
        .code(64);
    completion_check(folder.path())
        .args(["judge", "--text", "."])
        .assert()
        .code(64);
    completion_check(folder.path())
        .arg("signals")
        .write_stdin("{")
        .assert()
        .code(65);
}

#[test]
fn judge_takes_check_and_file_from_the_environment_as_declare_does() {
    let folder = tempfile::tempdir().unwrap();
    let with = |id: &str, name: &str, arguments: &[&str]| {
        let mut command = completion_check(folder.path());
        command.args(arguments).env(name, id);
        command.env("OVERNIGHT_DECISION_FILE", "d.json");
        command.assert()
    };
    with("chk-1", "OVERNIGHT_CHECK_ID", &["declare", "complete"]).success();
    for name in ["OVERNIGHT_CHECK_ID", "AGENTCORE_COMPLETION_CHECK_ID"] {
        with("chk-1", name, &["judge"]).code(0);
        let other = with("chk-2", name, &["judge"]).code(1);
        other.stdout(contains("check id mismatch"));
    }
    with(
        "chk-2",
        "OVERNIGHT_CHECK_ID",
        &["judge", "--check-id", "chk-1"],
    )
    .code(0);
}
