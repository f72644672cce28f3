//! Two `/flow --autonomous` in two terminals on one repository: no task is ever with both.

use super::api::{Kind, Request, Script, Turn};
use super::stage::Stage;
use super::terminal::Terminal;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A worker's last words.
const REPORT: &str = "it is written";
const TASKS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Who is at work on what, as the workers see it.
#[derive(Default)]
struct Work {
    seen: Mutex<Seen>,
    came: Condvar,
}

#[derive(Default)]
struct Seen {
    /// The session at work on a task now.
    now: BTreeMap<String, String>,
    /// Every session that worked on a task.
    ever: BTreeMap<String, BTreeSet<String>>,
    twice: Vec<String>,
}

impl Work {
    /// A worker begins; the first of a session waits for the other session, so that both work.
    fn begin(&self, task: &str, session: &str) {
        let mut seen = self.seen.lock().unwrap();
        let other = seen.now.insert(task.to_owned(), session.to_owned());
        if other.is_some_and(|other| other != session) {
            seen.twice.push(task.to_owned());
        }
        let ever = seen.ever.entry(task.to_owned()).or_default();
        ever.insert(session.to_owned());
        self.came.notify_all();
        let alone =
            |seen: &mut Seen| seen.ever.values().flatten().collect::<BTreeSet<_>>().len() < 2;
        let waited = self
            .came
            .wait_timeout_while(seen, Duration::from_mins(1), alone);
        drop(waited.unwrap());
    }

    fn end(&self, task: &str) {
        self.seen.lock().unwrap().now.remove(task);
    }
}

/// The session's own conversation. At a terminal the client puts the worker into the background and
/// tells of its end later.
fn delegate(_: usize, request: &Request) -> Turn {
    let handed_out = request.last.find("Read /").map(|at| &request.last[at..]);
    match handed_out.and_then(|text| text.lines().next()) {
        Some(prompt) if request.tool_result.is_empty() => {
            let input = json!({"description": "iteration", "prompt": prompt, "subagent_type": "overnight:flow-worker", "run_in_background": false});
            Turn::tool("Agent", input)
        }
        _ if request.tool_result.is_empty() || request.tool_result.contains(REPORT) => {
            Turn::say("<DONE>written</DONE>")
        }
        _ => Turn::say("the worker is at work"),
    }
}

fn worker(work: &Work, at: usize, request: &Request) -> Turn {
    let prompt = request.first.split_whitespace().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(prompt).unwrap_or_default();
    let task = text
        .split_once("Your task now: ")
        .map_or("", |(_, rest)| rest.lines().next().unwrap());
    match at {
        0 => Turn::tool("Read", json!({"file_path": prompt})),
        1 => {
            work.begin(task, &request.session);
            let top = prompt.split("/agent_logs/").next().unwrap();
            let path = format!("{top}/out-{task}.txt");
            Turn::tool("Write", json!({"file_path": path, "content": "done\n"}))
        }
        _ => {
            work.end(task);
            Turn::say(REPORT)
        }
    }
}

fn events(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    lines.collect()
}

fn journals(stage: &Stage) -> Vec<Vec<Value>> {
    let runs = std::fs::read_dir(stage.at(".git/overnight/runs"));
    let runs = runs.into_iter().flatten().flatten();
    runs.map(|run| events(&run.path())).collect()
}

/// A trusted list of tasks, each proved by its file.
fn write_list(stage: &Stage) {
    let task = |id: &&str| {
        let condition = format!("$ test -s out-{id}.txt");
        let task = json!({"objective": format!("write out-{id}.txt"), "definition_of_done": [condition], "allowed_tools": []});
        ((*id).to_owned(), task)
    };
    let list: serde_json::Map<String, Value> = TASKS.iter().map(task).collect();
    std::fs::write(stage.at("tasks.json"), Value::Object(list).to_string()).unwrap();
    let overnight = assert_cmd::cargo::cargo_bin!("overnight");
    let mut trust = stage.client.dressed(overnight, stage.folder.path());
    assert!(trust.arg("trust").output().unwrap().status.success());
}

#[test]
fn two_flows_in_two_terminals_never_work_on_the_same_task() {
    let work = Arc::new(Work::default());
    let workers = Arc::clone(&work);
    let script = Script::new()
        .answer(Kind::Main, delegate)
        .answer(Kind::Subagent, move |at, request| {
            worker(&workers, at, request)
        });
    let Some(stage) = Stage::new(script) else {
        return;
    };
    write_list(&stage);
    let terminals: Vec<Terminal> = (0..2).filter_map(|_| stage.terminal()).collect();
    if terminals.len() < 2 {
        return;
    }
    for terminal in &terminals {
        terminal.line("/flow do the list --autonomous --max-iterations 12");
    }
    let ended = |journal: &Vec<Value>| {
        journal
            .last()
            .is_some_and(|last| last["event"] == "finished")
    };
    terminals[0].until("end of both runs", || {
        let journals = journals(&stage);
        journals.len() == 2 && journals.iter().all(ended)
    });
    let journals = journals(&stage);
    for journal in &journals {
        assert_eq!(
            journal.last().unwrap()["reason"],
            "all_done",
            "{journals:#?}"
        );
        let worked = journal.iter().filter(|event| event["event"] == "judged");
        assert!(worked.count() >= 1, "both worked");
    }
    let seen = work.seen.lock().unwrap();
    assert_eq!(seen.twice, Vec::<String>::new(), "{:?}", seen.ever);
    let once = seen.ever.values().all(|sessions| sessions.len() == 1);
    assert!(once && seen.ever.len() == TASKS.len(), "{:?}", seen.ever);
    let list: Value = serde_json::from_str(&stage.read("tasks.json")).unwrap();
    assert!(
        TASKS.iter().all(|id| list[id]["status"] == "done"),
        "{list}"
    );
}
