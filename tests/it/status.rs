//! `overnight status`, `statusline` and `stats` from outside.

use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use std::io::Write;
use std::process::Stdio;

#[test]
fn without_a_run_status_says_so_and_the_status_line_is_empty() {
    let project = Project::new();
    project
        .overnight(&["status"])
        .code(66)
        .stderr(contains("E3006"));
    project
        .overnight(&["status", "20200101-000000-0000"])
        .code(66);
    project
        .overnight(&["statusline"])
        .success()
        .stdout(is_empty());
    project
        .overnight(&["stats"])
        .success()
        .stdout(contains("too few runs"));
}

#[test]
fn an_ended_run_is_told_with_the_status_of_the_driver() {
    let project = Project::new();
    project
        .run(&["--agent", "command:echo '<DONE>ok</DONE>'"])
        .success();
    let first = project.only_run();
    project
        .overnight(&["status"])
        .success()
        .stdout(contains("completed").and(contains("1 done, 0 doing, 0 blocked, 0 left")));
    project
        .run(&["--agent", "command:date +%N > w", "--max-iterations", "1"])
        .code(1);
    let second = project
        .runs()
        .into_iter()
        .find(|run| *run != first)
        .unwrap();
    project
        .overnight(&["status", &second, "--json"])
        .code(1)
        .stdout(contains(r#""state":"stopped""#).and(contains(r#""exit":1"#)));
    project
        .overnight(&["status", &first])
        .success()
        .stdout(contains(&first));
    project
        .overnight(&["status", "--all"])
        .success()
        .stdout(contains("completed").and(contains("stopped")));
    let stats = project.overnight(&["stats", "--json"]).success();
    let stats: serde_json::Value = serde_json::from_slice(&stats.get_output().stdout).unwrap();
    assert_eq!(stats["runs"], 2);
    assert_eq!(stats["ended"], 2);
    assert_eq!(stats["completed"], 1);
    assert_eq!(stats["too_few"], true);
    assert_eq!(stats["ends"]["max_iterations"], 1);
}

#[test]
fn a_run_is_running_until_its_driver_is_killed_and_then_crashed() {
    let project = Project::new();
    let mut child = project.start(&[
        "--agent",
        "command:echo wrote page 2 of 40; echo $$ > here; sleep 60",
    ]);
    project.wait_for("here");
    project
        .overnight(&["status"])
        .success()
        .stdout(contains("running, iteration 1 of 10"));
    project
        .overnight(&["statusline"])
        .success()
        .stdout(contains("overnight 1/10"));
    project.signal(&child, "KILL");
    child.wait().unwrap();
    let agent = project.records("agent_started")[0]["pid"].clone();
    let run = project.only_run();
    let mut journal = std::fs::OpenOptions::new()
        .append(true)
        .open(project.journal(&run))
        .unwrap();
    journal.write_all(b"{\"v\":1,\"seq\":").unwrap();
    project.overnight(&["status"]).code(1).stdout(
        contains("crashed")
            .and(contains(format!(
                "still alive: the agent of main, pid {agent};"
            )))
            .and(contains("cut off in the middle (13 bytes)"))
            .and(contains("the agent said: “wrote page 2 of 40”"))
            .and(contains(format!("overnight resume {run}"))),
    );
    project
        .overnight(&["statusline"])
        .success()
        .stdout(is_empty());
    for pid in project.left_over() {
        project
            .command("kill")
            .args(["-KILL", &pid.to_string()])
            .status()
            .unwrap();
    }
}

#[test]
fn a_run_of_a_newer_version_is_said_to_be_one() {
    let project = Project::new();
    let run = "20991231-235959-ffff";
    let line = r#"{"v":2,"seq":1,"t":1,"mono":1,"boot":"b","event":"dreamed"}"#;
    let body = line.strip_suffix('}').unwrap();
    let crc = crc32c::crc32c(line.as_bytes());
    let journal = project.journal(run);
    std::fs::create_dir_all(journal.parent().unwrap()).unwrap();
    std::fs::write(&journal, format!("{body},\"crc\":\"{crc:08x}\"}}\n")).unwrap();
    project
        .overnight(&["status"])
        .code(78)
        .stderr(contains("E3004"));
    project
        .overnight(&["status", "--all"])
        .success()
        .stdout(contains(run).and(contains("E3004")));
    project
        .overnight(&["statusline"])
        .success()
        .stdout(is_empty());
    project
        .overnight(&["stats"])
        .success()
        .stderr(contains("E3004"));
}

#[test]
fn a_hostile_goal_cannot_move_the_cursor() {
    let project = Project::new();
    std::fs::write(
        project.path("AGENT_PROMPT.md"),
        "# \u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}goal\n",
    )
    .unwrap();
    project
        .run(&["--agent", "command:echo '<DONE>ok</DONE>'"])
        .success();
    let shown = project.overnight(&["status"]).success();
    let text = String::from_utf8(shown.get_output().stdout.clone()).unwrap();
    let moves = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(moves), "{text:?}");
}

#[test]
fn what_the_guard_decided_in_a_run_is_counted() {
    let project = Project::new();
    // In git's folder, so that the work tree stays as it is.
    for (name, command) in [("look", "ls"), ("push", "git push --force origin main")] {
        let event = serde_json::json!({"session_id": "s1", "cwd": project.path(""), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}});
        std::fs::write(project.path(&format!(".git/{name}")), event.to_string()).unwrap();
    }
    let agent = "command:for event in look look push; do command-guard hook < .git/$event > .git/said; done; echo '<DONE>ok</DONE>'";
    project.run(&["--agent", agent]).success();
    let stats = project.overnight(&["stats", "--json"]).success();
    let stats: serde_json::Value = serde_json::from_slice(&stats.get_output().stdout).unwrap();
    let guard = &stats["guard"];
    let stopped = guard["asked"].as_u64().unwrap() + guard["denied"].as_u64().unwrap();
    assert_eq!(
        (guard["allowed"].as_u64(), stopped),
        (Some(2), 1),
        "{stats}"
    );
}

#[test]
fn the_status_line_waits_for_no_end_of_its_input() {
    let project = Project::new();
    let mut child = project.start(&["--agent", "command:echo $$ > here; sleep 60"]);
    project.wait_for("here");
    let input = serde_json::json!({"cwd": project.path("")}).to_string();
    for input in ["", "{", input.as_str()] {
        let mut line = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
        line.arg("statusline")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut line = line.spawn().unwrap();
        // Held open while the line is made; only half an object needs its end.
        let mut held = line.stdin.take().unwrap();
        held.write_all(input.as_bytes()).unwrap();
        let held = (input != "{").then_some(held);
        let said = line.wait_with_output().unwrap();
        assert!(said.stdout.starts_with(b"overnight 1/10"), "{said:?}");
        drop(held);
    }
    project.signal(&child, "TERM");
    child.wait().unwrap();
}

#[test]
fn the_status_line_tells_what_the_iteration_under_way_costs() {
    let project = Project::new();
    let spoken = r#"{"type":"assistant","message":{"id":"m1","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Now."}],"usage":{"input_tokens":100000,"output_tokens":9000}}}"#;
    let agent = format!("command:echo '{spoken}'; while [ ! -e go ]; do sleep 0.05; done");
    let mut driver = project.start(&["--agent", &agent, "--max-iterations", "1"]);
    let began = std::time::Instant::now();
    let told = loop {
        let told = crate::morning::out(&project, &["statusline"]);
        if told.contains('$') || began.elapsed() > std::time::Duration::from_secs(30) {
            break told;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    std::fs::write(project.path("go"), "").unwrap();
    driver.wait().unwrap();
    assert!(told.contains("0/1 done · about $0."), "{told}");
}
