//! A person stops a run that lives in a session: the session goes on, the run does not.

use crate::project::Project;
use crate::shared::{Session, project};
use predicates::str::contains;
use serde_json::{Value, json};

fn status(project: &Project) -> Value {
    let output = project
        .overnight(&["status", "--json"])
        .get_output()
        .clone();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Is a harmless call refused in this session?
fn is_refused(session: &Session) -> bool {
    session.is_refused(json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "permission_mode": "default", "transcript_path": "/nowhere", "tool_input": {"command": "ls"}}))
}

#[test]
fn stopping_a_sessions_run_ends_no_client_and_hands_out_nothing_more() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let mut session = Session::new(&project, "s1");
    session.flow();
    assert!(!is_refused(&session));
    project
        .overnight(&["stop"])
        .success()
        .stdout(contains("is stopped"));
    assert!(session.client.lives());
    let seen = status(&project);
    assert_eq!(seen["state"], "stopped", "{seen}");
    assert!(
        seen["summary"].as_str().unwrap().contains("you stopped it"),
        "{seen}"
    );
    assert!(is_refused(&session), "the agent may do nothing more for it");
    let told = session.stop("<DONE>written</DONE>");
    assert!(
        told["systemMessage"]
            .as_str()
            .unwrap()
            .contains("is stopped"),
        "{told}"
    );
    assert!(told.get("hookSpecificOutput").is_none(), "{told}");
    assert!(!is_refused(&session), "the session is the person's again");
    assert_eq!(project.records("intent").len(), 1);
    project
        .overnight(&["report"])
        .stdout(contains("the run was ended in the middle of it"));
    project.overnight(&["stop"]).code(1);
    let run = status(&project)["run"].as_str().unwrap().to_owned();
    project.overnight(&["replay", &run]).success();
}

#[test]
fn a_stop_while_the_sessions_gate_runs_is_obeyed_when_it_has_ended() {
    let project = Project::new();
    let (began, go) = (project.meeting("began"), project.meeting("go"));
    let gate = format!(
        "$ echo x > {}; for i in $(seq 600); do [ -e {} ] && exit; sleep 0.05; done",
        began.display(),
        go.display()
    );
    let list = json!({"a": {"objective": "x", "definition_of_done": [gate], "allowed_tools": []}, "b": {"objective": "y", "definition_of_done": ["$ true"], "allowed_tools": []}});
    std::fs::write(project.path("tasks.json"), list.to_string()).unwrap();
    std::fs::write(&go, "").unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    let session = Session::new(&project, "s1");
    assert_eq!(session.flow(), "a");
    for file in [&go, &began] {
        std::fs::remove_file(file).unwrap();
    }
    std::thread::scope(|scope| {
        let told = scope.spawn(|| session.stop("<DONE>written</DONE>"));
        project.wait_for(began.to_str().unwrap());
        project
            .overnight(&["stop"])
            .success()
            .stdout(contains("as soon as the gate"));
        std::fs::write(&go, "").unwrap();
        let told = told.join().unwrap();
        assert!(
            told["systemMessage"]
                .as_str()
                .unwrap()
                .contains("is stopped"),
            "{told}"
        );
    });
    assert_eq!(status(&project)["state"], "stopped");
    assert_eq!(project.records("intent").len(), 1);
}

#[test]
fn a_specialists_report_that_did_not_come_is_asked_for_first_and_named_in_the_morning() {
    let project = Project::new();
    let task = |objective: &str, gate: &str| json!({"objective": objective, "definition_of_done": [gate], "allowed_tools": []});
    let list = json!({
        "a": task("add an export to CSV", "$ test -e out/a"),
        "b": task("add an import", "$ test -e out/b"),
        "c": task("fix the failing login", "$ test -e out/c"),
    });
    std::fs::write(project.path("tasks.json"), list.to_string()).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    let session = Session::new(&project, "s1");
    assert_eq!(session.flow(), "a");
    let told = session.done("a").to_string();
    assert!(
        told.contains("task a is done, and no report of overnight:dedup-agent came"),
        "{told}"
    );
    session.hook(
        "stop-gate",
        json!({"hook_event_name": "SubagentStop", "agent_type": "overnight:dedup-agent", "last_assistant_message": "no groups"}),
    );
    let told = session.done("b").to_string();
    assert!(!told.contains("no report of"), "{told}");
    session.done("c");
    let report = project.overnight(&["report"]).get_output().stdout.clone();
    let report = String::from_utf8(report).unwrap();
    assert!(
        report.contains("a was done without a report of dedup-agent"),
        "{report}"
    );
    assert_eq!(
        report.matches("done without a report").count(),
        1,
        "{report}"
    );
}
