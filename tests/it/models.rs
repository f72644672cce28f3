//! Which model works: as named, and the next stronger one after two refutations.

use crate::project::Project;

/// A client that claims its task done at once, without doing anything that a gate would notice.
const CLAIMS: &str = r#"echo "$*" >> "$HOME/.cache/calls"
date +%s%N >> work.txt
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"<DONE>it works</DONE>","total_cost_usd":0.5,"session_id":"s"}'"#;

/// The models that the client was called with, in order; `-` without one.
fn models(project: &Project) -> Vec<String> {
    let calls = std::fs::read_to_string(project.meeting("calls")).unwrap_or_default();
    let started = calls
        .lines()
        .filter(|call| call.contains("--output-format"));
    started
        .map(|call| {
            let named = call.split_once("--model ").map(|(_, rest)| rest);
            let word = named.and_then(|rest| rest.split(' ').next());
            word.unwrap_or("-").to_owned()
        })
        .collect()
}

#[test]
fn after_two_refutations_the_next_model_works_and_the_task_is_given_up_with_the_last() {
    let project = Project::new();
    project.client(CLAIMS);
    project.person("[run]\nescalate = [\"haiku\", \"sonnet\", \"opus\"]\n");
    project
        .run(&["--gate", "test -e made", "--max-iterations", "20"])
        .code(1);
    let expected = ["haiku", "haiku", "sonnet", "sonnet", "opus", "opus", "opus"];
    assert_eq!(models(&project), expected);
    let named: Vec<_> = project
        .records("intent")
        .iter()
        .map(|record| record["model"].clone())
        .collect();
    assert_eq!(named, expected);
}

#[test]
fn a_model_is_named_for_the_run_or_for_a_task() {
    let project = Project::new();
    project.client(CLAIMS);
    let list = r#"{"a": {"objective": "x", "definition_of_done": ["true"], "allowed_tools": [], "proof": "green"},
        "b": {"objective": "y", "definition_of_done": ["true"], "allowed_tools": [], "model": "opus", "proof": "green"}}"#;
    std::fs::write(project.path("tasks.json"), list).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    project.run(&["--model", "sonnet"]).success();
    assert_eq!(models(&project), ["sonnet", "opus"]);
    project.run(&["--model", "--resume"]).code(64);
}
