use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

fn error_codes() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("error-codes"))
}

#[test]
fn explain_tells_meaning_remedy_and_exit_status() {
    error_codes()
        .args(["explain", "e2004"])
        .assert()
        .success()
        .stdout(contains("E2004: lock conflict").and(contains("Exit status: 1")));
}

#[test]
fn an_unknown_code_is_a_usage_error_in_text_and_json() {
    error_codes()
        .args(["explain", "E0000"])
        .assert()
        .code(64)
        .stderr(contains("ERROR [E4001]"));
    let output = error_codes()
        .args(["explain", "E0000", "--json"])
        .assert()
        .code(64)
        .get_output()
        .stdout
        .clone();
    let fault: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(fault["error"]["code"], "E4001");
}

#[test]
fn a_usage_error_names_what_is_missing_and_what_was_meant_on_one_line() {
    let missing = error_codes().arg("explain").assert().code(64);
    missing.stderr(contains("<CODE>").and(contains('\n').count(1)));
    let mistyped = error_codes().args(["list", "--jsn"]).assert().code(64);
    mistyped.stderr(contains(
        "'--jsn' found; a similar argument exists: '--json'",
    ));
}
