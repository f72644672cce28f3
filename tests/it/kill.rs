//! `kill -9` of the driver at any moment: the next start goes on to the same result.

use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::Stdio;
use std::time::Duration;

/// How often the driver is killed (issue: 50).
const KILLS: u64 = 26;
/// How often the session's gate is killed.
const GATE_KILLS: u64 = 15;
/// Iterations of an undisturbed run.
const ITERATIONS: u32 = 6;

fn script() -> String {
    let step = |visit: u32| {
        let decision = if visit == ITERATIONS {
            "complete"
        } else {
            "incomplete"
        };
        format!(
            r#"{{"when":{{"visit":{visit}}},"steps":[{{"write":{{"path":"out/{visit}","text":"{visit}"}}}},{{"sleep_ms":10}},
               {{"declare":{{"decision":"{decision}","reason":"visit {visit}"}}}},{{"sleep_ms":5}}]}}"#
        )
    };
    let sessions: Vec<String> = (1..=ITERATIONS).map(step).collect();
    format!(r#"{{"sessions":[{}]}}"#, sessions.join(","))
}

#[test]
fn killed_at_any_moment_it_continues_to_the_same_result() {
    let moments: Vec<u64> = (0..KILLS).map(|kill| kill * 7919 % 260).collect();
    let (left, right) = moments.split_at(moments.len() / 2);
    std::thread::scope(|scope| {
        for half in [left, right] {
            scope.spawn(move || half.iter().for_each(|ms| killed_after(*ms)));
        }
    });
}

fn killed_after(ms: u64) {
    let project = Project::new();
    std::fs::write(project.path(".git/script.json"), script()).unwrap();
    let script = project.path(".git/script.json");
    let agent = format!("scripted:{}", script.display());
    let mut driver = project.start(&["--agent", &agent]);
    std::thread::sleep(Duration::from_millis(ms));
    let _ = driver.kill();
    driver.wait().unwrap();
    // A run is there once its first record is; before that, beginning again is all there is to do.
    match begun(&project) {
        Some(run) => project
            .run(&["--agent", &agent, "--resume", &run])
            .success(),
        None => project.run(&["--agent", &agent]).success(),
    };
    let run = begun(&project).unwrap();
    let text = std::fs::read_to_string(project.journal(&run)).unwrap();
    let judged = text
        .lines()
        .filter(|line| line.contains(r#""event":"judged""#))
        .count();
    assert_eq!(judged, ITERATIONS as usize, "killed after {ms} ms:\n{text}");
    assert_eq!(
        project.left_over(),
        Vec::<u32>::new(),
        "killed after {ms} ms"
    );
    // An agent that was killed while it wrote leaves its temporary file behind, and nothing else.
    let names = std::fs::read_dir(project.path("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let written = names
        .filter(|name| !name.to_string_lossy().starts_with('.'))
        .count();
    assert_eq!(written, ITERATIONS as usize, "killed after {ms} ms");
    project.overnight(&["replay", &run]).success();
}

/// The run whose first record is whole.
fn begun(project: &Project) -> Option<String> {
    let whole = |run: &String| {
        std::fs::read_to_string(project.journal(run)).is_ok_and(|text| text.contains('\n'))
    };
    project.runs().into_iter().find(whole)
}

/// A session's hook with this event; after `kill_after` it is killed. Gives what it answered.
fn hook(project: &Project, name: &str, event: &Value, kill_after: Option<Duration>) -> String {
    let program = if name == "Stop" {
        cargo_bin!("stop-gate")
    } else {
        cargo_bin!("flow-start")
    };
    let mut event = event.clone();
    event["session_id"] = json!("s1");
    event["cwd"] = json!(project.path(""));
    event["hook_event_name"] = json!(name);
    let mut child = project
        .command(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(event.to_string().as_bytes()).unwrap();
    drop(stdin);
    if let Some(moment) = kill_after {
        std::thread::sleep(moment);
        child.kill().unwrap();
    }
    let mut answer = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut answer).unwrap();
    child.wait().unwrap();
    answer
}

#[test]
fn a_gate_killed_at_any_moment_forgets_nothing_that_it_told_and_the_session_goes_on() {
    let project = Project::new();
    let typed = json!({"command_name": "flow", "command_source": "plugin", "command_args": "port it --autonomous --max-iterations 99"});
    assert!(hook(&project, "UserPromptExpansion", &typed, None).contains("iteration 1 of"));
    let stop =
        json!({"last_assistant_message": "INCOMPLETE: more is left", "background_tasks": []});
    let mut told = 0;
    for kill in 0..GATE_KILLS {
        std::fs::write(project.path("work"), kill.to_string()).unwrap();
        let moment = Duration::from_micros(kill * 1_103 % 23_000);
        told += usize::from(hook(&project, "Stop", &stop, Some(moment)).ends_with('\n'));
        // The turn has ended without an answer; the person lets the session go on.
        std::fs::write(project.path("work"), format!("{kill} again")).unwrap();
        let answer = hook(&project, "Stop", &stop, None);
        let run = project.only_run();
        let text = std::fs::read_to_string(project.journal(&run)).unwrap();
        let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let intents: Vec<u64> = records
            .filter(|record: &Value| record["event"] == "intent")
            .map(|record| record["iteration"].as_u64().unwrap())
            .collect();
        let expected: Vec<u64> = (1..=intents.len() as u64).collect();
        assert_eq!(intents, expected, "kill {kill}: each iteration once");
        let last = format!("iteration {} of at most 99", intents.len());
        assert!(answer.contains(&last), "kill {kill}: {answer}");
        assert!(intents.len() > told, "kill {kill}: {told} were told");
    }
    let judged = project.iterations() as u64;
    assert!((GATE_KILLS..=2 * GATE_KILLS).contains(&judged), "{judged}");
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}
