//! The plugin switched off and on: in a session, in a project, everywhere.

use crate::project::Project;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// What a hook answers to an event of the session; the run's variables are those of its agents.
fn answer(project: &Project, name: &str, more: &Value, run: Option<&str>) -> (Option<i32>, String) {
    let mut event = json!({"session_id": "s1", "cwd": project.path("."), "hook_event_name": name});
    let fields = more.as_object().unwrap().clone();
    event.as_object_mut().unwrap().extend(fields);
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command.args(["hook", name]).stdin(Stdio::piped());
    if let Some(run) = run {
        command.env("OVERNIGHT_RUN", run);
    }
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(event.to_string().as_bytes()).unwrap();
    drop(stdin);
    let done = child.wait_with_output().unwrap();
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

fn guard(project: &Project, run: Option<&str>) -> Option<i32> {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "rm -rf ~"}});
    answer(project, "PreToolUse", &call, run).0
}

fn typed(project: &Project, word: &str) -> String {
    let typed = json!({"command_name": format!("overnight:{word}"), "command_args": "do it"});
    answer(project, "UserPromptExpansion", &typed, None).1
}

#[test]
fn a_project_and_everything_are_switched_off_and_on_and_a_runs_agents_keep_their_guard() {
    let project = Project::new();
    for scope in ["--project", "--global"] {
        assert_eq!(guard(&project, None), Some(2));
        project.overnight(&["off", scope]).success();
        project.overnight(&["off", scope]).success();
        assert_eq!(guard(&project, None), Some(0), "{scope}");
        assert_eq!(guard(&project, Some("r1")), Some(2), "{scope}");
        let long: Vec<String> = (0..500).map(|line| line.to_string()).collect();
        let output = json!({"tool_name": "Bash", "tool_input": {"command": "seq 500"},
            "tool_response": {"stdout": long.join("\n"), "stderr": "", "interrupted": false}});
        let (_, said) = answer(&project, "PostToolUse", &output, None);
        assert_eq!(said, "", "{scope}");
        assert!(typed(&project, "flow").contains("switched off here"));
        assert!(typed(&project, "on").contains("stays off here"));
        project.overnight(&["on", scope]).success();
    }
    assert_eq!(guard(&project, None), Some(2));
    project.overnight(&["off"]).code(64);
}

#[test]
fn a_session_is_switched_off_by_its_person_until_it_ends() {
    let project = Project::new();
    assert!(typed(&project, "off").contains("off in this session"));
    assert_eq!(guard(&project, None), Some(0));
    assert!(typed(&project, "on").contains("on in this session"));
    assert_eq!(guard(&project, None), Some(2));
    typed(&project, "off");
    answer(&project, "SessionEnd", &json!({"reason": "other"}), None);
    assert_eq!(guard(&project, None), Some(2));
}

#[test]
fn a_session_with_a_run_keeps_its_guard_and_no_agent_switches_it_off() {
    let project = Project::new();
    let armed = json!({"command_name": "overnight:flow", "command_args": "mend it --autonomous"});
    answer(&project, "UserPromptExpansion", &armed, None);
    assert!(typed(&project, "off").contains("/flow stop first"));
    project.overnight(&["off", "--project"]).success();
    assert_eq!(guard(&project, None), Some(2));
    project.overnight(&["on", "--project"]).success();
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "overnight off --global"}});
    let agents = answer(&project, "PreToolUse", &call, None);
    assert_eq!(agents.0, Some(2), "{}", agents.1);
}
