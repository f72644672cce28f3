//! Places, and the messages below them.

use super::super::sample;

fn found(text: &str) -> Vec<String> {
    sample(text)
        .problems
        .into_list(true)
        .iter()
        .map(|problem| {
            format!(
                "{:?} {} {}",
                problem.severity,
                problem.places.join(" "),
                problem.text
            )
        })
        .collect()
}

#[test]
fn what_another_program_prints_below_is_its_own() {
    let facts = sample(
        "FILE: /p/Inv.php\n----\nFOUND 1 ERROR\n----\n 2 | ERROR | [x] Missing file doc comment\n----\n\n\n  1) Failure:\nTestMoss#test_water [test/moss.rb:9]:\nExpected: 1\n  Actual: 2\n\n1 runs, 1 assertions, 1 failures, 0 errors, 0 skips\n",
    );
    let names: Vec<&str> = facts
        .failures
        .iter()
        .map(|failure| failure.name.as_str())
        .collect();
    assert_eq!(names, ["TestMoss#test_water"]);
}

#[test]
fn the_message_below_its_place() {
    assert_eq!(
        found("\nIn a.sh line 3:\nrm -f $x/tmp\n      ^-- SC2086 (info): Double quote.\n"),
        ["Note In a.sh line 3 SC2086 (info): Double quote."]
    );
    assert_eq!(
        found("pkg/m5.py:3 in public function `f`:\n        D103: Missing docstring\n"),
        ["Error pkg/m5.py:3 D103: Missing docstring"]
    );
    assert_eq!(
        found(
            "a.f90:2:17:\n\n    2 |   integer :: x0 = \"s\"\n      |                 1\nError: Cannot convert\n"
        ),
        ["Error a.f90:2:17 Error: Cannot convert"]
    );
    assert_eq!(
        found("In a.cr:1:20\n\n 1 | def f\n     ^-----\nError: method must return String\n"),
        ["Error a.cr:1:20 Error: method must return String"]
    );
    assert_eq!(
        found(
            "File \"a.ml\", line 1, characters 30-31:\n1 | let f\n    ^\nError: This expression has type int\n"
        ),
        ["Error a.ml:1 Error: This expression has type int"]
    );
    assert_eq!(
        found("ERROR in ./src/a.js 1:17\nModule parse failed: Unexpected token\n"),
        ["Error ./src/a.js 1:17 Module parse failed: Unexpected token"]
    );
    // Its loader of TypeScript is no lane.
    let loader = "[tsl] ERROR in /x/a.ts(1,14)\n      TS2322: Type 'number' is not assignable\n";
    assert_eq!(
        found(&loader.repeat(4)),
        [
            "Error /x/a.ts(1,14) /x/a.ts(1,14) /x/a.ts(1,14) /x/a.ts(1,14) TS2322: Type 'number' is not assignable"
        ]
    );
}

#[test]
fn rows_below_their_file() {
    let text = "FILE: /p/src/m2.php\n-----\nFOUND 2 ERRORS AFFECTING 2 LINES\n-----\n 2 | ERROR   | [ ] Missing file doc comment\n   |         |     or so\n 3 | WARNING | [x] Odd\n-----\n";
    assert_eq!(
        found(text),
        [
            "Error /p/src/m2.php:2 Missing file doc comment",
            "Warning /p/src/m2.php:3 Odd"
        ]
    );
    let text = " ------ -----\n  Line   src/Foo.php\n ------ -----\n  12     Method f() has no return type.\n  40     Undefined variable: $x\n ------ -----\n";
    assert_eq!(
        found(text),
        [
            "Error src/Foo.php:12 Method f() has no return type.",
            "Error src/Foo.php:40 Undefined variable: $x"
        ]
    );
}
