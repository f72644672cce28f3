//! Speaking to a run under way, going back in it, and getting ready for one.

use crate::members;
use crate::project::Project;
use crate::shared::Session;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Starts a night that writes its prompts to `prompt.N` and waits for `go` beside it.
fn night(project: &Project, more: &str, arguments: &[&str]) -> Child {
    let prompts = project.meeting("prompt");
    let agent = format!(
        "command:cat > {}.$OVERNIGHT_ITERATION.$OVERNIGHT_ATTEMPT; {more}",
        prompts.display()
    );
    let mut command = project.command(cargo_bin!("overnight"));
    command.args(["run", "--agent", &agent]).args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

pub(crate) fn prompt(project: &Project, name: &str) -> String {
    let path = project.meeting(name);
    let began = Instant::now();
    loop {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if text.contains("check id of this iteration") {
            return text;
        }
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{name} does not come"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_is_told_is_in_the_next_prompt_and_now_begins_the_attempt_again() {
    let project = Project::new();
    let waits = format!(
        "while [ ! -e {0}go.$OVERNIGHT_ITERATION ]; do sleep 0.02; done; [ $OVERNIGHT_ITERATION = 1 ] || echo '<DONE>ok</DONE>'",
        project.meeting("").display()
    );
    let mut run = night(&project, &waits, &["Make it"]);
    prompt(&project, "prompt.1.1");
    project
        .overnight(&["tell", "use the other library"])
        .success()
        .stdout(contains("is told"));
    std::fs::write(project.meeting("go.1"), "").unwrap();
    let second = prompt(&project, "prompt.2.1");
    assert!(second.contains("use the other library"), "{second}");
    project.overnight(&["tell", "--now", "stop that"]).success();
    let again = prompt(&project, "prompt.2.2");
    assert!(again.contains("stop that"), "{again}");
    std::fs::write(project.meeting("go.2"), "").unwrap();
    assert!(run.wait().unwrap().success());
    let told = project.records("told");
    assert_eq!(told[0]["text"], "use the other library");
    let nobody = contains("is done: it hears that once a task of it is sent back");
    project
        .overnight(&["tell", "and more"])
        .success()
        .stdout(nobody);
    project.overnight(&["tell", "--task", "nope", "x"]).code(66);
    project.overnight(&["tell"]).code(64);
}

#[test]
fn a_goal_that_is_changed_meanwhile_is_taken_over() {
    let project = Project::new();
    let waits = format!(
        "while [ ! -e {0}go.$OVERNIGHT_ITERATION ]; do sleep 0.02; done; [ $OVERNIGHT_ITERATION = 1 ] || echo '<DONE>ok</DONE>'",
        project.meeting("").display()
    );
    let mut run = night(&project, &waits, &[]);
    prompt(&project, "prompt.1.1");
    std::fs::write(project.path("AGENT_PROMPT.md"), "Another goal\n").unwrap();
    for number in [1, 2] {
        std::fs::write(project.meeting(&format!("go.{number}")), "").unwrap();
    }
    assert!(prompt(&project, "prompt.2.1").contains("Another goal"));
    assert!(run.wait().unwrap().success());
}

#[test]
fn among_the_persons_files_a_changed_goal_counts_once_a_person_trusts_it() {
    let project = Project::new();
    let waits = format!(
        "while [ ! -e {0}go.$OVERNIGHT_ITERATION ]; do sleep 0.02; done; echo $OVERNIGHT_ITERATION > made; [ $OVERNIGHT_ITERATION -lt 3 ] || echo '<DONE>ok</DONE>'",
        project.meeting("").display()
    );
    let mut run = night(&project, &waits, &["--here"]);
    prompt(&project, "prompt.1.1");
    std::fs::write(project.path("AGENT_PROMPT.md"), "Another goal\n").unwrap();
    std::fs::write(project.meeting("go.1"), "").unwrap();
    let second = prompt(&project, "prompt.2.1");
    assert!(!second.contains("Another goal"), "{second}");
    project.overnight(&["trust", "AGENT_PROMPT.md"]).success();
    std::fs::write(project.meeting("go.2"), "").unwrap();
    let third = prompt(&project, "prompt.3.1");
    assert!(third.contains("Another goal"), "{third}");
    std::fs::write(project.meeting("go.3"), "").unwrap();
    assert!(run.wait().unwrap().success());
    assert_eq!(project.records("goal_changed").len(), 1);
}

#[test]
fn a_session_says_that_a_goal_was_changed_and_takes_over_what_a_person_trusts() {
    let project = Project::new();
    let list = |ids: &[(&str, &[&str])]| {
        std::fs::write(project.path("tasks.json"), members::list(ids)).unwrap();
    };
    list(&[("a", &[])]);
    project.overnight(&["trust", "tasks.json"]).success();
    let session = Session::new(&project, "s1");
    session.typed("--autonomous --agent-prompt AGENT_PROMPT.md");
    std::fs::write(project.path("AGENT_PROMPT.md"), "Another goal\n").unwrap();
    // A gate is gone: no command of it is new.
    let gone = r#"{"a": {"objective": "x", "definition_of_done": ["It reads well."], "allowed_tools": []}}"#;
    std::fs::write(project.path("tasks.json"), gone).unwrap();
    let told = session.stop("INCOMPLETE: more").to_string();
    for name in ["AGENT_PROMPT.md", "tasks.json"] {
        let remedy = format!("overnight trust {name}");
        assert!(told.contains(&remedy), "{told}");
    }
    let prompt = |number: u32| {
        let run = project.only_run();
        project.read(&format!("agent_logs/{run}/{number}.prompt.md"))
    };
    assert!(!prompt(2).contains("Another goal"));
    project.overnight(&["trust", "AGENT_PROMPT.md"]).success();
    list(&[("a", &[]), ("b", &[])]);
    project.overnight(&["trust", "tasks.json"]).success();
    session.stop("INCOMPLETE: more");
    assert!(prompt(3).contains("Another goal"), "{}", prompt(3));
    assert_eq!(project.records("tasks_changed").len(), 1);
}

#[test]
fn a_run_goes_on_with_the_goal_in_a_file_that_is_named() {
    let project = Project::new();
    night(&project, "false", &["Make it", "--max-iterations", "1"])
        .wait()
        .unwrap();
    project
        .overnight(&["resume", "--agent-prompt", "/no/such"])
        .code(66);
    let goal = project.home().join("goal.md");
    std::fs::write(&goal, "Make it blue\n").unwrap();
    let named = goal.to_str().unwrap();
    let resume = ["resume", "--agent-prompt", named, "--max-iterations", "2"];
    project.overnight(&resume).code(1);
    assert!(prompt(&project, "prompt.2.1").contains("Make it blue"));
}

#[test]
fn what_was_tried_and_refuted_is_told_to_later_runs_too() {
    let project = Project::new();
    let claims = "echo '<DONE>I added a lock</DONE>'";
    let gate = ["Make it", "--gate", "echo deadlock-in-worker; false"];
    assert_eq!(
        night(&project, claims, &gate).wait().unwrap().code(),
        Some(3)
    );
    let third = prompt(&project, "prompt.3.1");
    assert!(
        third.contains("I added a lock") && third.contains("deadlock-in-worker"),
        "{third}"
    );
    night(&project, claims, &gate).wait().unwrap();
    let later = prompt(&project, "prompt.1.1");
    assert!(
        later.contains("Tried before and refuted") && later.contains("of run "),
        "{later}"
    );
}

#[test]
fn iterations_can_be_seen_undone_and_searched() {
    let project = Project::new();
    project.git(&["switch", "-q", "-c", "main"]);
    let agent = "command:echo $OVERNIGHT_ITERATION > n; [ $OVERNIGHT_ITERATION = 4 ] && echo '<DONE>ok</DONE>'; true";
    project
        .overnight(&["run", "Count", "--agent", agent])
        .success();
    let run = project.only_run();
    let diff = project
        .overnight(&["diff", &run, "3"])
        .success()
        .stdout(contains("-2\n+3"));
    drop(diff);
    project
        .overnight(&["bisect", &run, "--gate", "[ ! -e n ] || [ $(cat n) -lt 3 ]"])
        .success()
        .stdout(contains("iteration 3 broke it"));
    project
        .overnight(&["bisect", &run, "--gate", "true"])
        .code(1);
    let branch = format!("auto/count-{run}");
    let before = project.git_out(&["rev-parse", &branch]);
    project
        .overnight(&["undo", &run, "--to", "2"])
        .success()
        .stdout(contains("after iteration 2"));
    assert_eq!(project.git_out(&["show", &format!("{branch}:n")]), "2\n");
    // What was done by what is gone is not done.
    let status = crate::morning::out(&project, &["status"]);
    for told in ["0 of 1 task done", "you took out what it did"] {
        assert!(status.contains(told), "{status}");
    }
    // Nothing is lost by it: it is a commit on top.
    assert_eq!(
        project.git_out(&["rev-parse", &format!("{branch}~1")]),
        before
    );
    project.overnight(&["undo", &run, "--to", "9"]).code(64);
    assert_eq!(project.git_out(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn an_undo_in_place_leaves_what_a_person_did_since() {
    let project = Project::new();
    std::fs::write(project.path("mine"), "1").unwrap();
    project
        .run(&[
            "--agent",
            "command:echo x > made; echo y >> AGENT_PROMPT.md; echo '<DONE>ok</DONE>'",
        ])
        .success();
    std::fs::write(project.path("mine"), "2").unwrap();
    project.overnight(&["undo"]).success();
    assert!(!project.path("made").exists());
    assert_eq!(
        (project.read("mine"), project.read("AGENT_PROMPT.md")),
        ("2".into(), "# The goal\n".into())
    );
    project
        .run(&["--agent", "command:echo x > made; echo '<DONE>ok</DONE>'"])
        .success();
    std::fs::write(project.path("made"), "mine now").unwrap();
    project
        .overnight(&["undo"])
        .code(64)
        .stderr(contains("made was changed since"));
    assert_eq!(project.read("made"), "mine now");
}

#[test]
fn init_proposes_what_the_project_says_and_overwrites_nothing() {
    let project = Project::new();
    std::fs::write(project.path("Makefile"), "test:\n\t./hack/verify\n").unwrap();
    std::fs::create_dir(project.path("hack")).unwrap();
    let script = project.path("hack/verify");
    std::fs::write(&script, "#!/bin/sh\ntest -e ok\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    project.overnight(&["init"]).code(77);
    project.overnight(&["init", "--yes"]).success();
    let written = project.read("overnight.toml");
    assert!(written.contains("\"make test\""), "{written}");
    assert!(
        written.contains("\"hack/verify\", # from Makefile"),
        "{written}"
    );
    assert_eq!(project.read("AGENT_PROMPT.md"), "# The goal\n");
    let first = project.read("overnight.toml");
    project.overnight(&["init", "--yes"]).success();
    assert_eq!(project.read("overnight.toml"), first);
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "init"]);
    // Its gate is trusted: the night goes by it.
    project
        .overnight(&[
            "run",
            "Make it",
            "--agent",
            "command:touch ok; echo '<DONE>ok</DONE>'",
        ])
        .success();
    assert_eq!(
        project.records("judged")[0]["verdict"]["gates"][0]["command"],
        "make test"
    );
}

#[test]
fn a_rehearsal_finds_flaky_gates_missing_programs_and_what_needs_a_person() {
    let project = Project::new();
    let agent = ["--agent", "command:true"];
    let rehearse = |more: &[&str]| project.overnight(&[&["rehearse"][..], &agent, more].concat());
    rehearse(&["--gate", "test -e AGENT_PROMPT.md", "--json"])
        .success()
        .stdout(contains("\"ok\":true").or(contains("\"ok\": true")));
    rehearse(&["--gate", "no-such-program --check"])
        .code(1)
        .stdout(contains("not there"));
    let flaky = format!(
        "f={}; [ -e $f ] && rm $f || {{ touch $f; false; }}",
        project.meeting("flip").display()
    );
    rehearse(&["--gate", &flaky])
        .code(1)
        .stdout(contains("proves nothing"));
    let list = r#"{"a": {"objective": "x", "definition_of_done": ["true"], "allowed_tools": []}}"#;
    std::fs::write(project.path("tasks.json"), list).unwrap();
    rehearse(&[]).code(77).stdout(contains("nobody trusted"));
}
