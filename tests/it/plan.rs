//! `overnight plan`, with leaders that are shell commands.

use assert_cmd::Command;
use predicates::str::contains;
use std::path::Path;

const GOOD: &str = r#"{"_thought": "x", "a": {"objective": "x", "definition_of_done": ["true"], "allowed_tools": []}}"#;

fn plan(folder: &Path, leader: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("overnight"));
    command
        .current_dir(folder)
        .args(["plan", "--agent", &format!("command:{leader}")]);
    command
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("good"), GOOD).unwrap();
    std::fs::write(
        folder.path().join("fenced"),
        format!("Sure!\n```json\n{GOOD}\n```\n"),
    )
    .unwrap();
    folder
}

#[test]
fn a_valid_answer_becomes_the_list_and_is_never_overwritten() {
    let folder = project();
    plan(folder.path(), "cat > asked; cat good")
        .arg("build it")
        .assert()
        .success()
        .stdout("tasks.json: 1 task\n");
    let text = std::fs::read_to_string(folder.path().join("tasks.json")).unwrap();
    assert_eq!(text, format!("{GOOD}\n"));
    let asked = std::fs::read_to_string(folder.path().join("asked")).unwrap();
    assert!(
        asked.contains("build it") && asked.contains("The first character of your answer is {")
    );
    plan(folder.path(), "cat good")
        .arg("again")
        .assert()
        .code(64);
}

#[test]
fn a_refused_answer_goes_back_with_its_problems_at_most_twice() {
    let folder = project();
    let second =
        "cat > q; echo x >> count; if grep -q 'was refused' q; then cat good; else cat fenced; fi";
    plan(folder.path(), second)
        .arg("build it")
        .assert()
        .success();
    assert_eq!(
        std::fs::read_to_string(folder.path().join("count")).unwrap(),
        "x\nx\n"
    );
    let folder = project();
    plan(folder.path(), "echo x >> count; cat fenced")
        .arg("build it")
        .assert()
        .code(65)
        .stderr(contains("E6007"))
        .stderr(contains("code fence"));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("count")).unwrap(),
        "x\nx\nx\n"
    );
    assert!(!folder.path().join("tasks.json").exists());
}

#[test]
fn without_retries_the_first_refusal_ends_it_and_the_answer_is_kept() {
    let folder = project();
    let output = plan(folder.path(), "echo x >> count; cat fenced")
        .args(["build it", "--no-retry", "--json"])
        .assert()
        .code(65)
        .get_output()
        .stdout
        .clone();
    let told: serde_json::Value = serde_json::from_slice(&output).unwrap();
    let kept = told["error"]["context"]["answer"].as_str().unwrap();
    assert!(std::fs::read_to_string(kept).unwrap().starts_with("Sure!"));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("count")).unwrap(),
        "x\n"
    );
}

#[test]
fn the_goal_comes_from_the_argument_a_file_or_the_project() {
    let folder = project();
    plan(folder.path(), "cat good")
        .assert()
        .code(66)
        .stderr(contains("E4002"));
    std::fs::write(folder.path().join("list.md"), "- [ ] from the list\n").unwrap();
    plan(folder.path(), "cat > asked; cat good")
        .args(["--from", "list.md"])
        .assert()
        .success();
    let asked = std::fs::read_to_string(folder.path().join("asked")).unwrap();
    assert!(asked.contains("> - [ ] from the list\n"));
    std::fs::remove_file(folder.path().join("tasks.json")).unwrap();
    std::fs::write(
        folder.path().join("AGENT_PROMPT.md"),
        "the project's goal\n",
    )
    .unwrap();
    plan(folder.path(), "cat > asked; cat good")
        .assert()
        .success();
    let asked = std::fs::read_to_string(folder.path().join("asked")).unwrap();
    assert!(asked.contains("the project's goal"));
}
