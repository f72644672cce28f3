//! `overnight run --agent claude`: the driver and the real client.

use super::api::{Api, Script, Turn};
use super::client::{Client, Finished};
use super::plugin::Plugin;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A repository with a goal, and the driver out of an assembled plugin.
pub(super) struct Night {
    client: Client,
    plugin: Plugin,
    folder: tempfile::TempDir,
}

impl Night {
    pub(super) fn new(client: Client) -> Self {
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

    pub(super) fn top(&self) -> PathBuf {
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

    pub(super) fn run(&self, arguments: &[&str]) -> Finished {
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

    /// Every judgement.
    pub(super) fn verdicts(&self) -> Vec<Value> {
        let records = self.records();
        let judged = records.iter().filter(|record| record["event"] == "judged");
        judged.map(|record| record["verdict"].clone()).collect()
    }

    /// The values of a field of all records of this event.
    pub(super) fn field(&self, event: &str, field: &str) -> Vec<String> {
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
pub(super) fn iteration(number: u32, last: bool) -> [Turn; 2] {
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
            10 => turns.push(Turn::error(401)),
            _ => {}
        }
        turns.extend(iteration(number, number == 12));
    }
    let api = Api::start(Script::new().in_order(turns));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let stopped = night.run(&["--max-iterations", "12"]);
    assert_eq!(stopped.status.code(), Some(77), "{stopped:#?}");
    assert_eq!(outcome(&stopped)["iterations"], 9, "{stopped:#?}");
    // The person has logged in.
    let run = outcome(&stopped)["run"].as_str().unwrap().to_owned();
    let done = night.run(&["--resume", &run]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let outcome = outcome(&done);
    assert_eq!(
        (&outcome["iterations"], &outcome["reason"]),
        (&12.into(), &"all_done".into()),
        "{done:#?}"
    );
    let counted = std::fs::read_to_string(night.top().join("count.txt")).unwrap();
    assert_eq!(counted.lines().count(), 12, "{counted}");
    let outcomes = night
        .field("outcome", "class")
        .into_iter()
        .zip(night.field("outcome", "t"));
    let (failures, at): (Vec<_>, Vec<_>) = outcomes.filter(|(class, _)| class != "none").unzip();
    let transient = "transient";
    assert_eq!(
        failures,
        [transient, transient, transient, transient, "auth"]
    );
    // The next attempt waits for the service; for a person none does.
    let ms = |text: &String| text.parse::<u64>().unwrap();
    let until = night.field("waiting", "until");
    let waits: Vec<_> = until
        .iter()
        .zip(&at)
        .map(|(until, failed)| ms(until) - ms(failed))
        .collect();
    assert_eq!(waits, [5_000; 4]);
    assert!(
        outcome["cost_usd"].as_f64().unwrap() > 0.0,
        "the client's own figures are added up"
    );
}

#[test]
fn what_only_a_person_can_mend_ends_the_run_at_once() {
    let broke = Turn::error(400).because(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    );
    let failures = [
        (Turn::error(403), "auth"),
        (Turn::error(402), "billing"),
        (broke, "billing"),
    ];
    for (turn, class) in failures {
        let api = Api::start(Script::new().in_order(vec![turn]));
        let Some(client) = Client::new(&api) else {
            return;
        };
        let night = Night::new(client);
        let done = night.run(&["--max-iterations", "3"]);
        assert_eq!(done.status.code(), Some(77), "{class}: {done:#?}");
        assert_eq!(night.field("outcome", "class"), [class]);
        assert!(night.field("waiting", "cause").is_empty(), "{class}");
        assert!(night.field("judged", "seq").is_empty(), "{class}");
    }
}

#[test]
fn a_decision_file_says_fail_then_after_the_fix_pass() {
    let declare = |decision: &str| Turn::bash(format!("completion-check declare {decision}"));
    let api = Api::start(Script::new().in_order(vec![
        declare("incomplete --reason 'the marker is missing' --fingerprint f1"),
        Turn::say("One check fails."),
        Turn::bash("echo fixed > count.txt"),
        declare("complete --reason 'the check passes'"),
        Turn::say("Fixed."),
    ]));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--max-iterations", "5", "--gate", "grep -q fixed count.txt"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let verdicts = night.verdicts();
    let sources: Vec<_> = verdicts
        .iter()
        .map(|verdict| (verdict["decision"].as_str(), verdict["source"].as_str()))
        .collect();
    assert_eq!(
        sources,
        [
            (Some("incomplete"), Some("file-json")),
            (Some("complete"), Some("file-json"))
        ]
    );
    assert_eq!(verdicts[1]["check_id_match"], true);
    let told = &api.main_requests()[2].first;
    assert!(told.contains("the marker is missing"), "{told}");
}

#[test]
fn a_run_completes_by_the_marker_only() {
    let mut turns = vec![Turn::say("I will write <DONE>x</DONE> when it is done.")];
    turns.extend(iteration(2, true));
    let api = Api::start(Script::new().in_order(turns));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--max-iterations", "5", "--gate", "test -s count.txt"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let verdicts = night.verdicts();
    let decisions: Vec<_> = verdicts
        .iter()
        .map(|verdict| &verdict["decision"])
        .collect();
    assert_eq!(decisions, ["incomplete", "complete"]);
    assert_eq!(verdicts[1]["source"], "marker");
    assert_eq!(verdicts[1]["summary"], "twelve lines");
}

#[test]
fn in_a_cell_the_clients_shells_get_neither_its_login_nor_its_settings() {
    if !overnight_host::cell::level().keeps_files() {
        super::support::skip("the kernel gives no cell");
        return;
    }
    let probe = "cat ~/.claude/.credentials.json ~/.claude.json; echo x >> ~/.claude/settings.json; \
                 echo x > ~/.claude/CLAUDE.md; mkdir ~/.claude/hooks; echo key=$ANTHROPIC_API_KEY; \
                 echo $OVERNIGHT_CELL >> count.txt && git add count.txt && git commit -qm work && echo committed\n";
    // A string that is longer than what the filter takes over goes behind the wall, too.
    let long = format!("sh probe.sh; : {}", "x".repeat(26_000));
    let api = Api::start(Script::new().in_order(vec![
        Turn::bash("sh probe.sh"),
        Turn::bash(long),
        Turn::say("<DONE>tried</DONE>"),
    ]));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let home = night.client.home.join(".claude");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join(".credentials.json"), "{\"login\":\"hunter2\"}").unwrap();
    std::fs::write(home.join("settings.json"), "{}").unwrap();
    let author = "[user]\nname = T\nemail = t@example.invalid\n";
    std::fs::write(night.client.home.join(".gitconfig"), author).unwrap();
    std::fs::write(night.top().join("probe.sh"), probe).unwrap();
    for arguments in [&["add", "probe.sh"][..], &["commit", "-q", "-m", "probe"]] {
        let mut git = night.client.dressed("git", &night.top());
        assert!(git.args(arguments).status().unwrap().success());
    }
    let done = night.run(&["--max-iterations", "1", "--cell", "on"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let requests = api.main_requests();
    let results: Vec<&str> = requests
        .iter()
        .map(|one| one.tool_result.as_str())
        .collect();
    for result in &results[1..] {
        assert!(!result.contains("hunter2"), "{results:#?}");
        assert!(!result.contains("sk-ant"), "{results:#?}");
        assert!(!result.contains("hasCompletedOnboarding"), "{results:#?}");
        assert!(result.contains("committed"), "{results:#?}");
    }
    let counted = std::fs::read_to_string(night.top().join("count.txt")).unwrap();
    assert_eq!(counted, "shell\nshell\n");
    // The client itself may write there.
    let settings = std::fs::read_to_string(home.join("settings.json")).unwrap();
    assert!(!settings.contains('x'), "{settings}");
    assert!(!home.join("CLAUDE.md").exists() && !home.join("hooks").exists());
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
    let progress = std::fs::read_to_string(night.top().join("progress/README.md")).unwrap();
    assert!(progress.contains("Needs you: "), "{progress}");
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
fn at_the_weekly_limit_it_leaves_or_waits_for_days_and_says_until_when() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let reset = now.unwrap().as_secs() + 5 * 86_400;
    let api = Api::start(Script::new().in_order(vec![Turn::usage_limit("seven_day", reset)]));
    let Some(client) = Client::subscriber(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--on-limit", "exit"]);
    assert_eq!(done.status.code(), Some(75), "{done:#?}");
    assert_eq!(night.field("outcome", "class"), ["usage_limit"]);
    assert_eq!(night.field("outcome", "resets_at"), [reset.to_string()]);
    // Somebody resumes it and lets it wait; the canary is refused once more and it waits on.
    let run = outcome(&done)["run"].as_str().unwrap().to_owned();
    let waited = std::thread::scope(|scope| {
        scope.spawn(|| stop_when_waiting(&night));
        night.run(&["--resume", &run, "--on-limit", "wait"])
    });
    assert_eq!(waited.status.code(), Some(143), "{waited:#?}");
    let until: u64 = night.field("waiting", "until")[0].parse().unwrap();
    let late = until.checked_sub(reset * 1_000).unwrap();
    assert!(late < 20_000, "{late} ms after the reset");
    assert_eq!(night.field("judged", "seq").len(), 0);
}

/// Ends the driver of the night once it waits.
fn stop_when_waiting(night: &Night) {
    let began = std::time::Instant::now();
    while night.field("waiting", "until").is_empty() {
        assert!(began.elapsed().as_secs() < 60, "it does not wait");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let mut stop = night
        .client
        .dressed(night.plugin.folder.join("bin/overnight"), &night.top());
    assert!(stop.arg("stop").status().unwrap().success());
}

#[test]
fn a_continued_session_is_the_clients_own_and_its_cost_is_counted_once() {
    let mut turns = Vec::new();
    for number in 1..=3 {
        turns.extend(iteration(number, number == 3).map(|turn| turn.tokens(1_000, 100)));
    }
    let api = Api::start(Script::new().in_order(turns.clone()));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--continue-session", "--max-iterations", "5"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let sessions = night.field("outcome", "session");
    assert_eq!(sessions.len(), 3, "{sessions:?}");
    assert!(sessions.iter().all(|id| *id == sessions[0]), "{sessions:?}");
    let continues = night.field("intent", "continues");
    assert_eq!(continues[1..], [sessions[0].as_str(); 2], "{continues:?}");
    let requests = api.main_requests();
    let ids: std::collections::BTreeSet<_> = requests.iter().map(|one| &one.session).collect();
    assert_eq!(ids.len(), 1, "the service saw one conversation");
    let length = |at: usize| requests[at].body["messages"].as_array().unwrap().len();
    assert!(length(4) > length(2) && length(2) > length(0), "it grows");
    // What the client adds up over the session is what the attempts cost together.
    let costs: Vec<f64> = night
        .field("outcome", "cost_usd")
        .iter()
        .map(|cost| cost.parse().unwrap())
        .collect();
    let total = outcome(&done)["cost_usd"].as_f64().unwrap();
    assert!(
        (costs.iter().sum::<f64>() - total).abs() < 1e-9,
        "{costs:?} {total}"
    );
    assert!(
        costs[2] < 3.0 * costs[0],
        "{costs:?} are not running totals"
    );

    let api = Api::start(Script::new().in_order(turns));
    let Some(client) = Client::new(&api) else {
        return;
    };
    let fresh = Night::new(client);
    let done = fresh.run(&["--max-iterations", "5"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    let sessions: std::collections::BTreeSet<_> =
        fresh.field("outcome", "session").into_iter().collect();
    assert_eq!(sessions.len(), 3, "the default is a fresh one each time");
}

#[test]
fn at_a_usage_limit_it_waits_until_the_stated_reset_and_then_goes_on() {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let reset = now.unwrap().as_secs() + 62;
    let mut turns = vec![Turn::usage_limit("five_hour", reset)];
    turns.extend(iteration(1, true));
    let api = Api::start(Script::new().in_order(turns));
    let Some(client) = Client::subscriber(&api) else {
        return;
    };
    let night = Night::new(client);
    let done = night.run(&["--max-iterations", "3"]);
    assert_eq!(done.status.code(), Some(0), "{done:#?}");
    assert_eq!(night.field("outcome", "class"), ["usage_limit", "none"]);
    assert_eq!(night.field("waiting", "cause")[0], "usage_limit");
    let until: u64 = night.field("waiting", "until")[0].parse().unwrap();
    assert!(
        until >= reset * 1_000,
        "{until} is before the reset {reset}"
    );
    let again: u64 = night.field("intent", "t")[1].parse().unwrap();
    assert!(again >= until, "{again} is before {until}");
    assert_eq!(night.field("judged", "seq").len(), 1);
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
