//! Agent teams: the hooks' events in, answers out.

use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};

const LIST: &str = r#"{
  "parser": {"objective": "Port the parser.", "definition_of_done": ["test -s parser.txt"], "allowed_tools": []},
  "manual": {"objective": "Write it.", "definition_of_done": ["It reads well."], "allowed_tools": [], "depends_on": ["parser"]},
  "icons": {"objective": "Draw them.", "definition_of_done": ["test -s icons.txt"], "allowed_tools": []}
}"#;

fn project() -> Project {
    let project = Project::new();
    std::fs::write(project.path("tasks.json"), LIST).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    project
}

fn hook(project: &Project, session: &str, mut event: Value, switch: Option<&str>) -> Option<Value> {
    event["session_id"] = json!(session);
    event["cwd"] = json!(project.path(""));
    let mut command = project.command(cargo_bin!("stop-gate"));
    command.envs(switch.map(|value| ("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", value)));
    let done = assert_cmd::Command::from_std(command)
        .write_stdin(event.to_string())
        .assert()
        .success();
    let stdout = done.get_output().stdout.clone();
    (!stdout.is_empty()).then(|| serde_json::from_slice(&stdout).unwrap())
}

fn task(event: &str, subject: &str, description: &str) -> Value {
    json!({"hook_event_name": event, "task_id": "1", "task_subject": subject, "task_description": description})
}

fn created(project: &Project, session: &str, subject: &str) -> Option<Value> {
    hook(
        project,
        session,
        task("TaskCreated", subject, ""),
        Some("1"),
    )
}

fn completed(project: &Project, session: &str, subject: &str, description: &str) -> Option<Value> {
    hook(
        project,
        session,
        task("TaskCompleted", subject, description),
        Some("1"),
    )
}

fn idle(project: &Project, session: &str) -> Option<Value> {
    let event = json!({"hook_event_name": "TeammateIdle", "agent_id": "a1", "agent_type": "worker1", "teammate_name": "worker1", "team_name": "session-1"});
    hook(project, session, event, Some("1"))
}

fn blocked(answer: Option<Value>) -> String {
    let answer = answer.expect("an answer");
    assert_eq!(answer["decision"], "block", "{answer}");
    answer["reason"].as_str().unwrap().to_owned()
}

fn status(project: &Project, id: &str) -> String {
    let list: Value = serde_json::from_str(&project.read("tasks.json")).unwrap();
    list[id]["status"].as_str().unwrap_or("todo").to_owned()
}

#[test]
fn a_created_task_takes_its_lease_and_nobody_else_gets_it() {
    let project = project();
    assert_eq!(created(&project, "s1", "parser: port it"), None);
    let mirror = project.read("current_tasks/parser.txt");
    assert!(mirror.contains("session-s1"), "{mirror}");
    assert_eq!(status(&project, "parser"), "doing");
    assert_eq!(
        created(&project, "s1", "parser"),
        None,
        "again by the same session"
    );
    let reason = blocked(created(&project, "s2", "parser"));
    assert!(reason.contains("held by session-s1"), "{reason}");
    // Words that name no task are leased too, but may mean two things: the person is told.
    assert_eq!(created(&project, "s1", "Tidy the tests"), None);
    let answer = created(&project, "s2", "tidy  the tests").unwrap();
    assert!(
        answer.get("decision").is_none()
            && answer["systemMessage"]
                .as_str()
                .unwrap()
                .contains("session-s1"),
        "{answer}"
    );
}

#[test]
fn an_unproved_completion_is_sent_back_and_a_proved_one_frees_the_task() {
    let project = project();
    created(&project, "s1", "parser: port it");
    let reason = blocked(completed(&project, "s1", "parser: port it", ""));
    assert!(
        reason.contains("not proved done") && reason.contains("test -s parser.txt"),
        "{reason}"
    );
    assert_eq!(status(&project, "parser"), "doing");
    std::fs::write(project.path("parser.txt"), "ported").unwrap();
    assert_eq!(completed(&project, "s1", "parser: port it", ""), None);
    assert_eq!(status(&project, "parser"), "done");
    assert!(!project.path("current_tasks/parser.txt").exists());
    assert_eq!(created(&project, "s2", "parser"), None, "it is free again");
}

#[test]
fn a_claim_is_tried_on_a_commit_of_its_own_with_what_decides_as_it_was() {
    let project = Project::new();
    let list = LIST.replace("test -s parser.txt", "sh check.sh");
    std::fs::write(project.path("tasks.json"), list).unwrap();
    let check = "test \"$(cat parser.txt)\" = ported\n";
    std::fs::write(project.path("check.sh"), check).unwrap();
    std::fs::write(project.path(".gitignore"), "*.log\n").unwrap();
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "begin"]);
    project.overnight(&["trust", "tasks.json"]).success();
    let head = project.git_out(&["rev-parse", "HEAD"]);
    assert_eq!(created(&project, "s1", "parser: port it"), None);
    std::fs::write(project.path("check.sh"), "exit 0\n").unwrap();
    // The task is created once more: what was changed meanwhile is no new dusk.
    assert_eq!(created(&project, "s1", "parser: port it"), None);
    let reason = blocked(completed(&project, "s1", "parser: port it", ""));
    assert!(reason.contains("check.sh"), "{reason}");
    std::fs::write(project.path("check.sh"), check).unwrap();
    std::fs::write(project.path("parser.txt"), "ported").unwrap();
    assert_eq!(completed(&project, "s1", "parser: port it", ""), None);
    assert_eq!(
        project.git_out(&["rev-parse", "HEAD"]),
        head,
        "no branch moved"
    );
    let status = project.git_out(&["status", "--porcelain", "parser.txt"]);
    assert_eq!(status.trim(), "?? parser.txt", "nothing was staged");
    assert!(!project.path(".git/overnight/team/parser").exists());
}

#[test]
fn a_checklist_is_answered_in_the_tasks_description() {
    let project = project();
    created(&project, "s1", "manual");
    let reason = blocked(completed(&project, "s1", "manual", "I wrote it."));
    assert!(reason.contains("It reads well."), "{reason}");
    assert_eq!(
        completed(&project, "s1", "manual", "- [x] 1: read aloud, twice"),
        None
    );
    assert_eq!(status(&project, "manual"), "done");
}

#[test]
fn commands_that_nobody_trusted_prove_nothing_and_do_not_run() {
    let project = Project::new();
    let list = LIST.replace("test -s parser.txt", "touch ran");
    std::fs::write(project.path("tasks.json"), list).unwrap();
    let reason = blocked(completed(&project, "s1", "parser", ""));
    assert!(reason.contains("overnight trust tasks.json"), "{reason}");
    assert!(!project.path("ran").exists());
}

#[test]
fn an_idle_teammate_gets_the_next_task_that_is_ready_and_free() {
    let project = project();
    created(&project, "s2", "parser");
    let reason = blocked(idle(&project, "s1"));
    assert!(
        reason.contains("the next task is icons") && reason.contains("> Draw them."),
        "{reason}"
    );
    assert!(
        project
            .read("current_tasks/icons.txt")
            .contains("session-s1")
    );
    assert_eq!(idle(&project, "s1"), None, "manual waits for parser");
    std::fs::write(project.path("parser.txt"), "ported").unwrap();
    assert_eq!(completed(&project, "s2", "parser", ""), None);
    assert!(blocked(idle(&project, "s1")).contains("the next task is manual"));
}

#[test]
fn without_the_switch_and_for_a_drivers_agent_nothing_happens() {
    let project = project();
    for switch in [None, Some("0")] {
        for event in ["TaskCreated", "TaskCompleted", "TeammateIdle"] {
            assert_eq!(
                hook(&project, "s1", task(event, "parser", ""), switch),
                None,
                "{event}"
            );
        }
    }
    assert!(!project.path("current_tasks").exists());
}
