//! A person holds a run: by a word, by a prompt in its middle, by closing its session.

use crate::project::Project;
use crate::shared::{Session, project, task};
use predicates::str::contains;
use serde_json::{Value, json};

fn status(project: &Project) -> Value {
    let output = project
        .overnight(&["status", "--json"])
        .get_output()
        .clone();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn line(answer: &Value, key: &str) -> String {
    answer[key]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

fn is_refused(session: &Session) -> bool {
    session.is_refused(json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "permission_mode": "default", "transcript_path": "/nowhere", "tool_input": {"command": "ls"}}))
}

#[test]
fn a_prompt_in_the_middle_holds_the_run_until_the_person_says_go_on() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let session = Session::new(&project, "s1");
    assert_eq!(session.flow(), "a");
    let told = session.prompt("why did you rename it?").unwrap();
    assert!(
        line(&told, "systemMessage").contains("is held while you talk"),
        "{told}"
    );
    assert!(
        told["hookSpecificOutput"]["additionalContext"].is_string(),
        "{told}"
    );
    assert_eq!(session.try_stop("because it was wrong"), None);
    assert_eq!(session.prompt("and that one?"), None, "it is said once");
    assert_eq!(session.try_stop("<DONE>not an iteration's</DONE>"), None);
    let seen = status(&project);
    assert_eq!(
        (seen["state"].as_str(), seen["tasks"]["done"].as_u64()),
        (Some("paused"), Some(0)),
        "{seen}"
    );
    assert!(
        !is_refused(&session),
        "the person may have it do something else"
    );
    let goes_on = session.prompt("continue").unwrap();
    assert_eq!(task(&goes_on), "a");
    assert_eq!(project.records("intent")[1]["attempt"], 2);
    assert_eq!(task(&session.done("a")), "b");
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn go_on_and_the_runs_own_commands_hold_nothing() {
    let project = project(&[("a", &[])]);
    let session = Session::new(&project, "s1");
    session.flow();
    for prompt in [
        "continue",
        "/flow status",
        "/overnight:flow pause",
        "<task-notification>x",
    ] {
        assert_eq!(session.prompt(prompt), None, "{prompt}");
    }
    assert_eq!(Session::new(&project, "s2").prompt("hello"), None);
    assert_eq!(project.records("paused").len(), 0);
}

#[test]
fn flow_pauses_resumes_shows_and_stops_the_sessions_run() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let mut session = Session::new(&project, "s1");
    for order in ["stop", "pause", "status"] {
        assert!(
            line(&session.typed(order), "reason").contains("no run"),
            "{order}"
        );
    }
    session.flow();
    let told = line(&session.typed("pause"), "reason");
    assert!(
        told.contains("you paused it") && !told.contains('\n'),
        "{told}"
    );
    let told = line(&session.typed("status"), "reason");
    assert!(told.contains(": paused, iteration 1 of 10"), "{told}");
    assert_eq!(task(&session.typed("resume")), "a");
    assert_eq!(status(&project)["state"], "running");
    let told = line(&session.typed("stop"), "reason");
    assert!(
        told.contains("is stopped") && !told.contains('\n'),
        "{told}"
    );
    assert_eq!(
        session.try_stop("<DONE>written</DONE>"),
        None,
        "no iteration after a stop"
    );
    assert!(session.client.lives() && !is_refused(&session));
    assert_eq!(project.runs().len(), 1, "none of it became a task");
    // It may be taken up again, here or in another session.
    assert_eq!(task(&Session::new(&project, "s2").typed("resume")), "a");
    assert_eq!(project.runs().len(), 1);
}

#[test]
fn a_turn_that_its_person_broke_off_holds_the_run_in_every_view() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let session = Session::new(&project, "s1");
    assert_eq!(session.flow(), "a");
    let folder = project.home().join(".claude/projects/p");
    std::fs::create_dir_all(&folder).unwrap();
    let said = |kind: &str, text: &str| {
        json!({"type": kind, "timestamp": "2999-01-01T00:00:00.000Z", "message": {"content": text}})
            .to_string()
    };
    // The end of a long transcript, with what the client writes behind its messages.
    let mut lines = vec![said("assistant", &"long ".repeat(100_000))];
    lines.push(said("user", "[Request interrupted by user]"));
    lines.extend(
        (0..400).map(|at| json!({"type": "system", "at": at, "text": "x".repeat(100)}).to_string()),
    );
    let write =
        |lines: &[String]| std::fs::write(folder.join("s1.jsonl"), lines.join("\n")).unwrap();
    write(&lines);
    let told = |view: &[&str]| crate::morning::out(&project, view);
    let line = told(&["statusline"]);
    assert!(
        line.starts_with("overnight: paused by Esc · 0/2 done"),
        "{line}"
    );
    assert!(line.trim_end().ends_with("\"continue\" goes on"), "{line}");
    for view in [&["status"][..], &["report"], &["watch", "--plain"]] {
        assert!(
            told(view).contains("you pressed Esc"),
            "{view:?}: {}",
            told(view)
        );
    }
    // Its person goes on.
    lines.push(said("user", "continue"));
    write(&lines);
    let line = told(&["statusline"]);
    assert!(line.starts_with("overnight 1/10"), "{line}");
}

#[test]
fn a_run_that_is_paused_from_outside_ends_its_iteration_and_begins_none() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let session = Session::new(&project, "s1");
    session.flow();
    project
        .overnight(&["pause"])
        .success()
        .stdout(contains("is paused"));
    let told = session.done("a");
    assert!(
        line(&told, "systemMessage").contains("/flow resume goes on"),
        "{told}"
    );
    assert_eq!(status(&project)["tasks"]["done"], 1);
    assert_eq!(task(&session.prompt("go on").unwrap()), "b");
    project.overnight(&["pause"]).success();
    project
        .overnight(&["resume"])
        .success()
        .stdout(contains("goes on"));
    project
        .overnight(&["resume"])
        .code(75)
        .stderr(contains("is at work in a session"));
    let told = session.done("b");
    assert!(
        line(&told, "systemMessage").contains("every task is"),
        "{told}"
    );
    project.overnight(&["pause"]).code(1);
}

#[test]
fn a_run_whose_session_ended_is_paused_and_the_resumed_session_takes_it_back() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let mut session = Session::new(&project, "s1");
    session.flow();
    for end in ["closed", "killed"] {
        if end == "closed" {
            session.hook(
                "session-end",
                json!({"hook_event_name": "SessionEnd", "reason": "other"}),
            );
        }
        session.client.kill();
        let seen = status(&project);
        assert_eq!(seen["state"], "paused", "{end}: {seen}");
        assert_eq!(seen["summary"], "paused: its session ended", "{end}");
        assert_eq!(
            seen["needs_you"][0]["commands"][0], "claude --resume s1",
            "{end}"
        );
        session = Session::new(&project, "s1");
        let told = session.resumed();
        assert!(
            line(&told, "systemMessage").contains("is back in this session"),
            "{told}"
        );
        assert_eq!(
            session.try_stop("hello"),
            None,
            "nothing is handed out unasked"
        );
        assert_eq!(task(&session.prompt("continue").unwrap()), "a");
    }
    let epochs: Vec<Value> = project
        .records("driver_started")
        .iter()
        .map(|one| one["epoch"].clone())
        .collect();
    assert_eq!(epochs, [1, 2, 3]);
    assert_eq!(task(&session.done("a")), "b");
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn of_two_clients_in_one_session_the_older_is_refused_every_tool_and_handed_nothing() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let older = Session::new(&project, "s1");
    older.flow();
    let newer = Session::new(&project, "s1");
    newer.resumed();
    assert!(is_refused(&older) && !is_refused(&newer));
    let told = older.done("a");
    assert!(
        line(&told, "systemMessage").contains("another client"),
        "{told}"
    );
    // Its end changes nothing for the newer one.
    older.hook(
        "session-end",
        json!({"hook_event_name": "SessionEnd", "reason": "clear"}),
    );
    assert_eq!(task(&newer.prompt("continue").unwrap()), "a");
    assert!(is_refused(&older));
    // A person takes it back.
    assert_eq!(task(&older.typed("resume")), "a");
    assert!(is_refused(&newer) && !is_refused(&older));
}

#[test]
fn a_driver_that_is_paused_begins_no_iteration_until_it_is_told_to_go_on() {
    let project = Project::new();
    let agent = "command:echo x > began-$OVERNIGHT_ITERATION; for i in $(seq 600); do [ -e go ] && break; sleep 0.05; done; \
        [ $OVERNIGHT_ITERATION = 1 ] || echo '<DONE>done</DONE>'";
    let mut driver = project.start(&["--agent", agent]);
    project.wait_for("began-1");
    project
        .overnight(&["pause"])
        .success()
        .stdout(contains("as soon as"));
    std::fs::write(project.path("go"), "").unwrap();
    let began = std::time::Instant::now();
    while status(&project)["state"] != "paused" {
        assert!(began.elapsed().as_secs() < 20, "it is not paused");
    }
    assert_eq!(project.records("intent").len(), 1);
    project
        .overnight(&["resume"])
        .success()
        .stdout(contains("goes on"));
    assert!(driver.wait().unwrap().success());
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}
