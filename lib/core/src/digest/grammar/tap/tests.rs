use super::super::sample;

#[test]
fn a_parent_is_no_failure_of_its_own() {
    let facts = sample(
        "TAP version 13\n# Subtest: Cart\n    not ok 1 - bulk \\#1\n      ---\n      location: '/a/cart.test.js:12:25'\n      error: |-\n        \
         Expected values to be strictly equal:\n      stack: |-\n        at x\n      ...\nnot ok 1 - Cart\n  ---\n  type: 'suite'\n  ...\n\
         # tests 2\n# pass 1\n# fail 1\n# duration_ms 480.03\n",
    );
    assert_eq!(facts.failures.len(), 1);
    assert_eq!(facts.failures[0].name, "bulk #1");
    assert_eq!(
        facts.failures[0].block.first(),
        Some("Expected values to be strictly equal:")
    );
    assert_eq!(
        facts.sessions[0].stated.as_ref().unwrap().words(),
        "1 failed, 1 passed, 2 total"
    );
    assert_eq!(facts.sessions[0].duration_ms, Some(480));
}

#[test]
fn directives_and_comments() {
    let facts = sample(
        "1..4\nok 1 a # SKIP no\nnot ok 2 b # TODO later\nnot ok 3 c in 12ms\n# (in test file c.bats, line 1)\n# cp: cannot stat 'x'\nok 4 d\n",
    );
    assert_eq!(facts.failures.len(), 1);
    assert_eq!(facts.failures[0].name, "c");
    assert!(
        facts.failures[0]
            .block
            .lines
            .iter()
            .any(|(_, text)| text.contains("cannot stat"))
            || facts.failures[0].block.lines.len() == 1
    );
    assert_eq!(
        facts.sessions[0].seen.words(),
        "1 failed, 1 passed, 1 skipped, 1 todo"
    );
}
