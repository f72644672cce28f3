//! Speaking to a night of the real client, through both doors: what is told, a changed goal, an undo, and
//! the rehearsal before.

use super::api::{Kind, Request, Script, Turn};
use super::client::Finished;
use super::session::{delegate, working};
use super::stage::Stage;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

const AUTHOR: [&str; 4] = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.invalid",
];

fn git(stage: &Stage, arguments: &[&str]) -> String {
    let mut git = stage.client.dressed("git", stage.folder.path());
    let done = git.args(AUTHOR).args(arguments).output().unwrap();
    assert!(done.status.success(), "git {arguments:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

fn overnight(stage: &Stage, arguments: &[&str]) -> Finished {
    let program = stage.plugin.folder.join("bin/overnight");
    let mut command = stage.client.dressed(program, stage.folder.path());
    stage.client.finish(command.args(arguments))
}

/// A repository on `main` with a goal.
fn on_main(stage: &Stage) {
    std::fs::write(stage.at("AGENT_PROMPT.md"), "# Count to three\n").unwrap();
    git(stage, &["switch", "-q", "-c", "main"]);
    git(stage, &["add", "-A"]);
    git(stage, &["commit", "-q", "-m", "start"]);
}

/// The model's first answer waits until the test lets it go; tells when it is asked for.
fn held() -> (Receiver<()>, Sender<()>, Script) {
    let (asked, was_asked) = channel();
    let (send, receive) = channel();
    let receive: Mutex<Receiver<()>> = Mutex::new(receive);
    let answer = move |at: usize, request: &Request| {
        let again = request.first.contains("iteration 2 of");
        match at {
            0 if again => Turn::bash("echo two >> count.txt"),
            0 => {
                let _ = asked.send(());
                let _ = receive
                    .lock()
                    .unwrap()
                    .recv_timeout(Duration::from_secs(100));
                Turn::bash("echo one >> count.txt")
            }
            _ if again => Turn::say("Counted.\n<DONE>counted</DONE>"),
            _ => Turn::say("More to count."),
        }
    };
    (was_asked, send, Script::new().answer(Kind::Main, answer))
}

fn until_asked(asked: &Receiver<()>) {
    let came = asked.recv_timeout(Duration::from_secs(100));
    assert!(came.is_ok(), "no request comes");
}

#[test]
fn a_night_hears_what_is_told_and_a_changed_goal_and_is_undone() {
    let (asked, go, script) = held();
    let Some(stage) = Stage::new(script) else {
        return;
    };
    on_main(&stage);
    let program = stage.plugin.folder.join("bin/overnight");
    let mut night = stage.client.dressed(program, stage.folder.path());
    night.args(["run", "--no-pr", "--max-iterations", "3"]);
    night.stdout(Stdio::null()).stderr(Stdio::null());
    let mut night = night.spawn().unwrap();
    until_asked(&asked);
    let told = overnight(&stage, &["tell", "use the blue library"]);
    assert!(told.status.success(), "{told:#?}");
    std::fs::write(stage.at("AGENT_PROMPT.md"), "# Count to four\n").unwrap();
    go.send(()).unwrap();
    assert!(night.wait().unwrap().success());
    let second = stage.api.main_requests();
    let second = second
        .iter()
        .find(|request| request.first.contains("iteration 2 of"))
        .unwrap();
    assert!(
        second.first.contains("use the blue library"),
        "{}",
        second.first
    );
    assert!(second.first.contains("# Count to four"), "{}", second.first);
    let branch = git(
        &stage,
        &["for-each-ref", "--format=%(refname)", "refs/heads/auto/"],
    );
    let counted = || git(&stage, &["show", &format!("{}:count.txt", branch.trim())]);
    assert_eq!(counted(), "one\ntwo\n");
    let undone = overnight(&stage, &["undo", "--to", "1"]);
    assert!(undone.status.success(), "{undone:#?}");
    assert_eq!(counted(), "one\n");
    assert!(!Path::new(&stage.at("count.txt")).exists());
}

#[test]
fn a_session_hears_what_is_told_at_its_next_stop() {
    let Some(stage) = Stage::new(working("INCOMPLETE: more is left")) else {
        return;
    };
    let told = |stage: &Stage| overnight(stage, &["tell", "use the blue library"]);
    std::thread::scope(|scope| {
        let run =
            scope.spawn(|| stage.run("/flow port the parser --autonomous --max-iterations 4"));
        let began = Instant::now();
        while stage.api.main_requests().is_empty() {
            let waited = began.elapsed();
            assert!(waited < Duration::from_secs(100), "no request comes");
            std::thread::sleep(Duration::from_millis(20));
        }
        let said = told(&stage);
        assert!(said.status.success(), "{said:#?}");
        run.join().unwrap();
    });
    let prompts = stage.at("agent_logs");
    let mut heard = 0;
    for run in std::fs::read_dir(prompts).unwrap().flatten() {
        for file in std::fs::read_dir(run.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            let text = std::fs::read_to_string(file.path()).unwrap_or_default();
            heard += usize::from(text.contains("use the blue library"));
        }
    }
    assert!(heard > 0, "no prompt carries it");
}

#[test]
fn a_sessions_goal_is_changed_by_a_person_and_its_work_undone() {
    let (asked, was_asked) = channel();
    let (send, receive) = channel();
    let receive: Mutex<Receiver<()>> = Mutex::new(receive);
    let worker = move |at: usize, request: &Request| {
        let file = request.first.split_whitespace().nth(1).unwrap_or_default();
        match at {
            0 => Turn::tool("Read", serde_json::json!({"file_path": file})),
            1 if file.ends_with("1.prompt.md") => {
                let _ = asked.send(());
                let limit = Duration::from_secs(100);
                let _ = receive.lock().unwrap().recv_timeout(limit);
                Turn::bash("echo one >> count.txt")
            }
            1 => Turn::bash("echo more >> count.txt"),
            _ => Turn::say("a piece of it is done"),
        }
    };
    let script = Script::new()
        .answer(Kind::Main, delegate("INCOMPLETE: more is left"))
        .answer(Kind::Subagent, worker);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    on_main(&stage);
    let typed = "/flow --autonomous --agent-prompt AGENT_PROMPT.md --max-iterations 2";
    std::thread::scope(|scope| {
        let run = scope.spawn(|| stage.client.finish(stage.flow(typed).arg("Bash(echo:*)")));
        until_asked(&was_asked);
        std::fs::write(stage.at("AGENT_PROMPT.md"), "# Count to four\n").unwrap();
        let trusted = overnight(&stage, &["trust", "AGENT_PROMPT.md"]);
        assert!(trusted.status.success(), "{trusted:#?}");
        send.send(()).unwrap();
        run.join().unwrap();
    });
    let run = std::fs::read_dir(stage.at("agent_logs")).unwrap();
    let run = run.flatten().next().unwrap().path();
    let second = std::fs::read_to_string(run.join("2.prompt.md")).unwrap();
    assert!(second.contains("# Count to four"), "{second}");
    assert_eq!(stage.read("count.txt"), "one\nmore\n");
    let undone = overnight(&stage, &["undo", "--to", "0"]);
    assert!(undone.status.success(), "{undone:#?}");
    assert!(!stage.at("count.txt").exists(), "{undone:#?}");
    // The goal is the person's.
    assert_eq!(stage.read("AGENT_PROMPT.md"), "# Count to four\n");
}

#[test]
fn a_rehearsal_knows_the_client_and_its_login() {
    let Some(stage) = Stage::new(working("x")) else {
        return;
    };
    on_main(&stage);
    let done = overnight(&stage, &["rehearse", "--gate", "true", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let checks: Vec<&str> = said["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["check"].as_str())
        .collect();
    for check in ["goal", "tree", "gates"] {
        assert!(checks.contains(&check), "{check}: {checks:?}");
    }
    let client = said["findings"].to_string();
    assert!(client.contains(super::client::VERSION), "{client}");
    let login = said["findings"].as_array().unwrap().iter();
    let login = login.clone().find(|finding| finding["check"] == "login");
    assert_eq!(login.unwrap()["status"], "good", "{client}");
}

#[test]
fn without_a_login_a_rehearsal_and_a_night_say_so_before_anything_begins() {
    let Some(stage) = Stage::new(working("x")) else {
        return;
    };
    on_main(&stage);
    let out = |arguments: &[&str]| {
        let program = stage.plugin.folder.join("bin/overnight");
        let mut command = stage.client.dressed(program, stage.folder.path());
        for name in ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"] {
            command.env_remove(name);
        }
        stage.client.finish(command.args(arguments))
    };
    let rehearsed = out(&["rehearse", "--gate", "true", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&rehearsed.stdout).unwrap();
    let login = said["findings"].as_array().unwrap().iter();
    let login = login.clone().find(|finding| finding["check"] == "login");
    assert_eq!(login.unwrap()["fix"], "claude auth login", "{said}");
    let night = out(&["run", "Count", "--no-pr", "--max-iterations", "1"]);
    let told = "login: Claude Code is not logged in";
    assert!(night.stderr.contains(told), "{night:#?}");
    assert_eq!(night.status.code(), Some(77), "{night:#?}");
}

#[test]
fn a_session_says_at_its_start_what_a_rehearsal_would() {
    let Some(stage) = Stage::new(working("INCOMPLETE: more is left")) else {
        return;
    };
    on_main(&stage);
    git(&stage, &["remote", "add", "origin", "/nowhere/at/all"]);
    let done = stage.run("/flow count --autonomous --gate true --max-iterations 1");
    for what in [
        "remote: origin does not answer",
        "stays green without any source: it proves nothing",
    ] {
        assert!(done.stdout.contains(what), "{what}: {done:#?}");
    }
}
