//! `overnight join`: clones that stand on a branch of the person's share one line and one list.

use super::project;
use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use predicates::str::contains;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const AGENT: &str = "command:mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo $OVERNIGHT_TASK >> $HOME/.cache/begun; \
     echo '<DONE>ok</DONE>'";

/// The project on `trunk` with a remote, and a second clone of that: the remote's name and the clone.
pub(super) fn cloned(project: &Project) -> (String, PathBuf) {
    project.git(&["branch", "-q", "-m", "trunk"]);
    let remote = project.path("../remote.git");
    let name = remote.to_str().unwrap();
    project.git(&["clone", "-q", "--bare", ".", name]);
    project.git(&["remote", "add", "origin", name]);
    // A project may be called as a member's work tree is.
    let other = project.path("../m1");
    project.git(&["clone", "-q", name, other.to_str().unwrap()]);
    (name.to_owned(), other)
}

#[test]
fn clones_that_join_do_each_task_once_on_one_line_and_leave_the_branch_that_they_stand_on() {
    let tasks: Vec<String> = (0..8).map(|at| format!("t{at}")).collect();
    let tasks: Vec<(&str, &[&str])> = tasks.iter().map(|id| (id.as_str(), &[][..])).collect();
    let project = project(&tasks);
    let (name, other) = cloned(&project);
    project.overnight_in(&other, &["trust"]).success();
    let before = project.git_out(&["rev-parse", "trunk"]);
    let join = |folder: &Path| -> Child {
        let mut command = project.command(cargo_bin!("overnight"));
        let log = std::fs::File::create(folder.with_extension("log")).unwrap();
        command
            .args(["join", "--members", "2", "--no-pr", "--agent", AGENT])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        command.spawn().unwrap()
    };
    let folders = [project.path(""), other];
    let children: Vec<Child> = folders.iter().map(|folder| join(folder)).collect();
    for (mut child, folder) in children.into_iter().zip(&folders) {
        let ended = child.wait().unwrap();
        let told = std::fs::read_to_string(folder.with_extension("log")).unwrap();
        let sound = !told.contains("cannot be worked on") && !told.contains("kept, with work");
        assert!(ended.success() && sound, "{told}");
    }
    let git_dir = format!("--git-dir={name}");
    let listed = project.git_out(&[&git_dir, "ls-tree", "-r", "--name-only", "auto/trunk"]);
    for (id, _) in &tasks {
        assert!(listed.contains(&format!("out/{id}")), "{listed}");
    }
    let begun = std::fs::read_to_string(project.home().join(".cache/begun")).unwrap();
    assert_eq!(begun.lines().count(), tasks.len(), "{begun}");
    assert_eq!(project.git_out(&["rev-parse", "trunk"]), before);

    // Each machine tells the whole night, and so does a clone that never joined.
    let third = project.path("../third");
    project.git(&["clone", "-q", &name, third.to_str().unwrap()]);
    for folder in folders.iter().chain([&third]) {
        let told = super::fleet::night(&project, folder);
        assert_eq!(
            (&told["ending"], &told["done"]["proved"]),
            (&json!("done"), &json!(8)),
            "{told}"
        );
        let machines = told["machines"].as_array().unwrap();
        let done = machines.iter().map(|one| one["done"].as_u64().unwrap());
        assert_eq!((machines.len(), done.sum::<u64>()), (2, 8), "{told}");
        let mut tasks = told["tasks"].as_array().unwrap().iter();
        assert!(tasks.all(|task| task["machine"].is_string()), "{told}");
    }
}

/// How often a merge came to an answer in the only run, once it has begun.
fn answers(project: &Project) -> usize {
    let runs = project.runs();
    let journal = runs.first().map(|run| project.journal(run));
    let text = journal.and_then(|path| std::fs::read_to_string(path).ok());
    text.map_or(0, |text| text.matches("\"merge_ended\"").count())
}

#[test]
fn who_has_the_lease_of_the_queue_lands_and_when_it_dies_the_next_goes_on() {
    let project = project(&[("a", &[])]);
    let (name, other) = cloned(&project);
    let queue = overnight_run::members::line::queue("auto/trunk");
    let mut dead = project.command("sleep").arg("600").spawn().unwrap();
    let mut take = project.command(cargo_bin!("task-lock"));
    take.args(["acquire", &queue, "--agent", "machine-2"])
        .env("OVERNIGHT_OWNER_PID", dead.id().to_string())
        .current_dir(&other);
    assert!(take.status().unwrap().success());
    let log = project.path("../join.log");
    let mut join = project.command(cargo_bin!("overnight"));
    join.args(["join", "--no-pr", "--agent", AGENT])
        .env("LOCK_TTL_SECONDS", "5")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&log).unwrap());
    let mut join = join.spawn().unwrap();
    let told = |what: &str| std::fs::read_to_string(&log).unwrap().contains(what);
    // Its turn was refused more than once.
    while answers(&project) < 2 {
        assert!(
            join.try_wait().unwrap().is_none(),
            "it ended without its turn"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    // However long it waits, its lease is no other machine's.
    let lease = || {
        let mut status = project.command(cargo_bin!("task-lock"));
        let output = status.args(["status", "a", "--json"]).output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let first = lease();
    let began = Instant::now();
    while lease()["renewed_at"] == first["renewed_at"] {
        assert!(began.elapsed() < Duration::from_secs(20), "{first}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(lease()["token"], first["token"]);
    let git_dir = format!("--git-dir={name}");
    let line = || project.git_out(&[&git_dir, "for-each-ref", "refs/heads/auto/trunk"]);
    assert_eq!(line(), "", "another machine has its turn");
    dead.kill().unwrap();
    dead.wait().unwrap();
    assert!(join.wait().unwrap().success());
    assert!(told("a is merged"));
    assert_ne!(line(), "");
    let mut status = project.command(cargo_bin!("task-lock"));
    let status = status.args(["status", &queue]).output().unwrap();
    let said = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(said.contains("free"), "{said}");
}

#[test]
fn who_joins_needs_a_remote_and_a_list_that_a_person_has_read() {
    let project = project(&[("a", &[])]);
    project
        .overnight(&["join", "--agent", AGENT])
        .code(64)
        .stderr(contains("no remote \"origin\""));
    project.git(&["remote", "add", "origin", "../remote.git"]);
    std::fs::write(project.path("tasks.json"), super::list(&[("b", &[])])).unwrap();
    project
        .overnight(&["join", "--agent", AGENT])
        .code(77)
        .stderr(contains("overnight trust"));
    assert!(project.runs().is_empty());
}

#[test]
fn the_job_of_a_fleet_is_written_once_and_holds_no_login() {
    let project = project(&[("a", &[])]);
    let url = "https://me:secret@example.com/a.git";
    project.git(&["remote", "add", "origin", url]);
    for (engine, file) in [
        ("github-actions", ".github/workflows/overnight-fleet.yml"),
        ("kubernetes", "fleet/job.yaml"),
        ("slurm", "fleet/fleet.sbatch"),
        ("ssh", "fleet/start.sh"),
    ] {
        let init = ["fleet", "init", "--on", engine, "--machines", "3"];
        project.overnight(&init).success().stdout(contains(file));
        let text = project.read(file);
        assert!(
            text.contains("overnight") && !text.contains("secret@"),
            "{text}"
        );
        std::fs::write(project.path(file), "mine\n").unwrap();
        project.overnight(&init).success();
        assert_eq!(project.read(file), "mine\n");
    }
    for script in ["fleet/machine.sh", "fleet/fleet.sbatch", "fleet/start.sh"] {
        let _ = std::fs::remove_file(project.path(script));
    }
    project
        .overnight(&["fleet", "init", "--on", "slurm"])
        .success();
    project
        .overnight(&["fleet", "init", "--on", "ssh"])
        .success();
    project
        .overnight(&["fleet", "init", "--on", "kubernetes"])
        .success();
    for script in ["fleet/machine.sh", "fleet/fleet.sbatch", "fleet/start.sh"] {
        let path = project.path(script);
        let checked = project.command("bash").arg("-n").arg(path).status();
        assert!(checked.unwrap().success(), "{script}");
    }
}
