//! What holds for all rules.

use super::super::super::meaning::Act;
use super::super::super::table::Rule;
use super::super::anchors;
use super::super::{messages, sample};

/// Rules of nothing but numbers and names: their lines count where names hold an anchor.
const BARE: [&str; 3] = ["{n}) {name}:", "^{n}) {id}", "{id} in {id} []:"];

#[test]
fn lines_of_failing_tests_are_looked_for() {
    let fails = |act: &Act| {
        use Act::{Details, Fail, FailAfter, FailDetailed, FailIndented, FailNext};
        matches!(
            act,
            Details | Fail | FailAfter | FailDetailed | FailIndented | FailNext
        )
    };
    let rules = super::TABLES.iter().flat_map(|table| table.rules);
    for Rule { pattern, .. } in
        rules.filter(|rule| fails(&rule.act) && !BARE.contains(&rule.pattern))
    {
        let mut texts = pattern
            .split('{')
            .map(|part| part.split_once('}').map_or(part, |(_, text)| text));
        let found = texts.any(|text| anchors().any(|anchor| text.contains(anchor)));
        assert!(found, "nobody looks for it: {pattern:?}");
    }
}

#[test]
fn a_blank_in_a_rule_stands_for_all_there_are() {
    for Rule { pattern, .. } in super::TABLES.iter().flat_map(|table| table.rules) {
        assert!(!pattern.contains("  "), "matches nothing: {pattern:?}");
    }
}

#[test]
fn mocha_tells_each_test_on_a_line_of_json() {
    let facts = sample(
        "[\"start\",{\"total\":2}]\n\
         [\"pass\",{\"title\":\"rots\",\"fullTitle\":\"seeds rots\",\"file\":\"/a.js\",\"duration\":0}]\n\
         [\"fail\",{\"title\":\"is dry\",\"fullTitle\":\"seeds is dry\",\"file\":\"/a.js\",\"duration\":1,\"err\":\"not false\",\"stack\":\"Error: not false\\n at x\"}]\n\
         [\"end\",{\"suites\":1,\"tests\":2,\"passes\":1,\"pending\":0,\"failures\":1,\"duration\":3}]\n",
    );
    assert_eq!(messages(&facts), [("seeds is dry", "not false")]);
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(stated.words(), "1 failed, 1 passed, 0 pending, 2 total");
}

#[test]
fn a_test_case_of_doctest_that_may_fail_is_no_failing_one() {
    let facts = sample(
        "[doctest] doctest version is \"2.4.9\"\n\
         TEST CASE:  bars grow\n\na.cpp:5: WARNING: WARN( 1 == 2 ) is NOT correct!\n\na.cpp:5: ERROR: negative heights\n\n\
         TEST CASE:  weak spot\n\na.cpp:9: ERROR: CHECK( false ) is NOT correct!\n\nAllowed to fail so marking it as not failed\n\
         [doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped\n",
    );
    assert_eq!(messages(&facts), [("bars grow", "negative heights")]);
}

#[test]
fn a_line_long_after_its_tool_is_no_heading() {
    let told = |lines: usize| {
        let others = "x\n".repeat(lines);
        let text = format!("  ✘ [fail]: bill › adds\n{others}  bill › adds\n\n  Difference:\n");
        let failure = sample(&text).failures.remove(0);
        failure.block.first() == Some("Difference:")
    };
    assert!(told(400));
    assert!(!told(600));
}

#[test]
fn dots_of_robot_framework() {
    let facts = sample(
        "Running suite 'Zip' with 3 tests.\n====\nF..\n------------------------------------------\n\
         FAIL: Zip.Code Is Valid\n'D-0' does not match\n==========================================\n\
         Run suite 'Zip' with 3 tests in 8 milliseconds.\n\nFAILED\n3 tests, 2 passed, 1 failed\n",
    );
    assert_eq!(
        messages(&facts),
        [("Zip.Code Is Valid", "'D-0' does not match")]
    );
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(
        (facts.sessions[0].tool, &*stated.words()),
        ("robot", "1 failed, 2 passed, 3 total")
    );
}

#[test]
fn perlcritic_tells_the_page_behind_each() {
    let facts = sample(
        "lib/A.pm: Code is not tidy at line 1, column 1.  See page 33 of PBP.  (Severity: 1)\n\
         lib/B.pm: Code is not tidy at line 1, column 1.  See page 33 of PBP.  (Severity: 1)\n",
    );
    let problems = facts.problems.into_list(false);
    let [problem] = &problems[..] else {
        panic!("{problems:?}");
    };
    assert_eq!(problem.places, ["lib/A.pm", "lib/B.pm"]);
    assert_eq!(problem.text, "Code is not tidy at line 1, column 1");
}

#[test]
fn the_list_of_failing_tests() {
    let facts = sample(
        "├─ JUnit Jupiter ✔\n│  └─ ManyTest ✔\n│     ├─ knot11() ✘ knot 11 is loose ==> expected: <0> but was: <1>\n\nFailures (1):\n\
         \x20 JUnit Jupiter:ManyTest:knot11()\n    MethodSource [className = 'ManyTest', methodName = 'knot11', methodParameterTypes = '']\n\
         \x20   => org.opentest4j.AssertionFailedError: knot 11 is loose ==> expected: <0> but was: <1>\n\
         \x20      org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)\n       ManyTest.knot11(ManyTest.java:14)\n       [...]\n\n\
         Test run finished after 301 ms\n[         2 tests found           ]\n[         0 tests skipped         ]\n[         1 tests successful      ]\n[         1 tests failed          ]\n",
    );
    let [knot] = &facts.failures[..] else {
        panic!("{:?}", facts.failures);
    };
    assert_eq!(knot.name, "ManyTest:knot11()");
    assert_eq!(
        knot.block.first(),
        Some(
            "org.opentest4j.AssertionFailedError: knot 11 is loose ==> expected: <0> but was: <1>"
        )
    );
    assert_eq!(knot.block.place.as_ref().unwrap().shown, "ManyTest.java:14");
    assert_eq!(
        facts.sessions[0].stated.as_ref().unwrap().words(),
        "1 failed, 1 passed, 0 skipped, 2 total"
    );
}

#[test]
fn what_runs_after_a_tool_that_prints_no_end_is_read_too() {
    let nim = "[Suite] sums\n    sums.nim(7, 11): Check failed: add(1, 2) == 4\n    add(1, 2) was 3\n  [FAILED] adds\n  [OK] keeps\n";
    let cargo = "\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' panicked at src/lib.rs:4:5:\nno b\n\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
    let interrupted = "bun test v1.1.0\n\na.test.ts:\n(pass) one [0.10ms]\nerror: expected 2\n(fail) two [0.10ms]\n";
    let line = "x\n".repeat(600);
    for (text, names) in [
        (format!("{nim}{cargo}"), ["adds", "b"]),
        (format!("{interrupted}{line}{cargo}"), ["two", "b"]),
    ] {
        let facts = sample(&text);
        let named: Vec<&str> = facts
            .failures
            .iter()
            .map(|failure| failure.name.as_str())
            .collect();
        assert_eq!(named, names, "{text}");
        assert!(
            facts
                .failures
                .iter()
                .all(|failure| !failure.block.is_empty())
        );
    }
}

#[test]
fn criterion_says_first_why_a_test_failed() {
    let facts = sample(
        "[----] Criterion v2.4.1\n[====] Running 2 tests from num:\n[RUN ] num::gcd\n[PASS] num::gcd: (0.00s)\n[RUN ] num::root\n[----] t.c:11: Assertion Failed\n[----]   \n[----]   root of 50\n[----]   \n\
         [FAIL] num::root: (0.00s)\n[====] Synthesis: Tested: 2 | Passing: 1 | Failing: 1 | Crashing: 0\n",
    );
    let [root] = &facts.failures[..] else {
        panic!("{:?}", facts.failures);
    };
    assert_eq!(root.name, "num::root");
    assert!(root.block.lines.contains(&(2, "root of 50".to_owned())));
    assert_eq!(root.block.place.as_ref().unwrap().shown, "t.c:11");
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(stated.words(), "1 failed, 1 passed, 2 total");
}

#[test]
fn valgrind_tells_what_is_wrong_where_the_program_did_it() {
    let facts = sample(
        "==11986== Memcheck, a memory error detector\n==11986== Invalid write of size 1\n==11986==    at 0x48478F6: strcpy (in /usr/lib/vgpreload.so)\n==11986==    by 0x109222: mk (cfg.c:6)\n==11986==    by 0x10937E: main (cfg.c:11)\n\
         ==11986== Conditional jump or move depends on uninitialised value(s)\n==11986==    at 0x1093A4: main (cfg.c:12)\n==11986== ERROR SUMMARY: 15 errors from 8 contexts (suppressed: 0 from 0)\n",
    );
    let list = facts.problems.into_list(true);
    let told = list
        .iter()
        .map(|one| format!("{} {}", one.places.join(" "), one.text));
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "cfg.c:6 Invalid write of size 1",
            "cfg.c:12 Conditional jump or move depends on uninitialised value(s)"
        ]
    );
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(stated.words(), "15 errors");
}

#[test]
fn behave_bazel_and_teamcity() {
    let told = |text: &str| {
        let facts = sample(text);
        let names = facts.failures.iter().map(|failure| {
            let first = failure.block.first().unwrap_or("-");
            format!("{}: {first}", failure.name)
        });
        names.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        told(
            "USING RUNNER: behave.runner:Runner\n  Scenario: pays  # a.feature:3\n    Then it is 9  # steps/s.py:8\n      ASSERT FAILED: it was 8\n\nFailing scenarios:\n  a.feature:3  pays\n"
        ),
        "pays: it was 8"
    );
    assert_eq!(
        told("//a:ok_test  PASSED in 0.1s\n//net:soak_test  TIMEOUT in 60.0s\n"),
        "//net:soak_test: -"
    );
    assert_eq!(
        told(
            "##teamcity[testStarted name='a']\n##teamcity[testFailed name='a' message='no' details='x']\n##teamcity[testFinished name='a' duration='1']\n"
        ),
        "a: no"
    );
}

#[test]
fn test_unit_says_why_on_the_line_of_the_name_or_below() {
    let facts = sample(
        "Loaded suite test_bank\n===============\nFailure: test_overdraft(TestAccount): <ArgumentError> expected\ntest_bank.rb:6:in `test_overdraft'\n===============\n\
         Error: test: cannot withdraw(TestAccount::frozen): IOError: ledger is locked\n===============\nFailure: test_table[big](TestAccount)\n<11> expected but was\n<10>\n===============\n",
    );
    assert_eq!(
        messages(&facts),
        [
            ("test_overdraft(TestAccount)", "<ArgumentError> expected"),
            (
                "test: cannot withdraw(TestAccount::frozen)",
                "IOError: ledger is locked"
            ),
            ("test_table[big](TestAccount)", "<11> expected but was"),
        ]
    );
}

#[test]
fn behave_lists_what_failed_and_what_could_not_run() {
    let facts = sample(
        "USING RUNNER: behave.runner:Runner\nfeatures/brew.feature  ..F..F.EU\n\nERROR in step 'the machine is cold':\n  Feature:  Brewing\n  Scenario: Descale\nNone\n\n\
         Failing scenarios:\n  features/brew.feature:3  Espresso takes 25 seconds\n\nErrored scenarios:\n  features/brew.feature:15  Descale\n\n\
         0 features passed, 1 failed, 0 skipped\n0 scenarios passed, 1 failed, 1 error, 0 skipped\n",
    );
    let names: Vec<_> = facts
        .failures
        .iter()
        .map(|failure| failure.name.as_str())
        .collect();
    assert_eq!(names, ["Espresso takes 25 seconds", "Descale"]);
}
