//! `overnight why`: the rule, the evidence, the values.

use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

/// A run of two iterations that a gate refutes, with the iterations used up.
fn refuted() -> Project {
    let project = Project::new();
    let agent = "command:echo $OVERNIGHT_ITERATION > work; echo '<DONE>surely</DONE>'";
    project
        .run(&[
            "--agent",
            agent,
            "--gate",
            "exit 3",
            "--max-iterations",
            "2",
        ])
        .code(1);
    project
}

#[test]
fn an_iteration_is_explained_decision_by_decision() {
    let project = refuted();
    let run = project.only_run();
    project
        .overnight(&["why", &run, "2"])
        .success()
        .stdout(contains("rule      refuted:").and(contains("gate `exit 3`: exit 3")));
    let printed = project.overnight(&["why", &run, "2", "--json"]).success();
    let answer: Value = serde_json::from_slice(&printed.get_output().stdout).unwrap();
    let decisions = answer["decisions"].as_array().unwrap();
    let rules: Vec<_> = decisions
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["next-iteration", "proof", "refuted"]);
    assert!(
        decisions
            .iter()
            .all(|one| one["iteration"] == 2 && one["same"] == true)
    );
    assert_eq!(decisions[2]["values"]["failures_in_a_row"], 1);
}

#[test]
fn without_an_iteration_it_explains_how_the_run_ended() {
    let project = refuted();
    project.overnight(&["why"]).success().stdout(
        contains("rule      max-iterations:")
            .and(contains("iterations = 2"))
            .and(contains("max_iterations = 2")),
    );
    let run = project.only_run();
    project
        .overnight(&["why", &run, "9"])
        .code(66)
        .stderr(contains("there is no iteration 9"));
}
