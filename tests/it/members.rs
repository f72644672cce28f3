//! `overnight run --members` from outside: every task done once, every branch merged, nothing lost.

mod clones;
mod fleet;
mod joined;
mod kept;
mod merging;
mod panes;
mod seen;

use crate::project::{Project, journal_events};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A task list whose tasks write `out/<task>`; `needs` names what each depends on.
pub(crate) fn list(tasks: &[(&str, &[&str])]) -> String {
    let mut text = String::from("{\n");
    for (at, (id, needs)) in tasks.iter().enumerate() {
        let entry = json!({
            "objective": format!("Write out/{id}"),
            "definition_of_done": [format!("test -s out/{id}")],
            "allowed_tools": [],
            "depends_on": needs,
        });
        let comma = if at + 1 < tasks.len() { "," } else { "" };
        writeln!(text, "  {}: {entry}{comma}", json!(id)).unwrap();
    }
    text + "}\n"
}

/// Writes the task's file, and checks that what it depends on is there.
const AGENT: &str = "command:mkdir -p out; echo \"$OVERNIGHT_TASK by $OVERNIGHT_RUN\" > out/$OVERNIGHT_TASK; echo \"<DONE>wrote $OVERNIGHT_TASK</DONE>\"";

/// A project with a trusted list.
fn project(tasks: &[(&str, &[&str])]) -> Project {
    let project = Project::new();
    std::fs::write(project.path("tasks.json"), list(tasks)).unwrap();
    project.git(&["add", "tasks.json"]);
    project.git(&["commit", "-q", "-m", "the list"]);
    project.overnight(&["trust", "tasks.json"]).success();
    project
}

fn statuses(project: &Project) -> BTreeMap<String, String> {
    let list: Value = serde_json::from_str(&project.read("tasks.json")).unwrap();
    let list = list.as_object().unwrap().iter();
    list.map(|(id, task)| {
        (
            id.clone(),
            task["status"].as_str().unwrap_or("todo").to_owned(),
        )
    })
    .collect()
}

#[test]
fn three_members_do_a_list_with_dependencies_and_its_branches_are_merged() {
    let tasks: [(&str, &[&str]); 6] = [
        ("a", &[]),
        ("b", &[]),
        ("c", &["a", "b"]),
        ("d", &["c"]),
        ("e..x", &["a"]),
        ("f", &[]),
    ];
    let project = project(&tasks);
    project
        .run(&["--members", "3", "--agent", AGENT])
        .success()
        .stdout(contains("completed"));
    let run = project.only_run();
    for (id, _) in tasks {
        assert!(project.read(&format!("out/{id}")).starts_with(id));
    }
    assert!(statuses(&project).values().all(|status| status == "done"));
    let events = journal_events(&project.journal(&run));
    let count = |name: &str| events.iter().filter(|event| *event == name).count();
    assert!(count("merging") <= 6, "{events:?}");
    assert_eq!(count("line_proved"), 1, "{events:?}");
    let pattern = format!("refs/heads/auto/{run}/");
    assert_eq!(project.git_out(&["for-each-ref", &pattern]), "");
    project
        .overnight(&["replay", &run])
        .success()
        .stdout(contains("all as recorded"));
    assert_eq!(project.left_over(), Vec::<u32>::new());
    // Nothing but the list's statuses and the progress files has changed in the person's tree.
    let listed = project.git_out(&["status", "--porcelain"]);
    assert_eq!(listed, " M tasks.json\n?? progress/\n");
    let trees = project.git_out(&["worktree", "list"]);
    let others = trees.lines().filter(|line| !line.contains("/rooms/"));
    assert_eq!(others.count(), 1, "{trees}");
}

#[test]
fn a_task_that_stays_undone_is_blocked_and_its_work_is_kept() {
    let tasks: [(&str, &[&str]); 3] = [("good", &[]), ("bad", &[]), ("after", &["bad"])];
    let project = project(&tasks);
    let agent = "command:mkdir -p out; echo $OVERNIGHT_ITERATION >> half.$OVERNIGHT_TASK; [ $OVERNIGHT_TASK = bad ] || echo x > out/$OVERNIGHT_TASK; echo '<DONE>sure</DONE>'";
    project
        .run(&["--members", "2", "--agent", agent])
        .code(1)
        .stdout(contains("blocked").and(contains("bad")));
    let run = project.only_run();
    let kept = project.git_out(&["show", &format!("auto/{run}/bad:half.bad")]);
    assert_eq!(kept, "1\n2\n3\n");
    // Its work tree holds what is merged nowhere: it stays, at that commit.
    let trees = project.git_out(&["worktree", "list", "--porcelain"]);
    let tip = project.git_out(&["rev-parse", &format!("auto/{run}/bad")]);
    assert!(trees.contains(&format!("HEAD {tip}")), "{trees}");
    assert_eq!(statuses(&project)["good"], "done");
    assert_eq!(statuses(&project)["bad"], "blocked");
    project.overnight(&["replay", &run]).success();
}

#[test]
fn an_interrupted_run_with_members_goes_on_where_it_was() {
    let tasks: [(&str, &[&str]); 3] = [("a", &[]), ("b", &[]), ("c", &["a", "b"])];
    let project = project(&tasks);
    let agent = "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; [ -e $HOME/.cache/go ] || { echo x >> $HOME/.cache/began; sleep 600; }; echo '<DONE>ok</DONE>'";
    let mut driver = project.start(&["--members", "2", "--agent", agent]);
    project.wait_for("../home/.cache/began");
    project.signal(&driver, "TERM");
    assert_eq!(driver.wait().unwrap().code(), Some(143));
    assert_eq!(project.left_over(), Vec::<u32>::new());
    std::fs::write(project.path("../home/.cache/go"), "").unwrap();
    project.overnight(&["resume"]).success();
    assert!(statuses(&project).values().all(|status| status == "done"));
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn members_and_agents_of_a_killed_driver_end_and_the_next_one_goes_on() {
    let tasks: [(&str, &[&str]); 3] = [("a", &[]), ("b", &[]), ("c", &["a", "b"])];
    let project = project(&tasks);
    let agent = "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; [ -e $HOME/.cache/go ] || { echo x >> $HOME/.cache/began; setsid sleep 600; }; echo '<DONE>ok</DONE>'";
    let mut driver = project.start(&["--members", "2", "--agent", agent]);
    project.wait_for("../home/.cache/began");
    driver.kill().unwrap();
    driver.wait().unwrap();
    std::fs::write(project.path("../home/.cache/go"), "").unwrap();
    project.overnight(&["resume"]).success();
    assert_eq!(project.left_over(), Vec::<u32>::new());
    assert!(statuses(&project).values().all(|status| status == "done"));
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

/// Both members begin before either ends, so that both branches start from the same commit.
const TOGETHER: &str = "touch $HOME/.cache/began.$OVERNIGHT_TASK; until [ -e $HOME/.cache/began.a ] && [ -e $HOME/.cache/began.b ]; do sleep 0.01; done; ";

fn conflicting() -> Project {
    let project = project(&[("a", &[]), ("b", &[])]);
    std::fs::write(project.path("shared.txt"), "base\n").unwrap();
    project.git(&["add", "shared.txt"]);
    project.git(&["commit", "-q", "-m", "shared"]);
    project
}

#[test]
fn a_conflict_is_given_to_the_agent_with_both_sides_and_then_merged() {
    let project = conflicting();
    let agent = format!(
        "command:{TOGETHER} mkdir -p out; echo x > out/$OVERNIGHT_TASK; \
         sides=$(git rev-parse --git-path overnight); \
         if [ -e $sides/files.txt ]; then cat > $HOME/.cache/told; cat $sides/1.merged $sides/1.work $sides/change.patch > $HOME/.cache/sides; printf 'a\\nb\\n' > shared.txt; git add -A; git commit -qm both; \
         else echo $OVERNIGHT_TASK > shared.txt; fi; echo '<DONE>ok</DONE>'"
    );
    project
        .run(&["--members", "2", "--agent", &agent])
        .success();
    assert_eq!(project.read("shared.txt"), "a\nb\n");
    let sides = project.read("../home/.cache/sides");
    assert!(
        ["a\nb\n", "b\na\n"]
            .iter()
            .any(|both| sides.starts_with(both))
            && sides.contains("-base\n"),
        "{sides}"
    );
    assert!(project.read("../home/.cache/told").contains("> shared.txt"));
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn what_agents_cannot_put_right_is_blocked_and_keeps_the_work() {
    let project = project(&[("a", &[]), ("b", &[])]);
    let gate = "! [ -e out/a ] || ! [ -e out/b ]";
    // A repair begins with the other's work in its tree, and fails there as often as it may.
    project
        .run(&["--members", "2", "--gate", gate, "--agent", AGENT])
        .code(3)
        .stdout(contains("circuit breaker"));
    let statuses = statuses(&project);
    let loser = if statuses["a"] == "done" { "b" } else { "a" };
    let done = statuses.values().filter(|status| *status == "done");
    assert_eq!(done.count(), 1, "{statuses:?}");
    let run = project.only_run();
    let kept = format!("auto/{run}/{loser}:out/{loser}");
    assert!(project.git_out(&["show", &kept]).starts_with(loser));
    project.overnight(&["replay", &run]).success();
}

#[test]
fn a_lost_lease_ends_the_agent_and_keeps_its_work_on_a_side_ref() {
    let project = project(&[("a", &[])]);
    let agent = "command:echo half > half.txt; echo x > $HOME/.cache/began; [ -e $HOME/.cache/go ] || sleep 600; mkdir -p out; echo x > out/a; echo '<DONE>ok</DONE>'";
    let mut driver = project.start(&["--members", "1", "--ttl", "5s", "--agent", agent]);
    project.wait_for("../home/.cache/began");
    // The work must have been seen on disk before the lease goes.
    project.git(&["update-ref", "-d", "refs/overnight/leases/a"]);
    let side = || {
        project.git_out(&[
            "for-each-ref",
            "--format=%(refname)",
            "refs/overnight/lost/",
        ])
    };
    let began = Instant::now();
    while side().is_empty() {
        assert!(began.elapsed() < Duration::from_mins(1), "no side ref");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::write(project.path("../home/.cache/go"), "").unwrap();
    assert_eq!(driver.wait().unwrap().code(), Some(0));
    let kept = side();
    assert!(kept.starts_with("refs/overnight/lost/a/"), "{kept}");
    assert_eq!(
        project.git_out(&["show", &format!("{}:half.txt", kept.trim())]),
        "half\n"
    );
    assert_eq!(project.left_over(), Vec::<u32>::new());
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn a_lease_is_renewed_while_its_agent_works_longer_than_it_lasts() {
    // Time to live and the margin that others leave on top of it.
    const LASTS: Duration = Duration::from_secs(6);
    let project = project(&[("a", &[])]);
    let agent = "command:echo x > $HOME/.cache/began; until [ -e $HOME/.cache/go ]; do sleep 0.02; done; mkdir -p out; echo x > out/a; echo '<DONE>ok</DONE>'";
    let mut driver = project.start(&["--members", "1", "--ttl", "5s", "--agent", agent]);
    project.wait_for("../home/.cache/began");
    let began = Instant::now();
    while began.elapsed() < LASTS * 3 / 2 {
        let mut rival = project.command(assert_cmd::cargo::cargo_bin!("task-lock"));
        rival.args(["acquire", "a", "--agent", "rival", "--remote", "none"]);
        rival.stderr(std::process::Stdio::null());
        assert_eq!(rival.status().unwrap().code(), Some(1));
        std::thread::sleep(Duration::from_millis(100));
    }
    std::fs::write(project.path("../home/.cache/go"), "").unwrap();
    assert_eq!(driver.wait().unwrap().code(), Some(0));
    assert_eq!(statuses(&project)["a"], "done");
}
