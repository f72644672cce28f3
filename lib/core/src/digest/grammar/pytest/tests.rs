use super::super::sample;
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
