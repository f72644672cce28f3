use super::*;

#[test]
fn hooks_replace_a_success_and_explain_a_failure() {
    let folder = project();
    let ask = |event: Value| {
        let mut event = event;
        event["cwd"] = json!(folder.path());
        let done = piped(folder.path(), &["hook"], event.to_string().as_bytes());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        text(&done.stdout)
    };
    let long = numbered(300);
    let call = json!({"command": "make all"});
    let answer = ask(
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": call, "tool_response": {"stdout": long, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false}}),
    );
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let output = &answer["hookSpecificOutput"]["updatedToolOutput"];
    assert_eq!(
        (&output["stderr"], &output["interrupted"]),
        (&json!(""), &json!(false))
    );
    let shown = output["stdout"].as_str().unwrap();
    assert!(
        shown.lines().count() <= 50 && shown.contains("log: logs/build_"),
        "{shown}"
    );
    assert_eq!(
        fs::read_to_string(logs(folder.path()).pop().unwrap()).unwrap(),
        long
    );
    // What was shortened once, and what still runs, stays as it is.
    for response in [
        json!({"stdout": shown.repeat(9), "stderr": ""}),
        json!({"stdout": long, "backgroundTaskId": "b1"}),
    ] {
        assert_eq!(
            ask(
                json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": call, "tool_response": response})
            ),
            ""
        );
    }
    let answer = ask(
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": call, "error": format!("Exit code 2\n{long}")}),
    );
    assert!(
        answer.contains("FAILED (exit 2)") && answer.contains("additionalContext"),
        "{answer}"
    );
}

#[test]
fn the_hook_reads_the_clients_own_file_and_no_other() {
    let folder = project();
    let client = tempfile::tempdir().unwrap();
    let results = client.path().join("projects/p/s/tool-results");
    fs::create_dir_all(&results).unwrap();
    let whole = numbered(5_000);
    fs::write(results.join("t.txt"), &whole).unwrap();
    fs::write(client.path().join("secret.txt"), &whole).unwrap();
    let lines_of = |path: PathBuf| {
        let event = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": whole[..2_000], "stderr": "", "interrupted": false, "persistedOutputPath": path, "persistedOutputSize": 9}});
        let mut child = filter();
        child
            .current_dir(folder.path())
            .env("CLAUDE_CONFIG_DIR", client.path())
            .arg("hook")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(event.to_string().as_bytes())
            .unwrap();
        assert!(text(&child.wait_with_output().unwrap().stdout).contains("updatedToolOutput"));
        let log = logs(folder.path()).pop().unwrap();
        let lines = fs::read_to_string(&log).unwrap().lines().count();
        fs::remove_file(log).unwrap();
        lines
    };
    assert_eq!(lines_of(results.join("t.txt")), 5_000);
    assert!(lines_of(client.path().join("secret.txt")) < 300);
    assert!(lines_of(client.path().join("projects/../secret.txt")) < 300);
}

#[test]
fn hook_input_that_is_none_leaves_everything_as_it_is() {
    let folder = project();
    for input in ["", "not json", "[]", "{}", "{\"hook_event_name\":\"Stop\"}"] {
        let done = piped(folder.path(), &["hook"], input.as_bytes());
        assert_eq!(done.stdout, b"");
        assert!(matches!(done.status.code(), Some(0 | 1)));
    }
}
