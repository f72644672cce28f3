//! How a night begins, and what it shares with others from then on.

use crate::members;
use crate::night::{forge, on_main, request};
use crate::project::Project;
use crate::shared::Session;
use crate::steer::prompt;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;
use std::process::Stdio;

#[test]
fn a_run_that_was_refused_before_it_began_is_under_way_no_longer() {
    let project = on_main();
    std::fs::write(project.path("tasks.json"), members::list(&[("a", &[])])).unwrap();
    let run = ["run", "Do it", "--no-pr", "--agent", "command:true"];
    project
        .overnight(&run)
        .code(77)
        .stderr(contains("tasks.json"));
    let said = project
        .overnight(&["status", "--json"])
        .get_output()
        .stdout
        .clone();
    let said: Value = serde_json::from_slice(&said).unwrap();
    assert_eq!(said["state"], "stopped", "{said}");
    assert!(
        said["summary"]
            .as_str()
            .unwrap()
            .contains("could not begin"),
        "{said}"
    );
    // It begins once it may.
    project.overnight(&["trust", "tasks.json"]).success();
    let agent = "command:mkdir -p out; echo x > out/a; echo '<DONE>a</DONE>'";
    project
        .overnight(&["resume", "--no-pr", "--agent", agent])
        .success();
}

#[test]
fn a_goal_that_nobody_wrote_is_none() {
    let project = on_main();
    std::fs::remove_file(project.path("AGENT_PROMPT.md")).unwrap();
    project.overnight(&["init", "--yes"]).success();
    project
        .overnight(&["rehearse", "--agent", "command:true"])
        .code(77)
        .stdout(contains("nothing is said in it yet"));
    project
        .overnight(&["run", "--agent", "command:true"])
        .code(65)
        .stderr(contains("write there what is to be done"));
    assert_eq!(project.runs().len(), 0);
    // With a list there is something to do.
    std::fs::write(project.path("tasks.json"), members::list(&[("a", &[])])).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    let agent = "command:mkdir -p out; echo x > out/a; echo '<DONE>a</DONE>'";
    project
        .overnight(&["run", "--no-pr", "--agent", agent])
        .success();
}

/// A project whose list is committed.
fn listed(tasks: &[(&str, &[&str])]) -> Project {
    let project = on_main();
    std::fs::write(project.path("tasks.json"), members::list(tasks)).unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "the list"]);
    project.overnight(&["trust", "tasks.json"]).success();
    project
}

/// An agent that writes down what it works on, and does it.
fn worker(project: &Project) -> String {
    format!(
        "command:mkdir -p out; echo $OVERNIGHT_TASK >> {}; sleep 0.05; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'",
        project.meeting("worked").display()
    )
}

fn worked(project: &Project) -> Vec<String> {
    let text = std::fs::read_to_string(project.meeting("worked")).unwrap_or_default();
    let mut worked: Vec<String> = text.lines().map(str::to_owned).collect();
    worked.sort();
    worked
}

#[test]
fn two_nights_share_a_list_that_git_holds() {
    let ids = ["t0", "t1", "t2", "t3", "t4"];
    let project = listed(&ids.map(|id| (id, &[][..])));
    let agent = worker(&project);
    let words = |at: usize| project.home().join(format!("driver-{at}"));
    let mut drivers = [0, 1].map(|at| {
        let said = std::fs::File::create(words(at)).unwrap();
        let mut command = project.command(cargo_bin!("overnight"));
        command.args(["run", "Do them", "--no-pr", "--agent", &agent]);
        command.stdout(said.try_clone().unwrap()).stderr(said);
        command.spawn().unwrap()
    });
    for (at, driver) in drivers.iter_mut().enumerate() {
        let ended = driver.wait().unwrap().code();
        let said = std::fs::read_to_string(words(at)).unwrap();
        assert_eq!(ended, Some(0), "{said}");
    }
    assert_eq!(worked(&project), ids);
    for run in project.runs() {
        project.overnight(&["replay", &run]).success();
    }
    // Both are over: what another night begins later finds nothing of them on its own branch.
    project
        .overnight(&["run", "Do them again", "--no-pr", "--agent", &agent])
        .success();
    assert_eq!(worked(&project).len(), 2 * ids.len());
}

#[test]
fn a_session_and_a_night_at_once_keep_to_their_trees_and_share_the_list() {
    let project = listed(&[("a", &[]), ("b", &[])]);
    let session = Session::new(&project, "s1");
    let mine = session.flow();
    let began = project.meeting("began");
    let agent = format!(
        "command:echo $OVERNIGHT_TASK > {0}; while [ ! -e {0}.go ]; do sleep 0.02; done; mkdir -p out; echo night > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'",
        began.display()
    );
    let mut command = project.command(cargo_bin!("overnight"));
    command.args(["run", "Do them", "--no-pr", "--agent", &agent]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut driver = command.spawn().unwrap();
    let read = || std::fs::read_to_string(&began).unwrap_or_default();
    while read().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let theirs = read();
    assert_ne!(theirs.trim(), mine);
    std::fs::write(began.with_extension("go"), "").unwrap();
    // The other task is the night's: the session waits for it, and gets no other one.
    let told = session.done(&mine);
    assert!(!told.to_string().contains(", task "), "{told}");
    assert!(driver.wait().unwrap().success());
    assert!(project.path(&format!("out/{mine}")).exists());
    assert!(!project.path(&format!("out/{}", theirs.trim())).exists());
}

#[test]
fn a_remote_beside_the_project_is_pushed_to_from_the_nights_own_tree() {
    let project = on_main();
    forge(&project);
    project.git(&["init", "-q", "--bare", "../home/origin.git"]);
    project.git(&["remote", "set-url", "origin", "../home/origin.git"]);
    project
        .overnight(&[
            "run",
            "Make it",
            "--agent",
            "command:echo x > made; echo '<DONE>ok</DONE>'",
        ])
        .success()
        .stderr(contains("pull request (draft)"));
    let heads = project.git_out(&["ls-remote", "--heads", "origin"]);
    assert!(heads.contains(request(&project, "head").trim()), "{heads}");
}

#[test]
fn a_member_hears_what_is_told_while_it_works_and_one_that_begins_later_too() {
    let project = listed(&[("a", &[]), ("b", &["a"])]);
    let agent = format!(
        "command:cat > {0}$OVERNIGHT_TASK.$OVERNIGHT_ATTEMPT; [ $OVERNIGHT_TASK$OVERNIGHT_ATTEMPT != a1 ] || sleep 600; mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'",
        project.meeting("").display()
    );
    let mut command = project.command(cargo_bin!("overnight"));
    command.args([
        "run",
        "Do them",
        "--no-pr",
        "--members",
        "1",
        "--agent",
        &agent,
    ]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    prompt(&project, "a.1");
    project
        .overnight(&["tell", "--task", "b", "only for b"])
        .success();
    project
        .overnight(&["tell", "--now", "use the other library"])
        .success();
    assert!(run.wait().unwrap().success());
    let again = prompt(&project, "a.2");
    assert!(again.contains("use the other library"), "{again}");
    assert!(!again.contains("only for b"), "{again}");
    let later = prompt(&project, "b.1");
    assert!(
        later.contains("use the other library") && later.contains("only for b"),
        "{later}"
    );
    let told = project.records("told");
    assert_eq!(told.len(), 2);
    project
        .overnight(&["replay", &project.only_run()])
        .success();
}

#[test]
fn a_task_is_held_and_a_changed_list_taken_over_by_a_run_with_members() {
    let project = listed(&[("a", &[]), ("b", &[])]);
    let began = project.meeting("began");
    let agent = format!(
        "command:echo $OVERNIGHT_TASK >> {0}; [ $OVERNIGHT_TASK != a ] || while [ ! -e {0}.go ]; do sleep 0.02; done; mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'",
        began.display()
    );
    let mut command = project.command(cargo_bin!("overnight"));
    command.args([
        "run",
        "Do them",
        "--no-pr",
        "--members",
        "1",
        "--agent",
        &agent,
    ]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    while !began.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let list = members::list(&[("a", &[]), ("b", &[]), ("c", &[])]);
    std::fs::write(project.path("tasks.json"), list).unwrap();
    project.overnight(&["trust", "tasks.json"]).success();
    project.overnight(&["tell", "--hold", "b"]).success();
    let taken = || project.records("tasks_changed").len() + project.records("told").len();
    while taken() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::fs::write(began.with_extension("go"), "").unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    let worked = std::fs::read_to_string(&began).unwrap();
    assert_eq!(worked, "a\nc\n");
    project
        .overnight(&["status"])
        .code(1)
        .stdout(contains("b").and(contains("held")));
}
