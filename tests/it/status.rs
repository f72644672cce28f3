//! `overnight status`, `statusline` and `stats` from outside.

use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use std::io::Write;

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
    let mut child = project.start(&["--agent", "command:echo $$ > here; sleep 60"]);
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
    let run = project.only_run();
    let mut journal = std::fs::OpenOptions::new()
        .append(true)
        .open(project.journal(&run))
        .unwrap();
    journal.write_all(b"{\"v\":1,\"seq\":").unwrap();
    project.overnight(&["status"]).code(1).stdout(
        contains("crashed")
            .and(contains("cut off in the middle (13 bytes)"))
            .and(contains(format!("overnight run --resume {run}"))),
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
