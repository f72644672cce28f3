//! The proof room as people meet it: a receipt that is compared, and a finished list that is not.

use crate::project::Project;
use crate::terminal;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::json;

#[test]
fn a_proved_commit_has_a_receipt_that_verify_compares() {
    let project = Project::new();
    let agent = "command:cat > /dev/null; echo two > b.txt; printf '<DONE>ok</DONE>\\n'";
    let gate = "grep -qx two b.txt && [ ! -e \"$HOME/broken\" ]";
    project.run(&["--agent", agent, "--gate", gate]).success();
    let run = project.only_run();
    let verify = |what: &str| project.overnight(&["verify", what]);
    verify(&run)
        .code(0)
        .stdout(contains("as the receipt says: 1 gate passes"));
    let commits = project.git_out(&["notes", "--ref", "overnight", "list"]);
    let commit = commits.split_whitespace().nth(1).unwrap_or_default();
    verify(commit).code(0);
    // The night's branch is not merged: without a word the newest run is meant.
    project.git(&["checkout", "-q", "-b", "morning", &format!("{commit}~1")]);
    let said = project.overnight(&["verify"]).code(0);
    said.stdout(contains(format!("of run {run}")));
    std::fs::write(project.home().join("broken"), "").unwrap();
    verify(&run)
        .code(1)
        .stdout(contains("exit 1, the receipt says exit 0"));
}

#[test]
fn a_finished_list_whose_gate_fails_is_not_done() {
    let project = Project::new();
    let list = r#"{"t": {"objective": "x", "definition_of_done": ["It works."], "allowed_tools": [], "status": "done"}}"#;
    std::fs::write(project.path("tasks.json"), list).unwrap();
    project
        .run(&["--agent", "command:true", "--gate", "false"])
        .code(1);
}

#[test]
fn what_looks_special_cased_goes_back_once_and_is_shown_to_the_person() {
    let project = Project::new();
    std::fs::write(
        project.path("check.sh"),
        "[ \"$(sh minutes.sh 1h30)\" = 90 ]\n",
    )
    .unwrap();
    std::fs::write(project.path("minutes.sh"), "echo \"$1\"\n").unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "start"]);
    let agent = "command:cat > /dev/null; echo 'case $1 in 1h30) echo 90 ;; esac' > minutes.sh; printf '<DONE>ok</DONE>\\n'";
    let arguments = [
        "--agent",
        agent,
        "--gate",
        "sh check.sh",
        "--max-iterations",
    ];
    project.run(&[&arguments[..], &["1"]].concat()).code(1);
    let run = project.only_run();
    project
        .overnight(&[
            "run",
            "--resume",
            &run,
            "--agent",
            agent,
            "--max-iterations",
            "2",
            "--no-pr",
        ])
        .success();
    let shown = project.overnight(&["status", &run, "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    let task = &json["night"]["tasks"][0];
    assert_eq!(task["standing"], "proved");
    let flag = task["special_cased"][0].as_str().unwrap();
    assert!(
        flag.contains("minutes.sh:1 answers \"1h30\" with \"90\""),
        "{flag}"
    );
    project
        .overnight(&["report", &run])
        .stdout(contains("looks special-cased"));
}

#[test]
fn what_was_put_beside_the_project_since_dusk_proves_nothing() {
    for named in ["$HOME/.h.sh", "$(echo $HOME)/.h.sh", "/literal/"] {
        let project = Project::new();
        std::fs::write(project.path("work.sh"), "exit 1\n").unwrap();
        project.git(&["add", "-A"]);
        project.git(&["commit", "-qm", "start"]);
        let helper = tempfile::tempdir().unwrap();
        let literal = helper.path().join("h.sh").display().to_string();
        let named = named.replace("/literal/", &literal);
        std::fs::write(project.home().join("work.sh"), format!(". {named}\n")).unwrap();
        let agent = format!(
            "command:cat > /dev/null; echo 'exit 0' | tee $HOME/.h.sh > {literal}; cp $HOME/work.sh .; printf '<DONE>ok</DONE>\\n'"
        );
        project
            .run(&[
                "--agent",
                &agent,
                "--gate",
                "sh work.sh",
                "--max-iterations",
                "1",
                // In a cell it could not be put there.
                "--cell=off",
            ])
            .code(1);
    }
}

#[test]
fn changed_tests_wait_for_a_person_whose_one_answer_makes_the_task_proved() {
    let project = Project::new();
    let list = r#"{
        "a": {"objective": "A", "definition_of_done": ["$ sh tests/a.sh"], "allowed_tools": [], "status": "todo"},
        "b": {"objective": "B", "definition_of_done": ["$ sh tests/a.sh && grep -qx b b.txt"], "allowed_tools": [], "status": "todo", "depends_on": ["a"]}}"#;
    std::fs::write(project.path("tasks.json"), list).unwrap();
    std::fs::create_dir(project.path("tests")).unwrap();
    std::fs::write(project.path("tests/a.sh"), "[ \"$(cat a.txt)\" = one ]\n").unwrap();
    std::fs::write(project.path("a.txt"), "zero\n").unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "start"]);
    project.overnight(&["trust"]).success();
    let agent = "command:cat > /dev/null; echo two > a.txt; sed -i 's/one/two/' tests/a.sh; echo b > b.txt; printf '<DONE>two is right</DONE>\\n'";
    project
        .run(&["--agent", agent, "--max-iterations", "5"])
        .code(77);
    let night = || -> serde_json::Value {
        let shown = project.overnight(&["status", "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
        json["night"].clone()
    };
    let standing = |night: &serde_json::Value, id: &str| {
        let tasks = night["tasks"].as_array().unwrap();
        tasks.iter().find(|task| task["id"] == id).unwrap()["standing"].clone()
    };
    let before = night();
    assert_eq!(
        (standing(&before, "a"), standing(&before, "b")),
        ("needs_you".into(), "proved".into())
    );
    assert_eq!(before["iterations"], 3, "once back, then on with the next");
    let need = &before["needs"][0];
    assert_eq!(
        (&need["kind"], &need["task"]),
        (&"question".into(), &"a".into())
    );
    let sides = &need["changed_tests"][1];
    assert_eq!(sides["was"][0], "[ \"$(cat a.txt)\" = one ]");
    assert_eq!(sides["is"][0], "[ \"$(cat a.txt)\" = two ]");
    project
        .overnight(&["report"])
        .stdout(contains("tests/a.sh"));
    let mut approve = project.command(assert_cmd::cargo::cargo_bin!("overnight"));
    let (status, printed) = terminal::run_typing(approve.args(["approve", "ask-1"]), "Proof\n");
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("the changed tests count"), "{printed}");
    let after = night();
    assert_eq!(standing(&after, "a"), "proved");
    assert_eq!(after["needs"].as_array().unwrap().len(), 0, "{after}");
    let again = ["run", "--resume", &project.only_run(), "--no-pr"];
    project.overnight(&again).success();
}

#[test]
fn what_a_later_task_broke_is_named_and_opened_again() {
    let project = Project::new();
    let task = |id: &str| serde_json::json!({"objective": id, "definition_of_done": [format!("$ grep -qx {id} {id}.txt")], "allowed_tools": [], "status": "todo"});
    let list = serde_json::json!({"a": task("a"), "b": task("b"), "c": task("c")}).to_string();
    std::fs::write(project.path("tasks.json"), list).unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "start"]);
    project.overnight(&["trust"]).success();
    let agent = "command:cat > /dev/null; echo $OVERNIGHT_TASK > $OVERNIGHT_TASK.txt; [ $OVERNIGHT_TASK = a ] || [ -e c.txt ] || rm -f a.txt; git add -A; git commit -qm \"work on $OVERNIGHT_TASK\"; printf '<DONE>ok</DONE>\\n'";
    project
        .run(&["--agent", agent, "--max-iterations", "3"])
        .code(1);
    let of_a = || -> serde_json::Value {
        let shown = project.overnight(&["status", "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
        let tasks = json["night"]["tasks"].as_array().unwrap().clone();
        tasks.into_iter().find(|task| task["id"] == "a").unwrap()
    };
    let of_b = ["log", "-1", "--format=%H", "--grep=^work on b$"];
    let (broken, second) = (of_a(), project.git_out(&of_b));
    assert_eq!(broken["standing"], "refuted");
    assert_eq!(broken["broken_by"]["task"], "b", "{broken}");
    assert_eq!(broken["broken_by"]["commit"], second.trim());
    project
        .overnight(&[
            "run",
            "--resume",
            &project.only_run(),
            "--agent",
            agent,
            "--max-iterations",
            "5",
            "--no-pr",
        ])
        .success();
    assert_eq!(of_a()["standing"], "proved");
}

#[test]
fn a_part_of_the_change_that_no_gate_misses_is_named() {
    let project = Project::new();
    let tasks = json!({"a": {
        "objective": "six", "definition_of_done": ["$ grep -qx six a.conf"], "allowed_tools": [], "status": "todo",
    }});
    std::fs::write(project.path("tasks.json"), tasks.to_string()).unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "tasks"]);
    project.overnight(&["trust"]).success();
    // The commit holds the task's status too, which is the driver's.
    let agent = "command:cat > /dev/null; echo six > a.conf; echo ten > b.conf; git add -A; git commit -qm work; printf '<DONE>ok</DONE>\\n'";
    project.run(&["--agent", agent]).success();
    let shown = project.overnight(&["status", "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    let expected = serde_json::json!({"of": 2, "tried": 2, "unnoticed": ["b.conf:1"]});
    assert_eq!(json["night"]["hunks"], expected);
    project
        .overnight(&["report"])
        .stdout(contains("no gate misses b"));
}

#[test]
fn a_part_of_the_change_is_tried_with_the_tests_that_name_its_file_before_all_of_them() {
    let project = Project::new();
    for name in ["one", "two"] {
        let source = format!("def {name}():\n    return 0\n");
        std::fs::write(project.path(&format!("{name}.py")), source).unwrap();
        let test = format!(
            "import os, unittest\nfrom {name} import {name}\nopen(os.environ['HOME'] + '/.cache/ran', 'a').write('{name} ')\n\
             class T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual({name}(), 1)\n"
        );
        std::fs::write(project.path(&format!("test_{name}.py")), test).unwrap();
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "work to do"]);
    let agent = "command:cat > /dev/null; sed -i s/0/1/ one.py two.py; printf '<DONE>ok</DONE>\\n'";
    let gate = "python3 -B -m unittest -q";
    project.run(&["--agent", agent, "--gate", gate]).success();
    let shown = project.overnight(&["status", "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    let expected = json!({"of": 2, "tried": 2, "unnoticed": []});
    assert_eq!(json["night"]["hunks"], expected);
    // Each hunk: its own tests without it, and once more with it, so that they say no of it alone.
    let ran = project.read("../home/.cache/ran");
    assert!(ran.ends_with("one one two two "), "{ran}");
}

#[test]
fn in_a_night_of_ten_tasks_what_was_broken_is_found_named_and_mended_and_what_is_pushed_passes() {
    const TASKS: usize = 10;
    let project = Project::new();
    project.git(&["init", "-q", "--bare", ".git/remote.git"]);
    let remote = project.path(".git/remote.git");
    project.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    let gate = |number: usize| format!("grep -qx {number} t{number}.txt");
    let tasks = (0..TASKS).map(|number| {
        let list = serde_json::json!({"objective": format!("Task {number}"), "definition_of_done": [format!("$ {}", gate(number))], "allowed_tools": [], "status": "todo"});
        (format!("t{number}"), list)
    });
    let list: serde_json::Map<_, _> = tasks.collect();
    std::fs::write(
        project.path("tasks.json"),
        serde_json::Value::Object(list).to_string(),
    )
    .unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "start"]);
    project.git(&["push", "-q", "origin", "auto/test"]);
    project.overnight(&["trust"]).success();
    // The seventh takes away what the third made.
    let agent = "command:cat > /dev/null; t=$OVERNIGHT_TASK; echo ${t#t} > $t.txt; [ $t != t6 ] || rm -f t2.txt; git add -A; git commit -qm \"work on $t\"; printf '<DONE>ok</DONE>\\n'";
    let options = ["--agent", agent, "--max-iterations"];
    project.run(&[&options[..], &["10"]].concat()).code(1);
    let run = project.only_run();
    let of = |id: &str| -> serde_json::Value {
        let shown = project.overnight(&["status", &run, "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
        let tasks = json["night"]["tasks"].as_array().unwrap().clone();
        tasks.into_iter().find(|task| task["id"] == id).unwrap()
    };
    let broken = of("t2");
    assert_eq!(broken["standing"], "refuted");
    assert_eq!(broken["broken_by"]["task"], "t6", "{broken}");
    project
        .overnight(&["report", &run])
        .stdout(contains("t6").and(contains("t2")));
    let again = ["run", "--resume", &run, "--agent", agent];
    project
        .overnight(&[&again[..], &["--max-iterations", "12"]].concat())
        .success();
    let clone = project.home().join("clone");
    project.git(&[
        "clone",
        "-q",
        "-b",
        "auto/test",
        remote.to_str().unwrap(),
        clone.to_str().unwrap(),
    ]);
    for number in 0..TASKS {
        assert_eq!(of(&format!("t{number}"))["standing"], "proved");
        let mut shell = project.command("/bin/sh");
        let passes = shell
            .args(["-c", &gate(number)])
            .current_dir(&clone)
            .status();
        assert!(passes.unwrap().success(), "gate {number} in a clone");
    }
}

/// A project with these files and what its agent does; the exit status of one iteration.
fn claimed(files: &[(&str, &str)], gate: &str, agent: &str) -> i32 {
    let project = Project::new();
    for (path, text) in files {
        let path = project.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "start"]);
    let agent = format!("command:cat > /dev/null; {agent}; printf '<DONE>ok</DONE>\\n'");
    let options = ["--max-iterations", "1", "--no-pr", "--cell=off"];
    let arguments = ["--agent", &agent, "--gate", gate];
    let done = project.run(&[&arguments[..], &options].concat());
    done.get_output().status.code().unwrap()
}

#[test]
fn a_weakened_test_does_not_hide_what_is_outside_of_the_project() {
    let helper = tempfile::tempdir().unwrap();
    let helper = helper.path().join("h.sh").display().to_string();
    let files = [
        ("work.sh", "echo 1\n"),
        ("tests/a.sh", "[ \"$(sh work.sh)\" = 2 ]\n"),
    ];
    let agent = format!("echo 'echo 2' > {helper}; echo '. {helper}' > work.sh");
    let weakens = "echo '[ -e work.sh ]' > tests/a.sh";
    assert_eq!(
        claimed(&files, "sh tests/a.sh", &format!("{agent}; {weakens}")),
        1
    );
    assert_eq!(claimed(&files, "sh tests/a.sh", "echo echo 2 > work.sh"), 0);
}

#[test]
fn what_is_committed_in_place_of_what_is_built_proves_nothing() {
    let files = [
        (".gitignore", "prog\n"),
        (
            "Makefile",
            "test: prog\n\t./prog | grep -qx 2\nprog: prog.sh\n\tcp prog.sh prog; chmod +x prog\n",
        ),
        ("prog.sh", "#!/bin/sh\necho 1\n"),
    ];
    let mends = "sed -i s/1/2/ prog.sh";
    assert_eq!(claimed(&files, "make test", mends), 0);
    let done = "touch test; git add test";
    assert_eq!(claimed(&files, "make test", done), 1, "a target");
    let built =
        "sed s/1/2/ prog.sh > prog; chmod +x prog; touch -d tomorrow prog; echo > .gitignore";
    assert_eq!(claimed(&files, "make test", built), 1, "an ignored file");
}

#[test]
fn a_second_proof_runs_the_gate_once_as_it_is_and_once_with_every_fault() {
    let project = Project::new();
    let test = "import unittest\nfrom app import double\n\nclass T(unittest.TestCase):\n    def test_double(self):\n        \
        self.assertEqual(double(1), 2)\n        self.assertEqual(double(2), 4)\n";
    for (path, text) in [
        ("app.py", "def double(n):\n    return n\n"),
        ("test_app.py", test),
    ] {
        std::fs::write(project.path(path), text).unwrap();
    }
    let gate = "echo >> $HOME/.cache/ran; python3 -m unittest -q";
    let list = json!({
        "a": {"objective": "Double.", "definition_of_done": [format!("$ {gate}")], "allowed_tools": []},
        "b": {"objective": "Add a page.", "definition_of_done": [format!("$ {gate}")], "allowed_tools": [], "depends_on": ["a"], "proof": "green"},
    });
    std::fs::write(project.path("tasks.json"), list.to_string()).unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "work to do"]);
    project.overnight(&["trust", "tasks.json"]).success();
    let agent = "command:wc -l < $HOME/.cache/ran >> $HOME/.cache/counts; \
        if [ $OVERNIGHT_TASK = a ]; then printf 'def double(n):\n    return 2 * n\n' > app.py; else echo page > PAGE.md; fi; echo '<DONE>ok</DONE>'";
    project.run(&["--agent", agent]).success();
    let counts = project.read("../home/.cache/counts");
    let counts: Vec<u32> = counts
        .lines()
        .map(|line| line.trim().parse().unwrap())
        .collect();
    let all = project.read("../home/.cache/ran").lines().count();
    let rest = u32::try_from(all).unwrap() - counts[1];
    // The first proof tries the second assertion by itself, where the first one ended the test before it; the
    // second proof runs two gates, and the end of the run one.
    assert_eq!((counts[1] - counts[0], rest), (3, 3), "{counts:?} {all}");
}

#[test]
fn work_that_ends_its_gate_s_script_early_proves_nothing() {
    let files = [
        ("src/lib.sh", "double() { echo \"$1\"; }\n"),
        (
            "check.sh",
            "set -e\n. src/lib.sh\n[ \"$(double 2)\" = 4 ]\n[ \"$(double 3)\" = 6 ]\n",
        ),
    ];
    let does = |agent: &str| claimed(&files, "sh check.sh", agent);
    assert_eq!(
        does("echo 'double() { echo $(($1 * 2)); }' > src/lib.sh"),
        0
    );
    assert_eq!(does("echo 'exit 0' >> src/lib.sh"), 1);
    assert_eq!(does("echo \"trap 'exit 0' EXIT\" >> src/lib.sh"), 1);
}

#[test]
fn work_that_ends_what_runs_the_checks_before_them_proves_nothing() {
    let files = [
        ("schema.sql", "create view double as select 2 as n;\n"),
        (
            "checks.sql",
            "select case n when 4 then 'ok' else 'FAILED' end from double;\n",
        ),
        (
            "db.py",
            "import sqlite3, sys\ndb = sqlite3.connect(':memory:')\nfor line in sys.stdin:\n    if line == '.quit\\n':\n        break\n    for row in db.execute(line):\n        print(*row)\n",
        ),
        (
            "run.sh",
            "out=$(cat schema.sql checks.sql | python3 db.py) || exit 1\ncase $out in *FAILED*) exit 1 ;; esac\n",
        ),
    ];
    let does = |agent: &str| claimed(&files, "sh run.sh", agent);
    assert_eq!(does("sed -i s/2/4/ schema.sql"), 0);
    assert_eq!(does("echo .quit >> schema.sql"), 1);
}

#[test]
fn checks_that_change_while_the_gate_runs_prove_nothing() {
    let files = [
        (
            "Makefile",
            "test:\n\tsh make.sh; sh check.sh && sh done.sh\n",
        ),
        ("make.sh", "echo 1 > out\n"),
        ("done.sh", "true\n"),
        ("check.sh", "[ \"$(cat out)\" = 2 ]\n"),
    ];
    assert_eq!(claimed(&files, "make test", "sed -i s/1/2/ make.sh"), 0);
    let rewrites = "echo 'sed -i s/2/1/ check.sh' >> make.sh";
    assert_eq!(claimed(&files, "make test", rewrites), 1);
    let back = format!("{rewrites}; echo 'sed -i s/1/2/ check.sh' > done.sh");
    assert_eq!(claimed(&files, "make test", &back), 1, "put back");
    let own = format!("echo true > check.sh; {back}");
    assert_eq!(claimed(&files, "make test", &own), 1, "changed, too");
    let weak = "int f(void); int main(void) { return 0; }\n";
    let c = "#include <assert.h>\nint f(void);\nint main(void) {\n  assert(f() == 2);\n}\n";
    let files = [("t.c", c), ("f.c", "int f(void) { return 1; }\n")];
    let weaker = format!("printf '{weak}' > t.c; echo >> f.c");
    assert_eq!(claimed(&files, "cc -o t t.c f.c && ./t", &weaker), 1);
}

#[test]
fn a_helper_that_tests_assert_with_is_as_it_was() {
    let files = [
        ("shop.py", "def vat(n):\n    return n\n"),
        ("support/__init__.py", ""),
        (
            "support/checks.py",
            "def near(got, want):\n    if abs(got - want) > 1e-9:\n        raise AssertionError(got)\n",
        ),
        (
            "test_shop.py",
            "import unittest\nfrom shop import vat\nfrom support.checks import near\n\nclass T(unittest.TestCase):\n    \
             def test_vat(self):\n        near(vat(100), 119)\n",
        ),
    ];
    let does = |agent: &str| claimed(&files, "python3 -m unittest -q", agent);
    assert_eq!(
        does("echo >> shop.py; sed -i s/1e-9/1e9/ support/checks.py"),
        1
    );
    assert_eq!(
        does("sed -i 's/return n/return n * 119 \\/ 100/' shop.py"),
        0
    );
}

#[test]
fn new_tests_are_counted_apart_and_those_that_pass_without_the_work_are_named() {
    let project = Project::new();
    std::fs::write(project.path("app.py"), "def double(n):\n    return n\n").unwrap();
    let test = "import unittest\nfrom app import double\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(double(1), 2)\n";
    std::fs::write(project.path("test_app.py"), test).unwrap();
    let more = format!("{test}    def test_idle(self):\n        self.assertEqual(double(0), 0)\n");
    std::fs::write(project.path("../more.py"), more).unwrap();
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "work to do"]);
    let agent = "command:cat > /dev/null; sed -i 's/return n/return n + n/' app.py; cp ../more.py test_more.py; printf '<DONE>ok</DONE>\\n'";
    let agent = agent.replace(
        "../more.py",
        &project.path("../more.py").display().to_string(),
    );
    project
        .run(&[
            "--agent",
            &agent,
            "--gate",
            "python3 -m unittest -q",
            "--cell=off",
        ])
        .success();
    let shown = project.overnight(&["status", "--json"]).success();
    let json: serde_json::Value = serde_json::from_slice(&shown.get_output().stdout).unwrap();
    let task = &json["night"]["tasks"][0];
    assert_eq!(task["new_tests"], 1);
    assert_eq!(task["idle_tests"], json!(["test_more.py: test_idle"]));
    project
        .overnight(&["report"])
        .stdout(contains("a new test passes without the work"));
}

#[test]
fn a_stand_in_of_the_tests_in_place_of_the_work_proves_nothing() {
    let test = "import unittest\nfrom store import Store\n\n\nclass T(unittest.TestCase):\n    def test_next_start(self):\n        Store('a').set(1)\n        self.assertEqual(Store('a').get(), 1)\n";
    let fake = "class Store:\n    kept = {}\n\n    def __init__(self, path):\n        self.path = path\n\n    def set(self, value):\n        self.kept[self.path] = value\n\n    def get(self):\n        return self.kept.get(self.path)\n";
    let none = "class Store:\n    def __init__(self, path):\n        self.path = path\n\n    def set(self, value):\n        pass\n\n    def get(self):\n        return None\n";
    let files = [
        ("store.py", none),
        ("tests/__init__.py", ""),
        ("tests/fakes.py", fake),
        ("tests/test_store.py", test),
    ];
    let gate = "python3 -m unittest discover -s tests -t .";
    let does = |agent: &str| claimed(&files, gate, agent);
    assert_eq!(does("ln -sf tests/fakes.py store.py"), 1);
    let work = "cat > store.py <<'EOF'\nimport pathlib\n\n\nclass Store:\n    def __init__(self, path):\n        self.file = pathlib.Path(path)\n\n    def set(self, value):\n        self.file.write_text(str(value))\n\n    def get(self):\n        return int(self.file.read_text()) if self.file.exists() else None\nEOF\n:";
    assert_eq!(does(work), 0);
}

#[test]
fn a_tool_that_the_words_ask_for_is_the_work_and_one_that_checks_is_not() {
    let files = [
        ("scripts/verify.sh", "[ \"$(sh scripts/bump 1)\" = 2 ]\n"),
        ("Makefile", "check:\n\tsh scripts/verify.sh\n"),
        (
            "AGENT_PROMPT.md",
            "Write scripts/bump; scripts/verify.sh must pass.\n",
        ),
    ];
    let does = |agent: &str| claimed(&files, "make check", agent);
    assert_eq!(does("echo 'echo $(($1 + 1))' > scripts/bump"), 0);
    assert_eq!(does("echo true > scripts/verify.sh"), 1);
}

#[test]
fn data_that_the_words_name_and_the_sources_read_is_the_work_though_a_check_reads_it_too() {
    let files = [
        ("conf/order.json", "{\"states\": [\"new\"]}\n"),
        (
            "order.py",
            "import json\n\nSTATES = json.load(open('conf/order.json'))['states']\n\n\ndef known(state):\n    return False\n",
        ),
        (
            "check.py",
            "import json\nimport order\n\nstates = json.load(open('conf/order.json'))['states']\nassert 'shipped' in states\nassert order.known('shipped')\nassert not order.known('lost')\n",
        ),
        (
            "AGENT_PROMPT.md",
            "known() must go by conf/order.json, which lacks shipped.\n",
        ),
    ];
    let work = "echo '{\"states\": [\"new\", \"shipped\"]}' > conf/order.json; sed -i 's/return False/return state in STATES/' order.py";
    assert_eq!(claimed(&files, "python3 check.py", work), 0);
}
