//! What a person sees of members: status, live view, report, trace.

use super::project;
use crate::project::Project;
use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long something may take to be seen; a busy machine included.
const WAIT_MAX: Duration = Duration::from_mins(1);
/// Both members begin, and go on when a person lets them.
pub(super) const PATIENT: &str = "command:until [ -e $HOME/.cache/go ]; do sleep 0.02; done; mkdir -p out; echo x > out/$OVERNIGHT_TASK; echo '<DONE>ok</DONE>'";

pub(super) fn three() -> Project {
    project(&[("a", &[]), ("b", &[]), ("c", &["a", "b"])])
}

/// What a command prints, whatever it says with its exit status.
fn said(project: &Project, arguments: &[&str]) -> String {
    let mut command = project.command(cargo_bin!("overnight"));
    let output = command.args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn json(project: &Project, arguments: &[&str]) -> Value {
    serde_json::from_str(&said(project, arguments)).unwrap_or(Value::Null)
}

#[track_caller]
pub(super) fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < WAIT_MAX, "no {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The members of the newest run, once two of them are at work.
pub(super) fn two_at_work(project: &Project) -> Vec<Value> {
    until("two members at work", || {
        let members = json(project, &["status", "--json"])["members"].clone();
        let members = members.as_array()?.clone();
        let working = |member: &&Value| member["state"] == "working" && member["iteration"] == 1;
        (members.iter().filter(working).count() == 2).then_some(members)
    })
}

pub(super) fn let_go(project: &Project, mut driver: Child) {
    std::fs::write(project.path("../home/.cache/go"), "").unwrap();
    assert_eq!(driver.wait().unwrap().code(), Some(0));
}

#[test]
fn each_member_is_seen_at_work_and_in_what_is_told_afterwards() {
    let project = three();
    let driver = project.start(&["--members", "3", "--agent", PATIENT]);
    let members = two_at_work(&project);
    assert_eq!(members.len(), 3, "{members:?}");
    let tasks: Vec<&Value> = members.iter().map(|member| &member["task"]).collect();
    assert_eq!(tasks, [&Value::from("a"), &Value::from("b"), &Value::Null]);
    assert_eq!(members[2]["state"], "free");
    assert_eq!(members[0]["iterations_max"], 15);
    assert!(members[0]["since_ms"].as_u64() > Some(0) && members[0]["agent"] == "member 1");
    let text = said(&project, &["status"]);
    assert!(
        text.contains("3 members, 0 iterations, at most 15 a task")
            && text.contains("member 2: working on b for")
            && text.contains("member 3: free for"),
        "{text}"
    );
    let (lines, run) = (said(&project, &["statusline"]), project.only_run());
    assert!(
        lines.starts_with("overnight 2/3 members · 0/3 done"),
        "{lines}"
    );
    let mut watch = project.command(cargo_bin!("overnight"));
    watch.args(["watch", "--plain"]).stdout(Stdio::piped());
    let watch = watch.spawn().unwrap();
    let_go(&project, driver);
    let watched = watch.wait_with_output().unwrap();
    let watched = String::from_utf8(watched.stdout).unwrap();
    for line in [
        &format!("{run}: member 1 gets a"),
        &format!("{run} member 1: iteration 1 on a begins"),
        &format!("{run} member 2: judged complete"),
        &format!("{run}: b is merged"),
    ] {
        assert!(watched.contains(line.as_str()), "no {line} in\n{watched}");
    }
    told_afterwards(&project);
}

fn told_afterwards(project: &Project) {
    let work = &json(project, &["status", "--json"])["night"]["work"]["by_task"];
    let mut of: Vec<&str> = work
        .as_array()
        .unwrap()
        .iter()
        .map(|of_task| of_task["task"].as_str().expect("each commit is of a task"))
        .collect();
    of.sort_unstable();
    assert_eq!(of, ["a", "b", "c"], "{work}");
    let report = &json(project, &["report", "--json"])["report"];
    let list = |name: &str| report[name].as_array().unwrap().clone();
    assert_eq!((list("stints").len(), list("iterations").len()), (3, 3));
    for line in list("iterations").iter().chain(&list("stints")) {
        assert!(line["member"].as_u64() > Some(0), "{line}");
    }
    let done = |sum: &Value| sum["done"].as_u64().unwrap();
    assert_eq!(list("members").iter().map(done).sum::<u64>(), 3);
    assert_eq!(report["totals"]["iterations"], 3);
    let text = said(project, &["report"]);
    assert!(
        text.contains("| member 1 |") && text.contains("member 1 on a: done after"),
        "{text}"
    );
    project.overnight(&["report", "--html", "r.html"]).success();
    let page = project.read("r.html");
    assert_eq!(
        page.matches("<title id=\"tl").count(),
        list("members").len()
    );
    let trace = json(project, &["trace"]);
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |category: &str| {
        events
            .iter()
            .filter(|event| event["cat"] == category)
            .count()
    };
    assert_eq!(
        (of("task"), of("merge"), of("iteration"), of("attempt")),
        (3, 3, 3, 3)
    );
    let tracks = events.iter().filter(|event| event["name"] == "thread_name");
    let names: Vec<&Value> = tracks.map(|track| &track["args"]["name"]).collect();
    assert_eq!(names[0], "driver");
    assert_eq!(names[1], "member 1");
}
