//! A run's bounds: turns, dollars, tokens, and what a killed client spent.

use crate::project::Project;
use crate::terminal;
use assert_cmd::cargo::cargo_bin;
use predicates::str::contains;
use std::time::{Duration, Instant};

/// A result line of the client.
fn result(fields: &str) -> String {
    format!(r#"printf '%s\n' '{{"type":"result","session_id":"s",{fields}}}'"#)
}

#[test]
fn a_client_that_used_up_its_turns_ended_its_iteration_like_any_other() {
    let project = Project::new();
    let turns = result(
        r#""subtype":"error_max_turns","is_error":true,"terminal_reason":"max_turns","errors":["Reached maximum number of turns (4)"]"#,
    );
    project.client(&format!(
        "echo $OVERNIGHT_ITERATION > work; {turns}; exit 1"
    ));
    project
        .run(&["--max-iterations", "5"])
        .code(1)
        .stdout(contains("iterations are used up"));
    assert_eq!(project.iterations(), 5, "no three failures in a row");
    let outcome = &project.records("outcome")[0];
    assert_eq!(
        (&outcome["class"], &outcome["limit"]),
        (&"budget".into(), &"turns".into())
    );
    let reasons = project.records("judged")[0]["verdict"]["reasons"].to_string();
    assert!(reasons.contains("used up its turns"), "{reasons}");
}

#[test]
fn a_client_that_prints_nothing_was_failed_by_the_service_and_is_started_again_later() {
    let project = Project::new();
    project.client("exit 0");
    let mut driver = project.start(&[]);
    until(&project, "waiting", 1);
    project.signal(&driver, "TERM");
    assert_eq!(driver.wait().unwrap().code(), Some(143));
    let outcomes = project.records("outcome");
    assert_eq!(
        (outcomes.len(), &outcomes[0]["class"]),
        (1, &"transient".into())
    );
    assert_eq!(project.records("waiting")[0]["cause"], "transient");
    assert!(
        project.records("judged").is_empty(),
        "no failure of the task"
    );
}

#[test]
fn a_budget_in_dollars_ends_the_run_and_its_rest_is_the_clients_limit() {
    let project = Project::new();
    let spends = result(r#""total_cost_usd":0.6,"terminal_reason":"completed""#);
    project.client(&format!(
        "echo \"$@\" | tr '\\n' ' ' >> args; echo >> args; echo $OVERNIGHT_ITERATION > work; {spends}"
    ));
    project
        .run(&["--budget-usd", "1"])
        .code(4)
        .stdout(contains("budget"));
    assert_eq!(project.iterations(), 2);
    let given: Vec<String> = project.read("args").lines().map(str::to_owned).collect();
    assert!(given[0].contains("--max-budget-usd 1.0000"), "{given:?}");
    assert!(given[1].contains("--max-budget-usd 0.4000"), "{given:?}");
    let run = project.only_run();
    project.run(&["--resume", &run]).code(4);
    assert_eq!(project.iterations(), 2, "a restart has no new budget");
}

#[test]
fn tokens_are_a_budget_too() {
    let project = Project::new();
    let spends = result(
        r#""total_cost_usd":0.1,"modelUsage":{"m":{"inputTokens":4000,"outputTokens":1000,"cacheReadInputTokens":1000}},"terminal_reason":"completed""#,
    );
    project.client(&format!("echo $OVERNIGHT_ITERATION > work; {spends}"));
    project
        .run(&["--budget-tokens", "10000", "--json"])
        .code(4)
        .stdout(contains("\"tokens\":12000"));
    assert_eq!(project.iterations(), 2);
}

const SPENT: &str = r#"printf '%s\n' '{"type":"assistant","message":{"id":"m1","usage":{"input_tokens":100000,"output_tokens":10000},"content":[]}}'"#;

#[test]
fn what_a_client_spent_that_was_ended_at_its_deadline_counts() {
    let project = Project::new();
    project.client(&format!("{SPENT}; exec sleep 600"));
    project
        .run(&["--task-timeout", "500ms", "--budget-usd", "1"])
        .code(4);
    let outcome = &project.records("outcome")[0];
    assert_eq!(outcome["estimated"], true, "{outcome}");
    // 150,000 input tokens' worth at five dollars a million.
    assert!(
        (outcome["cost_usd"].as_f64().unwrap() - 0.75).abs() < 1e-9,
        "{outcome}"
    );
    assert_eq!(project.iterations(), 2);
}

#[test]
fn a_budget_that_is_reached_in_the_middle_of_the_first_iteration_ends_it() {
    let project = Project::new();
    project.client(&format!("echo x > began; {SPENT}; exec sleep 600"));
    project.run(&["--budget-usd", "0.5"]).code(4);
    let outcome = &project.records("outcome")[0];
    assert_eq!(
        (&outcome["limit"], &outcome["estimated"]),
        (&"dollars".into(), &true.into()),
        "{outcome}"
    );
    assert_eq!(project.iterations(), 1);
    assert!(project.read("began").starts_with('x'));
}

#[test]
fn what_a_client_spent_whose_driver_was_killed_counts() {
    let project = Project::new();
    project.client(&format!("{SPENT}; echo x > began; exec sleep 600"));
    let mut driver = project.start(&[]);
    project.wait_for("began");
    driver.kill().unwrap();
    driver.wait().unwrap();
    // Before it is booked, every view tells it as the estimate that it is.
    for view in ["status", "report"] {
        let told = project
            .overnight(&[view, "--json"])
            .get_output()
            .stdout
            .clone();
        let told: serde_json::Value = serde_json::from_slice(&told).unwrap();
        let cost = &told["night"]["cost"];
        assert!(
            (cost["usd"].as_f64().unwrap() - 0.75).abs() < 1e-9,
            "{view}: {cost}"
        );
        assert_eq!(cost["estimated"], true, "{view}: {cost}");
    }
    project.client(&result(
        r#""total_cost_usd":0.1,"is_error":false,"result":"<DONE>ok</DONE>","terminal_reason":"completed""#,
    ));
    let run = project.only_run();
    project.run(&["--resume", &run]).success();
    let outcomes = project.records("outcome");
    assert_eq!(outcomes[0]["tokens"], 110_000, "{outcomes:#?}");
    assert!(
        outcomes[0]["cost_usd"].as_f64().unwrap() > 0.7,
        "{outcomes:#?}"
    );
}

/// A client at its usage limit, which resets in two hours.
const LIMITED: &str = r#"at=$(($(date +%s) + 7200))
printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\n{"type":"result","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"You have hit your limit","session_id":"s"}\n' $at
exit 1"#;

/// Waits until the only run's journal has so many records of this event.
fn until(project: &Project, event: &str, count: usize) {
    let began = Instant::now();
    while project.runs().is_empty() || project.records(event).len() < count {
        assert!(began.elapsed() < Duration::from_secs(30), "no {event}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_wait_for_the_reset_outlives_its_driver() {
    let project = Project::new();
    project.client(LIMITED);
    let mut driver = project.start(&[]);
    until(&project, "waiting", 1);
    driver.kill().unwrap();
    driver.wait().unwrap();
    let run = project.only_run();
    let mut next = project.start(&["--resume", &run]);
    until(&project, "driver_started", 2);
    project.signal(&next, "TERM");
    assert_eq!(next.wait().unwrap().code(), Some(143));
    let waits = project.records("waiting");
    assert_eq!(waits.len(), 1, "the same wait goes on: {waits:?}");
    assert_eq!(
        project.records("intent").len(),
        1,
        "and nobody tried meanwhile"
    );
    let reset = project.records("outcome")[0]["resets_at"].as_u64().unwrap() * 1_000;
    let late = waits[0]["until"].as_u64().unwrap() - reset;
    assert!(late < 20_000, "{late} ms after the reset");
    project.overnight(&["replay", &run]).success();
}

#[test]
fn at_the_limit_a_person_at_a_terminal_may_choose_to_wait() {
    let project = Project::new();
    project.client(LIMITED);
    let run = |typed| {
        let mut command = project.command(cargo_bin!("overnight"));
        command.args(["run", "--on-limit", "exit"]);
        terminal::run_typing(&mut command, typed)
    };
    let (status, printed) = run("\n");
    assert_eq!(status, 75, "{printed}");
    assert!(printed.contains("leaving in 30 s"), "{printed}");
    std::fs::remove_dir_all(project.path(".git/overnight")).unwrap();
    let (status, printed) = std::thread::scope(|scope| {
        let waits = scope.spawn(|| run("w\n"));
        until(&project, "waiting", 1);
        project.overnight(&["stop"]).success();
        waits.join().unwrap()
    });
    assert_eq!(status, 143, "{printed}");
    assert_eq!(project.records("limit_chosen").len(), 1);
}

/// The client's stream at the weekly limit, as measured with unified headers.
const WEEKLY: &str = r#"printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s,"rateLimitType":"seven_day","isUsingOverage":false}}\n' $RESET
printf '{"type":"result","subtype":"success","is_error":true,"result":"You have hit your weekly limit","terminal_reason":"api_error","api_error_status":429,"session_id":"s1","total_cost_usd":0}\n'
exit 1"#;

#[test]
fn at_the_weekly_limit_it_waits_days_or_leaves_and_names_the_reset() {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let reset = now + 6 * 86_400;
    let client = WEEKLY.replace("$RESET", &reset.to_string());
    let leaves = Project::new();
    leaves.client(&client);
    leaves.run(&["--on-limit", "exit"]).code(75);
    assert_eq!(leaves.records("outcome")[0]["class"], "usage_limit");
    assert_eq!(leaves.records("outcome")[0]["resets_at"], reset);
    let waits = Project::new();
    waits.client(&client);
    let mut driver = waits.start(&[]);
    until(&waits, "waiting", 1);
    let waited = waits.records("waiting")[0]["until"].as_u64().unwrap();
    assert!(
        (reset * 1_000..reset * 1_000 + 600_000).contains(&waited),
        "{waited}"
    );
    waits.overnight(&["stop"]).success();
    assert_eq!(driver.wait().unwrap().code(), Some(143));
    assert_eq!(
        waits.records("outcome").len(),
        1,
        "no probe before the reset"
    );
}

#[test]
fn a_session_is_continued_on_demand_and_its_cost_is_not_counted_twice() {
    let project = Project::new();
    project.client(
        r#"case "$*" in *--resume*) echo "resumed $*" | tr '\n' ' ' >> seen; total=0.8;; *) total=0.5;; esac
echo $OVERNIGHT_ITERATION > work
[ $OVERNIGHT_ITERATION -lt 2 ] || done='<DONE>ok</DONE>'
printf '{"type":"result","is_error":false,"result":"%s","session_id":"s1","total_cost_usd":%s,"terminal_reason":"completed"}\n' "$done" $total"#,
    );
    project
        .run(&["--continue-session", "--json"])
        .success()
        .stdout(contains("\"cost_usd\":0.8"));
    assert!(
        project.read("seen").contains("--resume s1"),
        "{}",
        project.read("seen")
    );
    assert_eq!(project.records("intent")[1]["continues"], "s1");
    let run = project.only_run();
    let told = project.overnight(&["why", &run, "2", "--json"]).success();
    let told: serde_json::Value = serde_json::from_slice(&told.get_output().stdout).unwrap();
    let values = &told["decisions"][0]["values"];
    assert_eq!(values["continues"], "s1", "{values}");
    assert_eq!(values["sessions"], serde_json::json!(["s1"]), "{values}");
}
