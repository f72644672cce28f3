//! Clocks that jump, and boots in between: records of other times under the real programs.

use crate::project::Project;
use overnight_run::journal::{Stamp, decode, encode};
use serde_json::{Value, json};
use std::process::Command;

const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;

fn add(value: u64, by: i64) -> u64 {
    value.checked_add_signed(by).unwrap()
}

/// Moves every record of the only run by these milliseconds of wall and boot clock; another boot if
/// one is named.
fn shift(project: &Project, (wall, mono): (i64, i64), boot: Option<&str>) {
    let path = project.journal(&project.only_run());
    let mut records = decode(&std::fs::read(&path).unwrap()).unwrap().records;
    for record in &mut records {
        record.stamp = Stamp {
            t: add(record.stamp.t, wall),
            mono: add(record.stamp.mono, mono),
            boot: boot.map_or_else(|| record.stamp.boot.clone(), str::to_owned),
        };
    }
    std::fs::write(path, records.iter().map(encode).collect::<String>()).unwrap();
}

/// A run whose breaker is open: its agent did nothing three times.
fn stuck() -> Project {
    let project = Project::new();
    get_stuck(&project);
    project
}

fn get_stuck(project: &Project) {
    project.run(&["--agent", "command:echo stuck"]).code(3);
    assert_eq!(project.iterations(), 3);
}

/// How many iterations a resumed run makes before its breaker stops it.
fn resumed(project: &Project) -> usize {
    let before = project.records("intent").len();
    let run = project.only_run();
    project.run(&["--resume", &run]).code(3);
    project.records("intent").len() - before
}

#[test]
fn a_wall_clock_that_jumps_neither_closes_an_open_breaker_nor_holds_it() {
    for hours in [-10, 10, -10_000, 10_000] {
        let project = stuck();
        // Records of ten hours ago: the wall clock jumped ahead, the boot clock did not.
        shift(&project, (hours * HOUR_MS, 0), None);
        assert_eq!(resumed(&project), 0, "{hours} h");
    }
}

#[test]
fn the_boot_clock_lets_one_probe_through_whatever_the_wall_clock_says() {
    // Shorter than any machine that runs tests has been up.
    const COOL_DOWN_MS: i64 = 20_000;
    for wall in [0, 10 * HOUR_MS, -10 * HOUR_MS] {
        let project = Project::new();
        project.person("[breaker]\ncool_down = \"20s\"\n");
        get_stuck(&project);
        shift(&project, (wall, -COOL_DOWN_MS), None);
        assert_eq!(resumed(&project), 1, "{wall}");
        let told = project.records("finished").pop().unwrap();
        assert!(told["reason"].to_string().contains("breaker"), "{told}");
    }
}

#[test]
fn across_boots_the_wall_clock_counts_and_never_backwards() {
    for (wall, probes) in [
        (-31 * MINUTE_MS, 1),
        (-29 * MINUTE_MS, 0),
        (10 * HOUR_MS, 0),
    ] {
        let project = stuck();
        shift(&project, (wall, 0), Some("another-boot"));
        assert_eq!(resumed(&project), probes, "{wall}");
    }
}

#[test]
fn a_state_file_of_other_times_neither_opens_nor_closes_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let breaker = |arguments: &str| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("circuit-breaker"));
        command
            .args(arguments.split_whitespace())
            .arg("--state")
            .arg(&path);
        let output = command.output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["state"].clone()
    };
    let shifted = |field: &str, by: i64| {
        let mut saved: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let before = saved["clock"][field].as_u64().unwrap();
        saved["clock"][field] = json!(before.saturating_add_signed(by));
        std::fs::write(&path, saved.to_string()).unwrap();
        breaker("status")
    };
    for _ in 0..2 {
        assert_eq!(breaker("record --changed 0 --output-bytes 9"), "closed");
    }
    assert_eq!(shifted("wall_ms", -10 * HOUR_MS), "closed");
    assert_eq!(shifted("wall_ms", 20 * HOUR_MS), "closed");
    assert_eq!(breaker("record --changed 0 --output-bytes 9"), "open");
    assert_eq!(shifted("wall_ms", -10 * HOUR_MS), "open");
    assert_eq!(shifted("wall_ms", 20 * HOUR_MS), "open");
    assert_eq!(
        shifted("mono_ms", HOUR_MS),
        "open",
        "a boot clock that went back"
    );
    let up = i64::try_from(overnight_host::clock::mono_ms()).unwrap();
    if up > 2 * HOUR_MS {
        assert_eq!(shifted("mono_ms", -2 * HOUR_MS), "half-open");
    }
}

/// A client at a limit that resets in two hours.
const LIMITED: &str = r#"at=$(($(date +%s) + 7200))
printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\n{"type":"result","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"x","session_id":"s"}\n' $at
exit 1"#;

#[test]
fn a_wait_whose_time_came_while_nobody_waited_is_over() {
    let project = Project::new();
    project.client(LIMITED);
    let mut driver = project.start(&[]);
    let began = std::time::Instant::now();
    while project.runs().is_empty() || project.records("waiting").is_empty() {
        assert!(began.elapsed().as_secs() < 30, "no wait");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    driver.kill().unwrap();
    driver.wait().unwrap();
    // Three hours later, by every record of it.
    let path = project.journal(&project.only_run());
    let mut records = decode(&std::fs::read(&path).unwrap()).unwrap().records;
    for record in &mut records {
        record.stamp.t = add(record.stamp.t, -3 * HOUR_MS);
        if let overnight_run::Event::Waiting(waiting) = &mut record.event {
            waiting.until = add(waiting.until, -3 * HOUR_MS);
        }
        if let overnight_run::Event::Outcome(outcome) = &mut record.event {
            outcome.resets_at = outcome.resets_at.map(|at| at - 3 * HOUR_MS / 1_000);
        }
    }
    std::fs::write(path, records.iter().map(encode).collect::<String>()).unwrap();
    project.client(
        r#"printf '{"type":"result","is_error":false,"result":"<DONE>ok</DONE>","session_id":"s","total_cost_usd":0.1,"terminal_reason":"completed"}\n'"#,
    );
    let run = project.only_run();
    project.run(&["--resume", &run]).success();
    assert_eq!(project.records("outcome").len(), 2);
}
