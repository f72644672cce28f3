//! `/flow` in the session: the same core behind the Stop hook.

use super::api::{Kind, Request, Script, Turn};
use super::client::Finished;
use super::driver::iteration;
use super::stage::Stage;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

impl Stage {
    pub fn flow(&self, typed: &str) -> Command {
        let mut command = self.client.print(self.folder.path(), typed);
        command.arg("--plugin-dir").arg(&self.plugin.folder);
        command.args([
            "--permission-mode",
            "acceptEdits",
            "--allowedTools",
            "Agent",
        ]);
        command
    }

    #[track_caller]
    pub fn run(&self, typed: &str) -> Finished {
        self.client.finish(&mut self.flow(typed))
    }

    /// The journals' events, run by run.
    pub fn journals(&self) -> Vec<Vec<Value>> {
        let Ok(runs) = std::fs::read_dir(self.at(".git/overnight/runs")) else {
            return Vec::new();
        };
        let mut folders: Vec<PathBuf> = runs.map(|run| run.unwrap().path()).collect();
        folders.sort();
        folders.iter().map(|folder| events(folder)).collect()
    }

    fn journal(&self) -> Vec<Value> {
        let mut journals = self.journals();
        assert_eq!(journals.len(), 1);
        journals.remove(0)
    }
}

fn events(run: &Path) -> Vec<Value> {
    // A run that just begins has its folder first.
    let text = std::fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn count(events: &[Value], name: &str) -> usize {
    events.iter().filter(|event| event["event"] == name).count()
}

/// The session's own conversation: delegates what it is handed, then reports.
pub fn delegate(report: &'static str) -> impl Fn(usize, &Request) -> Turn {
    move |_, request| {
        if !request.tool_result.is_empty() {
            return Turn::say(report);
        }
        hand_to_worker(request, false)
    }
}

/// Gives what this request hands out to a worker, which the session waits for or puts into the background.
pub fn hand_to_worker(request: &Request, in_background: bool) -> Turn {
    let start = request.last.find("Read /").map(|at| &request.last[at..]);
    let Some(prompt) = start.and_then(|text| text.lines().next()) else {
        return Turn::say("nothing was handed out");
    };
    let input = json!({"description": "iteration", "prompt": prompt, "subagent_type": "overnight:flow-worker", "run_in_background": in_background});
    Turn::tool("Agent", input)
}

/// A worker that changes a file each time, named after the iteration.
pub fn work(at: usize, request: &Request) -> Turn {
    let prompt = request.first.split_whitespace().nth(1).unwrap_or_default();
    match at {
        0 => Turn::tool("Read", json!({"file_path": prompt})),
        1 => {
            let top = prompt.split("/agent_logs/").next().unwrap();
            let name = Path::new(prompt).file_name().unwrap().to_str().unwrap();
            Turn::tool(
                "Write",
                json!({"file_path": format!("{top}/work-{name}"), "content": "done\n"}),
            )
        }
        _ => Turn::say("a piece of it is done"),
    }
}

pub fn working(report: &'static str) -> Script {
    Script::new()
        .answer(Kind::Main, delegate(report))
        .answer(Kind::Subagent, work)
}

#[test]
fn twelve_iterations_headless_each_in_a_fresh_worker_with_progress_updated() {
    let Some(stage) = Stage::new(working("INCOMPLETE: more is left")) else {
        return;
    };
    let done = stage.run("/flow port the parser --autonomous --max-iterations 12");
    assert!(done.status.success(), "{done:#?}");
    let events = stage.journal();
    assert_eq!(count(&events, "judged"), 12, "{done:#?} {events:#?}");
    assert_eq!(
        events.last().unwrap()["reason"],
        "max_iterations",
        "{events:#?}"
    );
    let readme = stage.read("progress/README.md");
    assert!(readme.contains("- Iteration: 12/12"), "{readme}");
    assert!(
        done.stdout.contains("the iterations are used up"),
        "{done:#?}"
    );
    let workers = stage.api.of_kind(Kind::Subagent);
    assert_eq!(workers.len(), 36);
    let mut tools = workers[0].tools.clone();
    tools.sort();
    assert_eq!(tools, ["Bash", "Edit", "Read", "Write"]);
}

#[test]
fn a_worker_that_the_service_failed_is_no_failure_of_the_task_and_is_handed_out_again() {
    let fails = AtomicBool::new(true);
    let script = Script::new()
        .answer(Kind::Main, delegate("INCOMPLETE: the worker ended early"))
        .answer(Kind::Subagent, move |at, request| {
            if fails.swap(false, Ordering::SeqCst) {
                return Turn::error(529);
            }
            work(at, request)
        });
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let mut flow = stage.flow("/flow port the parser --autonomous --max-iterations 1");
    let done = stage
        .client
        .finish(flow.env("CLAUDE_CODE_MAX_RETRIES", "0"));
    let events = stage.journal();
    let all = |name: &str, field: &str| -> Vec<Value> {
        let those = events.iter().filter(|event| event["event"] == name);
        those.map(|event| event[field].clone()).collect()
    };
    assert_eq!(all("outcome", "class"), ["transient", "none"], "{done:#?}");
    assert_eq!(all("intent", "attempt"), [1, 2], "{done:#?}");
    assert_eq!(count(&events, "judged"), 1);
}

#[test]
fn a_budget_that_is_reached_in_the_middle_of_a_workers_turn_ends_both_there() {
    // Two of its answers, at 5 dollars a million tokens, are more than the budget.
    let reads = |_: usize, request: &Request| {
        let prompt = request.first.split_whitespace().nth(1).unwrap_or_default();
        Turn::tool("Read", json!({"file_path": prompt})).tokens(150_000, 100)
    };
    let script = Script::new()
        .answer(Kind::Main, delegate("INCOMPLETE: more is left"))
        .answer(Kind::Subagent, reads);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let done = stage.run("/flow port the parser --autonomous --budget-usd 1.00");
    assert!(done.status.success(), "{done:#?}");
    let events = stage.journal();
    assert_eq!(events.last().unwrap()["reason"], "budget_spent");
    assert_eq!(count(&events, "judged"), 1, "{events:#?}");
    // The client writes its transcripts a little late.
    let answers = stage.api.of_kind(Kind::Subagent).len();
    assert!((2..=4).contains(&answers), "{answers} answers: {done:#?}");
    assert!(done.stdout.contains("budget"), "{done:#?}");
}

#[test]
fn ac_1_ten_iterations_without_a_count_each_with_progress_updated() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let notes = std::sync::Arc::clone(&seen);
    let script = Script::new()
        .answer(Kind::Main, delegate("INCOMPLETE: more is left"))
        .answer(Kind::Subagent, move |at, request| {
            if at == 0 {
                let top = request
                    .first
                    .split_whitespace()
                    .nth(1)
                    .unwrap()
                    .split("/agent_logs/")
                    .next()
                    .unwrap();
                let readme =
                    std::fs::read_to_string(Path::new(top).join("progress/README.md")).unwrap();
                let line = readme
                    .lines()
                    .find(|line| line.starts_with("- Iteration: "))
                    .unwrap()
                    .to_owned();
                notes.lock().unwrap().push(line);
            }
            work(at, request)
        });
    let Some(stage) = Stage::new(script) else {
        return;
    };
    std::fs::write(stage.at("AGENT_PROMPT.md"), "# Port the parser\n").unwrap();
    let done = stage.run("/overnight:flow --autonomous");
    let expected: Vec<String> = (1..=10)
        .map(|iteration| format!("- Iteration: {iteration}/10"))
        .collect();
    assert_eq!(*seen.lock().unwrap(), expected, "{done:#?}");
    assert_eq!(stage.journal().last().unwrap()["reason"], "max_iterations");
}

#[test]
fn a_claim_that_its_gate_refutes_three_times_blocks_the_run() {
    let Some(stage) = Stage::new(working("All is well.\n<DONE>ported</DONE>")) else {
        return;
    };
    let tasks = json!({"parser": {"objective": "port the parser", "definition_of_done": ["$ test -f never-there"], "allowed_tools": [], "status": "todo"}});
    std::fs::write(stage.at("tasks.json"), tasks.to_string()).unwrap();
    let trust = assert_cmd::cargo::cargo_bin!("overnight");
    let trusted = stage
        .client
        .dressed(trust, stage.folder.path())
        .arg("trust")
        .output()
        .unwrap();
    assert!(trusted.status.success(), "{trusted:?}");
    let done = stage.run("/flow do the tasks --autonomous");
    let events = stage.journal();
    assert_eq!(count(&events, "judged"), 3, "{done:#?} {events:#?}");
    assert!(
        events.last().unwrap()["reason"]["blocked"].is_string(),
        "{events:#?}"
    );
    let blocked = stage.read("progress/blocked.md");
    assert!(blocked.contains("port the parser"), "{blocked}");
}

#[test]
fn the_worker_declares_with_the_tool_and_the_run_completes() {
    let worker = |at: usize, request: &Request| match at {
        0 | 1 => work(at, request),
        2 => {
            let text =
                std::fs::read_to_string(request.first.split_whitespace().nth(1).unwrap()).unwrap();
            let line = text
                .split('`')
                .find(|part| part.starts_with("completion-check declare complete"))
                .unwrap();
            Turn::bash(line)
        }
        _ => Turn::say("ported and declared"),
    };
    let script = Script::new()
        .answer(Kind::Main, delegate("The worker says it is ported."))
        .answer(Kind::Subagent, worker);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let mut command = stage.flow("/flow port it --autonomous");
    let done = stage
        .client
        .finish(command.args(["Bash(completion-check:*)"]));
    let events = stage.journal();
    assert_eq!(
        events.last().unwrap()["reason"],
        "all_done",
        "{done:#?} {events:#?}"
    );
    assert!(
        done.stdout
            .contains("completed: every task is done by the agent's word alone"),
        "{done:#?}"
    );
    assert!(
        stage
            .read("progress/completed.md")
            .contains("- [x] port it")
    );
}

#[test]
fn two_sessions_in_one_repository_keep_their_own_runs() {
    let Some(stage) = Stage::new(working("INCOMPLETE: more is left")) else {
        return;
    };
    let (one, two) = std::thread::scope(|scope| {
        let one =
            scope.spawn(|| stage.run("/flow port the parser --autonomous --max-iterations 3"));
        let two =
            scope.spawn(|| stage.run("/flow write the manual --autonomous --max-iterations 4"));
        (one.join().unwrap(), two.join().unwrap())
    });
    let journals = stage.journals();
    assert_eq!(journals.len(), 2, "{one:#?} {two:#?}");
    for (goal, done, iterations) in [("port the parser", one, 3), ("write the manual", two, 4)] {
        let journal = journals
            .iter()
            .find(|journal| journal[0]["goal"] == goal)
            .unwrap();
        assert_eq!(
            count(journal, "judged"),
            iterations,
            "{goal}: {journal:#?} {done:#?}"
        );
        assert_eq!(journal[1]["session"], done.result()["session_id"]);
    }
}

#[test]
fn a_detached_flow_is_finished_by_a_driver_after_its_session_has_ended() {
    let turns = (1..=3).flat_map(|number| iteration(number, number == 3));
    let Some(stage) = Stage::new(Script::new().in_order(turns.collect())) else {
        return;
    };
    let done = stage.run("/flow count to three --autonomous --detach --max-iterations 5");
    let said = done.result()["result"].as_str().unwrap().to_owned();
    assert!(said.contains("is at work"), "{said}");
    let began = std::time::Instant::now();
    while count(&stage.journal(), "finished") == 0 {
        let log = || stage.journal();
        assert!(began.elapsed().as_secs() < 120, "{:#?}", log());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let events = stage.journal();
    assert_eq!(count(&events, "judged"), 3, "{events:#?}");
    assert_eq!(events.last().unwrap()["reason"], "all_done", "{events:#?}");
    assert_eq!(stage.read("count.txt"), "1\n2\n3\n");
    assert_eq!(events[1]["config"]["max_iterations"], 5);
    let own = done.result()["session_id"].clone();
    assert!(
        stage
            .api
            .requests()
            .iter()
            .all(|request| own != request.session.as_str())
    );
}

#[test]
fn a_refusal_reaches_the_person_without_a_request() {
    let Some(stage) = Stage::new(working("x")) else {
        return;
    };
    let done = stage.run("/flow port it --autonomous --max-iterations many");
    let result = done.result();
    let text = result["result"].as_str().unwrap();
    assert!(
        text.contains("--max-iterations takes a number from 1 to 100000")
            && text.contains("/flow <what>"),
        "{text}"
    );
    assert!(stage.api.main_requests().is_empty());
    assert!(stage.journals().is_empty());
}

#[test]
fn interactive_twelve_iterations_and_clear_ends_an_armed_run() {
    let script = Script::new()
        .when(
            |request| request.kind == Kind::Main && request.first.contains("fails"),
            vec![Turn::error(400)],
        )
        .answer(Kind::Main, delegate("INCOMPLETE: more is left"))
        .answer(Kind::Subagent, work);
    let Some(stage) = Stage::new(script) else {
        return;
    };
    let Some(terminal) = stage.terminal() else {
        return;
    };
    terminal.line("/flow port the parser --autonomous --max-iterations 12");
    terminal.wait("end of the run", |screen| {
        screen.contains("the iterations are used up")
    });
    let events = stage.journal();
    assert_eq!(count(&events, "judged"), 12);
    assert!(
        stage
            .read("progress/README.md")
            .contains("- Iteration: 12/12")
    );

    terminal.line("/clear");
    terminal.wait("cleared screen", |screen| {
        !screen.contains("the iterations are used up")
    });
    terminal.line("/flow what fails --autonomous");
    terminal.until("failed turn", || {
        stage
            .journals()
            .iter()
            .any(|journal| count(journal, "outcome") == 1 && count(journal, "judged") == 0)
    });
    terminal.line("/clear");
    terminal.until("end of the second run", || {
        stage
            .journals()
            .iter()
            .any(|journal| journal.last().unwrap()["reason"] == "session_ended")
    });
}

#[test]
fn a_budget_ends_a_sessions_run_by_what_its_requests_and_its_workers_used() {
    let main = delegate("INCOMPLETE: more is left");
    let script = Script::new()
        .answer(Kind::Main, move |at, request| {
            main(at, request).tokens(1_000, 10)
        })
        .answer(Kind::Subagent, |at, request| {
            work(at, request).tokens(50_000, 100)
        });
    let Some(stage) = Stage::new(script) else {
        return;
    };
    // A worker makes three requests, at 5 dollars a million tokens 0.75 an iteration.
    let done = stage.run("/flow port it --autonomous --budget-usd 1");
    let events = stage.journal();
    let outcomes: Vec<&Value> = events
        .iter()
        .filter(|event| event["event"] == "outcome")
        .collect();
    // The client writes transcripts late: a worker's last requests may count in the next iteration.
    assert!((2..=3).contains(&outcomes.len()), "{done:#?} {events:#?}");
    let tokens: u64 = outcomes
        .iter()
        .filter_map(|outcome| outcome["tokens"].as_u64())
        .sum();
    let usd: f64 = outcomes
        .iter()
        .filter_map(|outcome| outcome["cost_usd"].as_f64())
        .sum();
    assert!((200_000..320_000).contains(&tokens), "{outcomes:#?}");
    assert!((1.0..1.7).contains(&usd), "{outcomes:#?}");
    assert_eq!(events.last().unwrap()["reason"], "budget_spent");
}
