//! The desk in a terminal, and where there is none.

use crate::night::{forge, on_main, request};
use crate::project::Project;
use crate::tmux::Tmux;
use assert_cmd::cargo::cargo_bin;
use predicates::str::contains;

/// Each task writes a file of its own, and is done by its word.
const AGENT: &str =
    "command:echo $OVERNIGHT_TASK > $OVERNIGHT_TASK.txt; echo '<DONE>it is written</DONE>'";

fn night(project: &Project) {
    let task = |objective: &str| serde_json::json!({"objective": objective, "definition_of_done": ["It is written."], "allowed_tools": [], "status": "todo"});
    let tasks = serde_json::json!({"_thought": "two", "one": task("writes one"), "two": task("writes two")});
    std::fs::write(project.path("tasks.json"), tasks.to_string()).unwrap();
    let agent = AGENT.replace("it is written", "it is written\n- [x] 1: it is");
    project
        .overnight(&["run", "Write", "--agent", &agent, "--no-pr"])
        .success();
}

#[test]
fn a_task_goes_back_with_a_comment_another_is_taken_out() {
    let project = Project::new();
    night(&project);
    let run = project.only_run();
    project
        .overnight(&["review"])
        .success()
        .stdout(contains("DESK"))
        .stdout(contains("2 of 2 hunks not read"));
    let overnight = cargo_bin!("overnight").display().to_string();
    let script = format!("'{overnight}' review; echo over $?; sleep 60");
    let Some(terminal) = Tmux::start(&project, &script) else {
        return;
    };
    terminal.wait("desk", |screen| screen.contains("> one done"));
    terminal.press("Enter");
    terminal.wait("hunk", |screen| {
        screen.contains("HUNK 1 of 1 of one") && screen.contains("+one")
    });
    for keys in ["c", "too short", "Enter"] {
        terminal.press(keys);
    }
    terminal.wait("comment", |screen| {
        screen.contains("kept: one.txt: too short")
    });
    terminal.press("a");
    terminal.wait("read hunk", |screen| screen.contains("1 of 2 hunks"));
    for keys in ["b", "write more", "Enter"] {
        terminal.press(keys);
    }
    terminal.wait("task sent back", |screen| screen.contains("one goes back"));
    terminal.wait("open task", |screen| screen.contains("> one not finished"));
    for key in ["Down", "u"] {
        terminal.press(key);
    }
    terminal.wait("question", |screen| {
        screen.contains("take out what two changed")
    });
    terminal.press("y");
    // Its work is gone: nothing calls it done any more.
    terminal.wait("undo", |screen| {
        screen.contains("is without two now") && screen.contains("two not finished: you took out")
    });
    terminal.press("q");
    terminal.wait("end", |screen| screen.contains("over 0"));
    taken_and_sent(&project, &run);
}

/// What the desk did stands on the branch, in the journal and in the next prompt.
fn taken_and_sent(project: &Project, run: &str) {
    let branch = project.git_out(&["ls-tree", "--name-only", "auto/test"]);
    assert!(
        branch.contains("one.txt") && !branch.contains("two.txt"),
        "{branch}"
    );
    let back = &project.records("sent_back")[0];
    assert_eq!(
        back["comments"],
        serde_json::json!(["one.txt: too short", "write more"])
    );
    assert_eq!(project.records("sent_back")[1]["task"], "two");
    let prompt = project.meeting("prompt");
    let agent = format!("command:cat > {}; echo more >> one.txt", prompt.display());
    let resume = [
        "run",
        "--resume",
        run,
        "--agent",
        &agent,
        "--max-iterations",
        "3",
        "--no-pr",
    ];
    project.overnight(&resume).code(1);
    let prompt = std::fs::read_to_string(prompt).unwrap();
    assert!(
        prompt.contains("Your task now: one") && prompt.contains("too short"),
        "{prompt}"
    );
}

#[test]
fn what_was_taken_out_is_out_of_the_pull_request_when_it_opens_for_review() {
    let project = on_main();
    forge(&project);
    project
        .overnight(&[
            "run",
            "Write",
            "--agent",
            "command:echo one > one.txt; echo '<DONE>it is</DONE>'",
        ])
        .success();
    let told = || {
        let status = project.overnight(&["status"]).get_output().stdout.clone();
        String::from_utf8(status).unwrap()
    };
    assert!(!told().contains("not pushed"), "{}", told());
    let overnight = cargo_bin!("overnight").display().to_string();
    let Some(terminal) = Tmux::start(&project, &format!("'{overnight}' review; sleep 60")) else {
        return;
    };
    terminal.wait("desk", |screen| screen.contains("> main done"));
    for key in ["u", "y"] {
        terminal.press(key);
    }
    terminal.wait("undo", |screen| screen.contains("is without main now"));
    let behind =
        "not pushed: the pull request is without the newest commits: git push origin auto/";
    assert!(told().contains(behind), "{}", told());
    for key in ["r", "y"] {
        terminal.press(key);
    }
    terminal.wait("review", |screen| screen.contains("is open for review"));
    let branch = request(&project, "head");
    let of = |place: &str| project.git_out(&["rev-parse", &format!("{place}/{}", branch.trim())]);
    assert_eq!(of("refs/remotes/origin"), of("refs/heads"));
    assert!(!told().contains("not pushed"), "{}", told());
}
