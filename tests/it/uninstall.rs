//! Every trace is listed, what holds no work goes, and nothing else.

use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

#[test]
fn a_dry_run_lists_every_trace_and_the_real_one_leaves_work_alone() {
    let project = Project::new();
    project
        .run(&["--agent", "command:echo x > made; echo '<DONE>x</DONE>'"])
        .success();
    let state = project.path(".git/overnight");
    let exclude = project.read(".git/info/exclude");
    assert!(state.is_dir() && exclude.contains("/agent_logs/"));
    let listed = contains("would be removed:\n")
        .and(contains(".git/overnight: journals"))
        .and(contains(".git/info/exclude"))
        .and(contains("left to you:\n"))
        .and(contains("agent_logs: prompts"))
        .and(contains("progress: what was done"))
        .and(contains("claude plugin uninstall overnight@overnight"));
    project
        .overnight(&["uninstall", "--dry-run"])
        .success()
        .stdout(listed);
    assert!(state.is_dir(), "a dry run removes nothing");
    assert_eq!(project.read(".git/info/exclude"), exclude);
    project
        .overnight(&["uninstall"])
        .success()
        .stdout(contains("removed:\n"));
    assert!(!state.exists() && !project.home().join(".local/state/overnight").exists());
    let rest = project.read(".git/info/exclude");
    assert!(
        !rest.contains("/agent_logs/") && !rest.contains("/logs/"),
        "{rest}"
    );
    for kept in ["progress/README.md", "agent_logs", "AGENT_PROMPT.md"] {
        assert!(project.path(kept).exists(), "{kept}");
    }
    let there = project.git_out(&["branch", "--list", "auto/*"]);
    assert!(there.contains("auto/"), "{there}");
}

#[test]
fn it_is_refused_while_a_run_is_at_work_and_to_agents() {
    let project = Project::new();
    let mut driver = project.start(&["--agent", "command:echo x > began; for i in $(seq 600); do [ -e go ] && break; sleep 0.05; done; echo '<DONE>x</DONE>'"]);
    project.wait_for("began");
    project
        .overnight(&["uninstall"])
        .code(75)
        .stderr(contains("is at work"));
    assert!(project.path(".git/overnight").is_dir());
    std::fs::write(project.path("go"), "").unwrap();
    assert!(driver.wait().unwrap().success());
    let mut guard = project.command(assert_cmd::cargo::cargo_bin!("command-guard"));
    let done = guard
        .args(["check", "overnight uninstall"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(2), "{done:?}");
}
