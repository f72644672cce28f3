//! `overnight doctor` where there is no client, and what it shows of the configuration.

use crate::project::Project;
use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use predicates::str::contains;
use serde_json::Value;

#[test]
fn without_a_client_it_says_so_and_exits_with_one() {
    let project = Project::new();
    let mut command = project.command(cargo_bin!("overnight"));
    command.arg("doctor").env("PATH", "/usr/bin:/bin");
    let done = Command::from_std(command).assert().code(1);
    done.stdout(contains("FAIL  client"))
        .stdout(contains("fix: install Claude Code"))
        .stdout(contains("warn  remote"))
        .stdout(contains("ok    folders"));
}

#[test]
fn each_setting_is_shown_with_its_value_and_where_it_comes_from() {
    let project = Project::new();
    project.person("[run]\nbudget_usd = 5\nno_such_key = 1\n");
    std::fs::write(
        project.path("overnight.toml"),
        "[run]\nmax_iterations = 4\n",
    )
    .unwrap();
    let show = |json: &[&str], code: i32| {
        let mut command = project.command(cargo_bin!("overnight"));
        command
            .args(["doctor", "--config"])
            .args(json)
            .env("MAX_OUTPUT_LINES", "90")
            .env("CLAUDE_PLUGIN_OPTION_SAMPLE_RATE", "0.2")
            .env("AGENT_ID", "a1");
        Command::from_std(command).assert().code(code)
    };
    let done = show(&["--json"], 1);
    let value: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let held = |key: &str| {
        let rows = value["settings"].as_array().unwrap();
        let row = rows.iter().find(|row| row["key"] == key).unwrap();
        (
            row["value"].clone(),
            row["from"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(
        held("run.max_iterations"),
        (4.into(), "overnight.toml".to_owned())
    );
    assert_eq!(
        held("filter.max_lines"),
        (90.into(), "$MAX_OUTPUT_LINES".to_owned())
    );
    assert_eq!(
        held("sample.rate"),
        (0.2.into(), "plugin option sample_rate".to_owned())
    );
    assert_eq!(held("run.on_limit"), ("wait".into(), "default".to_owned()));
    let (budget, from) = held("run.budget_usd");
    assert!(
        budget == 5.0 && from.ends_with(".config/overnight/config.toml"),
        "{from}"
    );
    assert_eq!(value["variables"]["AGENT_ID"], "a1");
    assert!(
        value["wrong"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("run.no_such_key is unknown")
    );
    let text = show(&[], 1);
    text.stdout(contains(
        "run.max_iterations     4                      overnight.toml",
    ))
    .stderr(contains("run.no_such_key is unknown"));
}

#[test]
fn the_variables_of_those_who_come_from_other_loops_are_read() {
    let known = [
        ("CB_NO_PROGRESS_THRESHOLD", "7", "breaker.no_progress"),
        ("CB_SAME_ERROR_THRESHOLD", "8", "breaker.same_error"),
        (
            "CB_OUTPUT_DECLINE_THRESHOLD",
            "60",
            "breaker.output_decline",
        ),
        ("MAX_CONSECUTIVE_DONE_SIGNALS", "4", "run.done_signals"),
        ("MAX_CONSECUTIVE_TEST_LOOPS", "5", "run.test_loops"),
        ("LOCK_TTL_SECONDS", "1234", "lock.ttl"),
    ];
    let project = Project::new();
    let mut command = project.command(cargo_bin!("overnight"));
    command.args(["doctor", "--config", "--json"]);
    command.envs(known.map(|(name, value, _)| (name, value)));
    let done = command.output().unwrap();
    let value: Value = serde_json::from_slice(&done.stdout).unwrap();
    let rows = value["settings"].as_array().unwrap();
    for (name, _, key) in known {
        let row = rows.iter().find(|row| row["key"] == key).unwrap();
        assert_eq!(row["from"], format!("${name}"), "{row}");
    }
}
