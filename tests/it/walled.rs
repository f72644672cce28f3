//! The walls around the shells of a session in which a run is armed, as its hooks put them up and take them down.

use crate::project::Project;
use crate::shared::{Session, project};
use overnight_host::process::Identity;
use serde_json::json;
use std::path::PathBuf;
use std::process::Output;

/// The file that is there while they stand.
fn walls(project: &Project) -> PathBuf {
    project.home().join(".local/state/overnight/cells/s1.json")
}

/// A shell of the session, as its client starts one.
fn shell(project: &Project, text: &str) -> Output {
    let mut shell = project.command(assert_cmd::cargo::cargo_bin!("output-filter"));
    shell.args(["shell", "--armed"]).arg(walls(project));
    let shell = shell.args(["--", text]).env("H", project.home());
    shell.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn walls_stand_while_a_run_is_armed_and_nobody_talks_and_nothing_is_left_of_them() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = project(&[("a", &[]), ("b", &[])]);
    let session = Session::new(&project, "s1");
    let free = || {
        said(&shell(
            &project,
            "touch \"$H/mark\" && rm \"$H/mark\" && echo free",
        )) == "free\n"
    };
    assert!(free());
    session.flow();
    assert!(walls(&project).exists() && !free());
    let temporary = said(&shell(&project, "echo $TMPDIR; touch inside $TMPDIR/x"));
    let temporary = PathBuf::from(temporary.trim());
    assert!(project.path("inside").exists() && temporary.join("x").exists());
    session.prompt("what are you doing?");
    assert!(free(), "the person talks");
    session.prompt("continue");
    assert!(!free());
    assert_eq!(
        said(&shell(&project, "ls $TMPDIR/x")).trim(),
        temporary.join("x").to_str().unwrap()
    );
    session.typed("stop");
    assert!(free() && !temporary.exists());
    let left = std::fs::read_dir(walls(&project).parent().unwrap()).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn what_a_session_s_shells_left_running_ends_before_its_claim_is_tried() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = project(&[("a", &[])]);
    let session = Session::new(&project, "s1");
    session.flow();
    // Also what clears its environment.
    let left = ["", "env -i "].map(|bare| {
        let text = format!("{bare}setsid sleep 600 > /dev/null 2>&1 & echo $!");
        let left = said(&shell(&project, &text));
        Identity::of(left.trim().parse().unwrap())
    });
    let mut persons = std::process::Command::new("sleep")
        .arg("600")
        .spawn()
        .unwrap();
    assert!(left.iter().all(|left| left.is_alive()));
    session.stop("INCOMPLETE: more is left");
    assert!(!left.iter().any(|left| left.is_alive()));
    assert!(persons.try_wait().unwrap().is_none());
    persons.kill().unwrap();
    persons.wait().unwrap();
}

#[test]
fn a_person_is_told_where_shells_live_in_no_cell() {
    if !crate::cell::has_cell() {
        return;
    }
    let project = project(&[("a", &[])]);
    let session = Session::new(&project, "s1");
    session.flow();
    // A call that no guard of ours led anywhere: the client began before there was one.
    let event = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t",
        "tool_input": {"command": "ls"}, "tool_response": {"stdout": "x", "stderr": "", "interrupted": false}});
    session.call("output-filter", &["hook"], event);
    let told = session.stop("INCOMPLETE: more is left").to_string();
    assert!(told.contains("live in no cell"), "{told}");
}

#[test]
fn a_cell_that_cannot_be_had_is_said_or_refused() {
    let project = project(&[("a", &[])]);
    let none = [("OVERNIGHT_LANDLOCK", "0")];
    let session = Session::new(&project, "s1").with(&none);
    let told = session.typed("do the list --autonomous").to_string();
    assert!(
        told.contains("live in no cell") && !walls(&project).exists(),
        "{told}"
    );
    let refused = session
        .typed("do the list --autonomous --cell on")
        .to_string();
    assert!(refused.contains("no Landlock"), "{refused}");
}
