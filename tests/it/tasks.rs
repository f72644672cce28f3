//! `overnight tasks`.

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::Path;

const GOOD: &str = "{\n  \"_thought\": \"why\",\n  \"a\": {\n    \"objective\": \"write a\",\n    \"definition_of_done\": [\"true\"],\n    \"allowed_tools\": [],\n    \"owner\": \"me\"\n  }\n}\n";

fn project(list: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tasks.json"), list).unwrap();
    folder
}

fn tasks(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("overnight"));
    command.current_dir(folder).arg("tasks");
    command
}

fn json(command: &mut Command, status: i32) -> serde_json::Value {
    let output = command.assert().code(status).get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

#[test]
fn check_tells_every_problem_with_its_place() {
    let folder = project("{\"a\": {\"objective\": 3},\n \"B\": 4}");
    tasks(folder.path())
        .arg("check")
        .assert()
        .code(65)
        .stdout(
            contains("tasks.json:1:21: task \"a\": objective: must be a string, not a number\n")
                .and(contains("tasks.json:2:2: \"B\" is no task id")),
        )
        .stderr(contains("E6004"));
    let told = json(tasks(folder.path()).args(["check", "--json"]), 65);
    assert_eq!(told["valid"], false);
    assert_eq!(told["error"]["code"], "E6004");
    assert_eq!(
        (&told["errors"][0]["task"], &told["errors"][0]["line"]),
        (&"a".into(), &1.into())
    );
}

#[test]
fn names_of_others_are_warned_about_with_what_was_meant() {
    let list = GOOD
        .replace("\"owner\"", "\"deps\"")
        .replace("\"allowed_tools\": []", "\"allowed_tools\": [\"shell\"]");
    let folder = project(&list);
    let warned = contains(
        "warning: task \"a\": allowed_tools: unknown tool \"shell\"; did you mean \"Bash\"?",
    )
    .and(contains(
        "warning: task \"a\": deps: unknown field \"deps\"; did you mean \"depends_on\"?",
    ));
    tasks(folder.path())
        .arg("check")
        .assert()
        .success()
        .stdout(warned);
    let told = json(tasks(folder.path()).args(["check", "--json"]), 0);
    assert_eq!(told["warnings"][1]["field"], "deps");
}

#[test]
fn a_fenced_answer_is_named_and_not_repaired() {
    let folder = project(&format!("Here it is:\n```json\n{GOOD}```\n"));
    tasks(folder.path())
        .arg("check")
        .assert()
        .code(65)
        .stdout(contains(
            "tasks.json:1:1: text and a Markdown code fence before the list",
        ))
        .stderr(contains("E6005"));
    tasks(folder.path()).args(["done", "a"]).assert().code(65);
    let kept = std::fs::read_to_string(folder.path().join("tasks.json")).unwrap();
    assert!(kept.starts_with("Here it is:"));
}

#[test]
fn check_reads_standard_input_and_refuses_what_is_no_list() {
    let folder = project(GOOD);
    tasks(folder.path())
        .args(["check", "-"])
        .write_stdin(GOOD)
        .assert()
        .success();
    std::fs::remove_file(folder.path().join("tasks.json")).unwrap();
    tasks(folder.path())
        .arg("check")
        .assert()
        .code(66)
        .stderr(contains("E4002"));
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("tasks.json")).unwrap();
    tasks(folder.path())
        .arg("check")
        .assert()
        .code(65)
        .stderr(contains("E6004"));
}

#[test]
fn done_keeps_every_other_byte() {
    let folder = project(GOOD);
    tasks(folder.path())
        .args(["done", "a"])
        .assert()
        .success()
        .stdout("a: done\n");
    let text = std::fs::read_to_string(folder.path().join("tasks.json")).unwrap();
    assert_eq!(
        text,
        GOOD.replace(
            "\"owner\": \"me\"",
            "\"owner\": \"me\",\n    \"status\": \"done\""
        )
    );
    tasks(folder.path())
        .args(["done", "zz"])
        .assert()
        .code(66)
        .stderr(contains("E6006"));
}

#[test]
fn add_writes_a_first_list_and_then_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let add = |id: &str, more: &[&str]| {
        let mut command = tasks(folder.path());
        command
            .args(["add", id, "--objective", "do it", "--done", "true"])
            .args(more);
        command
    };
    add("a", &[]).assert().success();
    add("b", &["--depends-on", "a", "--tool", "Read"])
        .assert()
        .success();
    add("b", &[]).assert().code(65);
    add("c", &["--depends-on", "nobody"]).assert().code(65);
    add("../c", &[]).assert().code(64);
    let listed = json(tasks(folder.path()).args(["list", "--json"]), 0);
    assert_eq!(listed["tasks"][1]["depends_on"][0], "a");
    assert_eq!(
        (&listed["tasks"][0]["ready"], &listed["tasks"][1]["ready"]),
        (&true.into(), &false.into())
    );
    tasks(folder.path())
        .arg("list")
        .assert()
        .success()
        .stdout("todo     a  do it\ntodo     b  do it (after a)\n");
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let writers: Vec<_> = (0..12)
        .map(|number| {
            let path = path.clone();
            std::thread::spawn(move || {
                let id = format!("t{number}");
                tasks(&path)
                    .args(["add", &id, "--objective", "x", "--done", "true"])
                    .assert()
                    .success();
                tasks(&path).args(["done", &id]).assert().success();
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let listed = json(tasks(&path).args(["list", "--json"]), 0);
    let tasks = listed["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 12);
    assert!(tasks.iter().all(|task| task["status"] == "done"));
}

#[test]
fn bombs_end_with_a_data_error() {
    let thought = format!("{{\"_thought\": \"{}\"}}", "x".repeat(50 << 20));
    let deep = format!("{{\"a\": {}", "[".repeat(1 << 20));
    let many: Vec<_> = (0..1_000_000)
        .map(|number| format!("\"t{number}\":0"))
        .collect();
    for bomb in [thought, deep, format!("{{{}}}", many.join(","))] {
        let folder = project(&bomb);
        tasks(folder.path()).arg("check").assert().code(65);
    }
}
