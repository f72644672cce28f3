//! `--review`: a fresh agent reads what the gates let through. It can refuse, and proves nothing.

use crate::project::Project;
use predicates::str::contains;

/// A client that answers each question with the next line of `answers`, and keeps what it was asked.
const REVIEWER: &str = r#"n=$(($(cat "$HOME/.cache/n" 2>/dev/null || echo 0) + 1)); echo $n > "$HOME/.cache/n"
cat > "$HOME/.cache/asked-$n"; echo "$*" > "$HOME/.cache/words-$n"; pwd > "$HOME/.cache/where-$n"
answer=$(sed -n "${n}p" "$HOME/.cache/answers")
printf '{"type":"system","subtype":"init","session_id":"s"}\n{"type":"result","subtype":"success","session_id":"s","total_cost_usd":0.25,"usage":{"input_tokens":10,"output_tokens":5},"result":"%s"}\n' "$answer""#;

fn project(answers: &[&str]) -> Project {
    let project = Project::new();
    project.client(REVIEWER);
    let escaped: String = answers
        .iter()
        .map(|answer| answer.replace('"', "\\\"") + "\n")
        .collect();
    std::fs::write(project.meeting("answers"), escaped).unwrap();
    project
}

fn reviewed(project: &Project, iterations: &str, gate: &str) -> assert_cmd::assert::Assert {
    let agent = "command:cat > $HOME/.cache/prompt-$OVERNIGHT_ITERATION; echo \"$OVERNIGHT_ITERATION\" >> b.txt; printf '<DONE>ok</DONE>\\n'";
    project.run(&[
        "--agent",
        agent,
        "--gate",
        gate,
        "--review",
        "Is every number written?",
        "--max-iterations",
        iterations,
    ])
}

const NO: &str =
    r#"{"accept":false,"objections":[{"file":"b.txt","line":1,"why":"a number is missing"}]}"#;

#[test]
fn a_refusal_goes_to_the_next_iteration_and_twice_at_most_then_it_stands_in_the_report() {
    let project = project(&[NO, NO, NO]);
    reviewed(&project, "5", "test -s b.txt").success();
    let read = |name: &str| std::fs::read_to_string(project.meeting(name)).unwrap();
    assert!(read("asked-1").contains("Is every number written?"));
    assert!(read("asked-1").contains("> +1"), "{}", read("asked-1"));
    assert!(read("words-1").contains("--tools Read,Grep,Glob"));
    assert!(read("where-1").contains("/rooms/"));
    assert!(read("prompt-2").contains("the reviewer: b.txt:1: a number is missing"));
    let verdicts = project.records("judged");
    let decided: Vec<&str> = verdicts
        .iter()
        .map(|record| record["verdict"]["decision"].as_str().unwrap())
        .collect();
    assert_eq!(decided, ["incomplete", "incomplete", "complete"]);
    let run = project.only_run();
    for form in [&["report"][..], &["report", "--json"]] {
        project
            .overnight(&[form, &[&run]].concat())
            .stdout(contains("a number is missing"));
    }
    let status = project.overnight(&["status", &run, "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&status.get_output().stdout).unwrap();
    assert!(json["night"]["cost"].to_string().contains("0.75"), "{json}");
    project
        .overnight(&["replay", &run])
        .success()
        .stdout(contains("all as recorded"));
}

#[test]
fn a_yes_does_not_prove_what_a_gate_refutes() {
    let project = project(&[r#"{"accept":true}"#]);
    reviewed(&project, "1", "false").code(1);
    assert!(!project.meeting("asked-1").exists());
}

#[test]
fn an_answer_that_cannot_be_read_is_asked_for_again_twice_and_refuses_nothing() {
    let project = project(&["yes, fine", "[]", r#"{"accept":"true"}"#]);
    reviewed(&project, "1", "test -s b.txt").success();
    let second = std::fs::read_to_string(project.meeting("asked-2")).unwrap();
    assert!(second.contains("could not be read"), "{second}");
    assert!(!project.meeting("asked-4").exists());
    let run = project.only_run();
    project
        .overnight(&["report", &run])
        .stdout(contains("no review: "));
}
