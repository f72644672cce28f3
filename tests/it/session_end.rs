//! `session-end`: it answers in time whatever there is to tidy, and gives back what it must.

use crate::project::Project;
use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// Calls the hook; its own deadline of 1.2 s would end it with status 1.
fn end(project: &Project, session: &str) {
    hook(
        project,
        cargo_bin!("session-end"),
        &json!({"session_id": session, "cwd": project.path(""), "hook_event_name": "SessionEnd", "reason": "other"}),
    );
}

fn hook(project: &Project, program: &Path, event: &Value) -> Vec<u8> {
    let command = project.command(program);
    let done = Command::from_std(command)
        .write_stdin(event.to_string())
        .assert()
        .success();
    done.get_output().stdout.clone()
}

fn acquire(project: &Project, more: &[&str]) {
    let mut command = project.command(cargo_bin!("task-lock"));
    command.args(["acquire"]).args(more);
    Command::from_std(command).assert().success();
}

fn until(what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() {
        assert!(started.elapsed() < Duration::from_mins(1), "never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn ten_thousand_logs_are_tidied_after_the_answer() {
    let project = Project::new();
    let logs = project.path("logs");
    std::fs::create_dir(&logs).unwrap();
    for number in 0..10_000 {
        let name = format!("test_20200101T000000_{number:08x}.log");
        std::fs::write(logs.join(name), "").unwrap();
    }
    std::fs::write(logs.join("server.log"), "theirs").unwrap();
    end(&project, "s1");
    // One rotation deletes 2,000 at most: a mistake stays small, and the next session goes on.
    until(|| std::fs::read_dir(&logs).unwrap().count() == 8_001);
    assert!(logs.join("server.log").exists());
}

#[test]
fn a_session_is_signed_in_a_summary_that_git_does_not_hold_and_in_no_other() {
    let project = Project::new();
    let own = "# プロジェクト進捗: shop\n最終更新: 2020-01-01 00:00:00 | セッション: #1\n\n## メモ\n最終更新: mine\n";
    std::fs::create_dir(project.path("progress")).unwrap();
    std::fs::write(project.path("progress/README.md"), own).unwrap();
    end(&project, "0a1b2c3d-e4f5");
    let signed = project.read("progress/README.md");
    let (first, rest) = own
        .split_once("最終更新: 2020-01-01 00:00:00 | セッション: #1")
        .unwrap();
    let line = signed
        .strip_prefix(first)
        .unwrap()
        .strip_suffix(rest)
        .unwrap();
    assert!(
        line.starts_with("最終更新: 20") && !line.contains("2020-01-01"),
        "{signed}"
    );
    assert!(line.ends_with(" | セッション: #0a1b2c3d"), "{signed}");
    assert!(!project.path("progress/completed.md").exists());

    project.overnight(&["off", "--project"]).success();
    end(&project, "ffffffff-0000");
    assert_eq!(project.read("progress/README.md"), signed);
    project.overnight(&["on", "--project"]).success();

    project.git(&["add", "progress"]);
    project.git(&["commit", "-q", "-m", "progress"]);
    end(&project, "ffffffff-0000");
    let status = project.git_out(&["status", "--porcelain"]);
    assert!(!status.contains("progress"), "{status}");
}

#[test]
fn only_the_leases_of_this_session_are_given_back() {
    let project = Project::new();
    acquire(&project, &["mine", "--agent", "session-s1"]);
    acquire(&project, &["theirs", "--agent", "session-s2"]);
    assert!(project.path("current_tasks/mine.txt").exists());
    end(&project, "s1");
    until(|| !project.path("current_tasks/mine.txt").exists());
    assert!(project.path("current_tasks/theirs.txt").exists());
    acquire(&project, &["mine", "--agent", "session-s3"]);
}

#[test]
fn a_session_that_starts_is_told_of_leases_whose_holder_died() {
    let project = Project::new();
    let mut holder = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    let pid = holder.id().to_string();
    acquire(&project, &["orphan", "--agent", "gone", "--pid", &pid]);
    acquire(&project, &["kept", "--agent", "alive"]);
    holder.kill().unwrap();
    holder.wait().unwrap();
    let event = json!({"session_id": "s1", "cwd": project.path(""), "hook_event_name": "SessionStart", "source": "startup"});
    let said = hook(&project, cargo_bin!("session-start"), &event);
    let answer: Value = serde_json::from_slice(&said).unwrap();
    let message = answer["systemMessage"].as_str().unwrap();
    assert!(message.contains("orphan (held by gone)"), "{message}");
    assert!(!message.contains("kept"), "{message}");
    assert!(!project.path("current_tasks/orphan.txt").exists());
    assert!(project.path("current_tasks/kept.txt").exists());
}

#[test]
fn a_detached_run_goes_on_alone_refuses_a_second_driver_and_ends_by_itself() {
    let project = Project::new();
    let agent = "command:echo $OVERNIGHT_ITERATION >> work; until [ -e go ]; do sleep 0.02; done; echo '<DONE>ok</DONE>'";
    let mut start = project.command(cargo_bin!("overnight"));
    start.args(["run", "--here", "--detach", "--agent", agent]);
    Command::from_std(start).assert().success();
    // The starter has ended; the agent is at work.
    until(|| project.path("work").exists());
    let run = project.only_run();
    let mut second = project.command(cargo_bin!("overnight"));
    second.args(["run", "--resume", &run, "--agent", agent]);
    Command::from_std(second).assert().code(75);
    std::fs::write(project.path("go"), "").unwrap();
    let finished = || {
        let journal = std::fs::read_to_string(project.journal(&run));
        journal.is_ok_and(|text| text.contains("\"finished\""))
    };
    until(finished);
}

/// A project with logs of four days ago, each with its own content.
fn old_logs(count: u32) -> (Project, Vec<String>) {
    let project = Project::new();
    let logs = project.path("logs");
    std::fs::create_dir(&logs).unwrap();
    let four_days = 4 * 24 * 60 * 60;
    let day = std::process::Command::new("date")
        .args([
            "-u",
            "-d",
            &format!("-{four_days} seconds"),
            "+%Y%m%dT%H%M%S",
        ])
        .output()
        .unwrap();
    let stamp = String::from_utf8(day.stdout).unwrap();
    let name = |number| format!("test_{}_{number:08x}.log", stamp.trim());
    let names: Vec<String> = (0..count).map(name).collect();
    for name in &names {
        std::fs::write(logs.join(name), content(name)).unwrap();
    }
    (project, names)
}

fn content(name: &str) -> String {
    format!("the whole of {name}\n").repeat(2_000)
}

/// What is kept of a log: itself, or its compressed form; never half of either.
fn kept(project: &Project, name: &str) -> String {
    let plain = project.path("logs").join(name);
    if let Ok(text) = std::fs::read_to_string(&plain) {
        return text;
    }
    let packed = project.path("logs").join(format!("{name}.gz"));
    let done = std::process::Command::new("gzip")
        .args(["-dc"])
        .arg(&packed)
        .output()
        .unwrap();
    assert!(done.status.success(), "{name}: {done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_rotation_killed_at_any_moment_loses_nothing_and_the_next_one_finishes() {
    let (project, names) = old_logs(60);
    let packed = || {
        names
            .iter()
            .filter(|name| !project.path("logs").join(name).exists())
            .count()
    };
    for kill in 0..50_u64 {
        let mut slow = project.command(cargo_bin!("session-end"));
        let mut slow = slow
            .arg("--after=s1")
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Another moment each time, over the whole of what a rotation of these takes.
        std::thread::sleep(Duration::from_millis(kill * 7));
        let _ = slow.kill();
        slow.wait().unwrap();
        for name in &names {
            assert_eq!(kept(&project, name), content(name), "kill {kill}");
        }
    }
    let mut last = project.command(cargo_bin!("session-end"));
    assert!(last.arg("--after=s1").status().unwrap().success());
    assert_eq!(packed(), names.len());
    let left = std::fs::read_dir(project.path("logs")).unwrap();
    let half = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".tmp")
    });
    assert_eq!(half.count(), 0);
}

#[test]
fn on_a_slow_disk_the_answer_comes_in_time_all_the_same() {
    if std::process::Command::new("strace")
        .arg("-V")
        .output()
        .is_err()
    {
        return crate::support::skip("no strace to slow the disk down with");
    }
    let (project, names) = old_logs(200);
    acquire(&project, &["mine", "--agent", "session-s1"]);
    let typed = json!({"session_id": "s1", "cwd": project.path(""), "hook_event_name": "UserPromptExpansion", "command_name": "overnight:flow", "command_args": "the goal --autonomous"});
    hook(&project, cargo_bin!("flow-start"), &typed);
    // Every call that waits for the disk takes 20 ms longer, in the hook and what it leaves behind.
    let calls = "fsync,fdatasync,unlinkat,renameat,renameat2,getdents64";
    let mut strace = project.command("strace");
    strace
        // The tracer steps aside: the hook is our child, as it is the client's.
        .args(["-D", "-f", "-qq", "-o", "/dev/null", "-e"])
        .args([format!("trace={calls}"), "-e".to_owned()])
        .arg(format!("inject={calls}:delay_exit=20000"))
        .arg(cargo_bin!("session-end"))
        .stdin(std::process::Stdio::piped());
    let event = json!({"session_id": "s1", "cwd": project.path(""), "hook_event_name": "SessionEnd", "reason": "other"});
    // Its own deadline of 1.2 s would end it with status 1.
    let mut hook = strace.spawn().unwrap();
    std::io::Write::write_all(
        &mut hook.stdin.take().unwrap(),
        event.to_string().as_bytes(),
    )
    .unwrap();
    assert!(hook.wait().unwrap().success());
    let statistics = || std::fs::read_to_string(project.path(".git/overnight/sessions.jsonl"));
    until(|| statistics().is_ok());
    until(|| !project.path("current_tasks/mine.txt").exists());
    until(|| {
        let logs = project.path("logs");
        names.iter().all(|name| !logs.join(name).exists())
    });
}
