//! Erlang, Elixir, Clojure and Elm.

use super::super::super::problem::Severity::{Error, Warning};
use super::super::table::Act::{At, End, Fail, Held, Problem, Show, Tally};
use super::super::table::{Table, rules};

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[
    Table {
        tool: "common test",
        begins: "Common Test",
        headings: false,
        rules: &rules([
            ("{id} failed on line {line}", Fail),
            (
                "{} TEST COMPLETE, {passed} ok, {failed} failed of {} test cases",
                Tally,
            ),
            (
                "{} TEST COMPLETE, {passed} ok, {failed} failed, {skipped} skipped of {} test cases",
                Tally,
            ),
            ("Testing {}", End),
            ("%%% {name}: FAILED", Fail),
            ("%%% {name}: OK", End),
            ("EXPERIMENTAL: {}", End),
            (
                "Failed {failed} tests. Skipped {skipped} ({}) tests. Passed {passed} tests.",
                Tally,
            ),
            ("Failed {failed} tests. Passed {passed} tests.", Tally),
        ]),
    },
    Table {
        tool: "mix compile",
        begins: "(.ex)",
        headings: false,
        rules: &rules([
            ("warning: {message}", Held(Warning)),
            ("error: {message}", Held(Error)),
            ("└─ {at}: {}", At),
            ("└─ {at}", At),
            ("{at}: {id}", At),
            ("** ({}) {at}: {message}", Problem(Error)),
            ("== Compilation error in file {}", Show),
        ]),
    },
    Table {
        // Of a test that does not compile nothing else tells.
        tool: "mix compile",
        begins: "== Compilation error in file ",
        headings: false,
        rules: &rules([
            ("** ({}) {at}: {message}", Problem(Error)),
            ("== Compilation error in file {}", Show),
        ]),
    },
    Table {
        tool: "credo",
        begins: "┃ [",
        headings: false,
        rules: &rules([
            ("┃ [{}] {} {message}", Held(Warning)),
            ("┃ {at} {}", At),
            ("{n} mods/funs, found {}", Show),
        ]),
    },
    Table {
        tool: "clojure.test",
        begins: " in (",
        headings: false,
        rules: &rules([
            ("^FAIL in ({name}) ({at})", Fail),
            ("^ERROR in ({name}) ({at})", Fail),
            ("^Testing {}", End),
            ("^Ran {total} tests containing {} assertions.", Tally),
            ("^{failed} failures, {errors} errors.", Tally),
        ]),
    },
    Table {
        tool: "elm-test",
        begins: "TEST RUN FAILED",
        headings: true,
        rules: &rules([
            ("Passed: {passed}", Tally),
            ("Failed: {failed}", Tally),
            ("Todo: {}", End),
        ]),
    },
    Table {
        tool: "elm make",
        begins: "-- ",
        headings: false,
        rules: &rules([("^-- {} ---{} {id}.elm", Problem(Error))]),
    },
];
