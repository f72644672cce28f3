use super::super::{messages, sample};
use super::*;

#[test]
fn names_with_blanks_brackets_and_colons() {
    assert_eq!(short("t/a.py::A::test[x::y]"), "A.test[x::y]");
    assert_eq!(
        split_message("a.py::t[a - b] - E: x"),
        ("a.py::t[a - b]", Some("E: x"))
    );
    assert_eq!(
        verbose("t/a.py::t[a b] PASSED     [ 1%]"),
        Some(("t/a.py::t[a b]", "PASSED"))
    );
    assert_eq!(
        verbose("[gw1] [  1%] FAILED t/a.py::t"),
        Some(("t/a.py::t", "FAILED"))
    );
}

#[test]
fn a_result_line_printed_by_a_test_does_not_count() {
    let facts = sample(
        "==== test session starts ====\n==== FAILURES ====\n____ test_a ____\nE   AssertionError: no\n---- Captured stdout call ----\n\
         9 passed in 1.00s\n==== short test summary info ====\nFAILED a.py::test_a - AssertionError: no\n==== 1 failed, 2 passed in 0.10s ====\n",
    );
    assert_eq!(facts.sessions.len(), 1);
    assert_eq!(
        facts.sessions[0].stated.as_ref().unwrap().words(),
        "1 failed, 2 passed"
    );
    assert_eq!(facts.failures[0].name, "a.py::test_a");
    assert_eq!(facts.failures[0].block.first(), Some("AssertionError: no"));
}

#[test]
fn sections_alone_name_the_tests() {
    let facts = sample(
        "==== FAILURES ====\n____ test_a ____\nE   ValueError: x\n\na.py:3: ValueError\n1 failed in 0.10s\n",
    );
    assert_eq!(facts.failures.len(), 1);
    assert_eq!(
        facts.failures[0].block.place.as_ref().unwrap().shown,
        "a.py:3"
    );
}

#[test]
fn subtests_have_names_and_sections_and_do_not_count_as_passed() {
    let facts = sample(
        "============================= test session starts ==============================\ncollected 2 items\n\ntest_s.py uuF.                                  [100%]\n\n\
         =================================== FAILURES ===================================\n__________________________ T.test_a [m] (i=1) __________________________________\n\
         >   with self.subTest(i=i): self.assertEqual(i%2,0)\nE   AssertionError: 1 != 0\n\ntest_s.py:5: AssertionError\n\
         =========================== short test summary info ============================\nSUBFAILED[m] (i=1) test_s.py::T::test_a - AssertionError: 1 != 0\n\
         ==================== 1 failed, 1 skipped, 8 subtests passed in 2.18s =====================\n",
    );
    let failure = &facts.failures[0];
    assert_eq!(failure.name, "test_s.py::T::test_a [m] (i=1)");
    assert_eq!(failure.block.first(), Some("AssertionError: 1 != 0"));
    assert_eq!(facts.failures.len(), 1);
    assert_eq!(
        facts.sessions[0].stated.as_ref().unwrap().words(),
        "1 failed, 1 skipped"
    );
}

#[test]
fn warnings_are_no_problems_of_a_linter() {
    let facts = sample(
        "============================= test session starts ==============================\ntest_s.py .                                  [100%]\n\n\
         =============================== warnings summary ===============================\ntest_s.py::test_a\n  /x/threadexception.py:54: PytestUnhandledThreadExceptionWarning: Exception in thread Thread-15 (run)\n\n\
         -- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html\n========================= 1 passed, 1 warning in 0.01s =========================\n",
    );
    assert_eq!(facts.tools, ["pytest"]);
}

#[test]
fn without_a_summary_the_marks_tell_failures_from_errors() {
    let facts = sample(
        "..F.E                [100%]\n=========================== short test summary info ============================\n\
         FAILED t/test_a.py::test_a - assert 1 == 2\nERROR t/test_a.py::test_b - OSError: handle closed\n",
    );
    assert_eq!(
        facts.sessions[0].seen.words(),
        "1 failed, 1 error, 3 passed"
    );
}

#[test]
fn a_failure_may_be_shown_at_once() {
    let facts = sample(
        "============================= test session starts ==============================\ncollected 3 items\n\nt/test_a.py::test_a FAILED                           [ 33%]\n\
         ____________________________________ test_a ____________________________________\n\nE   OSError: handle closed\n\nt/conftest.py:8: OSError\n\nt/test_a.py::test_b PASSED                           [ 66%]\n\
         t/test_a.py::test_c PASSED                           [100%]\n\n=========================== short test summary info ============================\n\
         FAILED t/test_a.py::test_a - OSE...\n========================= 1 failed, 2 passed in 0.01s ==========================\n",
    );
    assert_eq!(
        facts.failures[0].block.first(),
        Some("OSError: handle closed")
    );
    assert_eq!(facts.sessions[0].seen.words(), "1 failed, 2 passed");
}

#[test]
fn a_test_that_runs_out_of_time_is_named() {
    let facts = sample(
        "============================= test session starts ==============================\ntest_timeout.py .+++++++++++ Timeout ++++++++++++\n\
         ~~~~~~~~~~~~~~~~~~~~~ Stack of MainThread (140) ~~~~~~~~~~~~~~~~~~~~~\n  File \"/v/_pytest/python.py\", line 166, in pytest_pyfunc_call\n    result = testfunction(**testargs)\n\
         \x20 File \"/w/test_timeout.py\", line 4, in test_hangs\n    time.sleep(30)\n+++++++++++ Timeout ++++++++++++\n",
    );
    let failure = &facts.failures[0];
    assert_eq!(failure.name, "/w/test_timeout.py::test_hangs");
    assert_eq!(failure.block.place.as_ref().unwrap().line, 4);
}

#[test]
fn the_parts_of_a_group_of_exceptions_are_shown() {
    let facts = sample(
        "=================================== FAILURES ===================================\n____________________________________ test_a ____________________________________\n\
         \x20 + Exception Group Traceback (most recent call last):\n  |   File \"/w/test_a.py\", line 3, in test_a\n  | ExceptionGroup: two uploads (2 sub-exceptions)\n\
         \x20 +-+---------------- 1 ----------------\n    | ValueError: part 1 too big\n    +---------------- 2 ----------------\n    | OSError: part 2 lost\n\
         =========================== short test summary info ============================\nFAILED test_a.py::test_a - ExceptionGroup: two uploads (2 sub-exceptions)\n\
         ============================== 1 failed in 0.01s ===============================\n",
    );
    let said: Vec<_> = facts.failures[0]
        .block
        .lines
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(said, ["ValueError: part 1 too big", "OSError: part 2 lost"]);
}

#[test]
fn a_failure_may_be_shown_at_once_without_a_header() {
    let facts = sample(
        "..F\n____________________________________ test_a ____________________________________\n\nE   OSError: handle closed\n\nt/conftest.py:8: OSError\nF\n\
         ____________________________ test_b ____________________________\n\nE   assert 1 == 2\n\nt/test_a.py:9: AssertionError\n.                                [100%]\n\
         =========================== short test summary info ============================\nFAILED t/test_a.py::test_a - OSE...\nFAILED t/test_a.py::test_b - ass...\n2 failed, 3 passed in 0.01s\n",
    );
    assert_eq!(
        messages(&facts),
        [
            ("t/test_a.py::test_a", "OSError: handle closed"),
            ("t/test_a.py::test_b", "assert 1 == 2")
        ]
    );
}

#[test]
fn a_report_that_a_test_prints_is_none_of_the_runs() {
    let [equals, unders] = ["=".repeat(33), "_".repeat(37)];
    let facts = sample(&format!(
        "============================= test session starts ==============================\nt/test_a.py FF                                 [100%]\n\
         =================================== FAILURES ===================================\n{unders} test_a {unders}\n\nE   AssertionError: night\n\nt/test_a.py:29: AssertionError\n\
         ----------------------------- Captured stdout call -----------------------------\n============================== FAILURES ==============================\n____________________ test_child ____________________\n>   assert price == 4\nE   assert 5 == 4\n\
         =========================== short test summary info ============\nFAILED t/test_child.py::test_child - assert 5 == 4\n===================== 3 failed, 3 passed in 0.02s =====================\n\
         {unders} test_b {unders}\n\nE   ValueError: negative\n\nt/test_a.py:79: ValueError\n\
         =========================== short test summary info ============================\nFAILED t/test_a.py::test_a - AssertionError: night\nFAILED t/test_a.py::test_b - ValueError: negative\n\
         {equals} 2 failed in 0.09s {equals}\n",
    ));
    assert_eq!(
        messages(&facts),
        [
            ("t/test_a.py::test_a", "AssertionError: night"),
            ("t/test_a.py::test_b", "ValueError: negative")
        ]
    );
    assert_eq!(
        facts.sessions[0].stated.as_ref().unwrap().words(),
        "2 failed"
    );
    assert_eq!(facts.sessions.len(), 1);
}

#[test]
fn a_run_that_a_test_starts_is_none_of_the_runs() {
    let [unders, equals] = ["_".repeat(36), "=".repeat(27)];
    let head = "============================= test session starts ==============================\n";
    let inner = format!(
        "{head}collected 2 items\n\ntest_in.py F.                                [100%]\n\n=================================== FAILURES ===================================\n\
         {unders} test_in {unders}\nE   assert 0\n{equals} short test summary info ============================\nFAILED test_in.py::test_in - assert 0\n\
         ========================= 1 failed, 1 passed in 0.02s ==========================\n"
    );
    let captured =
        "----------------------------- Captured stdout call -----------------------------\n";
    let end = format!(
        "{equals} short test summary info ============================\nFAILED t/test_a.py::test_a - Failed: nomatch\nFAILED t/test_a.py::test_b - Failed: other\n\
         ========================= 2 failed, 5 passed in 0.09s ==========================\n"
    );
    let text = format!(
        "{head}t/test_a.py FF.....                                 [100%]\n=================================== FAILURES ===================================\n\
         {unders} test_a {unders}\n\nE   Failed: nomatch\n\nt/test_a.py:9: Failed\n{captured}{inner}{unders} test_b {unders}\n\nE   Failed: other\n\nt/test_a.py:19: Failed\n"
    );
    let facts = sample(&(text.clone() + captured + &inner + &end));
    let names = |facts: &Facts| -> Vec<String> {
        let names = facts.failures.iter().map(|failure| failure.name.clone());
        names.collect()
    };
    let is_own = |facts: &Facts| {
        assert_eq!(names(facts), ["t/test_a.py::test_a", "t/test_a.py::test_b"]);
        let stated = facts.sessions[0].stated.as_ref().unwrap();
        assert_eq!(
            (stated.words().as_str(), facts.sessions.len()),
            ("2 failed, 5 passed", 1)
        );
    };
    is_own(&facts);
    // Without a header (`-q`).
    let quiet = inner
        .split_once("=== FAILURES")
        .map_or("", |(_, rest)| rest);
    let quiet = format!("F.\n{}=== FAILURES{quiet}", "=".repeat(32));
    let quiet = quiet.replace(
        "========================= 1 failed, 1 passed in 0.02s ==========================",
        "1 failed, 1 passed in 0.02s",
    );
    let facts = sample(&(text.clone() + captured + &quiet + &end));
    is_own(&facts);
    // A header alone, and nothing that ends such a run but the run's own result.
    let facts = sample(&(text + captured + head + &end));
    assert_eq!(names(&facts), ["test_a", "test_b"]);
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(stated.words(), "2 failed, 5 passed");
}

#[test]
fn a_test_that_took_the_interpreter_down() {
    let stack = "\nThread 0x00007fe734fa76c0 (most recent call first):\n  File \"/usr/lib/python3.11/socket.py\", line 294 in accept\n\n\
         Current thread 0x00007fe736feeb80 (most recent call first):\n  File \"/usr/lib/python3.11/ctypes/__init__.py\", line 519 in string_at\n\
           File \"/srv/x/tests/test_a.py\", line 5 in test_b\n  File \"/srv/v/site-packages/_pytest/python.py\", line 187 in call\n";
    for (before, name) in [
        ("tests/test_a.py::test_b ", "tests/test_a.py::test_b"),
        ("tests/test_a.py ..", "/srv/x/tests/test_a.py::test_b"),
    ] {
        let head =
            "============================= test session starts ==============================";
        let text = format!("{head}\n{before}Fatal Python error: Segmentation fault\n{stack}");
        let facts = sample(&text);
        assert_eq!(
            messages(&facts),
            [(name, "Fatal Python error: Segmentation fault")]
        );
        let place = facts.failures[0].block.place.as_ref();
        assert_eq!(place.unwrap().shown, "/srv/x/tests/test_a.py:5");
    }
}

#[test]
fn a_worker_of_xdist_that_crashed_and_a_doctest_have_one_name() {
    let facts = sample(
        "=================================== FAILURES ===================================\n________________________________ test_crash.py _________________________________\n\
         [gw0] linux -- Python 3.11.7 /v/bin/python3\nworker 'gw0' crashed while running 'test_crash.py::test_segv'\n\
         ______________________________ [doctest] rle.enc _______________________________\nE   DocTestFailure\n\
         =========================== short test summary info ============================\nFAILED test_crash.py::test_segv - worker 'gw0' crashed while running 'test_cr...\n\
         FAILED rle.py::rle.enc\n========================= 2 failed, 2 passed in 3.76s ==========================\n",
    );
    assert_eq!(
        messages(&facts),
        [
            (
                "test_crash.py::test_segv",
                "worker 'gw0' crashed while running 'test_crash.py::test_segv'"
            ),
            ("rle.py::rle.enc", "DocTestFailure")
        ]
    );
}

#[test]
fn sections_of_pytest_sugar_tell_what_its_summary_cuts_off() {
    let facts = sample(
        "Test session starts (platform: linux, Python 3.9.18, pytest 7.4.4, pytest-sugar 1.1.1)\n\n\n\
         ―――――――――――――――――――――――――――― test_pick[jan] ―――――――――――――――――――――――――――――\n\n>       assert s\nE       AssertionError: cox must not be picked\n\ntests/test_a.py:10: AssertionError\n\n \
         tests/test_a.py ⨯                                           50% █████     \n tests/test_a.py ✓                                          100% ██████████\n\
         =========================== short test summary info ============================\nFAILED tests/test_a.py::test_pick[jan] - AssertionError: cox must...\n\n\
         Results (0.06s):\n       1 passed\n       1 failed\n         - tests/test_a.py:5 test_pick[jan]\n      40 deselected\n",
    );
    assert_eq!(
        messages(&facts),
        [(
            "tests/test_a.py::test_pick[jan]",
            "AssertionError: cox must not be picked"
        )]
    );
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(stated.words(), "1 failed, 1 passed, 40 deselected");
}

#[test]
fn what_cannot_be_collected_says_why() {
    let facts = sample(
        "==================================== ERRORS ====================================\n____________________ ERROR collecting tests/test_e.py ____________________\n\
         tests/test_e.py::test_pair: in \"parametrize\" the number of names (2):\n  ['a', 'b']\nmust be equal to the number of values (1):\n  (3,)\n\
         =========================== short test summary info ============================\nERROR tests/test_e.py\n=============================== 1 error in 0.10s ===============================\n",
    );
    let why = "tests/test_e.py::test_pair: in \"parametrize\" the number of names (2):";
    assert_eq!(messages(&facts), [("tests/test_e.py", why)]);
}

#[test]
fn a_title_needs_two_signs_before_it_or_a_line_that_is_filled() {
    let filled = format!("_ {} _", "t".repeat(72));
    for (text, title) in [
        ("__ test_a __", Some("test_a")),
        ("__ test_a _", Some("test_a")),
        ("_ test_a _", None),
        ("__ test_a", None),
        (
            "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _",
            None,
        ),
        (&filled, Some(&filled[2..74])),
        (&filled[1..], None),
    ] {
        assert_eq!(heading(text), title, "{text}");
    }
}
