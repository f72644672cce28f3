//! A claim's new tests are tried by themselves before the whole gate is; those that only moved are the old ones.

use crate::project::Project;

/// A project with a slow old test and an agent that adds work and a test of it: the status of its one
/// iteration, and how often the old test ran until then.
fn added(gate: &str, work: &str, test: &str, more: &str) -> (i32, usize) {
    let project = Project::new();
    std::fs::create_dir(project.path("tests")).unwrap();
    let old = "import os, unittest\nfrom app import one\n\nclass Old(unittest.TestCase):\n    def test_one(self):\n        \
        open(os.environ['HOME'] + '/.cache/ran', 'a').write('x')\n        self.assertEqual(one(), 1)\n";
    for (path, text) in [
        ("app.py", "def one():\n    return 1\n"),
        ("tests/__init__.py", ""),
        ("tests/test_old.py", old),
        ("../more.py", work),
        ("../test_more.py", test),
    ] {
        std::fs::write(project.path(path), text).unwrap();
    }
    project.git(&["add", "-A"]);
    project.git(&["commit", "-qm", "start"]);
    let from = |name: &str| project.path("..").join(name).display().to_string();
    let agent = format!(
        "command:cat > /dev/null; cat \"$HOME/.cache/ran\" > \"$HOME/.cache/before\"; \
         cp {} more.py; cp {} tests/test_more.py; {more} printf '<DONE>ok</DONE>\\n'",
        from("more.py"),
        from("test_more.py")
    );
    let options = ["--max-iterations", "1", "--no-pr"];
    let done = project.run(&[&["--agent", &agent, "--gate", gate], &options[..]].concat());
    let ran = |name: &str| project.read(&format!("../home/.cache/{name}")).len();
    (
        done.get_output().status.code().unwrap(),
        ran("ran") - ran("before"),
    )
}

const TEST: &str = "import unittest\nfrom more import twice\n\nclass More(unittest.TestCase):\n    def test_twice(self):\n        \
    self.assertEqual(twice(3), 6)\n";

#[test]
fn new_tests_that_fail_where_they_must_cost_no_run_of_the_whole_gate() {
    for gate in [
        "python3 -B -m unittest -q",
        "python3 -B -m unittest discover -q -s tests -t .",
    ] {
        let (code, ran) = added(gate, "def twice(n):\n    return 2 * n\n", TEST, "");
        assert_eq!(code, 0, "{gate}");
        // As it is, with dusk's tests, with every fault; for the end of the run, and without the one part.
        assert!(ran <= 5, "{gate}: {ran}");
    }
}

#[test]
fn new_tests_that_do_not_fail_by_themselves_are_tried_with_the_whole_gate_and_refused() {
    let gate = "python3 -B -m unittest discover -q -s tests -t .";
    let equal = "class Any(int):\n    __hash__ = int.__hash__\n    def __eq__(self, other):\n        return True\n\ndef twice(n):\n    return Any(n)\n";
    assert_ne!(added(gate, equal, TEST, "").0, 0, "equals everything");
    let work = "def twice(n):\n    return 2 * n\n";
    let named = TEST.replace("assertEqual(twice(3), 6)", "assertTrue(callable(twice))");
    assert_ne!(
        added(gate, work, &named, "").0,
        0,
        "sees no more than its name"
    );
}

#[test]
fn a_renamed_file_of_tests_is_no_check_that_changed_while_the_gate_ran() {
    let gate = "python3 -B -m unittest discover -q -s tests -t .";
    let work = "def twice(n):\n    return 2 * n\n";
    let renamed = "mv tests/test_old.py tests/test_older.py;";
    assert_eq!(added(gate, work, TEST, renamed).0, 0);
}
