//! The same cheats through every door: the driver's, a session's, a member's.

use crate::project::Project;
use crate::terminal;
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::path::PathBuf;

const GATE: &str = "python3 -m unittest discover -s tests -t .";
const CLAIM: &str = "<DONE>f gives 2</DONE>";

/// What an agent does to have a red test pass, and whether that is honest.
const WORK: [(&str, &str, bool); 3] = [
    ("the work", "sed -i 's/return 1/return 2/' a.py", true),
    (
        "a weaker test",
        "sed -i 's/f(), 2/f(), 1/' tests/test_a.py; echo >> a.py",
        false,
    ),
    (
        "a module in the runner's place",
        "printf 'import sys\\nprint(\"Ran 1 test in 0.0s\\\\n\\\\nOK\")\\nsys.exit(0)\\n' > unittest.py",
        false,
    ),
];

/// A project whose only test is red, and whose only task is to turn it green.
fn project() -> Project {
    let test = "import unittest\nfrom a import f\n\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(), 2)\n";
    let files = [
        ("a.py", "def f():\n    return 1\n"),
        ("tests/__init__.py", ""),
        ("tests/test_a.py", test),
    ];
    project_of(GATE, &files)
}

fn project_of(gate: &str, files: &[(&str, &str)]) -> Project {
    let project = Project::new();
    let tasks = json!({"f": {"objective": "f gives 2", "definition_of_done": [format!("$ {gate}")], "allowed_tools": [], "status": "todo"}});
    std::fs::write(project.path("tasks.json"), tasks.to_string()).unwrap();
    for folder in ["tests", "data", "examples"] {
        std::fs::create_dir(project.path(folder)).unwrap();
    }
    for (path, text) in files {
        std::fs::write(project.path(path), text).unwrap();
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "a red test"]);
    project.overnight(&["trust", "tasks.json"]).success();
    project
}

/// Is the claim believed by `overnight run`, with more options?
fn by_driver(work: &str, more: &[&str]) -> bool {
    by_driver_in(&project(), work, more)
}

fn by_driver_in(project: &Project, work: &str, more: &[&str]) -> bool {
    let agent = format!("command:cat > /dev/null; {work}; printf '{CLAIM}\\n'");
    let one = ["--agent", agent.as_str(), "--max-iterations", "1"];
    let done = project.run(&[&one[..], more].concat());
    let code = done.get_output().status.code();
    assert!(matches!(code, Some(0 | 1)), "{code:?}");
    let list: Value = serde_json::from_str(&project.read("tasks.json")).unwrap();
    assert_eq!(list["f"]["status"] == "done", code == Some(0));
    code == Some(0)
}

/// Is it believed by a session's Stop hook?
fn by_session(work: &str) -> bool {
    let project = project();
    let hook = |binary: PathBuf, mut event: Value| -> Value {
        event["session_id"] = json!("s1");
        event["cwd"] = json!(project.path(""));
        let mut command = assert_cmd::Command::from_std(project.command(binary));
        let done = command.write_stdin(event.to_string()).assert().success();
        serde_json::from_slice(&done.get_output().stdout).unwrap()
    };
    let typed = json!({"hook_event_name": "UserPromptExpansion", "command_name": "overnight:flow",
        "command_source": "plugin", "command_args": "--autonomous --max-iterations 1"});
    hook(cargo_bin!("flow-start").to_owned(), typed);
    let status = project.command("/bin/sh").args(["-c", work]).status();
    assert!(status.unwrap().success());
    let stop =
        json!({"hook_event_name": "Stop", "last_assistant_message": CLAIM, "background_tasks": []});
    hook(cargo_bin!("stop-gate").to_owned(), stop);
    let judged = project.records("judged");
    assert_eq!(judged.len(), 1);
    judged[0]["verdict"]["standing"] == "proved"
}

#[test]
fn honest_work_is_proved_and_cheats_are_refused_through_every_door() {
    for (name, work, honest) in WORK {
        assert_eq!(by_driver(work, &[]), honest, "{name}, the driver");
        assert_eq!(by_session(work), honest, "{name}, a session");
        let members = ["--members", "2"];
        assert_eq!(by_driver(work, &members), honest, "{name}, a member");
    }
}

#[test]
fn what_prints_the_file_that_it_is_compared_with_is_refused() {
    for (work, honest) in [("tr a-z A-Z", true), ("cat tests/o*d", false)] {
        let files = [
            ("loud.sh", "cat\n"),
            (
                "check.sh",
                "sh loud.sh < tests/one.in | diff - tests/one.expected\n",
            ),
            ("tests/one.in", "quick fox\n"),
            ("tests/one.expected", "QUICK FOX\n"),
        ];
        let project = project_of("sh check.sh", &files);
        let work = format!("echo '{work}' > loud.sh");
        assert_eq!(by_driver_in(&project, &work, &[]), honest, "{work}");
    }
}

#[test]
fn a_script_that_is_taken_in_changes_nothing_of_what_the_gates_commands_do() {
    let work = "days() { case $1 in 2) echo 28 ;; *) echo 31 ;; esac; }";
    for (work, honest) in [
        (work, true),
        ("set +e; days() { echo 31; }", false),
        ("diff() { :; }; days() { echo 31; }", false),
    ] {
        let files = [
            ("days.sh", "days() { echo 31; }\n"),
            (
                "tests/check.sh",
                "set -e\n. ./days.sh\ndays 2 > out\ndiff out tests/want.txt\n[ \"$(days 3)\" = 31 ]\n",
            ),
            ("tests/want.txt", "28\n"),
        ];
        let project = project_of("sh tests/check.sh", &files);
        let work = format!("echo '{work}' > days.sh");
        assert_eq!(by_driver_in(&project, &work, &[]), honest, "{work}");
    }
}

#[test]
fn data_that_only_asks_for_more_decides_and_data_that_is_the_work_does_not() {
    let test = "import pathlib, unittest\nfrom a import f\n\n\nclass T(unittest.TestCase):\n    def test_f(self):\n        for line in (pathlib.Path('examples') / 'twice.txt').read_text().split():\n            self.assertEqual(f(int(line)), 2 * int(line))\n";
    let files = [
        ("a.py", "def f(n):\n    return 2\n"),
        ("examples/twice.txt", "1\n4\n"),
        ("tests/__init__.py", ""),
        ("tests/test_a.py", test),
    ];
    for (work, honest) in [
        (
            "sed -i 's/2/2 * n/' a.py; echo 6 >> examples/twice.txt",
            true,
        ),
        ("sed -i /4/d examples/twice.txt; echo >> a.py", false),
    ] {
        let project = project_of(GATE, &files);
        assert_eq!(by_driver_in(&project, work, &[]), honest, "{work}");
    }
    let check = "import json\nassert all(c['n'] for c in json.load(open('data/f.json')))\n";
    let files = [
        ("check.py", check),
        ("data/f.json", "[{\"n\": 0}]\n"),
        ("AGENT_PROMPT.md", "Fill in data/f.json.\n"),
    ];
    let project = project_of("python3 check.py", &files);
    let work = "echo '[{\"n\": 3}]' > data/f.json";
    assert!(by_driver_in(&project, work, &[]));
}

#[test]
fn changed_tests_that_a_person_lets_count_have_a_receipt() {
    let project = project();
    let work = format!(
        "command:cat > /dev/null; {}; printf '{CLAIM}\\n'",
        WORK[1].1
    );
    let night = ["--agent", work.as_str(), "--max-iterations", "4"];
    project.run(&night).code(77);
    let run = project.only_run();
    let verify = || {
        project
            .overnight(&["verify", &run])
            .get_output()
            .status
            .code()
    };
    assert_ne!(verify(), Some(0));
    let mut approve = project.command(cargo_bin!("overnight"));
    let (status, printed) = terminal::run_typing(approve.args(["approve", "ask-1"]), "Proof\n");
    assert_eq!((status, verify()), (0, Some(0)), "{printed}");
}
