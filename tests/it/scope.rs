//! A task's scope: which files it may change, and how many.

use crate::project::Project;
use predicates::str::contains;

/// A project whose only task has this scope.
fn scoped(scope: &str) -> Project {
    let project = Project::new();
    std::fs::create_dir(project.path("src")).unwrap();
    std::fs::write(
        project.path("tasks.json"),
        format!(
            r#"{{"t": {{"objective": "x", "definition_of_done": ["It works."], "allowed_tools": [], {scope}}}}}"#
        ),
    )
    .unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "tasks"]);
    project
}

const DONE: &str = "printf -- '- [x] 1: seen\\n<DONE>ok</DONE>\\n'";

#[test]
fn a_file_outside_the_tasks_paths_keeps_it_from_being_done_until_it_is_put_back() {
    let project = scoped(r#""allowed_paths": ["src/**"]"#);
    let agent = format!(
        "command:cat > /dev/null; case $OVERNIGHT_ITERATION in 1) echo x > src/a; echo x > other;; 3) rm other;; esac; {DONE}"
    );
    project.run(&["--agent", &agent]).success();
    let judged = project.records("judged");
    assert_eq!(judged.len(), 3, "{judged:#?}");
    for record in &judged[..2] {
        let reasons = record["verdict"]["reasons"].to_string();
        assert!(
            reasons.contains("allowed_paths (src/**) were changed: other"),
            "{reasons}"
        );
    }
    let names = project.records("outcome")[0]["files"].to_string();
    assert!(
        names.contains("other") && names.contains("src/a"),
        "{names}"
    );
}

#[test]
fn more_files_than_allowed_are_counted_over_all_iterations() {
    let project = scoped(r#""max_changed_files": 2"#);
    let agent = format!(
        "command:echo x > src/$OVERNIGHT_ITERATION; [ $OVERNIGHT_ITERATION -lt 3 ] || {DONE}"
    );
    project
        .run(&["--agent", &agent, "--max-iterations", "3"])
        .code(1);
    let last = &project.records("judged")[2]["verdict"]["reasons"];
    assert!(
        last.to_string()
            .contains("3 files were changed, the task's max_changed_files is 2"),
        "{last}"
    );
}

#[test]
fn a_scope_that_cannot_be_watched_or_read_is_refused_at_the_start() {
    let project = Project::without_git();
    let list = |scope: &str| {
        format!(
            r#"{{"t": {{"objective": "x", "definition_of_done": ["It works."], "allowed_tools": [], {scope}}}}}"#
        )
    };
    let agent = ["--agent", "command:true"];
    std::fs::write(
        project.path("tasks.json"),
        list(r#""max_changed_files": 2"#),
    )
    .unwrap();
    project
        .run(&agent)
        .code(65)
        .stderr(contains("git repository"));
    for bad in [
        r#""max_changed_files": "2""#,
        r#""max_changed_files": -1"#,
        r#""allowed_paths": ["/etc"]"#,
        r#""allowed_paths": "src""#,
        r#""allowedPaths": ["src"]"#,
    ] {
        std::fs::write(project.path("tasks.json"), list(bad)).unwrap();
        project.run(&agent).code(65).stderr(contains("line 1"));
    }
}
