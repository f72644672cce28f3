//! A question's way: asked by the hook, answered by a person, used once.

use crate::terminal;
use overnight_base::vars;
use overnight_host::env;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Project {
    _keep: tempfile::TempDir,
    root: PathBuf,
    home: PathBuf,
    run: PathBuf,
}

impl Project {
    /// A repository with an armed run, and a home folder outside it.
    fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let base = keep.path().canonicalize().unwrap();
        let (root, home) = (base.join("project"), base.join("home"));
        for folder in [&root, &home] {
            std::fs::create_dir(folder).unwrap();
        }
        let init = Command::new("git")
            .args(["init", "-q"])
            .current_dir(&root)
            .status()
            .unwrap();
        assert!(init.success());
        let run = root.join(".git/overnight/runs/r1");
        std::fs::create_dir_all(&run).unwrap();
        std::fs::write(run.join("epoch"), "1").unwrap();
        Self {
            _keep: keep,
            root,
            home,
            run,
        }
    }

    fn program(&self, path: &Path) -> Command {
        let mut command = Command::new(path);
        let inherited = env::get_os(&vars::PATH).unwrap();
        command
            .env_clear()
            .env("PATH", inherited)
            .env("HOME", &self.home)
            .current_dir(&self.root);
        command
    }

    fn overnight(&self, arguments: &[&str]) -> Command {
        let mut command = self.program(assert_cmd::cargo::cargo_bin!("overnight"));
        command.args(arguments);
        command
    }

    /// What the hook says about this tool call of the run's agent: decision, reason, status.
    fn asks(&self, tool: &str, input: &Value) -> (String, String, i32) {
        let event = json!({"session_id": "s1", "cwd": self.root, "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input});
        let mut command = assert_cmd::Command::from_std(
            self.program(assert_cmd::cargo::cargo_bin!("command-guard")),
        );
        let output = command
            .arg("hook")
            .env("OVERNIGHT_RUN", "r1")
            .env("OVERNIGHT_RUN_DIR", &self.run)
            .env("OVERNIGHT_EPOCH", "1")
            .write_stdin(event.to_string())
            .output()
            .unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        let said = &value["hookSpecificOutput"];
        let text = |key: &str| said[key].as_str().unwrap().to_owned();
        (
            text("permissionDecision"),
            text("permissionDecisionReason"),
            output.status.code().unwrap(),
        )
    }

    fn open_questions(&self) -> Vec<Value> {
        let output = self.overnight(&["asks", "--json"]).output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        value["asks"].as_array().unwrap().clone()
    }
}

fn ci(content: &str) -> Value {
    json!({"file_path": ".github/workflows/ci.yml", "content": content})
}

#[test]
fn a_file_that_only_the_work_tree_has_is_copied_before_it_is_deleted() {
    let project = Project::new();
    let write = |name: &str, text: &str| std::fs::write(project.root.join(name), text).unwrap();
    write(".gitignore", "*.db\n");
    write("notes.txt", "nowhere else");
    write("notes.db", "nowhere else");
    std::fs::create_dir(project.root.join("src")).unwrap();
    write("src/x", "nowhere else");
    // What is younger than the run is the agent's.
    let born = |path: &Path| std::fs::metadata(path).unwrap().created().unwrap();
    while born(&project.run) <= born(&project.root.join("src/x")) {
        std::fs::remove_dir_all(&project.run).unwrap();
        std::fs::create_dir(&project.run).unwrap();
    }
    std::fs::write(project.run.join("epoch"), "1").unwrap();
    for name in ["notes.txt", "notes.db"] {
        let (decision, reason, _) = project.asks("Bash", &json!({"command": format!("rm {name}")}));
        assert_eq!(decision, "allow", "{reason}");
        let copy = reason
            .split_whitespace()
            .find(|word| word.starts_with("refs/"));
        let copy = format!("{}:{name}", copy.unwrap().trim_end_matches(':'));
        let mut shown = project.program(Path::new("git"));
        let shown = shown.args(["show", &copy]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&shown.stdout), "nowhere else");
    }
    for command in ["rm -rf src", "rm notes.txt; git push --force"] {
        let (decision, ..) = project.asks("Bash", &json!({ "command": command }));
        assert_ne!(decision, "allow", "{command}");
    }
}

/// As in a container that was entered from outside: the session has no number in there.
#[cfg(target_os = "linux")]
#[test]
fn a_session_that_began_outside_of_the_container_may_answer() {
    let project = Project::new();
    let alone = ["-r", "-p", "-f", "--mount-proc"];
    let mut possible = project.program(Path::new("unshare"));
    if !possible.args(alone).arg("true").status().unwrap().success() {
        return crate::support::skip("this machine gives no namespace of processes");
    }
    assert_eq!(project.asks("Write", &ci("a")).0, "ask");
    let mut approve = project.program(Path::new("unshare"));
    approve
        .args(alone)
        .arg(assert_cmd::cargo::cargo_bin!("overnight"));
    let (status, printed) = terminal::run_typing(approve.args(["approve", "ask-1"]), "Write\n");
    assert_eq!(status, 0, "{printed}");
    assert_eq!(project.asks("Write", &ci("a")).0, "allow");
}

#[test]
fn an_approved_call_runs_exactly_once() {
    let project = Project::new();
    let (decision, reason, status) = project.asks("Write", &ci("a"));
    assert_eq!((decision.as_str(), status), ("ask", 0));
    assert!(reason.contains("ask-1"), "{reason}");
    assert!(project.asks("Write", &ci("a")).1.contains("ask-1"));
    assert!(project.asks("Write", &ci("b")).1.contains("ask-2"));
    let blocked = std::fs::read_to_string(project.root.join("progress/blocked.md")).unwrap();
    assert!(
        blocked.contains("ask-1") && blocked.contains("ask-2"),
        "{blocked}"
    );
    let ids: Vec<_> = project
        .open_questions()
        .iter()
        .map(|ask| ask["id"].clone())
        .collect();
    assert_eq!(ids, ["ask-1", "ask-2"]);

    let approve =
        |typed: &str| terminal::run_typing(&mut project.overnight(&["approve", "ask-1"]), typed);
    for typed in ["y\n", "\n", "\u{4}", "Write all\n"] {
        let (status, printed) = approve(typed);
        assert_eq!(status, 1, "{typed:?}: {printed}");
        assert!(printed.contains("ci.yml") && printed.contains("still waits"));
        assert!(project.asks("Write", &ci("a")).1.contains("ask-1"));
    }
    let (status, printed) = approve("Write\n");
    assert_eq!(status, 0, "{printed}");
    assert!(
        printed.contains("ask-1 may run once, exactly as shown"),
        "{printed}"
    );
    assert!(
        project.asks("Write", &ci("b")).1.contains("ask-2"),
        "the other call still waits"
    );
    assert_eq!(project.asks("Write", &ci("a")).0, "allow");
    assert!(
        project.asks("Write", &ci("a")).1.contains("ask-3"),
        "used up"
    );
}

#[test]
fn a_refused_call_is_denied_with_the_persons_word() {
    let project = Project::new();
    project.asks("Write", &ci("a"));
    assert_eq!(
        terminal::run(&mut project.overnight(&["deny", "ask-1"])).0,
        0
    );
    let (decision, reason, status) = project.asks("Write", &ci("a"));
    assert_eq!((decision.as_str(), status), ("deny", 2));
    assert!(reason.contains("a person refused this (ask-1)"), "{reason}");
    let blocked = std::fs::read_to_string(project.root.join("progress/blocked.md")).unwrap();
    assert!(!blocked.contains("ask-1"), "{blocked}");
}

#[test]
fn only_a_person_on_a_terminal_answers() {
    let project = Project::new();
    project.asks("Write", &ci("a"));
    for verb in ["approve", "deny"] {
        let output = project.overnight(&[verb, "ask-1"]).output().unwrap();
        assert_eq!(output.status.code(), Some(77));
        assert!(String::from_utf8_lossy(&output.stderr).contains("E8007"));
        for (name, value) in [("CLAUDECODE", "1"), ("OVERNIGHT_RUN_DIR", "/x")] {
            let (status, printed) =
                terminal::run(project.overnight(&[verb, "ask-1"]).env(name, value));
            assert_eq!(status, 77, "{printed}");
        }
    }
    let mut hidden = Command::new("sh");
    let program = assert_cmd::cargo::cargo_bin!("overnight");
    let script = format!(
        "env -u OVERNIGHT_RUN_DIR {} approve ask-1; exit $?",
        program.display()
    );
    hidden
        .args(["-c", &script])
        .env("OVERNIGHT_RUN_DIR", "/x")
        .env("HOME", &project.home)
        .current_dir(&project.root);
    if cfg!(target_os = "linux") {
        assert_eq!(terminal::run(&mut hidden).0, 77);
    }
    assert_eq!(project.open_questions().len(), 1);
    let (status, printed) = terminal::run(&mut project.overnight(&["approve", "ask-9"]));
    assert_eq!(status, 66, "{printed}");
}

#[test]
fn what_a_person_is_shown_hides_nothing() {
    let project = Project::new();
    project.asks("Write", &ci("x\u{1b}[2J\u{202e}y"));
    let output = project.overnight(&["asks"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        !text.contains('\u{1b}') && !text.contains('\u{202e}'),
        "{text}"
    );
    assert!(text.contains("u001b") || text.contains("u{1b}"), "{text}");
}

#[test]
fn approvals_do_not_come_from_inside_the_project() {
    let project = Project::new();
    let (decision, reason, _) = project.asks("Write", &ci("a"));
    assert!(decision == "ask" && reason.contains("ask-1"));
    let store = project.home.join(".local/state/overnight/approvals");
    let book = std::fs::read_dir(store)
        .unwrap()
        .flatten()
        .find(|entry| entry.path().extension().is_some_and(|e| e == "json"))
        .unwrap();
    let forged = std::fs::read_to_string(book.path()).unwrap().replace(
        r#""state":"open""#,
        r#""state":"approved","at_ms":1,"until_ms":99999999999999"#,
    );
    assert!(forged.contains("until_ms"));
    let inside = project.root.join("evil/overnight/approvals");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::write(inside.join(book.file_name()), forged).unwrap();
    let output = project
        .overnight(&["asks"])
        .env("XDG_STATE_HOME", project.root.join("evil"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(73));
}

#[test]
fn trust_is_recorded_by_content_outside_the_repository() {
    let project = Project::new();
    let tasks = project.root.join("tasks.json");
    std::fs::write(&tasks, r#"{"t1":{"definition_of_done":["cargo test"]}}"#).unwrap();
    let output = project.overnight(&["trust"]).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "trusted: tasks.json\n    cargo test\n"
    );
    let list = || {
        let output = project.overnight(&["trust", "--list"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(
        list().contains("tasks.json  1 commands, as it stands"),
        "{}",
        list()
    );
    std::fs::write(&tasks, "{}").unwrap();
    assert!(list().contains("changed since"));
    let revoke = project
        .overnight(&["trust", "--revoke", "tasks.json"])
        .status()
        .unwrap();
    assert_eq!(revoke.code(), Some(0));
    assert!(list().contains("nothing is trusted"));
}

#[test]
fn trust_is_for_people_and_for_files_of_the_project() {
    let project = Project::new();
    std::fs::write(project.root.join("tasks.json"), "{}").unwrap();
    let status = |command: &mut Command| command.output().unwrap().status.code();
    assert_eq!(
        status(project.overnight(&["trust"]).env("CLAUDECODE", "1")),
        Some(77)
    );
    assert_eq!(
        status(&mut project.overnight(&["trust", "../home/x"])),
        Some(66)
    );
    std::fs::write(project.home.join("x"), "").unwrap();
    assert_eq!(
        status(&mut project.overnight(&["trust", "../home/x"])),
        Some(77)
    );
    assert_eq!(status(&mut project.overnight(&["trust"])), Some(0));
}

/// An agent that puts a question and then answers it from a process that it set free of everything that
/// could tell where it comes from.
const ANSWERS: &str = r#"
echo "{\"session_id\":\"s\",\"cwd\":\"$PWD\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\",\"tool_input\":{\"file_path\":\".github/workflows/ci.yml\",\"content\":\"a\"}}" |
  command-guard hook > /dev/null
said=$HOME/.cache/said
env -i HOME="$HOME" PATH="$PATH" setsid -f sh -c "sleep 0.2; script -qec 'overnight approve ask-1' /dev/null > $said 2>&1; echo over >> $said"
for i in $(seq 500); do grep -q over "$said" 2>/dev/null && break; sleep 0.02; done
echo '<DONE>ok</DONE>'
"#;

#[test]
fn an_agent_that_sets_a_process_free_does_not_answer_its_own_question_by_it() {
    let project = crate::project::Project::new();
    let script = project.home().join("answers.sh");
    std::fs::write(&script, ANSWERS).unwrap();
    let agent = format!("command:sh {}", script.display());
    project
        .run(&["--agent", &agent, "--cell=off", "--max-iterations", "1"])
        .success();
    let said = std::fs::read_to_string(project.meeting("said")).unwrap();
    assert!(said.contains("started by an agent"), "{said}");
    let asks = project.overnight(&["asks", "--json"]).success();
    let asks: Value = serde_json::from_slice(&asks.get_output().stdout).unwrap();
    assert_eq!(asks["asks"][0]["state"], "open", "{asks}");
}
