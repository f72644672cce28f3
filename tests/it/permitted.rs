//! What a task allows binds whoever works on it, in both doors.

use crate::project::Project;
use crate::shared::Session;
use serde_json::{Value, json};

fn project() -> Project {
    let project = Project::new();
    let list = json!({
        "a": {"objective": "x", "definition_of_done": ["$ test -f done"], "allowed_tools": ["Read", "Edit", "Bash(cargo test:*)"]},
        "b": {"objective": "y", "definition_of_done": ["$ true"], "allowed_tools": []},
    });
    std::fs::write(project.path("tasks.json"), list.to_string()).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    project
}

fn call(tool: &str, input: Value, agent: Option<&str>) -> Value {
    let mut event = json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_use_id": "t",
        "permission_mode": "default", "transcript_path": "/nowhere"});
    event["tool_input"] = input;
    if let Some(agent) = agent {
        event["agent_id"] = json!("a1");
        event["agent_type"] = json!(agent);
    }
    event
}

#[test]
fn the_worker_of_a_session_has_the_tools_of_its_task_and_the_next_task_its_own() {
    let project = project();
    let session = Session::new(&project, "s1");
    assert_eq!(session.flow(), "a");
    let worker = Some("overnight:flow-worker");
    let refused =
        |command: &str, agent| session.is_refused(call("Bash", json!({"command": command}), agent));
    assert!(refused("touch done", worker) && !refused("cargo test", worker));
    assert!(
        !refused("touch done", None),
        "the conversation itself is the person's too"
    );
    let path = project.path("done");
    let write = json!({"file_path": path, "content": "x"});
    assert!(!session.is_refused(call("Write", write, worker)));
    assert!(session.is_refused(call(
        "WebFetch",
        json!({"url": "https://example.com"}),
        worker
    )));
    std::fs::write(&path, "x").unwrap();
    let told = session.stop("<DONE>written</DONE>");
    assert_eq!(crate::shared::task(&told), "b");
    assert!(
        !refused("touch other", worker),
        "an empty list allows everything"
    );
}

#[test]
fn an_agent_behind_the_driver_has_the_tools_of_its_task() {
    let project = project();
    let asks = |command: &str, file: &str| {
        format!(
            r#"printf '{{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}}}}' "$PWD" | command-guard hook > {file}-$OVERNIGHT_TASK; "#
        )
    };
    let agent = format!(
        "command:{}{}touch done; echo '<DONE>x</DONE>'",
        asks("touch done", "refused"),
        asks("cargo test", "allowed"),
    );
    project.run(&["--agent", &agent]).success();
    let said = |file: &str| project.read(file);
    assert!(
        said("refused-a").contains("this task allows only Read, Edit, Bash(cargo test:*)"),
        "{}",
        said("refused-a")
    );
    assert!(!said("allowed-a").contains("deny"), "{}", said("allowed-a"));
    assert!(!said("refused-b").contains("deny"), "{}", said("refused-b"));
}
