use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

/// The guard in an empty environment but for the given variables.
fn guard(variables: &[(&str, &Path)]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("command-guard"));
    command.arg("hook").env_clear().env("HOME", "/nonexistent");
    for (name, value) in variables {
        command.env(name, value);
    }
    command
}

fn run(mut command: Command, event: impl Into<Vec<u8>>) -> Output {
    command.write_stdin(event).output().unwrap()
}

fn bash(command: &str) -> Value {
    json!({"session_id": "s1", "cwd": "/tmp", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}})
}

fn said(output: &Output) -> String {
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value["hookSpecificOutput"]["permissionDecisionReason"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[track_caller]
fn assert_blocked(output: &Output) {
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(output.status.code(), Some(2));
    let reason = said(output);
    assert!(reason.len() <= 600 && !reason.chars().any(char::is_control));
    assert!(!output.stderr.is_empty());
}

#[test]
fn an_agent_of_an_older_epoch_gets_no_tool_at_all() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("epoch"), "4").unwrap();
    let agent = [
        ("OVERNIGHT_RUN_DIR", folder.path()),
        ("OVERNIGHT_EPOCH", Path::new("3")),
    ];
    for (tool, input) in [
        ("Bash", json!({"command": "ls"})),
        ("Read", json!({"file_path": "/tmp/x"})),
        ("TodoWrite", json!({})),
    ] {
        let event = json!({"tool_name": tool, "tool_input": input}).to_string();
        let output = run(guard(&agent), event);
        assert_blocked(&output);
        assert!(said(&output).contains("E8003"));
    }
    std::fs::remove_file(folder.path().join("epoch")).unwrap();
    assert_blocked(&run(guard(&agent), bash("ls").to_string()));
}

#[test]
fn what_is_no_event_blocks() {
    for bytes in [
        &b""[..],
        b" \n",
        b"not json",
        b"{\"tool_name\":\"Bash\"",
        b"null",
        b"[]",
        b"\"x\"",
        b"1e999",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}{}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"l\xff\"}}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\",\"command\":\"ls\"}}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\\u0000\"}}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":7}}",
        b"{\"tool_name\":\"Bash\",\"tool_input\":{\"Command\":\"ls\"}}",
        b"{\"tool_name\":[],\"tool_input\":{\"command\":\"ls\"}}",
    ] {
        assert_blocked(&run(guard(&[]), bytes));
    }
}
