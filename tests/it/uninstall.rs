//! Every trace is listed, what holds no work goes, and nothing else.

use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::{Path, PathBuf};

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

/// A work tree as a run of this repository has one, in the person's folder of ours.
fn work_tree(project: &Project, repository: &Path, run: &str) -> PathBuf {
    let trees = project.home().join(".local/state/overnight/worktrees");
    let tree = trees.join("0123456789abcdef").join(run).join("own/shop");
    let path = tree.to_str().unwrap();
    git(
        project,
        repository,
        &["worktree", "add", "-q", "--detach", path],
    );
    tree
}

fn git(project: &Project, folder: &Path, words: &[&str]) {
    let mut git = project.command("git");
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"];
    let done = git
        .arg("-C")
        .arg(folder)
        .args(identity)
        .args(words)
        .output();
    assert!(
        done.as_ref().unwrap().status.success(),
        "{words:?} {done:?}"
    );
}

#[test]
fn work_trees_of_other_projects_and_work_that_no_branch_has_stay() {
    let project = Project::new();
    let other = project.home().join("other");
    std::fs::create_dir(&other).unwrap();
    let other = other.canonicalize().unwrap();
    git(&project, &other, &["init", "-q"]);
    git(
        &project,
        &other,
        &["commit", "-q", "--allow-empty", "-m", "x"],
    );
    let theirs = work_tree(&project, &other, "20260101-000000-aaaa");
    let idle = work_tree(&project, &project.path("."), "20260102-000000-bbbb");
    let changed = work_tree(&project, &project.path("."), "20260103-000000-cccc");
    std::fs::write(changed.join("half-done"), "x").unwrap();
    let committed = work_tree(&project, &project.path("."), "20260104-000000-dddd");
    git(
        &project,
        &committed,
        &["commit", "-q", "--allow-empty", "-m", "x"],
    );

    let command = format!("(cd '{}' && overnight uninstall)", other.display());
    let named = contains(changed.display().to_string())
        .and(contains(committed.display().to_string()))
        .and(contains(command));
    project.overnight(&["uninstall"]).success().stdout(named);
    assert!(theirs.exists() && changed.exists() && committed.exists());
    assert!(!idle.exists());

    for kept in [&changed, &committed] {
        std::fs::remove_dir_all(kept).unwrap();
    }
    std::fs::remove_dir_all(&other).unwrap();
    project.overnight(&["uninstall"]).success();
    assert!(!project.home().join(".local/state/overnight").exists());
}
