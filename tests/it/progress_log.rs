use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::Path;

fn progress_log(folder: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::new(assert_cmd::cargo::cargo_bin!("progress-log"))
        .current_dir(folder)
        .env_remove("OVERNIGHT_RUN")
        .env_remove("CLAUDE_CODE_SESSION_ID")
        .args(arguments)
        .assert()
}

#[test]
fn a_task_goes_from_next_to_done_and_the_files_tell() {
    let folder = tempfile::tempdir().unwrap();
    progress_log(folder.path(), &["next", "write the parser", "ship it"]).success();
    progress_log(
        folder.path(),
        &["start", "write the parser", "--session", "7"],
    )
    .success();
    progress_log(
        folder.path(),
        &["block", "ship it", "--reason", "no network"],
    )
    .success();
    progress_log(
        folder.path(),
        &["done", "write the parser", "--session", "7"],
    )
    .success()
    .stdout("50%: 1 done, 0 under way, 1 blocked, 0 next\n");
    progress_log(folder.path(), &["show"]).success().stdout(
        contains("- [x] write the parser (session #7)\n").and(contains("- Blockers: ship it\n")),
    );
    let shown = progress_log(folder.path(), &["show", "--json"]).success();
    let model: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    assert_eq!(model["blocked"][0]["reason"], "no network");
    assert_eq!(model["done"][0]["session"], "7");
    let read = |name| std::fs::read_to_string(folder.path().join("progress").join(name)).unwrap();
    assert!(read("completed.md").contains("- [x] write the parser (session #7, done "));
    assert!(read("blocked.md").contains("  - Reason: no network\n"));
}

#[test]
fn wrong_input_and_a_missing_progress_are_structured_errors() {
    let folder = tempfile::tempdir().unwrap();
    progress_log(folder.path(), &["show"])
        .code(66)
        .stderr(contains("ERROR [E4002]"));
    progress_log(folder.path(), &["done", " \u{7} "])
        .code(64)
        .stderr(contains("a task needs a text"));
    progress_log(folder.path(), &["next"]).code(64);
    progress_log(folder.path(), &["render", "--phase", "sleeping"])
        .code(64)
        .stderr(contains("planning, implementation, testing, review"));
    assert!(!folder.path().join("progress").exists());
}

#[test]
fn what_is_shown_carries_no_terminal_escapes() {
    let folder = tempfile::tempdir().unwrap();
    progress_log(folder.path(), &["render", "--phase", "review"]).success();
    let readme = folder.path().join("progress/README.md");
    let text = std::fs::read_to_string(&readme).unwrap() + "\n## Own\n\u{1b}]0;owned\u{7}kept\n";
    std::fs::write(&readme, text).unwrap();
    progress_log(folder.path(), &["show"]).success().stdout(
        contains("kept")
            .and(contains("\u{1b}").not())
            .and(contains("review")),
    );
}
