//! `JavaScript` and `TypeScript`: uvu, lab, `Deno`, Biome and bundlers.

use super::super::super::count::Category::{Failed, Passed, Skipped, SuitesFailed, SuitesPassed};
use super::super::super::problem::Severity::{Error, Warning};
use super::super::table::Act::{
    Add, At, Details, End, Fail, FailIndented, FailLine, Final, FinalResult, Held, Leave, Part,
    Pass, Problem, Result, Show, Skip, Tally,
};
use super::super::table::{Rule, Table, rules};

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[
    Table {
        tool: "uvu",
        begins: " FAIL ",
        headings: true,
        rules: &rules([
            ("FAIL {} \"{name}\"", Fail),
            ("FAIL \"{name}\"", Fail),
            ("Total: {total}", Tally),
            ("Passed: {passed}", Tally),
            ("Skipped: {skipped}", Tally),
            ("Duration: {}ms", End),
        ]),
    },
    Table {
        tool: "lab",
        begins: "Failed tests:",
        headings: true,
        rules: &rules([
            ("{n}) {name}:", Fail),
            ("{failed} of {total} tests failed", Tally),
            (
                "{failed} of {total} tests failed ({skipped} skipped)",
                Tally,
            ),
            ("{failed} of {total} tests failed {}", Tally),
            ("Test duration: {}", End),
        ]),
    },
    Table {
        tool: "prettier",
        begins: "",
        headings: false,
        rules: &rules([
            ("^[warn] Code style issues {}", Show),
            ("^[warn] {file}", Problem(Warning)),
            ("^[error] {file}: SyntaxError: {message}", Problem(Error)),
        ]),
    },
    Table {
        tool: "karma",
        begins: "karma-server",
        headings: false,
        rules: KARMA,
    },
    // The end of its output only.
    Table {
        tool: "karma",
        begins: ": Executed ",
        headings: false,
        rules: KARMA,
    },
    Table {
        tool: "pnpm",
        begins: "",
        headings: false,
        rules: &rules([("^Summary: {failed} fails, {passed} passes", Tally)]),
    },
    Table {
        tool: "newman",
        begins: "newman",
        headings: false,
        rules: &rules([
            ("│ assertions │ {total} │ {failed} │", Tally),
            ("{n}. AssertionError {name}", FailIndented),
        ]),
    },
    Table {
        tool: "cypress",
        begins: "(Run Finished)",
        headings: false,
        rules: &rules([
            (
                "✖ {n} of {n} failed ({}%) {} {total} {passed?} {failed?} {pending?} {skipped?}",
                Final,
            ),
            (
                "✔ All specs passed! {} {total} {passed?} {failed?} {pending?} {skipped?}",
                Final,
            ),
        ]),
    },
    Table {
        tool: "wdio",
        begins: "] RUNNING in ",
        headings: false,
        rules: &rules([
            ("^[{id}] Error in \"{name}\"", Fail),
            ("^[{id}] RUNNING in {}", End),
            ("^[{id}] PASSED in {}", End),
            ("^[{id}] FAILED in {}", End),
            ("^[{id} {}] {n} passing ({}", Add(Passed)),
            ("^[{id} {}] {n} failing", Add(Failed)),
            ("^[{id} {}] {n} skipped", Add(Skipped)),
            ("^[{id} {}", End),
            ("^\"spec\" Reporter:", End),
            ("^ \"spec\" Reporter:", End),
            ("^Spec Files: {n} passed, {n} total {}", Part(SuitesPassed)),
            ("^Spec Files: {n} failed, {n} total {}", Part(SuitesFailed)),
            ("^Spec Files: {}", Show),
        ]),
    },
    Table {
        tool: "biome",
        begins: " format ━",
        headings: false,
        rules: &rules([("^{place} format ━{}", Problem(Error))]),
    },
    Table {
        tool: "deno check",
        begins: " [ERROR]: ",
        headings: false,
        rules: &rules([
            ("^TS{n} [ERROR]: {}", Held(Error)),
            ("at file://{at}", At),
            ("^Found {errors} errors.", Tally),
        ]),
    },
    Table {
        tool: "redocly",
        begins: "Validation failed with ",
        headings: false,
        rules: &rules([
            (
                "❌ Validation failed with {errors} error{} and {warnings} warning{}",
                Final,
            ),
            ("❌ Validation failed with {errors} error{}", Final),
        ]),
    },
    Table {
        tool: "esbuild",
        begins: " [ERROR] ",
        headings: false,
        rules: &rules([
            ("✘ [ERROR] {message}", Held(Error)),
            ("X [ERROR] {message}", Held(Error)),
            ("▲ [WARNING] {message}", Held(Warning)),
            ("{at}:", At),
            // clang says how many it generated.
            (
                "{warnings} warning{} and {errors} error{} generated.",
                Leave,
            ),
            ("{warnings} warning{} and {errors} error{}", Final),
            (
                "{warnings} warning{} and {n} of {errors} errors shown{}",
                Final,
            ),
            ("{n} of {errors} errors shown{}", Final),
        ]),
    },
    Table {
        tool: "webpack",
        begins: "webpack ",
        headings: false,
        rules: &rules([
            ("{}webpack {} compiled with {errors} errors in {}", Final),
            ("{}webpack {} compiled with {errors} error in {}", Final),
            (
                "{}webpack {} compiled with {warnings} warnings in {}",
                Final,
            ),
            ("{}webpack {} compiled with {warnings} warning in {}", Final),
            (
                "{}webpack {} compiled with {errors} errors and {warnings} warning{} in {}",
                Final,
            ),
            (
                "{}webpack {} compiled with {errors} error and {warnings} warning{} in {}",
                Final,
            ),
        ]),
    },
    Table {
        tool: "rollup",
        begins: "[!] ",
        headings: false,
        rules: &rules([("[!] {message}", Problem(Error))]),
    },
    Table {
        tool: "deno test",
        begins: " test from ",
        headings: false,
        rules: DENO,
    },
    Table {
        tool: "deno test",
        begins: " tests from ",
        headings: false,
        rules: DENO,
    },
    Table {
        tool: "deno test",
        begins: " ERRORS",
        headings: false,
        rules: &rules([
            ("{name} => {at}", Details),
            (
                "FAILED | {passed} passed | {failed} failed | {ignored} ignored ({}",
                Final,
            ),
            ("FAILED | {passed} passed | {failed} failed ({}", Final),
            ("FAILED | {}", FinalResult),
            (" ERRORS", End),
            (" FAILURES", End),
        ]),
    },
    // Its reporter `json-stream`.
    Table {
        tool: "mocha",
        begins: "[\"start\",",
        headings: false,
        rules: &rules([
            ("[\"pass\",{}\"fullTitle\":\"{name}\",\"{}", Pass),
            (
                "[\"fail\",{}\"fullTitle\":\"{name}\",\"{}\"err\":\"{message}\",\"stack\"{}",
                FailLine,
            ),
            (
                "[\"end\",{}\"tests\":{total},\"passes\":{passed},\"pending\":{pending},\"failures\":{failed},{}",
                Final,
            ),
        ]),
    },
];

const KARMA: &[Rule] = &rules([
    // While it runs.
    ("^{}: Executed {} of {} (0 secs / {}", End),
    (
        "^{}: Executed {} of {} ({failed} FAILED) (skipped {skipped}) {}",
        Tally,
    ),
    ("^{}: Executed {} of {} ({failed} FAILED) {}", Tally),
    ("^{}: Executed {} of {} (skipped {skipped}) {}", Tally),
    ("^{}: Executed {} of {}", End),
    ("^{id} {} ({}) {name} FAILED", FailIndented),
    ("^TOTAL: {failed} FAILED, {passed} SUCCESS", Tally),
    ("^TOTAL: {passed} SUCCESS", Tally),
    ("^TOTAL: {failed} FAILED", Tally),
]);

const DENO: &[Rule] = &rules([
    // Of each file; the result is that of all.
    ("running {n} test from {}", End),
    ("running {n} tests from {}", End),
    // Steps count apart from tests; one that failed has its details below, its test has none.
    ("^ {} ... FAILED ({}", End),
    ("^ {} ... ok ({}", End),
    ("^ {} ... ignored ({}", End),
    ("{name} ... FAILED (due to {}", End),
    ("{name} ... FAILED ({}", FailLine),
    ("{name} ... ok ({}", Pass),
    ("{name} ... ignored ({}", Skip),
    ("{name} => {at}", Details),
    ("FAILED | {}", FinalResult),
    ("ok | {} ({})", FinalResult),
    ("ok | {}", Result),
    (" ERRORS", End),
    (" FAILURES", End),
]);
