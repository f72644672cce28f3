//! `session-end`: it answers in time whatever there is to tidy, and gives back what it must.

use crate::project::Project;
use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Calls the hook; its own deadline of 1.2 s would end it with status 1.
fn end(project: &Project, session: &str) {
    hook(
        project,
        cargo_bin!("session-end"),
        &json!({"session_id": session, "cwd": project.path(""), "hook_event_name": "SessionEnd", "reason": "other"}),
    );
}

fn hook(project: &Project, program: &Path, event: &Value) -> Vec<u8> {
    let command = project.command(program);
    let done = Command::from_std(command)
        .write_stdin(event.to_string())
        .assert()
        .success();
    done.get_output().stdout.clone()
}

fn acquire(project: &Project, more: &[&str]) {
    let mut command = project.command(cargo_bin!("task-lock"));
    command.args(["acquire"]).args(more);
    Command::from_std(command).assert().success();
}

fn until(what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() {
        assert!(started.elapsed() < Duration::from_mins(1), "never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn ten_thousand_logs_are_tidied_after_the_answer() {
    let project = Project::new();
    let logs = project.path("logs");
    std::fs::create_dir(&logs).unwrap();
    for number in 0..10_000 {
        let name = format!("test_20200101T000000_{number:08x}.log");
        std::fs::write(logs.join(name), "").unwrap();
    }
    std::fs::write(logs.join("server.log"), "theirs").unwrap();
    end(&project, "s1");
    // One rotation deletes 2,000 at most: a mistake stays small, and the next session goes on.
    until(|| std::fs::read_dir(&logs).unwrap().count() == 8_001);
    assert!(logs.join("server.log").exists());
}

#[test]
fn only_the_leases_of_this_session_are_given_back() {
    let project = Project::new();
    acquire(&project, &["mine", "--agent", "session-s1"]);
    acquire(&project, &["theirs", "--agent", "session-s2"]);
    assert!(project.path("current_tasks/mine.txt").exists());
    end(&project, "s1");
    until(|| !project.path("current_tasks/mine.txt").exists());
    assert!(project.path("current_tasks/theirs.txt").exists());
    acquire(&project, &["mine", "--agent", "session-s3"]);
}

#[test]
fn a_session_that_starts_is_told_of_leases_whose_holder_died() {
    let project = Project::new();
    let mut holder = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let pid = holder.id().to_string();
    acquire(&project, &["orphan", "--agent", "gone", "--pid", &pid]);
    acquire(&project, &["kept", "--agent", "alive"]);
    holder.kill().unwrap();
    holder.wait().unwrap();
    let event = json!({"session_id": "s1", "cwd": project.path(""), "hook_event_name": "SessionStart", "source": "startup"});
    let said = hook(&project, cargo_bin!("session-start"), &event);
    let answer: Value = serde_json::from_slice(&said).unwrap();
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("orphan (held by gone)"), "{message}");
    assert!(!message.contains("kept"), "{message}");
    assert!(!project.path("current_tasks/orphan.txt").exists());
    assert!(project.path("current_tasks/kept.txt").exists());
}

#[test]
fn a_detached_run_goes_on_alone_refuses_a_second_driver_and_ends_by_itself() {
    let project = Project::new();
    let agent = "command:echo $OVERNIGHT_ITERATION >> work; until [ -e go ]; do sleep 0.02; done; echo '<DONE>ok</DONE>'";
    let mut start = project.command(cargo_bin!("overnight"));
    start.args(["run", "--detach", "--agent", agent]);
    Command::from_std(start).assert().success();
    // The starter has ended; the agent is at work.
    until(|| project.path("work").exists());
    let run = project.only_run();
    let mut second = project.command(cargo_bin!("overnight"));
    second.args(["run", "--resume", &run, "--agent", agent]);
    Command::from_std(second).assert().code(75);
    std::fs::write(project.path("go"), "").unwrap();
    let finished = || {
        let journal = std::fs::read_to_string(project.journal(&run));
        journal.is_ok_and(|text| text.contains("\"finished\""))
    };
    until(finished);
}
