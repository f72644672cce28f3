//! `overnight run --agent claude`: the driver and the real client.

use super::api::{Api, Script, Turn};
use super::client::{Client, Finished};
use super::plugin::Plugin;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A repository with a goal, and the driver out of an assembled plugin.
struct Night {
    client: Client,
    plugin: Plugin,
    folder: tempfile::TempDir,
}

impl Night {
    fn new(client: Client) -> Self {
        let night = Self {
            client,
            plugin: Plugin::assemble("market"),
            folder: tempfile::tempdir().unwrap(),
        };
        std::fs::write(night.top().join("AGENT_PROMPT.md"), "# Count\n").unwrap();
        for arguments in [
            &["init", "-q", "-b", "auto/count"][..],
            &["add", "-A"],
            &["commit", "-q", "-m", "start"],
        ] {
            let author = [
                "-c",
                "user.name=Test",
                "-c",
                "user.email=test@example.invalid",
            ];
            let mut git = night.client.dressed("git", &night.top());
            assert!(git.args(author).args(arguments).status().unwrap().success());
        }
        night
    }

    fn top(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// The driver's command; the client gives up at the first error, so that the driver sees it.
    fn driver(&self, arguments: &[&str]) -> Command {
        let mut command = self
            .client
            .dressed(self.plugin.folder.join("bin/overnight"), &self.top());
        command
            .args(["run", "--json"])
            .args(arguments)
            .env("CLAUDE_CODE_MAX_RETRIES", "0");
        command
    }

    fn run(&self, arguments: &[&str]) -> Finished {
        self.client.finish(&mut self.driver(arguments))
    }

    /// The only run's records.
    fn records(&self) -> Vec<Value> {
        let runs = self.top().join(".git/overnight/runs");
        let run = std::fs::read_dir(runs)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let text = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The values of a field of all records of this event.
    fn field(&self, event: &str, field: &str) -> Vec<String> {
        let records = self.records();
        let of_event = records.iter().filter(|record| record["event"] == event);
        of_event
            .map(|record| {
                record[field]
                    .as_str()
                    .map_or_else(|| record[field].to_string(), str::to_owned)
            })
            .collect()
    }
}

fn outcome(done: &Finished) -> Value {
    done.lines().pop().unwrap_or_else(|| panic!("{done:#?}"))
}

/// An iteration that appends its number to a file.
fn iteration(number: u32, last: bool) -> [Turn; 2] {
    let words = if last {
        "All counted.\n<DONE>twelve lines</DONE>"
    } else {
        "More to count."
    };
    [
        Turn::bash(format!("echo {number} >> count.txt")),
        Turn::say(words),
    ]
}

#[test]
fn twelve_iterations_to_completion_with_errors_of_the_service_between_them() {
    let mut turns = Vec::new();
    for number in 1..=12 {
        match number {
            2 => turns.push(Turn::error(429).header("retry-after", 3600)),
            4 => turns.push(Turn::error(529)),
            6 => turns.push(Turn::error(500)),
            8 => turns.push(Turn::reset()),
            _ => {}
        }
        turns.extend(iteration(number, number == 12));
    }
    let api = Api::start(Script::new().in_order(turns));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--max-iterations", "12"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let outcome = outcome(&done);
    assert_eq!(
        (&outcome["iterations"], &outcome["reason"]),
        (&12.into(), &"all_done".into()),
        "{done:#?}"
    );
    let counted = std::fs::read_to_string(night.top().join("count.txt")).unwrap();
    assert_eq!(counted.lines().count(), 12, "{counted}");
    let classes = night.field("outcome", "class");
    assert_eq!(
        classes.iter().filter(|class| *class == "transient").count(),
        4,
        "{classes:?}"
    );
    assert!(
        outcome["cost_usd"].as_f64().unwrap() > 0.0,
        "the client's own figures are added up"
    );
}

#[test]
fn an_invalid_key_needs_a_person_and_is_never_done() {
    let api = Api::start(Script::new().in_order(vec![Turn::error(401), Turn::error(401)]));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&[]);
    assert_eq!(done.status.code(), Some(77), "{done:#?}");
    assert_eq!(night.field("outcome", "class"), ["auth"]);
    assert!(
        std::fs::read_to_string(night.top().join("progress/README.md"))
            .unwrap()
            .contains("needs you")
    );
}

#[test]
fn at_the_usage_limit_it_leaves_when_told_not_to_wait_and_knows_the_reset() {
    let reset = 4_102_444_800;
    let api = Api::start(Script::new().in_order(vec![Turn::usage_limit("five_hour", reset)]));
    let Some(client) = Client::subscriber(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--on-limit", "exit"]);
    assert_eq!(done.status.code(), Some(75), "{done:#?}");
    assert_eq!(night.field("outcome", "resets_at"), [reset.to_string()]);
}

#[test]
fn a_client_killed_in_mid_turn_is_a_lost_attempt() {
    let mut turns = vec![Turn::hang()];
    turns.extend(iteration(1, true));
    let api = Api::start(Script::new().in_order(turns));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = std::thread::scope(|scope| {
        scope.spawn(|| kill_first_agent(&night, &api));
        night.run(&["--max-iterations", "3"])
    });
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let ended = night.field("outcome", "ended");
    assert_eq!(ended.len(), 2, "{ended:?}");
    assert_eq!(night.field("judged", "seq").len(), 1);
}

/// Kills the first agent of the night once it waits for the service.
fn kill_first_agent(night: &Night, api: &Api) {
    let began = std::time::Instant::now();
    while api.main_requests().is_empty() {
        assert!(began.elapsed().as_secs() < 60, "no agent asks");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let pid = &night.field("agent_started", "pid")[0];
    assert!(
        Command::new("kill")
            .args(["-9", pid])
            .status()
            .unwrap()
            .success()
    );
}
