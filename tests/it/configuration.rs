//! The layers of the configuration, as a run and the tools take them.

use crate::project::Project;
use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use predicates::str::contains;
use serde_json::Value;

const AGENT: &str = "command:echo '<DONE>ok</DONE>'";

fn project(person: &str, overnight_toml: &str) -> Project {
    let project = Project::new();
    project.person(person);
    if !overnight_toml.is_empty() {
        std::fs::write(project.path("overnight.toml"), overnight_toml).unwrap();
    }
    project
}

/// Runs with these flags and variables; gives the limits that the driver recorded.
fn limits(project: &Project, flags: &[&str], variables: &[(&str, &str)]) -> Value {
    let mut command = project.command(cargo_bin!("overnight"));
    command
        .args(["run", "--agent", AGENT])
        .args(flags)
        .envs(variables.iter().copied());
    Command::from_std(command).assert().success();
    let runs = project.path(".git/overnight/runs");
    let mut runs: Vec<_> = std::fs::read_dir(runs)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let run = runs.pop().unwrap();
    let journal = std::fs::read_to_string(run.join("journal.jsonl")).unwrap();
    std::fs::remove_dir_all(run).unwrap();
    let records = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let started = |record: &Value| record["event"] == "driver_started";
    records.into_iter().find(started).unwrap()["config"].clone()
}

#[test]
fn flag_beats_environment_beats_project_beats_person_beats_default() {
    let person = "[run]\nmax_iterations = 40\nbudget_usd = 9\n";
    let project = project(
        person,
        "[run]\nmax_iterations = 30\ntask_timeout = \"5m\"\n",
    );
    let set = [("OVERNIGHT_MAX_ITERATIONS", "35")];
    let flag = ["--max-iterations", "50"];
    let got = |limits: Value| limits["max_iterations"].as_u64().unwrap();
    assert_eq!(got(limits(&project, &flag, &set)), 50);
    assert_eq!(got(limits(&project, &[], &set)), 35);
    let of_files = limits(&project, &[], &[]);
    assert_eq!(of_files["task_timeout_ms"], 300_000);
    assert_eq!(of_files["budget_usd"], 9.0);
    assert_eq!(got(of_files), 30);
    std::fs::remove_file(project.path("overnight.toml")).unwrap();
    assert_eq!(got(limits(&project, &[], &[])), 40);
    project.person("");
    assert_eq!(got(limits(&project, &[], &[])), 10);
}

#[test]
fn a_run_does_not_begin_with_a_setting_that_is_not_what_was_meant() {
    let cases = [
        (
            "",
            "",
            ("OVERNIGHT_BUDGET_USD", "lots"),
            "OVERNIGHT_BUDGET_USD=\"lots\" is not a number from 0.01 to 1000000",
        ),
        (
            "[run]\nmax_iteration = 3",
            "",
            ("X", "1"),
            "run.max_iteration is unknown",
        ),
        (
            "",
            "[run]\nbudget_usd = -1",
            ("X", "1"),
            "overnight.toml: run.budget_usd = -1 is not a number from 0.01",
        ),
        ("", "[guard", ("X", "1"), "overnight.toml: "),
    ];
    for (person, overnight_toml, variable, said) in cases {
        let project = project(person, overnight_toml);
        let mut command = project.command(cargo_bin!("overnight"));
        command
            .args(["run", "--agent", AGENT])
            .env(variable.0, variable.1);
        let done = Command::from_std(command).assert();
        done.code(78).stderr(contains(said));
        assert!(!project.path(".git/overnight/runs").exists(), "{said}");
    }
}

#[test]
fn gates_of_a_project_run_once_the_file_is_trusted() {
    let project = project("", "[run]\ngates = [\"touch $HOME/.cache/proved\"]\n");
    let run = || project.run(&["--agent", AGENT]);
    run()
        .code(77)
        .stderr(contains("overnight trust overnight.toml"));
    let proved = project.meeting("proved");
    assert!(!proved.exists());
    let shown = project.overnight(&["trust"]).success();
    shown.stdout(contains("touch $HOME/.cache/proved"));
    run().success();
    assert!(proved.exists());
}

#[test]
fn the_filter_takes_its_lines_from_file_and_option_and_no_project_breaks_it() {
    let project = project(
        "[filter]\nmax_lines = 20\n",
        "[filter]\nmax_lines = \"x\"\n[broken\n",
    );
    let lines = |option: Option<&str>| {
        let mut command = project.command(cargo_bin!("output-filter"));
        if let Some(option) = option {
            command.env("CLAUDE_PLUGIN_OPTION_MAX_OUTPUT_LINES", option);
        }
        // Lines that have little in common, so that all of them are worth to be shown.
        let letter = |number: u32| char::from_digit(number % 26 + 10, 36).unwrap();
        let text = (0..500).map(|line| {
            format!(
                "{} says {0}\n",
                letter(line / 26).to_string() + &letter(line).to_string()
            )
        });
        let text: Vec<String> = text.collect();
        let done = Command::from_std(command)
            .write_stdin(text.concat())
            .assert()
            .success();
        String::from_utf8(done.get_output().stdout.clone())
            .unwrap()
            .lines()
            .count()
    };
    let (file, option) = (lines(None), lines(Some("30")));
    assert!(
        file <= 20 && file < option && option <= 30,
        "{file} {option}"
    );
}
