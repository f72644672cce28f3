//! A task that needs a person: the run takes the next one, and comes back after the answer.

use crate::project::Project;
use crate::terminal;
use assert_cmd::cargo::cargo_bin;
use std::time::{Duration, Instant};

#[test]
fn a_task_that_waits_for_an_approval_is_taken_up_again_after_it() {
    let project = Project::new();
    let task = |id: &str| {
        format!(
            r#""{id}": {{"objective": "x", "definition_of_done": ["It works."], "allowed_tools": []}}"#
        )
    };
    std::fs::write(
        project.path("tasks.json"),
        format!("{{{}, {}, {}}}", task("t1"), task("t2"), task("t3")),
    )
    .unwrap();
    let done = "printf -- '- [x] 1: seen\\n<DONE>ok</DONE>\\n'";
    let ask = r#"printf '{"session_id":"s","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push origin HEAD:main"}}' "$PWD" | command-guard hook > /dev/null"#;
    let agent = format!(
        "command:case $OVERNIGHT_TASK-$OVERNIGHT_VISIT in t1-1) {ask};; t2-1) echo x > asked; while [ ! -e approved ]; do sleep 0.05; done; {done};; *) {done};; esac"
    );
    let mut driver = project.start(&["--agent", &agent]);
    project.wait_for("asked");
    let mut approve = project.command(cargo_bin!("overnight"));
    let (status, printed) = terminal::run_typing(approve.args(["approve", "ask-1"]), "git\n");
    assert_eq!(status, 0, "{printed}");
    std::fs::write(project.path("approved"), "x").unwrap();
    let began = Instant::now();
    while driver.try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(30), "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
    let order: Vec<_> = project
        .records("intent")
        .iter()
        .map(|intent| intent["task"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(order, ["t1", "t2", "t1", "t3"]);
    assert_eq!(project.records("outcome")[0]["asks"][0], 1);
    let answered = &project.records("answered")[0];
    assert_eq!(
        (&answered["ask"], &answered["approved"]),
        (&1.into(), &true.into())
    );
}
