//! Python: Ward, green, stestr, doctest, `MkDocs`, isort.

use super::super::super::problem::Severity::{Error, Warning};
use super::super::table::Act::{
    At, End, Fail, FailLine, Held, Leave, Name, NameFailed, Pass, Problem, Section, Show, Skip,
    Tally,
};
use super::super::table::Table;

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[
    Table {
        tool: "ward",
        begins: "─ Ward ",
        headings: false,
        rules: &[
            ("FAIL {}:{line} {name} {n}%", FailLine),
            ("PASS {}:{line} {name} {n}%", Pass),
            ("SKIP {}:{line} {name} {n}%", Skip),
            ("│ {total} Tests Encountered {}", Tally),
            ("│ {passed} Passes {}", Tally),
            ("│ {failed} Failures {}", Tally),
            ("│ {skipped} Skips {}", Tally),
            ("─{} FAILED in {}", End),
            ("─{} {name} ─{}", Section),
        ],
    },
    Table {
        tool: "unittest",
        begins: "Failure in ",
        headings: false,
        rules: &[
            ("^Failure in {id}", Fail),
            ("^Error in {id}", Fail),
            ("^Skipped {id} - {}", End),
            ("^Ran {n} tests in {}", Leave),
            ("^Ran {n} test in {}", Leave),
        ],
    },
    Table {
        // stestr, which prints what unittest prints of each test.
        tool: "unittest",
        begins: "Totals",
        headings: false,
        rules: &[
            ("^Ran: {total} tests in {} sec.", Tally),
            ("- Passed: {passed}", Tally),
            ("- Skipped: {skipped}", Tally),
            ("- Failed: {failed}", Tally),
        ],
    },
    Table {
        tool: "zope.testrunner",
        begins: "zope.testrunner",
        headings: false,
        rules: &[
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
        ],
    },
    Table {
        tool: "doctest",
        begins: "",
        headings: false,
        rules: &[
            ("^File \"{}\", line {n}, in {id}", Name),
            ("^Failed example:", NameFailed),
            ("^*****{}", End),
            ("^***Test Failed*** {failed} failures.", Tally),
        ],
    },
    Table {
        tool: "mkdocs",
        begins: "INFO    -  ",
        headings: false,
        rules: &[
            ("^WARNING - {message}", Problem(Warning)),
            ("^ERROR - {message}", Problem(Error)),
            ("^Aborted with {n} {}", Show),
        ],
    },
    Table {
        tool: "isort",
        begins: "Imports are incorrectly sorted",
        headings: false,
        rules: &[(
            "^ERROR: {place} Imports are incorrectly sorted{}",
            Problem(Error),
        )],
    },
    Table {
        tool: "black",
        begins: "",
        headings: false,
        rules: &[
            ("^would reformat {place}", Problem(Error)),
            ("^error: cannot format {place}: {message}", Problem(Error)),
            ("^error: cannot parse: {place}", Problem(Error)),
            ("{n} files would be reformatted{}", Show),
            ("{n} file would be reformatted{}", Show),
        ],
    },
    Table {
        tool: "bandit",
        begins: ">> Issue: ",
        headings: false,
        rules: &[
            (">> Issue: {message}", Held(Error)),
            ("Location: {place}", At),
        ],
    },
];
