//! C, C++, Nim and Rust: sanitizers, Check, `CUnit`, Unity, `CppUTest`, `DejaGnu`, Automake, rustfmt.

use super::super::super::count::Category::{Errors, Failed, Passed, Skipped, Total, Xfailed};
use super::super::super::problem::Severity::Error;
use super::super::table::Act::{
    End, Fail, FailAfter, FailIndented, FailLine, Part, Pass, Problem, Show, Skip, Start, Tally,
};
use super::super::table::{Table, rules};

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[
    Table {
        tool: "sanitizer",
        begins: "Sanitizer: ",
        headings: false,
        rules: &rules([
            ("^=={n}==ERROR: {message}", Problem(Error)),
            ("^SUMMARY: {}", Show),
        ]),
    },
    Table {
        tool: "cargo fmt",
        begins: "Diff in ",
        headings: false,
        rules: &rules([
            ("^Diff in {place}:", Problem(Error)),
            ("^Diff in {place} at line {n}:", Problem(Error)),
        ]),
    },
    Table {
        tool: "check",
        begins: "%: Checks: ",
        headings: false,
        rules: &rules([
            (
                "^{}%: Checks: {total}, Failures: {failed}, Errors: {errors}",
                Tally,
            ),
            ("^{place}:F:{}:{name}:{n}: {message}", FailLine),
            ("^{place}:E:{}:{name}:{n}: {message}", FailLine),
            ("^{place}:P:{}:{name}:{n}: Passed", End),
        ]),
    },
    Table {
        tool: "cunit",
        begins: "CUnit - ",
        headings: false,
        rules: &rules([
            ("Test: {name} ...FAILED", Fail),
            ("Test: {name} ...passed", End),
            ("Suite: {}", End),
            ("Run Summary: {}", End),
            ("tests {total} {} {passed} {failed} {}", Tally),
            ("asserts {}", End),
        ]),
    },
    Table {
        tool: "unity",
        begins: ":FAIL: ",
        headings: false,
        rules: &rules([
            ("^{place}:{id}:FAIL: {message}", FailLine),
            ("^{place}:{id}:PASS", Pass),
            ("^{total} Tests {failed} Failures {ignored} Ignored", Tally),
        ]),
    },
    Table {
        tool: "cpputest",
        begins: "Failure in TEST(",
        headings: false,
        rules: &rules([
            ("{place}: error: Failure in TEST({name})", FailIndented),
            ("^Errors ({failed} failures, {total} tests, {}", Tally),
        ]),
    },
    Table {
        tool: "dejagnu",
        begins: ".exp ...",
        headings: false,
        rules: &rules([
            ("^FAIL: {name}", FailLine),
            ("^ERROR: {message}", Show),
            ("^PASS: {}", End),
            ("# of expected passes {passed}", Tally),
            ("# of unexpected failures {failed}", Tally),
            ("# of unsupported tests {skipped}", Tally),
        ]),
    },
    Table {
        tool: "automake",
        begins: "check-TESTS",
        headings: false,
        rules: &rules([
            ("make{}check-TESTS", Start),
            ("^PASS: {id}", Pass),
            ("^FAIL: {id}", Fail),
            ("^ERROR: {id}", Fail),
            ("^SKIP: {id}", Skip),
            ("^XFAIL: {id}", End),
            ("^FAIL {id} (exit status: {}", End),
            ("^Testsuite summary {}", End),
            ("^# TOTAL: {n}", Part(Total)),
            ("^# PASS: {n}", Part(Passed)),
            ("^# SKIP: {n}", Part(Skipped)),
            ("^# XFAIL: {n}", Part(Xfailed)),
            ("^# FAIL: {n}", Part(Failed)),
            ("^# XPASS: {}", End),
            ("^# ERROR: {n}", Part(Errors)),
        ]),
    },
    Table {
        tool: "kyua",
        begins: "  ->  ",
        headings: false,
        rules: &rules([
            (
                "^Test cases: {total} total, {skipped} skipped, {xfailed} expected failures, {errors} broken, {failed} failed",
                Tally,
            ),
            ("^{id} -> failed: {message}", FailLine),
            ("^{id} -> broken: {message}", FailLine),
            ("^{id} -> {}", End),
        ]),
    },
    Table {
        tool: "nim test",
        begins: "[Suite] ",
        headings: false,
        rules: &rules([
            ("[FAILED] {name}", FailAfter),
            ("[OK] {name}", Pass),
            ("[SKIPPED] {name}", Skip),
            ("[Suite] {}", End),
        ]),
    },
];
