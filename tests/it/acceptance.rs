//! The acceptance criteria of the product's requirements (seed 003, section 6), one story each. AC-6
//! needs the real client and stands in `tests/real/plugin.rs`.

use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

/// A program with `input` on its stdin.
fn fed(project: &Project, program: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = project.command(program);
    let pipes = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn hook(project: &Project, program: &Path, event: &Value) -> Option<Value> {
    let mut event = event.clone();
    event["cwd"] = json!(project.path(""));
    event["session_id"] = json!("s1");
    let done = fed(project, program, &[], &event.to_string());
    assert!(done.status.success(), "{done:?}");
    (!done.stdout.is_empty()).then(|| serde_json::from_slice(&done.stdout).unwrap())
}

fn flow(project: &Project, typed: &str) -> Option<Value> {
    let event = json!({"hook_event_name": "UserPromptExpansion", "command_name": "flow", "command_source": "plugin", "command_args": typed});
    hook(project, cargo_bin!("flow-start"), &event)
}

fn stop(project: &Project, said: &str) -> Option<Value> {
    let event =
        json!({"hook_event_name": "Stop", "background_tasks": [], "last_assistant_message": said});
    hook(project, cargo_bin!("stop-gate"), &event)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn ac_1_ten_iterations_each_with_its_progress_and_a_stop_when_blocked() {
    let project = Project::new();
    flow(&project, "port the parser --autonomous");
    for iteration in 1..=10 {
        let summary = project.read("progress/README.md");
        assert!(summary.contains(&format!("{iteration}/10")), "{summary}");
        std::fs::write(project.path("work.txt"), iteration.to_string()).unwrap();
        let answer = stop(&project, "INCOMPLETE: more is left").unwrap();
        assert_eq!(
            answer.get("systemMessage").is_some(),
            iteration == 10,
            "{answer}"
        );
    }

    let blocked = Project::new();
    let claims = "command:echo $OVERNIGHT_ITERATION > work; echo '<DONE>surely</DONE>'";
    blocked
        .run(&["--agent", claims, "--gate", "exit 3"])
        .code(1);
    assert_eq!(blocked.iterations(), 3);
    assert!(
        blocked
            .read("progress/blocked.md")
            .contains("3 failures in a row")
    );
}

#[test]
fn ac_2_a_long_test_run_in_fifty_lines_with_its_log_and_an_error_line() {
    let project = Project::new();
    let script = "for i in $(seq 1 500); do echo \"test case_$i ... ok\"; done; echo 'test broken ... FAILED'; \
                  echo 'test result: FAILED. 500 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out'; exit 101";
    let done = fed(
        &project,
        cargo_bin!("output-filter"),
        &["--", "sh", "-c", script],
        "",
    );
    let shown = text(&done.stdout);
    assert_eq!(done.status.code(), Some(101));
    assert!(shown.lines().count() <= 50, "{shown}");
    assert!(
        shown.contains("500 passed") && shown.contains("1 failed") && shown.contains("broken"),
        "{shown}"
    );
    assert!(
        shown.lines().any(|line| line.starts_with("ERROR: ")),
        "{shown}"
    );
    let log = std::fs::read_dir(project.path("logs"))
        .unwrap()
        .flatten()
        .find(|entry| entry.path().extension().is_some_and(|it| it == "log"));
    assert_eq!(
        std::fs::read_to_string(log.unwrap().path())
            .unwrap()
            .lines()
            .count(),
        502
    );
}

/// How long the tests take, in turns.
const SECONDS: [f64; 7] = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07];

#[test]
fn ac_3_a_tenth_of_the_tests_always_the_same_in_a_tenth_of_the_time() {
    let project = Project::new();
    let ids: Vec<String> = (0..1_000)
        .map(|n| format!("tests/test_{}.py::test_{n}", n % 40))
        .collect();
    let durations: serde_json::Map<String, Value> = ids
        .iter()
        .enumerate()
        .map(|(n, id)| (id.clone(), json!(SECONDS[n % SECONDS.len()])))
        .collect();
    std::fs::write(
        project.path("durations.json"),
        Value::from(durations.clone()).to_string(),
    )
    .unwrap();
    let list = ids.join("\n");
    let draw = |arguments: &[&str]| -> BTreeSet<String> {
        let done = fed(&project, cargo_bin!("sample-tests"), arguments, &list);
        assert!(done.status.success(), "{done:?}");
        text(&done.stdout).lines().map(str::to_owned).collect()
    };
    let first = draw(&["--rate", "0.1", "--agent", "a1"]);
    assert_eq!(first.len(), 100);
    assert_eq!(first, draw(&["--rate", "0.1", "--agent", "a1"]));
    assert_ne!(first, draw(&["--rate", "0.1", "--agent", "a2"]));

    let timed = draw(&[
        "--rate",
        "0.1",
        "--agent",
        "a1",
        "--durations",
        "durations.json",
    ]);
    let seconds = |chosen: &BTreeSet<String>| {
        chosen
            .iter()
            .filter_map(|id| durations[id].as_f64())
            .sum::<f64>()
    };
    let share = seconds(&timed) / seconds(&ids.into_iter().collect());
    assert!((0.08..=0.125).contains(&share), "{share}");
}

#[test]
fn ac_4_progress_is_made_kept_and_restored_in_a_new_session() {
    let project = Project::new();
    let agent = "command:echo x >> work; echo '<DONE>ported</DONE>'";
    project.run(&["--agent", agent, "--gate", "true"]).code(0);
    for file in ["README.md", "completed.md", "blocked.md", "next_actions.md"] {
        assert!(project.path("progress").join(file).is_file(), "{file}");
    }
    assert!(
        project
            .read("progress/completed.md")
            .contains("- [x] The goal"),
        "{}",
        project.read("progress/completed.md")
    );
    let event = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let answer = hook(&project, cargo_bin!("session-start"), &event).unwrap();
    let told = answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap();
    assert!(
        told.contains(project.read("progress/README.md").lines().next().unwrap()),
        "{told}"
    );
}

#[test]
fn ac_5_a_task_has_one_agent_across_clones_and_is_free_again_when_done() {
    let ours = Project::new();
    let remote = tempfile::tempdir().unwrap();
    let url = remote.path().to_str().unwrap();
    ours.git(&["init", "-q", "--bare", url]);
    ours.git(&["remote", "add", "origin", url]);
    let theirs = Project::new();
    theirs.git(&["remote", "add", "origin", url]);
    let lock = |project: &Project, arguments: &[&str]| {
        let done = fed(project, cargo_bin!("task-lock"), arguments, "");
        let answer: Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
        (done.status.code().unwrap(), answer)
    };
    let (status, held) = lock(&ours, &["acquire", "t1", "--agent", "a1", "--json"]);
    assert_eq!(status, 0, "{held}");
    assert!(ours.read("current_tasks/t1.txt").contains("a1"));
    assert_eq!(
        lock(&theirs, &["acquire", "t1", "--agent", "a2", "--json"]).0,
        1
    );
    let token = held["token"].to_string();
    assert_eq!(lock(&ours, &["release", "t1", "--token", &token]).0, 0);
    assert!(!ours.path("current_tasks/t1.txt").exists());
    assert_eq!(
        lock(&theirs, &["acquire", "t1", "--agent", "a2", "--json"]).0,
        0
    );
}
