//! Python: Robot Framework's dots, Ward, green, stestr, doctest, `MkDocs`, isort.

use super::super::super::count::Category::{
    Deselected, Errors, Failed, Passed, Skipped, Warnings, Xfailed, Xpassed,
};
use super::super::super::problem::Severity::{Error, Warning};
use super::super::table::Act::{
    At, End, Fail, FailLine, Final, Held, Leave, Name, NameFailed, Part, Pass, Problem, Section,
    Show, Skip, Start, Tally,
};
use super::super::table::{Table, rules};

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[
    Table {
        // pytest-sugar, which prints no result line of pytest's.
        tool: "pytest",
        begins: "Results (",
        headings: false,
        rules: &rules([
            ("^Results ({}s):", End),
            ("^ {n} passed", Part(Passed)),
            ("^ {n} failed", Part(Failed)),
            ("^ {n} error{}", Part(Errors)),
            ("^ {n} warning{}", Part(Warnings)),
            ("^ {n} skipped", Part(Skipped)),
            ("^ {n} xfailed", Part(Xfailed)),
            ("^ {n} xpassed", Part(Xpassed)),
            ("^ {n} deselected", Part(Deselected)),
            ("^ - {}:{n} {}", End),
        ]),
    },
    Table {
        // Robot Framework with `--console dotted`.
        tool: "robot",
        begins: "Running suite '",
        headings: false,
        rules: &rules([
            ("^Running suite '{}' with {n} test{}", Start),
            ("^FAIL: {name}", Fail),
            ("^----------------------------------------{}", End),
            ("^========================================{}", End),
            (
                "^{total} tests, {passed} passed, {failed} failed, {skipped} skipped",
                Final,
            ),
            ("^{total} tests, {passed} passed, {failed} failed", Final),
            ("^{total} test, {passed} passed, {failed} failed{}", Final),
        ]),
    },
    Table {
        tool: "ward",
        begins: "─ Ward ",
        headings: false,
        rules: &rules([
            ("FAIL {}:{line} {name} {n}%", FailLine),
            ("FAIL {}:{line}[{n}/{n}] {name} {n}%", FailLine),
            ("PASS {}:{line} {name} {n}%", Pass),
            ("PASS {}:{line}[{n}/{n}] {name} {n}%", Pass),
            ("SKIP {}:{line} {name} {n}%", Skip),
            ("SKIP {}:{line}[{n}/{n}] {name} {n}%", Skip),
            ("│ {total} Tests Encountered {}", Tally),
            ("│ {passed} Passes {}", Tally),
            ("│ {failed} Failures {}", Tally),
            ("│ {skipped} Skips {}", Tally),
            ("─{} FAILED in {}", End),
            ("─{} {name} ─{}", Section),
        ]),
    },
    Table {
        tool: "unittest",
        begins: "Failure in ",
        headings: false,
        rules: &rules([
            ("^Failure in {id}", Fail),
            ("^Failure in {id} ({message})", Fail),
            ("^Error in {id}", Fail),
            ("^Skipped {id} - {}", End),
            ("^Ran {n} tests in {}", Leave),
            ("^Ran {n} test in {}", Leave),
        ]),
    },
    Table {
        // stestr, which prints what unittest prints of each test.
        tool: "unittest",
        begins: "Totals",
        headings: false,
        rules: &rules([
            ("^Ran: {total} tests in {} sec.", Tally),
            ("- Passed: {passed}", Tally),
            ("- Skipped: {skipped}", Tally),
            ("- Expected Fail: {n}", Part(Xfailed)),
            ("- Unexpected Success: {n}", Part(Xpassed)),
            ("- Failed: {failed}", Final),
        ]),
    },
    Table {
        tool: "zope.testrunner",
        begins: "zope.testrunner",
        headings: false,
        rules: &rules([
            // Each layer states its own result, and below several stands the total of all.
            ("^Running zope.testrunner.layer.UnitTests tests:", Start),
            ("^Failure in test {} ({id})", Fail),
            ("^Error in test {} ({id})", Fail),
            ("test{} ({id})", End),
            (
                "Ran {total} tests with {failed} failures, {errors} errors and {skipped} skipped in {}",
                Tally,
            ),
            (
                "Total: {total} tests, {failed} failures, {errors} errors and {skipped} skipped in {}",
                Tally,
            ),
            ("^Tests with errors:", End),
            ("^Tests with failures:", End),
            ("Tear down {}", End),
        ]),
    },
    // With `--statistics`.
    Table {
        tool: "ruff",
        begins: "\t[",
        headings: false,
        rules: &rules([
            ("{n} {id} [*] {id}", Show),
            ("{n} {id} [ ] {id}", Show),
            ("^Found {errors} error{}", Final),
        ]),
    },
    Table {
        tool: "ansible-lint",
        begins: " violation(s) that are fatal",
        // Its rules are words of their own.
        headings: true,
        rules: &rules([
            (
                "^Failed: {failed} failure(s), {warnings} warning(s) in {}",
                Final,
            ),
            ("^WARNING {}", End),
            ("^# {}", End),
            ("^{at}", At),
            ("^{at} {}", At),
            ("^{id}: {}", Held(Error)),
        ]),
    },
    Table {
        tool: "xdoctest",
        begins: "* DOCTEST : ",
        headings: false,
        rules: &rules([
            ("* FAILURE: {name}", Fail),
            ("* SUCCESS: {}", Pass),
            ("* DOCTEST : {}", End),
            ("Finished doctests", End),
            ("{passed} / {total} passed", Tally),
            ("=== {failed} failed, {passed} passed{} in {} ===", Tally),
            ("=== {failed} failed in {} ===", Tally),
            ("=== {passed} passed in {} ===", Tally),
        ]),
    },
    Table {
        tool: "nox",
        begins: "nox > ",
        headings: false,
        rules: &rules([
            ("^nox > Command {} failed with exit code {}", Show),
            ("^nox > * {}: failed", Show),
        ]),
    },
    Table {
        tool: "tox",
        begins: ": FAIL ",
        headings: false,
        rules: &rules([
            ("{id}: FAIL code {} ({}", Show),
            ("{id}: FAIL ✖ in {}", Show),
        ]),
    },
    Table {
        tool: "doctest",
        begins: "",
        headings: false,
        rules: &rules([
            ("^File \"{}\", line {n}, in {id}", Name),
            ("^File \"{}\", line ?, in {id}", Name),
            ("^Failed example:", NameFailed),
            ("^Trying:", End),
            ("^*****{}", End),
            ("^{total} tests in {n} items.", Tally),
            ("^{passed} passed and {failed} failed.", Tally),
            ("^***Test Failed*** {failed} failures.", Tally),
        ]),
    },
    Table {
        tool: "sphinx",
        begins: "Running Sphinx v",
        headings: false,
        rules: &rules([
            (
                "^checking consistency... {place}: WARNING: {message}",
                Problem(Warning),
            ),
            ("^build succeeded, {warnings} warning{}", Final),
            ("^build finished with problems, {warnings} warning{}", Final),
        ]),
    },
    Table {
        tool: "mkdocs",
        begins: "INFO    -  ",
        headings: false,
        rules: &rules([
            ("^WARNING - {message}", Problem(Warning)),
            ("^ERROR - {message}", Problem(Error)),
            ("^Aborted with {n} {}", Show),
        ]),
    },
    Table {
        tool: "isort",
        begins: "Imports are incorrectly sorted",
        headings: false,
        rules: &rules([(
            "^ERROR: {place} Imports are incorrectly sorted{}",
            Problem(Error),
        )]),
    },
    Table {
        tool: "black",
        begins: "",
        headings: false,
        rules: &rules([
            ("^would reformat {message}", Problem(Error)),
            ("^error: cannot format {place}: {message}", Problem(Error)),
            ("^error: cannot parse: {place}", Problem(Error)),
            ("{n} files would be reformatted{}", Show),
            ("{n} file would be reformatted{}", Show),
        ]),
    },
    Table {
        tool: "pre-commit",
        begins: "- hook id: ",
        headings: false,
        rules: &rules([("^- hook id: {}", Show)]),
    },
    Table {
        tool: "bandit",
        begins: ">> Issue: ",
        headings: false,
        rules: &rules([
            (">> Issue: {message}", Held(Error)),
            ("Location: {place}", At),
        ]),
    },
];
