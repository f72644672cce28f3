//! `run.setup`: what gates need and git ignores is made in every work tree of ours.

use crate::members::list;
use crate::project::Project;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

/// Installs what the lock file says, and tells where that is seen from outside a cell.
const SETUP: &str = "grep -q bad requirements.txt && { echo 'no package named bad'; exit 3; }; mkdir -p deps && cp requirements.txt deps/v && echo \"${OVERNIGHT_CELL:-open} $(cat requirements.txt)\" >> \"$HOME/.cache/ran\"";
const GATE: &str = "grep -q 'a 2' deps/v && grep -qx two work.txt";

/// A project whose dependencies are ignored and not installed.
fn project(lock: &str) -> Project {
    let project = Project::new();
    std::fs::write(project.path(".gitignore"), "deps/\n").unwrap();
    std::fs::write(project.path("requirements.txt"), lock).unwrap();
    std::fs::write(project.path("work.txt"), "one\n").unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "a lock file"]);
    let settings = project.home().join(".config/overnight");
    std::fs::create_dir_all(&settings).unwrap();
    let text = format!("[run]\nsetup = '''{SETUP}'''\n");
    std::fs::write(settings.join("config.toml"), text).unwrap();
    project
}

/// A run in a work tree of its own.
fn run(project: &Project, arguments: &[&str]) -> assert_cmd::assert::Assert {
    project.overnight(&[&["run", "--no-pr"], arguments].concat())
}

/// Where the set-up ran, and with which lock file.
fn ran(project: &Project) -> Vec<String> {
    let text = std::fs::read_to_string(project.meeting("ran")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// In a cell, where the kernel gives one.
fn walled() -> &'static str {
    if overnight_host::cell::level().keeps_files() {
        "gate"
    } else {
        "open"
    }
}

#[test]
fn a_set_up_makes_what_gates_need_and_runs_again_where_a_lock_file_changed() {
    let project = project("a 1\n");
    let agent = "command:cat > /dev/null; grep -q 'a 1' deps/v || exit 1; echo two > work.txt; echo 'a 2' > requirements.txt; printf '<DONE>ok</DONE>\\n'";
    let arguments = ["--agent", agent, "--gate", GATE, "--max-iterations", "1"];
    run(&project, &arguments).success();
    // The run's own tree and the room on the person's own work; then the room on the agent's.
    let inside = format!("{} a 2", walled());
    assert_eq!(ran(&project), ["open a 1", "open a 1", inside.as_str()]);
    assert!(!project.path("deps").exists());
    let run = project.only_run();
    project.overnight(&["verify", &run]).code(0);
}

#[test]
fn a_set_up_that_fails_with_the_agents_lock_file_refutes_the_claim_with_its_lines() {
    let project = project("a 1\n");
    let agent = "command:cat > $HOME/.cache/prompt-$OVERNIGHT_ITERATION; echo two > work.txt; [ $OVERNIGHT_ITERATION = 1 ] && echo bad > requirements.txt || echo 'a 2' > requirements.txt; printf '<DONE>ok</DONE>\\n'";
    let arguments = ["--agent", agent, "--gate", GATE, "--max-iterations", "2"];
    run(&project, &arguments).success();
    let verdicts = project.records("judged");
    let reasons = verdicts[0]["verdict"]["reasons"].to_string();
    assert!(reasons.contains("no package named bad"), "{reasons}");
    let prompt = std::fs::read_to_string(project.meeting("prompt-2")).unwrap();
    assert!(prompt.contains("# Set-up"), "{prompt}");
    assert!(prompt.contains("> set-up"), "{prompt}");
}

#[test]
fn a_set_up_that_fails_at_dusk_is_said_before_the_night() {
    let project = project("bad\n");
    let agent = "command:cat > /dev/null; echo two > work.txt; printf '<DONE>ok</DONE>\\n'";
    let arguments = ["--agent", agent, "--gate", GATE, "--max-iterations", "1"];
    run(&project, &arguments)
        .code(1)
        .stderr(contains("no package named bad"));
    let notes = project.records("baseline")[0]["dusk"]["notes"].to_string();
    assert!(notes.contains("no package named bad"), "{notes}");
    let run = project.only_run();
    project
        .overnight(&["report", &run])
        .stdout(contains("no package named bad"));
    project
        .overnight(&["rehearse", "--gate", GATE])
        .stdout(contains("no package named bad"));
}

#[test]
fn members_are_set_up_too_and_what_they_merge() {
    let project = project("a 1\n");
    let gate = "grep -q 'a 1' deps/v";
    std::fs::write(project.path("tasks.json"), list(&[("a", &[]), ("b", &[])])).unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "the list"]);
    project.overnight(&["trust", "tasks.json"]).success();
    let agent = "command:cat > /dev/null; grep -q 'a 1' deps/v || exit 1; mkdir -p out; echo x > out/$OVERNIGHT_TASK; printf '<DONE>ok</DONE>\\n'";
    project
        .run(&["--members", "2", "--agent", agent, "--gate", gate])
        .success()
        .stdout(contains("completed").and(contains("blocked").not()));
    assert!(ran(&project).iter().all(|line| line.ends_with("a 1")));
}

#[test]
fn init_proposes_the_set_up_of_the_lock_file() {
    let project = Project::new();
    std::fs::write(project.path("package-lock.json"), "{}\n").unwrap();
    project
        .overnight(&["init", "--yes"])
        .success()
        .stdout(contains("\"npm ci\", # from package-lock.json"));
    let rehearsed = project.overnight(&["doctor", "--config"]);
    rehearsed.stdout(contains("run.setup").and(contains("npm ci")));
}
