//! Two doors, one judge: the same agent behind the session's hooks and behind the driver.

use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What an agent leaves in one iteration.
#[derive(Clone, Copy)]
struct Left {
    /// The decision file, `ID` standing for the check id; none when empty.
    file: &'static str,
    /// Its last message.
    said: &'static str,
    /// Does it make the gate pass?
    fixes: bool,
}

const fn left(file: &'static str, said: &'static str) -> Left {
    Left {
        file,
        said,
        fixes: false,
    }
}

const fn fixed(file: &'static str, said: &'static str) -> Left {
    Left {
        file,
        said,
        fixes: true,
    }
}

const COMPLETE: &str = r#"{"decision":"complete","check_id":"ID","reason":"all ported"}"#;
const INCOMPLETE: &str = r#"{"decision":"incomplete","check_id":"ID","reasons":["two tests fail"],"fingerprints":["t1","t2"]}"#;
const MARKER: &str = "All is ported.\n<DONE>all ported</DONE>";
const SIGNAL: &str =
    "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---";
const REFUSED: &str =
    "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---";
const CONTRADICTING: &str =
    "---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---";
const BLOCKED: &str = "---RALPH_STATUS---\nSTATUS: BLOCKED\n---END_RALPH_STATUS---";
/// What the agent does from where a scenario ends on.
const MORE: Left = left("", "There is more to do.");

/// Agents, by what they leave iteration by iteration.
const SCENARIOS: &[(&str, &[Left])] = &[
    (
        "FAIL, fix, PASS by the file",
        &[left(INCOMPLETE, "not yet"), fixed(COMPLETE, "done")],
    ),
    ("by the marker only", &[MORE, fixed("", MARKER)]),
    (
        "a claim that its gate refutes three times",
        &[left("", MARKER), left(COMPLETE, "done"), left("PASS", "")],
    ),
    (
        "a legacy word that is refuted, and is not there again when nothing is said",
        &[
            left("PASS", "done"),
            fixed("", "There is more to do."),
            fixed("", MARKER),
        ],
    ),
    (
        "the decision of an earlier iteration does not stay",
        &[left(INCOMPLETE, "not yet"), fixed("", MARKER)],
    ),
    (
        "another check id, broken JSON and an empty file are told apart",
        &[
            left(r#"{"decision":"complete","check_id":"0000"}"#, "done"),
            left("{\"decision\":", "done"),
            left(" ", "done"),
        ],
    ),
    (
        "markers that are not meant, then one that is",
        &[
            left("", "I will print <DONE>x</DONE> when I am done."),
            left("", "```\n<DONE>x</DONE>\n```"),
            left("", "> <DONE>x</DONE>"),
            fixed("", MARKER),
        ],
    ),
    (
        "file and marker contradict each other",
        &[left(INCOMPLETE, MARKER), fixed(COMPLETE, "INCOMPLETE: no")],
    ),
    (
        "two done signals in a row, and the gate",
        &[
            left("", SIGNAL),
            MORE,
            left("", SIGNAL),
            left("", SIGNAL),
            fixed("", SIGNAL),
        ],
    ),
    (
        "a refused signal is no claim",
        &[left("", REFUSED), left("", REFUSED)],
    ),
    (
        "a status block that contradicts itself is no signal",
        &[left("", CONTRADICTING), left("", CONTRADICTING)],
    ),
    (
        "blocked by its own word, three times in a row",
        &[
            left("", BLOCKED),
            MORE,
            left("", BLOCKED),
            left("", BLOCKED),
            left("", BLOCKED),
        ],
    ),
    (
        "a marker in prose that puts work off, then one in prose about work that is done",
        &[
            left(
                "",
                "The endpoint is there, validation will follow.\n<DONE>endpoint</DONE>",
            ),
            left("", "It mostly works.\n<DONE>mostly</DONE>"),
            fixed(
                "",
                "The failing test is fixed, nothing is left.\n<DONE>all ported</DONE>",
            ),
        ],
    ),
    ("used up", &[MORE]),
];

const ITERATIONS: usize = 6;

/// A project whose only task is proved by a file `fixed`.
fn project(scenario: &[Left]) -> Project {
    let project = Project::new();
    let tasks = json!({"parser": {"objective": "port the parser", "definition_of_done": ["$ test -f fixed"], "allowed_tools": [], "status": "todo"}});
    std::fs::write(project.path("tasks.json"), tasks.to_string()).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    let agent = project.path(".git/agent");
    std::fs::create_dir(&agent).unwrap();
    for number in 1..=ITERATIONS {
        let left = scenario.get(number - 1).unwrap_or(&MORE);
        let write = |name: &str, text: &str| {
            std::fs::write(agent.join(format!("{number}.{name}")), text).unwrap();
        };
        write("said", left.said);
        if !left.file.is_empty() {
            write("file", left.file);
        }
        if left.fixes {
            write("fixes", "");
        }
    }
    project
}

/// The agent's iteration as a shell script; `ITERATION`, `CHECK_ID` and `DECISION` are given.
const WORK: &str = r#"echo $ITERATION > work
at=.git/agent/$ITERATION
[ ! -e $at.fixes ] || touch fixed
[ ! -e $at.file ] || sed "s/ID/$CHECK_ID/" $at.file > "$DECISION""#;

fn by_driver(scenario: &[Left]) -> Vec<Value> {
    let project = project(scenario);
    let agent = format!(
        "command:ITERATION=$OVERNIGHT_ITERATION CHECK_ID=$OVERNIGHT_CHECK_ID DECISION=$OVERNIGHT_DECISION_FILE\n{WORK}\ncat $at.said"
    );
    let limit = ITERATIONS.to_string();
    let run = [
        "run",
        "--here",
        "--agent",
        &agent,
        "--max-iterations",
        &limit,
    ];
    project.overnight(&run);
    conclusion(&project)
}

fn by_session(scenario: &[Left]) -> Vec<Value> {
    let project = project(scenario);
    let hook = |binary: PathBuf, mut event: Value| {
        event["session_id"] = json!("s1");
        event["cwd"] = json!(project.path(""));
        let mut command = assert_cmd::Command::from_std(project.command(binary));
        let done = command.write_stdin(event.to_string()).assert().success();
        serde_json::from_slice::<Value>(&done.get_output().stdout).unwrap()
    };
    let typed = format!("--autonomous --max-iterations {ITERATIONS}");
    let typed = json!({"hook_event_name": "UserPromptExpansion", "command_name": "overnight:flow", "command_source": "plugin", "command_args": typed});
    let mut answer = hook(cargo_bin!("flow-start").to_owned(), typed);
    while answer.get("hookSpecificOutput").is_some() {
        let journal = records(&project);
        let intent = journal.iter().rfind(|record| record["event"] == "intent");
        let intent = intent.unwrap();
        let text = |field: &str| intent[field].to_string().trim_matches('"').to_owned();
        let folder = project.journal(&project.only_run());
        let walled = overnight_host::cell::level().keeps_files();
        let name = if walled {
            "inside/decision.json"
        } else {
            "decision.json"
        };
        let decision = folder.with_file_name(name);
        let status = project
            .command("/bin/sh")
            .args(["-c", WORK])
            .env("ITERATION", text("iteration"))
            .env("CHECK_ID", text("check_id"))
            .env("DECISION", decision)
            .status();
        assert!(status.unwrap().success());
        let said = project.read(&format!(".git/agent/{}.said", text("iteration")));
        let stop = json!({"hook_event_name": "Stop", "last_assistant_message": said, "background_tasks": []});
        answer = hook(cargo_bin!("stop-gate").to_owned(), stop);
    }
    conclusion(&project)
}

fn records(project: &Project) -> Vec<Value> {
    let journal = std::fs::read_to_string(project.journal(&project.only_run())).unwrap();
    let lines = journal.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Every verdict and the run's end, without what differs from run to run.
fn conclusion(project: &Project) -> Vec<Value> {
    let run = project.only_run();
    project.overnight(&["replay", &run]).success();
    let records = records(project);
    let ids: Vec<&str> = records
        .iter()
        .filter_map(|record| record["check_id"].as_str())
        .collect();
    let judged = records
        .iter()
        .filter_map(|record| match record["event"].as_str()? {
            "judged" => Some(record["verdict"].clone()),
            "finished" => Some(record["reason"].clone()),
            _ => None,
        });
    judged
        .map(|mut value| {
            // The room's commit has the time in it.
            if let Some(verdict) = value.as_object_mut() {
                verdict.remove("commit");
            }
            if let Some(gates) = value.get_mut("gates").and_then(Value::as_array_mut) {
                for gate in gates {
                    gate["ms"] = json!(0);
                }
            }
            let text = ids
                .iter()
                .fold(value.to_string(), |text, id| text.replace(id, "ID"));
            serde_json::from_str(&text).unwrap()
        })
        .collect()
}

#[test]
fn the_same_claims_get_the_same_verdicts_through_both_doors() {
    for (name, scenario) in SCENARIOS {
        let (driver, session) = (by_driver(scenario), by_session(scenario));
        assert_eq!(driver, session, "{name}");
        let end = driver.last().unwrap();
        let completes = scenario.iter().any(|left| left.fixes);
        assert_eq!(end == "all_done", completes, "{name}: {end}");
    }
}

/// A stand-in for the client: it works on the first two iterations and then claims to be done. Asked about
/// itself, it does no work.
const CLIENT: &str = r#"#!/bin/sh
[ -n "$OVERNIGHT_ITERATION" ] || exit 0
echo $OVERNIGHT_ITERATION >> work
case $OVERNIGHT_ITERATION in 3) said='<DONE>counted</DONE>' ;; *) said=more ;; esac
printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s","total_cost_usd":0.25,"terminal_reason":"completed"}\n' "$said"
"#;

#[test]
fn a_flow_that_is_detached_is_finished_by_a_driver_without_the_session() {
    let project = Project::new();
    let programs = project.path(".git/programs");
    std::fs::create_dir(&programs).unwrap();
    executable(&programs.join("claude"), CLIENT);
    let typed = "count to three --autonomous --detach --max-iterations 5 --budget-usd 2";
    let event = json!({"session_id": "s1", "cwd": project.path(""), "hook_event_name": "UserPromptExpansion",
        "command_name": "flow", "command_source": "plugin", "command_args": typed});
    let mut command = project.command(cargo_bin!("flow-start"));
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    let mut command = assert_cmd::Command::from_std(command);
    let done = command.write_stdin(event.to_string()).assert().success();
    let answer: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let run = project.only_run();
    assert_eq!(
        answer["decision"], "block",
        "the session is not asked to work"
    );
    assert!(
        answer["reason"].as_str().unwrap().contains(&run),
        "{answer}"
    );
    project.wait_for(&format!("agent_logs/{run}/report.md"));
    let records = records(&project);
    assert_eq!(records[0]["goal"], "count to three");
    let started = records
        .iter()
        .find(|record| record["event"] == "driver_started");
    let config = &started.unwrap()["config"];
    assert_eq!(
        (&config["max_iterations"], &config["budget_usd"]),
        (&json!(5), &json!(2.0))
    );
    let end = records.iter().find(|record| record["event"] == "finished");
    assert_eq!(end.unwrap()["reason"], "all_done");
    assert_eq!(project.read("work"), "1\n2\n3\n");
    let sessions = project.path(".git/overnight/sessions");
    let armed = std::fs::read_dir(sessions).map_or(0, Iterator::count);
    assert_eq!(armed, 0, "no run is armed in the session");
}

fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
