//! Exit signals in a run (seed 002): they stand in for a claim, and the gates prove them.

use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

/// An agent that says this each time; `$OVERNIGHT_ITERATION` is a change.
fn says(work: &str, exit: &str) -> String {
    format!(
        "command:{work}; printf '%s\\n' ---RALPH_STATUS--- 'STATUS: COMPLETE' 'EXIT_SIGNAL: {exit}' ---END_RALPH_STATUS---"
    )
}

#[test]
fn two_done_signals_in_a_row_end_the_run_and_why_names_them() {
    let project = Project::new();
    let agent = says("echo $OVERNIGHT_ITERATION > work", "true");
    project.run(&["--agent", &agent]).success();
    assert_eq!(project.iterations(), 2);
    let run = project.only_run();
    project
        .overnight(&["why", &run, "2"])
        .success()
        .stdout(contains("exit-signal").and(contains("2 done signals in a row")));
    project
        .overnight(&["replay", &run])
        .success()
        .stdout(contains("all as recorded"));
}

#[test]
fn a_gate_that_fails_outweighs_every_signal() {
    for (agent, iterations) in [
        (says("echo $OVERNIGHT_ITERATION > work", "true"), 5),
        (
            "command:echo '- ['$([ -e work ] && echo x || echo ' ')'] a' > fix_plan.md; echo $OVERNIGHT_ITERATION > work".to_owned(),
            5,
        ),
    ] {
        let project = Project::new();
        let limit = ["--gate", "false", "--max-iterations", "5"];
        let mut arguments = vec!["--agent", agent.as_str()];
        arguments.extend(limit);
        project.run(&arguments).code(1);
        assert_eq!(project.iterations(), iterations, "{agent}");
        for judged in project.records("judged") {
            assert_eq!(judged["verdict"]["decision"], "incomplete", "{agent}");
        }
    }
}

#[test]
fn a_refused_signal_never_ends_a_run() {
    let project = Project::new();
    let agent = says("echo $OVERNIGHT_ITERATION > work", "false");
    project
        .run(&["--agent", &agent, "--max-iterations", "4"])
        .code(1);
    assert_eq!(project.iterations(), 4);
}

#[test]
fn a_plan_file_ends_the_run_when_its_last_box_is_ticked() {
    let project = Project::new();
    let agent = "command:echo $OVERNIGHT_ITERATION > work; mark=' '; [ $OVERNIGHT_ITERATION -lt 3 ] || mark=x; printf -- \"- [x] a\\n- [$mark] b\\n\" > fix_plan.md";
    project.run(&["--agent", agent, "--gate", "true"]).success();
    assert_eq!(project.iterations(), 3);
    let judged = project.records("judged");
    let last = &judged.last().unwrap()["verdict"];
    assert_eq!(last["source"], "exit-signal");
    assert_eq!(last["gates"][0]["exit"], 0);
}

#[test]
fn a_plan_file_that_was_ticked_before_the_run_ends_nothing() {
    let project = Project::new();
    std::fs::write(project.path("fix_plan.md"), "- [x] a\n").unwrap();
    let agent = "command:echo $OVERNIGHT_ITERATION > work; echo 'There is more to do.'";
    project
        .run(&["--agent", agent, "--max-iterations", "2"])
        .code(1);
    assert_eq!(project.iterations(), 2);
}

#[test]
fn three_iterations_that_only_run_passing_tests_end_the_run() {
    let project = Project::new();
    let agent = "command:echo 'test result: ok. 14 passed; 0 failed; 0 ignored'";
    project.run(&["--agent", agent]).success();
    assert_eq!(project.iterations(), 3);
    let red = Project::new();
    let agent = "command:echo 'test result: FAILED. 13 passed; 1 failed; 0 ignored'";
    red.run(&["--agent", agent]).code(3);
}

#[test]
fn an_agent_that_calls_itself_blocked_three_times_in_a_row_is_believed() {
    let project = Project::new();
    let agent = "command:echo $OVERNIGHT_ITERATION > work; printf '%s\\n' ---RALPH_STATUS--- 'STATUS: BLOCKED' ---END_RALPH_STATUS---";
    project.run(&["--agent", agent]).code(1);
    assert_eq!(project.iterations(), 3);
    let blocked = project.read("progress/blocked.md");
    assert!(
        blocked.contains("called itself blocked 3 times"),
        "{blocked}"
    );
}
