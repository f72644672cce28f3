//! What holds for all rules.

use super::super::ANCHORS;
use super::super::table::{Act, Rule};
use super::super::{messages, sample};

/// Rules of nothing but numbers and names: their lines count where names hold an anchor.
const BARE: [&str; 3] = ["{n}) {name}:", "^{n}) {id}", "{id} in {id} []:"];

#[test]
fn lines_of_failing_tests_are_looked_for() {
    let fails = |act: &Act| {
        use Act::{Details, Fail, FailAfter, FailIndented, FailLine, FailNext};
        matches!(
            act,
            Details | Fail | FailAfter | FailIndented | FailLine | FailNext
        )
    };
    let rules = super::all().flat_map(|table| table.rules);
    for Rule { pattern, .. } in
        rules.filter(|rule| fails(&rule.act) && !BARE.contains(&rule.pattern))
    {
        let mut texts = pattern
            .split('{')
            .map(|part| part.split_once('}').map_or(part, |(_, text)| text));
        let found = texts.any(|text| ANCHORS.iter().any(|anchor| text.contains(anchor)));
        assert!(found, "nobody looks for it: {pattern:?}");
    }
}

#[test]
fn a_blank_in_a_rule_stands_for_all_there_are() {
    for Rule { pattern, .. } in super::all().flat_map(|table| table.rules) {
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
