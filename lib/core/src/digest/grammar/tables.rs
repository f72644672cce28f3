//! The tables; the modules below have further ones. Order matters within a table: the first pattern that fits decides.

mod functional;
mod javascript;
mod jvm;
mod native;
mod others;
mod python;

use super::super::count::Category::{
    Cancelled, Errors, Failed, Passed, Skipped, Suites, Todo, Total,
};
use super::super::problem::Severity::{Error, Warning};
use super::table::Act::{
    Details, End, Fail, FailAfter, FailIndented, FailLine, FailNext, Final, FinalResult, First,
    Leave, Name, NameFailed, NamePassed, Part, Pass, Problem, Result, Show, Skip, Start, Tally,
};
use super::table::Table;

/// Every table, in the order in which they are asked.
pub(super) fn all() -> impl Iterator<Item = &'static Table> {
    let further = [
        javascript::TABLES,
        python::TABLES,
        native::TABLES,
        functional::TABLES,
        jvm::TABLES,
        others::TABLES,
    ];
    further.into_iter().flatten().chain(TABLES)
}

const TABLES: &[Table] = &[
    Table {
        tool: "ava",
        begins: "[fail]: ",
        headings: true,
        rules: &[
            (
                "✘ [fail]: {name} Rejected promise returned by test",
                FailLine,
            ),
            ("✘ [fail]: {name} Error thrown in test", FailLine),
            (
                "✘ [fail]: {name} Test finished without running any assertions",
                FailLine,
            ),
            ("✘ [fail]: {name} Planned for {n} {}", FailLine),
            (
                "✘ [unexpected pass]: {name} Test was expected to fail{}",
                FailLine,
            ),
            ("Uncaught exception in {}", End),
            ("Unhandled rejection in {}", End),
            ("✘ [fail]: {name}", FailLine),
            ("✖ [fail]: {name}", FailLine),
            ("✔ {name}", Pass),
            ("- [skip] {name}", Skip),
            ("{n} tests failed", Part(Failed)),
            ("{n} test failed", Part(Failed)),
            ("{n} tests passed", Part(Passed)),
            ("{n} test passed", Part(Passed)),
            ("{n} tests skipped", Part(Skipped)),
            ("{n} test skipped", Part(Skipped)),
            ("{n} tests todo", Part(Todo)),
            ("{n} test todo", Part(Todo)),
        ],
    },
    Table {
        tool: "bun test",
        begins: "bun test v",
        headings: false,
        rules: &[
            ("^bun test v{}", Start),
            ("^(fail) {name} [{}ms]", FailAfter),
            ("^(fail) {name} [{}s]", FailAfter),
            ("^(fail) {name}", FailAfter),
            ("^✗ {name} [{}s]", FailAfter),
            ("^✗ {name}", FailAfter),
            ("^(pass) {name}", Pass),
            ("^✓ {name}", Pass),
            ("^(skip) {name}", Skip),
            ("^(todo) {name}", End),
            ("^{} tests skipped:", End),
            ("^{} tests failed:", End),
            ("^Bailed out after {}", Show),
            ("^ {n} pass", Part(Passed)),
            ("^ {n} skip", Part(Skipped)),
            ("^ {n} todo", Part(Todo)),
            ("^ {n} fail", Part(Failed)),
            ("^ {n} error", Part(Errors)),
            ("^ {n} errors", Part(Errors)),
            ("^Ran {total} tests across {}", Final),
            ("^Ran {total} test across {}", Final),
        ],
    },
    Table {
        tool: "dotnet test",
        begins: "Test run for ",
        headings: false,
        rules: &[
            ("Failed {name} [{} ms]", Fail),
            ("Failed {name} [< {} ms]", Fail),
            ("Failed {name} [{} s]", Fail),
            ("Passed {name} [{}s]", Pass),
            ("Skipped {name} [{}s]", Skip),
            ("[xUnit.net {}] {name} [FAIL]", FailLine),
            ("[xUnit.net {}", End),
            ("Total tests: {n}", First(Total)),
            ("Passed: {n}", Part(Passed)),
            ("Failed: {n}", Part(Failed)),
            ("Skipped: {n}", Part(Skipped)),
            ("Failed! - Failed: {}", FinalResult),
            ("Passed! - Failed: {}", FinalResult),
            ("Skipped! - Failed: {}", FinalResult),
            ("Test Run {}.", End),
            ("Total time: {}", Final),
        ],
    },
    Table {
        tool: "dotnet test",
        begins: "",
        headings: false,
        rules: &[
            ("^ Failed {name} [{}s]", Fail),
            ("^ Failed {name} [{} s]", Fail),
            ("^failed {name} ({time})", FailIndented),
            ("^ Passed {name} [{}s]", Pass),
            ("^ Skipped {name} [{}s]", Skip),
            ("^[xUnit.net {}] {name} [FAIL]", FailLine),
            ("^[xUnit.net {}", End),
            ("Failed! - Failed: {}", FinalResult),
            ("Passed! - Failed: {}", FinalResult),
            ("Skipped! - Failed: {}", FinalResult),
            ("^Test summary: total: {}", Result),
            ("^Total tests: {n}", First(Total)),
            ("{n} Error(s)", Part(Errors)),
        ],
    },
    Table {
        tool: "swift test",
        begins: "Test ",
        headings: false,
        rules: &[
            ("Test Suite 'All tests' started{}", Start),
            ("Test Suite 'Selected tests' started{}", Start),
            ("Test Case '{name}' started{}", Name),
            ("Test Case '{name}' failed ({}", FailLine),
            ("Test Case '{name}' passed ({}", Pass),
            ("Test Case '{name}' skipped ({}", Skip),
            ("{place}: error: -[{}] : {message}", NameFailed),
            ("{}: error: -[{}] : {message}", NameFailed),
            ("{at}: error: {id} : {message}", FailLine),
            ("<{}>:{n}: error: {id} : {message}", FailLine),
            (
                "Executed {total} tests, with {skipped} test{} skipped and {failed} failure{}",
                Tally,
            ),
            ("Executed {total} tests, with {failed} failure{}", Tally),
            ("Executed {total} test, with {failed} failure{}", Tally),
            (
                "✘ Test {name} recorded an issue at {place}: {message}",
                FailLine,
            ),
            ("✘ Test {name} failed after {}", FailLine),
            ("✔ Test {name} passed after {}", Pass),
        ],
    },
    Table {
        tool: "dart test",
        begins: " +",
        headings: false,
        rules: &[
            ("{}:{line} +{}: {name} [E]", FailIndented),
            ("{}:{line} +{passed} -{failed}: Some tests failed.", Final),
            (
                "{}:{line} +{passed} ~{skipped} -{failed}: Some tests failed.",
                Final,
            ),
            ("{}:{line} +{passed}: All tests passed!", Final),
            ("{}:{line} +{passed} ~{skipped}: All tests passed!", Final),
            ("{}:{line} +{}: loading {}", End),
        ],
    },
    Table {
        tool: "doctest",
        begins: "[doctest]",
        headings: false,
        rules: &[
            (
                "[doctest] test cases: {total} | {passed} passed | {failed} failed | {skipped} skipped",
                Tally,
            ),
            ("[doctest] test cases: {}", Result),
            ("[doctest] {}", End),
            ("TEST CASE: {name}", Name),
            ("{at}: ERROR: {message}", NameFailed),
            ("{at}: FATAL ERROR: {message}", NameFailed),
            ("{at}: SUCCESS: {}", End),
            ("==={}", End),
        ],
    },
    Table {
        tool: "boost test",
        begins: " test case",
        headings: false,
        rules: &[
            ("Running {n} test cases...", First(Total)),
            ("Running {n} test case...", First(Total)),
        ],
    },
    Table {
        tool: "boost test",
        begins: "",
        headings: false,
        rules: &[
            ("{place}: error: in \"{name}\": {message}", FailLine),
            ("{place}: fatal error: in \"{name}\": {message}", FailLine),
            // These are assertions, not tests.
            ("*** {n} failures are detected in {}", End),
            ("*** {n} failure is detected in {}", End),
            ("*** No errors detected{}", End),
        ],
    },
    Table {
        tool: "busted",
        begins: " success",
        headings: false,
        rules: &[
            (
                "{passed} success{} / {failed} failure{} / {errors} error{} / {pending} pending : {}",
                Tally,
            ),
            ("Failure -> {place} @ {line}", FailNext),
            ("Failure → {place} @ {line}", FailNext),
            ("Error -> {place} @ {line}", FailNext),
            ("Error → {place} @ {line}", FailNext),
            ("Pending -> {place} @ {line}", End),
            ("Pending → {place} @ {line}", End),
        ],
    },
    Table {
        tool: "eunit",
        begins: "",
        headings: false,
        rules: &[
            ("{name}...*failed*", Fail),
            (
                "Failed: {failed}. Skipped: {skipped}. Passed: {passed}.",
                Tally,
            ),
            ("All {n} tests passed.", Part(Passed)),
            ("{n} tests passed.", Part(Passed)),
        ],
    },
    Table {
        tool: "alcotest",
        begins: "[FAIL]",
        headings: false,
        rules: &[
            ("[FAIL] {name}.", FailLine),
            ("> [FAIL] {name}.", FailLine),
            ("[OK] {name}.", Pass),
            ("│ [FAIL] {name}. │", Details),
            ("{failed} failures! in {}. {total} tests run.", Tally),
            ("{failed} failure! in {}. {total} tests run.", Tally),
            ("{failed} failure! in {}. {total} test run.", Tally),
        ],
    },
    Table {
        tool: "tasty",
        begins: "FAIL",
        headings: false,
        rules: &[
            ("{name}: FAIL", FailIndented),
            ("{name}: FAIL ({}s)", FailIndented),
            ("{name}: OK", Pass),
            ("{name}: OK ({}s)", Pass),
            ("{failed} out of {total} tests failed ({}", Tally),
        ],
    },
    Table {
        tool: "testthat",
        begins: "",
        headings: false,
        rules: &[
            ("── Failure ({place}): {name}", Fail),
            ("── Error ({place}): {name}", Fail),
            ("── {n}. Failure ({place}): {name}", Fail),
            ("── {n}. Error ({place}): {name}", Fail),
            ("^Failure ('{at}'): {name}", Fail),
            ("^Failure ({at}): {name}", Fail),
            ("^Error ('{at}'): {name}", Fail),
            ("^Error ({at}): {name}", Fail),
            ("── Skip ({}", End),
            ("^Skip ({}", End),
            ("── Warning ({}", End),
            ("[ FAIL {} | WARN {} | SKIP {} | PASS {} ]", Result),
            ("══ {}", End),
        ],
    },
    Table {
        tool: "julia test",
        begins: "",
        headings: false,
        rules: &[
            ("{name}: Test Failed at {place}", Fail),
            ("{name}: Error During Test at {place}", Fail),
            ("Test Summary: | {}", End),
            ("ERROR: Some tests did not pass: {}", Result),
        ],
    },
    Table {
        tool: "zig test",
        begins: "",
        headings: false,
        rules: &[
            ("{n}/{} {name}...FAIL ({message})", Fail),
            ("{n}/{} {name}...OK", Pass),
            ("{n}/{} {name}...SKIP", Skip),
            ("error: '{name}' failed: {message}", Fail),
            ("{n}/{} {name}...{message}", Name),
            ("^FAIL ({message})", NameFailed),
            ("^OK", NamePassed),
            (
                "{passed} passed; {skipped} skipped; {failed} failed.",
                Tally,
            ),
            ("All {n} tests passed.", Part(Passed)),
        ],
    },
    Table {
        tool: "pest",
        begins: "",
        headings: false,
        rules: &[
            ("FAILED Tests\\{name} {message}", Fail),
            ("FAILED Tests\\{name}", Fail),
            ("Tests: {} ({} assertions)", Result),
            ("⨯ {name}", End),
        ],
    },
    Table {
        tool: "sbt test",
        begins: "[info]",
        headings: false,
        rules: &[
            ("[info] - {name} *** FAILED ***", Fail),
            ("[info] - {name} *** FAILED *** ({}", Fail),
            ("[info] - {name}", Pass),
            ("[error] x {name}", FailLine),
            ("[info] Total number of tests run: {n}", First(Total)),
            (
                "[info] Tests: succeeded {passed}, failed {failed}, canceled {n}, ignored {ignored}, pending {pending}",
                Final,
            ),
            ("[info] Tests: succeeded {}", FinalResult),
            ("[info] {name}:", End),
            ("[error] Failed: Total {}", End),
            ("[error] Failed tests:", End),
        ],
    },
    Table {
        tool: "robot",
        begins: " | FAIL |",
        headings: false,
        rules: &[
            ("{name} | FAIL |", Fail),
            ("{name} | PASS |", Pass),
            ("{total} tests, {passed} passed, {failed} failed", Tally),
            ("{total} test, {passed} passed, {failed} failed", Tally),
            (
                "{total} tests, {passed} passed, {failed} failed, {skipped} skipped",
                Tally,
            ),
            ("=={}", End),
            ("--{}", End),
        ],
    },
    Table {
        tool: "meson test",
        begins: "",
        headings: false,
        rules: &[
            ("{n}/{} {name} FAIL {}s exit status {}", Fail),
            ("{n}/{} {name} FAIL {}s killed by {}", Fail),
            ("{n}/{} {name} FAIL {}s", Fail),
            ("{n}/{} {name} ERROR {}s exit status {}", Fail),
            ("{n}/{} {name} ERROR {}s", Fail),
            ("{n}/{} {name} TIMEOUT {}", Fail),
            ("{n}/{} {name} RUNNING", End),
            ("Summary of Failures:", End),
            ("Full log written to {}", End),
            ("{n}/{} {name} OK {}s", Pass),
            ("{n}/{} {name} SKIP {}s", Skip),
            ("Ok: {n}", Part(Passed)),
            ("Fail: {n}", Part(Failed)),
            ("Skipped: {n}", Part(Skipped)),
        ],
    },
    Table {
        tool: "gotestsum",
        begins: "",
        headings: false,
        rules: &[
            ("=== FAIL: {} {name} ({}s)", Fail),
            ("=== Failed", End),
            ("=== Skipped", End),
            ("^DONE {} tests{} in {}", Leave),
        ],
    },
    Table {
        tool: "gotestsum",
        begins: "DONE ",
        headings: false,
        rules: &[
            ("^DONE {n} tests, {} in {}", Result),
            ("^DONE {n} tests in {}", Part(Passed)),
        ],
    },
    Table {
        tool: "ansible",
        begins: "TASK [",
        headings: false,
        rules: &[
            ("fatal: [{name}]: {message}", FailLine),
            ("failed: [{name}] {message}", FailLine),
            ("{} : ok={} changed={} unreachable={} failed={}", Show),
        ],
    },
    Table {
        tool: "terraform",
        begins: "│ Error: ",
        headings: false,
        rules: &[
            ("│ Error: {message}", Problem(Error)),
            ("│ Warning: {message}", Problem(Warning)),
            ("│ on {}", Show),
            ("Plan: {}", Show),
        ],
    },
    Table {
        tool: "node --test",
        begins: "✖ ",
        headings: false,
        rules: &[
            ("✖ {name} ({}ms)", FailIndented),
            ("✔ {name} ({}ms)", Pass),
            ("▶ {}", End),
            ("test at {}", End),
            ("ℹ tests {n}", Part(Total)),
            ("ℹ pass {n}", Part(Passed)),
            ("ℹ fail {n}", Part(Failed)),
            ("ℹ suites {n}", Part(Suites)),
            ("ℹ cancelled {n}", Part(Cancelled)),
            ("ℹ skipped {n}", Part(Skipped)),
            ("ℹ todo {n}", Part(Todo)),
            ("ℹ {}", End),
        ],
    },
    Table {
        tool: "bats",
        begins: ".bats",
        headings: false,
        rules: &[
            ("^ ✗ {name}", Fail),
            ("^ ✓ {name}", Pass),
            ("^ - {name} (skipped{}", Skip),
            (
                "^{total} tests, {failed} failure{}, {skipped} skipped",
                Tally,
            ),
            ("^{total} tests, {failed} failure{}", Tally),
            ("^{total} test, {failed} failure{}", Tally),
        ],
    },
    Table {
        tool: "npm",
        begins: "",
        headings: false,
        rules: &[
            ("npm error {message}", Show),
            ("npm ERR! {message}", Show),
            ("npm warn {}", End),
            ("npm WARN {}", End),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::super::ANCHORS;
    use super::super::table::Act;

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
        for (rule, _) in rules.filter(|(rule, act)| fails(act) && !BARE.contains(rule)) {
            let mut texts = rule
                .split('{')
                .map(|part| part.split_once('}').map_or(part, |(_, text)| text));
            let found = texts.any(|text| ANCHORS.iter().any(|anchor| text.contains(anchor)));
            assert!(found, "nobody looks for it: {rule:?}");
        }
    }

    #[test]
    fn a_blank_in_a_rule_stands_for_all_there_are() {
        for (rule, _) in super::all().flat_map(|table| table.rules) {
            assert!(!rule.contains("  "), "matches nothing: {rule:?}");
        }
    }
}
