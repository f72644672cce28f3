//! Samples of the runners that number their failures.

use super::super::super::count::Counts;
use super::super::{messages, sample};

#[test]
fn mocha_names_span_lines() {
    let facts = sample(
        "    1) applies discount\n\n  38 passing (31ms)\n  2 pending\n  1 failing\n\n  1) Cart\n       persistence\n         applies discount:\n\n      \
         AssertionError [ERR_ASSERTION]: Expected values\n      at Context.<anonymous> (test/cart.js:4:86)\n",
    );
    assert_eq!(facts.failures[0].name, "Cart persistence applies discount");
    assert_eq!(
        facts.failures[0].block.first(),
        Some("AssertionError [ERR_ASSERTION]: Expected values")
    );
    assert_eq!(
        facts.sessions[0].stated.as_ref().unwrap().words(),
        "1 failed, 38 passed, 2 pending"
    );
}

#[test]
fn result_lines() {
    let words = |text: &str| {
        super::counted(text, super::Kind::Unknown)
            .map(|(tool, counts)| format!("{tool}: {}", counts.words()))
    };
    assert_eq!(
        words("3 examples, 2 failures").as_deref(),
        Some("rspec: 2 failed, 1 passed, 3 total")
    );
    assert_eq!(
        words("63 runs, 62 assertions, 1 failures, 1 errors, 0 skips").as_deref(),
        Some("minitest: 1 failed, 1 error, 61 passed, 0 skipped, 63 total")
    );
    assert_eq!(
        words("Tests: 3, Assertions: 2, Errors: 1, Failures: 1.").as_deref(),
        Some("phpunit: 1 failed, 1 error, 1 passed, 0 skipped, 3 total")
    );
    assert_eq!(
        words("1 doctest, 3 tests, 1 failure").as_deref(),
        Some("mix test: 1 failed, 3 passed")
    );
    assert_eq!(words("3 files changed"), None);
}

#[test]
fn minitest_names_stand_on_the_next_line() {
    let facts = sample(
        "  1) Failure:\nTestGeo#test_north [test/test_geo.rb:3]:\nheading.\nExpected: \"N\"\n  Actual: \"S\"\n\n1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n",
    );
    assert_eq!(facts.failures[0].name, "TestGeo#test_north");
    assert_eq!(
        facts.failures[0].block.place.as_ref().unwrap().shown,
        "test/test_geo.rb:3"
    );
}

#[test]
fn below_the_last_stack_the_next_program_begins() {
    let run = "  Bus\n    1) parks\n\n\n  0 passing (3ms)\n  1 failing\n\n  1) Bus\n       parks:\n     Error: no\n      at Context.<anonymous> (a.js:1:2)\n\n\n\n";
    let facts = sample(&format!("{run}{run}src/a.c:3:5: error: expected ';'\n"));
    let names: Vec<&str> = facts
        .failures
        .iter()
        .map(|failure| &*failure.name)
        .collect();
    assert_eq!(names, ["Bus parks"]);
    assert_eq!(facts.problems.sources(), ["compiler"]);
}

#[test]
fn what_looks_like_an_entry_in_mochas_messages_is_none() {
    let facts = sample(
        "  4 passing (99ms)\n  2 failing\n\n  1) Cellar\n       lists racks:\n\n      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n+ actual - expected\n\n+ 'A: Riesling'\n- 'A: Merlot'\n\n  1) try another rack\n> hint: racks are lazy\nrunning low\n\
         \x20     at Context.<anonymous> (test/cellar.js:6:76)\n\n  2) Cellar\n       rejects with a string:\n     Error: the string \"sensor\" was thrown\n      at processTicksAndRejections (node:internal/process/task_queues:95:5)\n\n\n\n",
    );
    assert_eq!(
        messages(&facts),
        [
            (
                "Cellar lists racks",
                "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:"
            ),
            (
                "Cellar rejects with a string",
                "Error: the string \"sensor\" was thrown"
            )
        ]
    );
}

#[test]
fn a_result_that_a_test_prints_is_none() {
    let stated = |text: &str| {
        let facts = sample(text);
        let all = facts.sessions.iter().map(|session| session.stated.as_ref());
        all.flatten().map(Counts::words).collect::<Vec<_>>()
    };
    let one = "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n.F\nFAILURES!\nTests: 9, Assertions: 9, Failures: 1.\n.\n\nThere was 1 failure:\n\n1) A::testB\nFailed asserting that 1 is 2.\n\nFAILURES!\nTests: 3, Assertions: 3, Failures: 1.\n";
    let run = "1 failed, 0 errors, 2 passed, 0 skipped, 3 total";
    assert_eq!(stated(one), [run]);
    assert_eq!(stated(&one.repeat(2)), [run, run]);
    let one = "Finished in 0.03 seconds\n3 tests, 1 failure\n\n..\n\n  1) test a (ATest)\n     test/a_test.exs:3\n     Assertion with == failed\n\nFinished in 0.04 seconds\n5 tests, 1 failure\n\nRandomized with seed 3\n";
    let run = "1 failed, 4 passed, 5 total";
    assert_eq!(stated(one), [run]);
    assert_eq!(stated(&one.repeat(2)), [run, run]);
}

#[test]
fn hspec_puts_the_place_above_the_number() {
    let facts = sample(
        "Failures:\n\n  Spec.hs:9:92: \n  1) Stock counts one item\n       expected: 1\n        but got: 2\n\n  Spec.hs:10:5: \n  2) Stock rejects\n       uncaught exception: ErrorCall\n\n4 examples, 2 failures\n",
    );
    let places = facts.failures.iter().map(|failure| {
        let place = failure.block.place.as_ref().unwrap();
        (failure.name.as_str(), place.shown.as_str())
    });
    assert_eq!(
        places.collect::<Vec<_>>(),
        [
            ("Stock counts one item", "Spec.hs:9:92"),
            ("Stock rejects", "Spec.hs:10:5")
        ]
    );
}

#[test]
fn lab_numbers_what_failed_among_all() {
    let facts = sample(
        "There were 1 test script error(s).\n\nFailed tests:\n\n  3) router leaks:\n\n      leaked is not defined\n\n      at /a/test/router.js:18:30\n\n5 of 6 tests failed (2 skipped)\n",
    );
    assert_eq!(
        messages(&facts),
        [("router leaks", "leaked is not defined")]
    );
    assert_eq!(facts.tools, ["lab"]);
    let stated = facts.sessions[0].stated.as_ref().unwrap();
    assert_eq!(stated.words(), "5 failed, 2 skipped, 6 total");
}

#[test]
fn mocha_behind_another_runner_that_numbers_its_failures() {
    let facts = sample(
        "Failures:\n\n1) Scenario: Wrong password # features/a.feature:2\n   ✖ Then login fails # features/s.js:1\n       Error: login succeeded\n           at World.<anonymous> (features/s.js:1:103)\n\n1 scenario (1 failed)\n2 steps (1 failed, 1 passed)\n\n\n  Cart\n    ✔ adds items\n    1) applies discount\n\n\n  1 passing (31ms)\n  1 failing\n\n  1) Cart\n       applies discount:\n\n      AssertionError: x\n\n      at Context.<anonymous> (test/cart.spec.js:8:73)\n\n\n",
    );
    let names: Vec<&str> = facts.failures.iter().map(|it| &*it.name).collect();
    assert_eq!(
        names,
        [
            "Scenario: Wrong password # features/a.feature:2",
            "Cart applies discount"
        ]
    );
}
