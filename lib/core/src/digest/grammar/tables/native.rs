//! C, C++, Nim and Rust: sanitizers, Check, `CUnit`, Unity, `CppUTest`, `DejaGnu`, Automake, rustfmt.

use super::super::super::count::Category::{Errors, Failed, Passed, Skipped, Total, Xfailed};
use super::super::super::problem::Severity::Error;
use super::super::table::Act::{
    At, End, Fail, FailAfter, FailIndented, FailLine, Held, Part, Pass, Problem, Show, Skip, Start,
    Tally,
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
            ("^ThreadSanitizer: reported {warnings} warnings", Tally),
        ]),
    },
    Table {
        tool: "valgrind",
        begins: "Memcheck, a memory error detector",
        headings: false,
        rules: &rules([
            ("^Invalid {}", Held(Error)),
            (
                "^Conditional jump or move depends on uninitialised value(s)",
                Held(Error),
            ),
            ("^Use of uninitialised value of {}", Held(Error)),
            ("^Mismatched free() {}", Held(Error)),
            ("^Syscall param {}", Held(Error)),
            ("^{} lost in loss record {}", Held(Error)),
            ("at 0x{id}: {} ({at})", At),
            ("by 0x{id}: {} ({at})", At),
            ("^Process terminating with {}", Show),
            (
                "^ERROR SUMMARY: {errors} errors from {n} contexts {}",
                Tally,
            ),
            ("^Memcheck, {}", End),
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

#[cfg(test)]
mod tests {
    use super::super::super::sample;

    #[test]
    fn valgrind_tells_what_is_wrong_where_the_program_did_it() {
        let facts = sample(
            "==11986== Memcheck, a memory error detector\n==11986== Invalid write of size 1\n==11986==    at 0x48478F6: strcpy (in /usr/lib/vgpreload.so)\n==11986==    by 0x109222: mk (cfg.c:6)\n==11986==    by 0x10937E: main (cfg.c:11)\n\
             ==11986== Conditional jump or move depends on uninitialised value(s)\n==11986==    at 0x1093A4: main (cfg.c:12)\n==11986== ERROR SUMMARY: 15 errors from 8 contexts (suppressed: 0 from 0)\n",
        );
        let list = facts.problems.into_list(true);
        let told = list
            .iter()
            .map(|one| format!("{} {}", one.places.join(" "), one.text));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                "cfg.c:6 Invalid write of size 1",
                "cfg.c:12 Conditional jump or move depends on uninitialised value(s)"
            ]
        );
        let stated = facts.sessions[0].stated.as_ref().unwrap();
        assert_eq!(stated.words(), "15 errors");
    }
}
