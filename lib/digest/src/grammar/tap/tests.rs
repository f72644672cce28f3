use super::super::super::count::Counts;
use super::super::{messages, sample};

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

#[test]
fn a_message_may_stand_below_its_key_and_a_suite_fail_by_its_hook() {
    let facts = sample(
        "TAP version 13\n# Subtest: Lock\n    not ok 1 - stays shut\n      ---\n      type: 'test'\n      location: '/a/lock.test.js:4:3'\n      failureType: 'testCodeFailure'\n\
         \x20     error: |-\n        key: must not turn\n        \n        true !== false\n      code: 'ERR_ASSERTION'\n      expected: false\n      actual: true\n      ...\n    1..1\n\
         not ok 1 - Lock\n  ---\n  type: 'suite'\n  failureType: 'subtestsFailed'\n  error: '1 subtest failed'\n  ...\n\
         # Subtest: with hooks\nnot ok 2 - with hooks\n  ---\n  type: 'suite'\n  failureType: 'hookFailed'\n  error: 'vault power lost'\n  ...\n\
         # tests 1\n# suites 2\n# pass 0\n# fail 1\n# duration_ms 480.03\n",
    );
    let said: Vec<_> = facts
        .failures
        .iter()
        .map(|failure| (failure.name.as_str(), failure.block.first()))
        .collect();
    assert_eq!(
        said,
        [
            ("stays shut", Some("key: must not turn")),
            ("with hooks", Some("vault power lost"))
        ]
    );
    assert_eq!(facts.sessions[0].seen.words(), "1 failed");
}

#[test]
fn quotes_within_a_message_are_its_own() {
    let facts = sample(
        "TAP version 13\nnot ok 1 - reads\n  ---\n  error: 'unexpected character \".\"'\n  ...\n1..1\n",
    );
    assert_eq!(
        facts.failures[0].block.first(),
        Some("unexpected character \".\"")
    );
}

#[test]
fn a_test_around_others_counts_where_suites_are_told_from_tests() {
    let text = |kind: &str| {
        format!(
            "TAP version 13\n# Subtest: outer\n    not ok 1 - inner\n      ---\n      location: '/a/q.test.mjs:19:84'\n      error: 'no'\n      ...\nnot ok 1 - outer\n  ---\n  \
             location: '/a/q.test.mjs:19:1'\n{kind}  failureType: 'subtestsFailed'\n  error: '1 subtest failed'\n  ...\n# tests 2\n# pass 0\n# fail 2\n# duration_ms 9.1\n"
        )
    };
    let both = [("inner", "no"), ("outer", "1 subtest failed")];
    assert_eq!(messages(&sample(&text(""))), both);
    assert_eq!(messages(&sample(&text("  type: 'suite'\n"))), both[..1]);
}

#[test]
fn what_a_test_of_perl_died_of_is_shown() {
    let facts = sample(
        "t/a.t .. \n1..3\nok 1\nvault sealed until Monday\n# Looks like your test exited with 255 just after 1.\nok 2 - x\n# Looks like your test exited with 2 just after 2.\n",
    );
    assert_eq!(facts.notes, [(4, "vault sealed until Monday".to_owned())]);
}

#[test]
fn what_a_program_said_stands_below_where_bats_stopped() {
    let facts = sample(
        "1..2\nok 1 a\nnot ok 2 b\n# (from function `mount_ro' in file lib.sh, line 3,\n#  in test file f.bats, line 6)\n\
         #   `mount_ro /dev/sdz1' failed with status 32\n# mount: /dev/sdz1: permission denied\n",
    );
    let block = &facts.failures[0].block;
    let lines: Vec<_> = block.lines.iter().map(|(_, line)| line.as_str()).collect();
    let stopped = "`mount_ro /dev/sdz1' failed with status 32";
    assert_eq!(lines, [stopped, "mount: /dev/sdz1: permission denied"]);
    assert_eq!(block.place.as_ref().unwrap().shown, "lib.sh:3");
}

#[test]
fn each_run_has_its_own_plan_and_totals() {
    let bats = "1..2\nok 1 a\nnot ok 2 b\n";
    let qunit = "TAP version 13\nok 1 c\nok 2 d\n1..2\n# pass 2\n# skip 0\n# todo 0\n# fail 0\n";
    let seen = |text: &str| -> Vec<String> {
        let facts = sample(text);
        let runs = facts.sessions.iter();
        runs.map(|run| {
            format!(
                "{} / {}",
                run.stated.as_ref().map_or(String::new(), Counts::words),
                run.seen.words()
            )
        })
        .collect()
    };
    let all = seen(&[bats, qunit, bats].concat());
    assert_eq!(
        all,
        [
            "2 total / 1 failed, 1 passed",
            "0 failed, 2 passed, 0 skipped, 0 todo / 2 passed",
            "2 total / 1 failed, 1 passed"
        ]
    );
}
