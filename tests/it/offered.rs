//! What a pull request offers: commits by task, and what tasks that were given up left.

use crate::night::{forge, on_main, request};
use crate::project::Project;

/// `a` is done, `b` is tried in vain and given up, `c` is done after it.
const LIST: &str = r#"{
  "a": {"objective": "Make a", "definition_of_done": ["test -e a"], "allowed_tools": []},
  "b": {"objective": "Make b\u001b[2J", "definition_of_done": ["sh -c 'echo b is not there; exit 1'"], "allowed_tools": []},
  "c": {"objective": "Make c", "definition_of_done": ["test -e c"], "allowed_tools": []}
}"#;
const AGENT: &str = "command:date +%N >> $OVERNIGHT_TASK; echo '<DONE>made</DONE>'";

fn listed() -> Project {
    let project = on_main();
    forge(&project);
    std::fs::write(project.path("tasks.json"), LIST).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    project
}

fn body(project: &Project) -> String {
    request(project, "body")
}

/// The only branch of this pattern.
fn branch(project: &Project, pattern: &str) -> String {
    let pattern = format!("refs/heads/{pattern}");
    let listed = project.git_out(&["for-each-ref", "--format=%(refname:short)", &pattern]);
    assert_eq!(listed.lines().count(), 1, "{pattern}: {listed}");
    listed.trim().to_owned()
}

#[test]
fn commits_stand_by_their_task_and_tries_in_vain_are_marked() {
    let project = listed();
    project
        .overnight(&["run", "Make them", "--agent", AGENT])
        .code(1);
    let body = body(&project);
    let part = &body[body.find("## What changed").unwrap()..];
    let part = &part[..part.find("| File").unwrap()];
    let lines: Vec<String> = part
        .lines()
        .filter(|line| line.trim_start().starts_with("- "))
        .map(|line| {
            line.split(' ')
                .filter(|word| word.len() != 7 || word.contains('*'))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let expected = [
        "- **a** proved",
        "  - a: Make a",
        "- **b** refuted, unproved",
        "  - b: Make b\\[2J",
        "  - b: Make b\\[2J",
        "  - b: Make b\\[2J",
        "- **c** proved",
        "  - c: Make c",
    ];
    assert_eq!(lines, expected, "{body}");
    let branch = branch(&project, "auto/make-them-*");
    let trailers = project.git_out(&[
        "log",
        "-1",
        "--format=%(trailers:key=Overnight-Task,valueonly)",
        &branch,
    ]);
    assert_eq!(trailers.trim(), "c");
}

#[test]
fn what_was_tried_in_vain_is_left_out_on_a_branch_of_its_own() {
    let project = listed();
    project.person("[run]\nblocked = \"leave-out\"\n");
    project
        .overnight(&["run", "Make them", "--agent", AGENT])
        .code(1);
    let side = branch(&project, "auto/*-b-4");
    let own = side.trim_end_matches("-b-4");
    let files = |branch: &str| project.git_out(&["ls-tree", "--name-only", branch]);
    assert_eq!(files(own), "AGENT_PROMPT.md\na\nc\ntracked\n");
    assert_eq!(files(&side), "AGENT_PROMPT.md\na\nb\ntracked\n");
    // Nothing was pushed before: the tries are not even in its history.
    let log = project.git_out(&["log", "--format=%s", &format!("main..{own}")]);
    assert_eq!(log, "c: Make c\na: Make a\n");
    let remote = project.git_out(&["ls-remote", "--heads", "origin", &side]);
    assert!(!remote.is_empty(), "the tries are on the remote, too");
    assert!(body(&project).contains(&side), "{}", body(&project));
    // What it comes to next begins without them, and the branch that is out moves on only.
    let pushed = project.git_out(&["rev-parse", own]);
    project.overnight(&["resume", "--agent", AGENT]).code(1);
    assert_eq!(files(own), "AGENT_PROMPT.md\na\nc\ntracked\n");
    project.git(&["merge-base", "--is-ancestor", pushed.trim(), own]);
}

#[test]
fn a_request_that_was_merged_is_left_alone_and_another_one_is_opened() {
    let project = listed();
    project
        .overnight(&["run", "Make them", "--agent", AGENT])
        .code(1);
    std::fs::write(project.home().join("requests/state"), "MERGED").unwrap();
    std::fs::remove_file(project.home().join("requests/url")).unwrap();
    std::fs::remove_file(project.home().join("requests/calls")).unwrap();
    project.overnight(&["resume", "--agent", AGENT]).code(1);
    let calls = request(&project, "calls");
    assert!(calls.contains("pr create --draft"), "{calls}");
    assert!(!calls.contains("pr edit"), "{calls}");
}
