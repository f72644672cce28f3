//! The session's door as Claude Code drives it: events in, answers out.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A project, and the hooks called for its sessions.
struct Project {
    folder: tempfile::TempDir,
    home: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.at(path)).unwrap_or_default()
    }

    fn hook(&self, binary: &Path, mut event: Value) -> Option<Value> {
        event["cwd"] = json!(self.folder.path());
        let done = Command::new(binary)
            .current_dir("/")
            .env_remove("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")
            .env("HOME", self.home.path())
            .write_stdin(event.to_string())
            .assert()
            .success()
            .stderr("");
        let stdout = done.get_output().stdout.clone();
        (!stdout.is_empty()).then(|| serde_json::from_slice(&stdout).unwrap())
    }

    fn flow(&self, session: &str, typed: &str) -> Value {
        let event = json!({"session_id": session, "hook_event_name": "UserPromptExpansion", "command_name": "overnight:flow",
            "command_args": typed, "command_source": "plugin"});
        self.hook(assert_cmd::cargo::cargo_bin!("flow-start"), event)
            .unwrap()
    }

    fn stop_with(&self, session: &str, more: &Value) -> Option<Value> {
        let mut event =
            json!({"session_id": session, "hook_event_name": "Stop", "background_tasks": []});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.hook(assert_cmd::cargo::cargo_bin!("stop-gate"), event)
    }

    /// The model works (a file changes) and stops with these words.
    fn stop(&self, session: &str, said: &str) -> Option<Value> {
        let count = std::fs::read_dir(self.folder.path()).unwrap().count();
        std::fs::write(self.at(&format!("work-{session}-{count}.txt")), said).unwrap();
        self.stop_with(session, &json!({"last_assistant_message": said}))
    }

    fn runs(&self) -> Vec<PathBuf> {
        let Ok(runs) = std::fs::read_dir(self.at(".overnight/runs")) else {
            return Vec::new();
        };
        runs.map(|run| run.unwrap().path()).collect()
    }

    fn events(&self) -> Vec<Value> {
        let runs = self.runs();
        assert_eq!(runs.len(), 1);
        let text = std::fs::read_to_string(runs[0].join("journal.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn reason(&self) -> Value {
        let events = self.events();
        let last = events.last().unwrap();
        assert_eq!(last["event"], "finished", "{last}");
        last["reason"].clone()
    }
}

fn context(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["additionalContext"]
        .as_str()
        .unwrap_or_else(|| panic!("no context: {answer}"))
}

fn message(answer: Option<Value>) -> String {
    let answer = answer.expect("an answer");
    assert!(
        answer.get("hookSpecificOutput").is_none(),
        "the model is let go: {answer}"
    );
    answer["systemMessage"].as_str().unwrap().to_owned()
}

const MORE: &str = "INCOMPLETE: more is left";

#[test]
fn a_report_is_written_when_a_sessions_run_ends() {
    let project = Project::new();
    project.flow("s1", "port the parser --autonomous --max-iterations 1");
    let told = message(project.stop("s1", MORE));
    let run = project.runs()[0].file_name().unwrap().to_owned();
    let folder = project.at("agent_logs").join(run);
    assert!(
        told.contains(folder.join("report.md").to_str().unwrap()),
        "{told}"
    );
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("Not finished:"), "{page}");
    // What a session's agents say lies in no log of ours: no link leads to one.
    assert!(!page.contains(".jsonl"), "{page}");
    let logs = Command::new(assert_cmd::cargo::cargo_bin!("overnight"))
        .arg("logs")
        .current_dir(project.folder.path())
        .env("HOME", project.home.path())
        .assert()
        .success();
    let said = String::from_utf8_lossy(&logs.get_output().stderr);
    assert!(said.contains("claude --resume s1"), "{said}");
}

#[test]
fn without_a_count_a_run_stops_at_ten() {
    let project = Project::new();
    let first = project.flow("s1", "port the parser --autonomous");
    assert!(
        context(&first).starts_with("Overnight: iteration 1 of at most 10 "),
        "{first}"
    );
    for iteration in 2..=10 {
        let answer = project.stop("s1", MORE).unwrap();
        assert!(
            context(&answer).contains(&format!("iteration {iteration} of at most 10")),
            "{answer}"
        );
        assert!(
            project
                .read("progress/README.md")
                .contains(&format!("- Iteration: {iteration}/10"))
        );
    }
    let line = message(project.stop("s1", MORE));
    assert!(
        line.contains("the iterations are used up") && !line.contains('\n'),
        "{line}"
    );
    assert_eq!(project.reason(), "max_iterations");
    assert_eq!(project.stop("s1", "anything"), None, "the run is over");
}

#[test]
fn a_worker_is_told_everything_in_its_file_and_the_session_only_where_it_is() {
    let project = Project::new();
    let first = project.flow("s1", "port the parser --autonomous --fast");
    let text = context(&first);
    assert!(
        text.contains("\"overnight:flow-worker\"") && !text.contains("## Goal"),
        "{text}"
    );
    let path = text
        .lines()
        .find_map(|line| line.strip_prefix("Read "))
        .unwrap();
    let prompt = std::fs::read_to_string(path.split(" and do").next().unwrap()).unwrap();
    for part in [
        "port the parser",
        "declare complete --check-id ",
        " --decision-file /",
        "sample-tests",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
}

#[test]
fn a_proved_claim_completes_the_run_by_decision_file_or_marker() {
    for by_file in [true, false] {
        let project = Project::new();
        project.flow("s1", "port it --autonomous");
        let said = if by_file {
            let events = project.events();
            let check_id = events
                .iter()
                .find(|event| event["event"] == "intent")
                .unwrap()["check_id"]
                .clone();
            let decision =
                json!({"check_id": check_id, "decision": "complete", "reason": "all ported"});
            // Where the prompt says: in a cell elsewhere.
            let run = &project.runs()[0];
            let prompt = project.at("agent_logs").join(run.file_name().unwrap());
            let prompt = std::fs::read_to_string(prompt.join("1.prompt.md")).unwrap();
            let file = prompt.split("--decision-file ").nth(1).unwrap();
            let file = file.split(' ').next().unwrap();
            std::fs::write(file, decision.to_string()).unwrap();
            "the worker is done"
        } else {
            "All is ported.\n<DONE>all ported</DONE>"
        };
        let line = message(project.stop("s1", said));
        assert!(
            line.contains("completed") && line.contains("after 1 iterations"),
            "{line}"
        );
        assert_eq!(project.reason(), "all_done");
        assert!(
            project
                .read("progress/completed.md")
                .contains("- [x] port it")
        );
    }
}

#[test]
fn a_model_that_only_talks_is_stopped_after_three_before_the_client_cuts_it_off() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous");
    let talk = || {
        project.stop_with(
            "s1",
            &json!({"last_assistant_message": "hello", "stop_hook_active": true}),
        )
    };
    assert!(talk().is_some_and(|answer| context(&answer).contains("iteration 2")));
    assert!(talk().is_some_and(|answer| context(&answer).contains("iteration 3")));
    let line = message(talk());
    assert!(line.contains("circuit breaker"), "{line}");
    assert!(project.read("progress/blocked.md").contains("port it"));
}

#[test]
fn with_a_lower_cap_of_the_client_the_run_pauses_and_says_so() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous");
    let talk = |held: bool| {
        let event = json!({"cwd": project.folder.path(), "session_id": "s1", "hook_event_name": "Stop", "stop_hook_active": held, "last_assistant_message": "hello"});
        let done = Command::new(assert_cmd::cargo::cargo_bin!("stop-gate"))
            .env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "1")
            .write_stdin(event.to_string())
            .assert()
            .success();
        serde_json::from_slice::<Value>(&done.get_output().stdout).unwrap()
    };
    assert!(context(&talk(false)).contains("iteration 2"));
    let line = message(Some(talk(true)));
    assert!(
        line.contains("pauses") && line.contains("\"continue\""),
        "{line}"
    );
}

#[test]
fn subagents_background_tasks_and_other_sessions_are_left_alone() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous");
    let before = project.events().len();
    assert_eq!(project.stop_with("s1", &json!({"agent_id": "a1"})), None);
    assert_eq!(
        project.stop_with(
            "s1",
            &json!({"background_tasks": [{"id": "b", "status": "running"}]})
        ),
        None
    );
    assert_eq!(project.stop("s2", MORE), None);
    assert_eq!(project.events().len(), before);
}

#[test]
fn two_sessions_in_one_project_keep_their_own_runs() {
    let project = Project::new();
    project.flow("s1", "port the parser --autonomous --max-iterations 2");
    project.flow("s2", "write the docs --autonomous --max-iterations 3");
    assert_eq!(project.runs().len(), 2);
    let mut ended = Vec::new();
    for _ in 0..3 {
        for session in ["s1", "s2"] {
            if project
                .stop(session, MORE)
                .is_some_and(|answer| answer.get("systemMessage").is_some())
            {
                ended.push(session);
            }
        }
    }
    assert_eq!(ended, ["s1", "s2"]);
    let goals: Vec<String> = project
        .runs()
        .iter()
        .map(|run| std::fs::read_to_string(run.join("journal.jsonl")).unwrap())
        .collect();
    for (goal, iterations) in [("port the parser", 2), ("write the docs", 3)] {
        let journal = goals.iter().find(|journal| journal.contains(goal)).unwrap();
        assert_eq!(
            journal.matches("\"event\":\"judged\"").count(),
            iterations,
            "{goal}"
        );
    }
}

#[test]
fn clearing_ends_the_run_and_any_other_end_leaves_it_to_be_continued() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous");
    let end = |reason| {
        let event = json!({"session_id": "s1", "hook_event_name": "SessionEnd", "reason": reason});
        project.hook(assert_cmd::cargo::cargo_bin!("session-end"), event)
    };
    assert_eq!(end("other"), None);
    assert_eq!(project.stop("s1", MORE), None, "nothing goes on by itself");
    assert_eq!(end("clear"), None);
    assert_eq!(project.reason(), "session_ended");
    assert_eq!(project.stop("s1", MORE), None);
}

#[test]
fn a_failed_turn_is_recorded_with_its_class_and_the_next_turn_is_another_attempt() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous");
    let failure = json!({"session_id": "s1", "hook_event_name": "StopFailure", "error": "rate_limit",
        "last_assistant_message": "You've hit your 5-hour limit · resets 5:29pm (UTC)"});
    let gate = assert_cmd::cargo::cargo_bin!("stop-gate");
    assert_eq!(project.hook(gate, failure.clone()), None);
    assert_eq!(
        project.hook(gate, failure),
        None,
        "told twice, recorded once"
    );
    let outcomes: Vec<Value> = project
        .events()
        .into_iter()
        .filter(|event| event["event"] == "outcome")
        .collect();
    assert_eq!(outcomes.len(), 1);
    assert_eq!(outcomes[0]["class"], "usage_limit");
    let answer = project.stop("s1", MORE).unwrap();
    assert!(context(&answer).contains("iteration 2 of"), "{answer}");
    let attempts: Vec<u64> = project
        .events()
        .iter()
        .filter(|event| event["event"] == "intent")
        .map(|event| event["attempt"].as_u64().unwrap())
        .collect();
    assert_eq!(attempts, [1, 2, 1]);
}

#[test]
fn a_budget_ends_a_sessions_run_by_the_tokens_in_its_transcript() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous --budget-usd 1.00");
    let transcript = project.at("s1.jsonl");
    let subagents = project.at("s1/subagents");
    std::fs::create_dir_all(&subagents).unwrap();
    let message = |id: &str, time: &str| {
        format!(
            "{}\n",
            json!({"type": "assistant", "timestamp": time, "message": {"id": id, "usage": {"input_tokens": 60_000, "output_tokens": 10_000}}})
        )
    };
    // At 5 dollars a million input tokens and five times that for output: 0.55 each.
    let long_ago = message("before", "2026-01-01T00:00:00Z");
    std::fs::write(
        &transcript,
        long_ago + &message("a", "2200-01-01T00:00:00Z"),
    )
    .unwrap();
    let stop = |said: &str| {
        std::fs::write(project.at(said), said).unwrap();
        let said = format!("INCOMPLETE: {said}");
        project.stop_with(
            "s1",
            &json!({"last_assistant_message": said, "transcript_path": transcript}),
        )
    };
    assert!(stop("first").is_some_and(|answer| context(&answer).contains("iteration 2")));
    let outcome = |project: &Project| {
        let events = project.events();
        events
            .iter()
            .rfind(|event| event["event"] == "outcome")
            .unwrap()
            .clone()
    };
    let first = outcome(&project);
    assert_eq!(
        (&first["tokens"], &first["estimated"]),
        (&json!(70_000), &json!(true))
    );
    assert!(
        (first["cost_usd"].as_f64().unwrap() - 0.55).abs() < 1e-9,
        "{first}"
    );
    std::fs::write(
        subagents.join("agent-1.jsonl"),
        message("b", "2200-01-01T00:00:00Z"),
    )
    .unwrap();
    let line = self::message(stop("second"));
    assert!(line.contains("budget"), "{line}");
    assert_eq!(project.reason(), "budget_spent");
}

#[test]
fn a_budget_that_is_reached_in_the_middle_of_a_turn_ends_it_there() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous --budget-usd 1.00");
    let transcript = project.at("s1.jsonl");
    let spends = |messages: &[&str]| {
        let line = |id: &&str| {
            let message = json!({"type": "assistant", "timestamp": "2200-01-01T00:00:00Z",
                "message": {"id": id, "usage": {"input_tokens": 60_000, "output_tokens": 10_000}}});
            format!("{message}\n")
        };
        std::fs::write(&transcript, messages.iter().map(line).collect::<String>()).unwrap();
    };
    let call = |session: &str, more: Value| {
        let mut event = json!({"session_id": session, "hook_event_name": "PreToolUse", "transcript_path": transcript,
            "tool_name": "Read", "tool_input": {"file_path": "work.txt"}, "tool_use_id": "t1"});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        event["cwd"] = json!(project.folder.path());
        let done = Command::new(assert_cmd::cargo::cargo_bin!("command-guard"))
            .arg("hook")
            .env("HOME", project.home.path())
            .write_stdin(event.to_string())
            .assert()
            .success();
        let said: Option<Value> = serde_json::from_slice(&done.get_output().stdout).ok();
        said.filter(|said| said["continue"] == json!(false))
    };
    std::fs::write(project.at("work.txt"), "half").unwrap();
    // 0.55 dollars each, by the vendor's list.
    spends(&["a"]);
    assert_eq!(call("s1", json!({})), None);
    spends(&["a", "b"]);
    assert_eq!(call("s2", json!({})), None, "another session has no run");
    let within = call("s1", json!({"agent_id": "a1", "agent_type": "worker"})).unwrap();
    assert_eq!(
        within["hookSpecificOutput"]["permissionDecision"],
        json!("deny"),
        "{within}"
    );
    let outcomes = project.events();
    let outcomes = outcomes.iter().filter(|event| event["event"] == "outcome");
    assert_eq!(outcomes.count(), 0, "its parent's turn is the iteration's");
    let answer = call("s1", json!({})).unwrap();
    assert!(answer["systemMessage"].as_str().unwrap().contains("budget"));
    assert_eq!(project.reason(), "budget_spent");
    let events = project.events();
    let outcome = events.iter().rfind(|event| event["event"] == "outcome");
    let outcome = outcome.unwrap();
    assert_eq!(
        (&outcome["class"], &outcome["limit"], &outcome["changed"]),
        (&json!("budget"), &json!("dollars"), &json!(2)),
        "{outcome}"
    );
    assert_eq!(call("s1", json!({})), None);
    assert_eq!(project.stop_with("s1", &json!({})), None, "it is over");
}

#[test]
fn members_are_left_to_a_driver_outside_the_session_and_the_person_is_told() {
    let project = crate::project::Project::new();
    project.client(concat!(
        "cat > /dev/null; echo worked >> work.txt; completion-check declare complete --reason done >&2\n",
        r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"done","terminal_reason":"completed"}'"#
    ));
    let event = json!({"session_id": "s1", "cwd": project.path(""), "hook_event_name": "UserPromptExpansion", "command_name": "flow",
        "command_args": "count --autonomous --members 2 --budget-usd 3", "command_source": "plugin"});
    let done = Command::from_std(project.command(assert_cmd::cargo::cargo_bin!("flow-start")))
        .write_stdin(event.to_string())
        .assert()
        .success();
    let answer: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let reason = answer["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("overnight: with --members the run works outside this session: ")
            && !reason.contains('\n'),
        "{answer}"
    );
    let began = std::time::Instant::now();
    while project.records("finished").is_empty() {
        assert!(began.elapsed().as_secs() < 60, "the driver does not end");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let config = &project.records("driver_started")[0]["config"];
    assert_eq!(
        (&config["members"], &config["budget_usd"]),
        (&json!(2), &json!(3.0)),
        "{config}"
    );
    assert!(
        !project.path(".git/overnight/sessions").exists(),
        "nothing is armed here"
    );
}

#[test]
fn a_new_run_in_the_same_session_ends_the_old_one() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous");
    project.flow("s1", "write docs --autonomous");
    let journals: Vec<String> = project
        .runs()
        .iter()
        .map(|run| std::fs::read_to_string(run.join("journal.jsonl")).unwrap())
        .collect();
    assert_eq!(
        journals
            .iter()
            .filter(|journal| journal.contains("session_ended"))
            .count(),
        1
    );
    assert!(project.stop("s1", MORE).is_some());
}

#[test]
fn a_run_that_a_driver_took_over_lets_its_session_go() {
    let project = Project::new();
    project.flow("s1", "port it --autonomous");
    let run = project.runs()[0]
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let driver = Command::new(assert_cmd::cargo::cargo_bin!("overnight"))
        .current_dir(project.folder.path())
        .env("HOME", project.folder.path())
        .args([
            "run",
            "--resume",
            &run,
            "--agent",
            "command:echo '<DONE>ok</DONE>'",
            "--json",
        ])
        .assert();
    driver.success();
    let line = message(project.stop("s1", MORE));
    assert!(line.contains("no longer this session's"), "{line}");
    assert_eq!(project.stop("s1", MORE), None);
}

#[test]
fn wrong_arguments_and_a_missing_goal_are_refused_before_anything_is_made() {
    let project = Project::new();
    for (typed, reason) in [
        ("x --verbose", "--verbose is no flag of /flow"),
        (
            "--autonomous --max-iterations minus",
            "takes a number from 1 to 100000",
        ),
        ("--autonomous", "there is no goal"),
        ("--autonomous --agent-prompt ../none.md", "there is no goal"),
        ("", "say what is to be done"),
    ] {
        let answer = project.flow("s1", typed);
        assert_eq!(answer["decision"], "block", "{typed}");
        assert!(
            answer["reason"].as_str().unwrap().contains(reason),
            "{typed}: {answer}"
        );
    }
    std::fs::write(project.at("AGENT_PROMPT.md"), " \n").unwrap();
    assert!(
        project.flow("s1", "--autonomous")["reason"]
            .as_str()
            .unwrap()
            .contains("the goal is empty")
    );
    assert!(project.runs().is_empty());
    assert_eq!(project.stop("s1", MORE), None);
}

#[test]
fn without_autonomous_it_is_one_pass_and_other_commands_are_not_ours() {
    let project = Project::new();
    let answer = project.flow("s1", "fix the login");
    assert!(context(&answer).contains("kind **bug fix**"), "{answer}");
    let shown = answer["systemMessage"].as_str().unwrap();
    assert!(
        shown.contains("kind bug fix (because of \"fix\")"),
        "{shown}"
    );
    assert_eq!(project.stop("s1", "done"), None);
    let flow = assert_cmd::cargo::cargo_bin!("flow-start");
    for (name, source) in [
        ("flow", "project"),
        ("other:flow", "plugin"),
        ("help", "builtin"),
    ] {
        let event = json!({"session_id": "s1", "command_name": name, "command_source": source, "command_args": "x --autonomous"});
        assert_eq!(project.hook(flow, event), None, "{name}");
    }
    assert!(!project.at(".overnight").exists(), "nothing is made");
}

#[test]
fn in_the_morning_after_a_sessions_run_nothing_of_overnights_is_uncommitted() {
    for tracked in [false, true] {
        let project = Project::new();
        let git = |arguments: &[&str]| {
            let identity = ["-c", "user.name=You", "-c", "user.email=you@example.com"];
            let mut command = std::process::Command::new("git");
            command.current_dir(project.folder.path()).args(identity);
            let done = command.args(arguments).output().unwrap();
            assert!(done.status.success(), "{arguments:?}: {done:?}");
            String::from_utf8(done.stdout).unwrap()
        };
        git(&["init", "-q", "-b", "auto/mine"]);
        git(&["config", "user.name", "You"]);
        git(&["config", "user.email", "you@example.com"]);
        if tracked {
            std::fs::create_dir(project.at("progress")).unwrap();
            std::fs::write(project.at("progress/README.md"), "# Mine\n").unwrap();
            git(&["add", "progress"]);
        }
        git(&["commit", "-qm", "begin", "--allow-empty"]);
        project.flow("s1", "make it --autonomous");
        std::fs::write(project.at("made.txt"), "made\n").unwrap();
        git(&["add", "made.txt"]);
        git(&["commit", "-qm", "make it"]);
        project.stop_with(
            "s1",
            &json!({"last_assistant_message": "<DONE>made</DONE>"}),
        );
        assert_eq!(git(&["status", "--porcelain"]), "", "tracked: {tracked}");
        let shown = project.read("progress/README.md");
        assert!(shown.contains("make it"), "{shown}");
    }
}
