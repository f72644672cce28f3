//! Who works is asked once: locks and samples know the same agent.

use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// Who holds a lease that is taken in this environment.
fn holder(environment: &[(&str, &str)], flag: Option<&str>) -> String {
    let project = Project::new();
    let mut command = project.command(cargo_bin!("task-lock"));
    command.args(["acquire", "t1", "--remote", "none", "--json"]);
    command.args(flag.iter().flat_map(|name| ["--agent", name]));
    let done = command.envs(environment.iter().copied()).output().unwrap();
    let answer: Value = serde_json::from_slice(&done.stdout).unwrap();
    answer["agent"].as_str().unwrap().to_owned()
}

/// The sample of a hundred tests that is drawn in this environment.
fn sample(environment: &[(&str, &str)], flag: Option<&str>) -> String {
    let project = Project::new();
    let mut command = project.command(cargo_bin!("sample-tests"));
    command.args(flag.iter().flat_map(|name| ["--agent", name]));
    let mut child = command
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let list = (0..100)
        .map(|id| format!("test_{id}\n"))
        .collect::<Vec<_>>()
        .concat();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(list.as_bytes())
        .unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn locks_and_samples_know_the_same_agent_by_flag_name_run_and_session() {
    let session = ("CLAUDE_CODE_SESSION_ID", "5e55");
    let other = ("CLAUDE_CODE_SESSION_ID", "5e56");
    let run = ("OVERNIGHT_RUN", "20261121-000000-0000");
    let member = ("OVERNIGHT_MEMBER", "2");
    let named = ("AGENT_ID", "a1");
    for (environment, flag, name) in [
        (vec![session, run, named], Some("b1"), "b1"),
        (vec![session, run, named], None, "a1"),
        (
            vec![session, run, member],
            None,
            "agent-20261121-000000-0000-2",
        ),
        (vec![session, run], None, "agent-20261121-000000-0000"),
        (vec![session], None, "session-5e55"),
    ] {
        assert_eq!(holder(&environment, flag), name);
        let drawn = sample(&environment, flag);
        assert_eq!(drawn, sample(&[], Some(name)), "{name}");
        assert_eq!(drawn, sample(&environment, flag), "the same one again");
    }
    // Each iteration of a run has a session of its own, and is the same agent.
    assert_eq!(sample(&[session, run], None), sample(&[other, run], None));
    assert_ne!(sample(&[session], None), sample(&[other], None));
}
