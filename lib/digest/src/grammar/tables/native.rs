//! C, C++, Nim and Rust: sanitizers, Meson, Check, `CUnit`, Unity, `CppUTest`, `DejaGnu`, Automake, rustfmt.

use super::super::super::count::Category::{Errors, Failed, Passed, Skipped, Total, Xfailed};
use super::super::super::problem::Severity::Error;
use super::super::table::Act::{
    Add, At, End, Fail, FailAfter, FailIndented, FailLine, Final, Held, Part, Pass, Problem, Show,
    Skip, Start, Tally,
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
            ("^ThreadSanitizer: reported {warnings} warnings", Final),
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
            ("^Mismatched {}", Held(Error)),
            ("^Syscall param {}", Held(Error)),
            ("^{} lost in loss record {}", Held(Error)),
            ("at 0x{id}: {} ({at})", At),
            ("by 0x{id}: {} ({at})", At),
            ("^Process terminating with {}", Show),
            (
                "^ERROR SUMMARY: {errors} errors from {n} contexts {}",
                Final,
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
        // Of C; it crashes alone, and runs tests side by side.
        tool: "criterion",
        begins: "[====] Running ",
        headings: false,
        rules: &rules([
            ("^[RUN ] {}", End),
            ("^[PASS] {name}: ({}", Pass),
            ("^[SKIP] {name}: {}", Skip),
            ("^[FAIL] {name}: ({}", FailAfter),
            ("^[FAIL] {name}: {message}", FailAfter),
            (
                "^[====] Synthesis: Tested: {total} | Passing: {passed} | Failing: {failed} | {}",
                Final,
            ),
            ("^[====] Running {}", End),
        ]),
    },
    Table {
        tool: "meson test",
        begins: "",
        headings: false,
        rules: &rules([
            ("{n}/{} {name} FAIL {}s exit status {}", Fail),
            ("{n}/{} {name} FAIL {}s {message}", Fail),
            ("{n}/{} {name} FAIL {}s", Fail),
            ("{n}/{} {name} ERROR {}s exit status {}", Fail),
            ("{n}/{} {name} ERROR {}s", Fail),
            ("{n}/{} {name} TIMEOUT {}s {message}", Fail),
            ("{n}/{} {name} TIMEOUT {}", Fail),
            ("{n}/{} {name} EXPECTEDFAIL {}", End),
            ("{n}/{} {name} UNEXPECTEDPASS {}", FailLine),
            ("{n}/{} {name} RUNNING", End),
            ("Summary of Failures:", End),
            ("Full log written to {}", End),
            ("{n}/{} {name} OK {}s", Pass),
            ("{n}/{} {name} SKIP {}s", Skip),
            ("Ok: {n}", Part(Passed)),
            ("Expected Fail: {n}", Part(Xfailed)),
            ("Fail: {n}", Part(Failed)),
            ("Skipped: {n}", Part(Skipped)),
            // What took too long failed too.
            ("Timeout: {n}", Add(Failed)),
            ("Unexpected Pass: {n}", Add(Failed)),
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
    fn what_runs_after_a_tool_that_prints_no_end_is_read_too() {
        let nim = "[Suite] sums\n    sums.nim(7, 11): Check failed: add(1, 2) == 4\n    add(1, 2) was 3\n  [FAILED] adds\n  [OK] keeps\n";
        let cargo = "\nrunning 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' panicked at src/lib.rs:4:5:\nno b\n\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let interrupted = "bun test v1.1.0\n\na.test.ts:\n(pass) one [0.10ms]\nerror: expected 2\n(fail) two [0.10ms]\n";
        let line = "x\n".repeat(600);
        for (text, names) in [
            (format!("{nim}{cargo}"), ["adds", "b"]),
            (format!("{interrupted}{line}{cargo}"), ["two", "b"]),
        ] {
            let facts = sample(&text);
            let named: Vec<&str> = facts
                .failures
                .iter()
                .map(|failure| failure.name.as_str())
                .collect();
            assert_eq!(named, names, "{text}");
            assert!(
                facts
                    .failures
                    .iter()
                    .all(|failure| !failure.block.is_empty())
            );
        }
    }

    #[test]
    fn criterion_says_first_why_a_test_failed() {
        let facts = sample(
            "[----] Criterion v2.4.1\n[====] Running 2 tests from num:\n[RUN ] num::gcd\n[PASS] num::gcd: (0.00s)\n[RUN ] num::root\n[----] t.c:11: Assertion Failed\n[----]   \n[----]   root of 50\n[----]   \n\
             [FAIL] num::root: (0.00s)\n[====] Synthesis: Tested: 2 | Passing: 1 | Failing: 1 | Crashing: 0\n",
        );
        let [root] = &facts.failures[..] else {
            panic!("{:?}", facts.failures);
        };
        assert_eq!(root.name, "num::root");
        assert!(root.block.lines.contains(&(2, "root of 50".to_owned())));
        assert_eq!(root.block.place.as_ref().unwrap().shown, "t.c:11");
        let stated = facts.sessions[0].stated.as_ref().unwrap();
        assert_eq!(stated.words(), "1 failed, 1 passed, 2 total");
    }

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
