//! `overnight report` and the pull request at a run's end.

use crate::project::Project;
use predicates::prelude::*;
use std::os::unix::fs::PermissionsExt;

/// An agent that commits a file and says that it is done.
const COMMITS: &str = r#"command:echo x > made && git add made && git commit -q -m 'Make it <b>' && printf '{"decision":"complete","check_id":"%s"}' "$OVERNIGHT_CHECK_ID" > "$OVERNIGHT_DECISION_FILE""#;

fn scripted(project: &Project, decision: &str) -> String {
    let script = project.path(".git/script.json");
    let text = format!(
        r#"{{"sessions":[{{"when":{{}},"steps":[{{"declare":{{"decision":"{decision}","reason":"<script>x</script>"}}}}]}}]}}"#
    );
    std::fs::write(&script, text).unwrap();
    format!("scripted:{}", script.display())
}

#[test]
fn both_forms_are_written_at_the_end_and_on_request() {
    let project = Project::new();
    let agent = scripted(&project, "incomplete");
    project
        .run(&["--agent", &agent, "--max-iterations", "2"])
        .code(1);
    let run = project.only_run();
    let page = project.read(&format!("agent_logs/{run}/report.html"));
    assert!(
        page.starts_with("<!doctype html>") && !page.contains("<script"),
        "{page}"
    );
    let text = project.read(&format!("agent_logs/{run}/report.md"));
    assert!(text.contains("**Not finished:"), "{text}");
    project
        .overnight(&["report"])
        .success()
        .stdout(predicate::str::contains("## Acceptance"));
    project
        .overnight(&["report", &run, "--html", "r.html", "--md", "r.md"])
        .success()
        .stdout("");
    assert!(
        project.read("r.html").contains("</html>") && project.read("r.md").contains("# Overnight")
    );
    project
        .overnight(&["report", "--json"])
        .success()
        .stdout(predicate::str::contains(r#""ending":"stopped""#));
}

#[test]
fn a_crashed_run_and_a_newer_version_are_reported_as_what_they_are() {
    let project = Project::new();
    let agent = scripted(&project, "complete");
    project.run(&["--agent", &agent]).success();
    let journal = project.journal(&project.only_run());
    let text = std::fs::read_to_string(&journal).unwrap();
    let cut = text.rfind("{\"v\":1").unwrap() + 20;
    std::fs::write(&journal, &text[..cut]).unwrap();
    project
        .overnight(&["report"])
        .success()
        .stdout(predicate::str::contains("**Crashed: the driver died"));
    let newer = br#"{"v":9,"seq":1,"t":1,"mono":1,"boot":"b","event":"new""#;
    let crc = crc32c::crc32c_append(crc32c::crc32c(newer), b"}");
    let line = format!(
        "{},\"crc\":\"{crc:08x}\"}}\n",
        String::from_utf8_lossy(newer)
    );
    std::fs::write(&journal, line).unwrap();
    project
        .overnight(&["report"])
        .code(78)
        .stderr(predicate::str::contains("E3004"));
}

#[test]
fn the_report_of_a_blocked_run_names_what_it_needs_as_the_status_does() {
    let project = Project::new();
    let refuted = r#"command:printf '{"decision":"complete","check_id":"%s"}' "$OVERNIGHT_CHECK_ID" > "$OVERNIGHT_DECISION_FILE"; date +%N > w"#;
    project
        .run(&["--agent", refuted, "--gate", "false"])
        .code(1);
    let run = project.only_run();
    for command in ["report", "status"] {
        project
            .overnight(&[command])
            .stdout(predicate::str::contains(format!(
                "overnight why {run} main"
            )))
            .stdout(predicate::str::contains(format!("overnight resume {run}")));
    }
}

#[test]
fn a_run_is_traced_for_a_viewer_in_slices_of_its_agent() {
    let project = Project::new();
    let agent = scripted(&project, "incomplete");
    project
        .run(&["--agent", &agent, "--max-iterations", "2"])
        .code(1);
    let done = project.overnight(&["trace", &project.only_run()]).success();
    let trace: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| {
        events
            .iter()
            .filter(|event| event["cat"] == category)
            .count()
    };
    assert_eq!((of("iteration"), of("attempt")), (2, 2));
    let tracks: Vec<&str> = events
        .iter()
        .filter(|event| event["ph"] == "M")
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    assert_eq!(tracks.last(), Some(&"agent"));
    project
        .overnight(&["trace", "20200101-000000-0000"])
        .code(66);
}

#[test]
fn work_on_an_own_branch_is_pushed_and_offered_as_a_draft() {
    let project = with_remote();
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command
        .args(["run", "--agent", COMMITS])
        .env("PATH", with_gh(&project));
    assert_cmd::Command::from_std(command)
        .assert()
        .success()
        .stderr(predicate::str::contains(
            "pull request (draft): https://example.invalid/pr/1",
        ));
    let body = project.path(&format!(
        "agent_logs/{}/pull-request.md",
        project.only_run()
    ));
    let expected = format!(
        "pr\ncreate\n--draft\n--head\nauto/test\n--title\nThe goal\n--body-file\n{}\n",
        body.display()
    );
    assert_eq!(project.read(".git/tools/seen"), expected);
    assert_eq!(
        project.read(".git/remote.git/refs/heads/auto/test"),
        project.read(".git/refs/heads/auto/test")
    );
    assert!(
        std::fs::read_to_string(body)
            .unwrap()
            .contains("Make it &lt;b&gt;")
    );
}

#[test]
fn the_work_of_a_session_is_offered_too() {
    let project = with_remote();
    let path = with_gh(&project);
    let hook = |program: &std::path::Path, mut event: serde_json::Value| {
        event["session_id"] = "s1".into();
        event["cwd"] = project.path("").to_str().into();
        let mut command = project.command(program);
        command.env("PATH", &path);
        let mut command = assert_cmd::Command::from_std(command);
        let done = command.write_stdin(event.to_string()).assert().success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    let typed = serde_json::json!({"hook_event_name": "UserPromptExpansion", "command_name": "overnight:flow",
        "command_source": "plugin", "command_args": "Make it --autonomous --max-iterations 2"});
    hook(assert_cmd::cargo::cargo_bin!("flow-start"), typed);
    std::fs::write(project.path("made.txt"), "made\n").unwrap();
    project.git(&["add", "made.txt"]);
    project.git(&["commit", "-q", "-m", "Make it"]);
    let stop = serde_json::json!({"hook_event_name": "Stop", "last_assistant_message": "<DONE>made</DONE>",
        "background_tasks": []});
    let answer = hook(assert_cmd::cargo::cargo_bin!("stop-gate"), stop);
    assert!(
        answer.contains("pull request (draft): https://example.invalid/pr/1"),
        "{answer}"
    );
    let seen = project.read(".git/tools/seen");
    assert!(seen.starts_with("pr\ncreate\n--draft\n"), "{seen}");
    assert_eq!(
        project.read(".git/remote.git/refs/heads/auto/test"),
        project.read(".git/refs/heads/auto/test")
    );
}

#[test]
fn a_shared_branch_and_no_pr_push_nothing() {
    for (branch, flag) in [("main", "--json"), ("auto/test", "--no-pr")] {
        let project = with_remote();
        project.git(&["checkout", "-q", "-B", branch]);
        let done = project.run(&["--agent", COMMITS, flag]).success();
        let said = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        // What a person would type makes a branch of its own.
        let by_hand = format!(
            "git push origin HEAD:refs/heads/auto/{0} && gh pr create --draft --head auto/{0} --title",
            project.only_run()
        );
        assert_eq!(said.contains(&by_hand), branch == "main", "{said}");
        let pushed = std::fs::read_dir(project.path(".git/remote.git/refs/heads")).unwrap();
        assert_eq!(pushed.count(), 0, "{branch}");
    }
}

#[test]
fn without_gh_the_branch_is_pushed_and_the_command_is_told() {
    let project = with_remote();
    let tools = project.path(".git/tools");
    std::fs::create_dir(&tools).unwrap();
    for name in ["git", "sh"] {
        std::os::unix::fs::symlink(format!("/usr/bin/{name}"), tools.join(name)).unwrap();
    }
    let mut command = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    command
        .args(["run", "--agent", COMMITS])
        .env("PATH", &tools);
    let body = "pull-request.md";
    assert_cmd::Command::from_std(command)
        .assert()
        .success()
        .stderr(predicate::str::contains(
            "open the pull request with: gh pr create --draft --head auto/test",
        ))
        .stderr(predicate::str::contains(body));
    assert_eq!(
        project.read(".git/remote.git/refs/heads/auto/test"),
        project.read(".git/refs/heads/auto/test")
    );
}

#[test]
fn a_branch_that_moved_on_the_remote_is_never_forced() {
    let project = with_remote();
    project.git(&["commit", "-q", "--allow-empty", "-m", "theirs"]);
    project.git(&["push", "-q", "origin", "auto/test"]);
    project.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let theirs = project.read(".git/remote.git/refs/heads/auto/test");
    project
        .run(&["--agent", COMMITS])
        .success()
        .stderr(predicate::str::contains("no pull request: "))
        .stderr(predicate::str::contains(
            "git push origin auto/test && gh pr create --draft --head auto/test",
        ));
    assert_eq!(project.read(".git/remote.git/refs/heads/auto/test"), theirs);
}

/// A project with a bare remote inside its git folder.
fn with_remote() -> Project {
    let project = Project::new();
    project.git(&["init", "-q", "--bare", ".git/remote.git"]);
    let remote = project.path(".git/remote.git");
    project.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    project
}

/// A stand-in for `gh` that records its arguments; gives the PATH on which it is first.
fn with_gh(project: &Project) -> String {
    let tools = project.path(".git/tools");
    std::fs::create_dir(&tools).unwrap();
    let gh = tools.join("gh");
    std::fs::write(
        &gh,
        format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}/seen'\necho https://example.invalid/pr/1\n",
            tools.display()
        ),
    )
    .unwrap();
    std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/local/bin:/usr/bin:/bin", tools.display())
}
