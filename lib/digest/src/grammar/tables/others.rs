//! Ruby, PHP, Lua, Dart, Cucumber, `PowerShell`, Terraform and apt.

use super::super::super::count::Category::{Errors, Failed, Passed, Problems, Skipped, Total};
use super::super::super::problem::Severity::{Error, Warning};
use super::super::table::Act::{
    End, Fail, FailIndented, FailLine, Final, FinalResult, Leave, Name, NameFailed, Part, Pass,
    Problem, Result, Show, Start, Tally,
};
use super::super::table::{Table, rules};

/// In the order in which they are asked.
pub(super) const TABLES: &[Table] = &[
    Table {
        tool: "terraform",
        begins: "",
        headings: false,
        rules: &rules([
            ("^Plan: {n} to add, {}", Show),
            ("^Apply complete! {}", Show),
            ("^Destroy complete! {}", Show),
            ("^No changes. {}", Show),
        ]),
    },
    Table {
        tool: "apt-get",
        begins: "",
        headings: false,
        rules: &rules([(
            "^{n} upgraded, {n} newly installed, {n} to remove and {n} not upgraded.",
            Show,
        )]),
    },
    Table {
        tool: "luaunit",
        begins: "Failed tests:",
        headings: false,
        rules: &rules([
            ("^{n}) {id}", Fail),
            (
                "^Ran {total} tests in {} seconds, {passed} successes, {failed} failures",
                Tally,
            ),
            (
                "^Ran {total} tests in {} seconds, {passed} successes, {failed} failure",
                Tally,
            ),
            (
                "^Ran {total} tests in {} seconds, {passed} successes, {failed} failures, {errors} errors",
                Tally,
            ),
        ]),
    },
    Table {
        tool: "test-unit",
        begins: "Loaded suite ",
        headings: false,
        rules: &rules([
            ("^Failure: {call}: {message}", Fail),
            ("^Failure: {call}:", Fail),
            ("^Failure: {name}", Fail),
            ("^Error: {call}: {message}", Fail),
            ("^Error: {call}:", Fail),
            ("^Error: {name}", Fail),
            ("^==={}", End),
            ("^Finished in {}", Leave),
        ]),
    },
    Table {
        tool: "phpunit",
        begins: "PHPUnit ",
        headings: false,
        rules: &rules([
            ("^ ✘ {name}", Fail),
            ("^ ✔ {}", End),
            ("^ ↩ {}", End),
            ("^ ∅ {}", End),
            ("^ ☢ {}", End),
            ("^Time: {}", End),
            ("^Summary of non-successful tests:", End),
            ("^FAILURES!", End),
            ("^ERRORS!", End),
            ("^Tests: {}", Leave),
            ("^OK ({}", Leave),
        ]),
    },
    Table {
        tool: "psalm",
        begins: "ERROR: ",
        headings: false,
        rules: &rules([("^ERROR: {id} - {at} - {message}", Problem(Error))]),
    },
    Table {
        tool: "dart analyze",
        begins: " • ",
        headings: false,
        rules: &rules([
            ("error • {message} • {at} • {}", Problem(Error)),
            ("warning • {message} • {at} • {}", Problem(Warning)),
            ("info • {message} • {at} • {}", Problem(Warning)),
            ("error - {at} - {message}", Problem(Error)),
            ("warning - {at} - {message}", Problem(Warning)),
            ("{n} issues found.{}", Part(Problems)),
        ]),
    },
    Table {
        tool: "cucumber",
        begins: "Failing Scenarios:",
        headings: false,
        rules: &rules([("^cucumber {at} # {name}", FailLine)]),
    },
    Table {
        tool: "pester",
        begins: "[-] ",
        headings: false,
        rules: &rules([
            ("[-] {name} {}ms ({}", Fail),
            ("[-] {name} {}s ({}", Fail),
            ("[+] {name} {}ms ({}", Pass),
            ("[+] {name} {}s ({}", Pass),
            ("Tests completed in {}", End),
            (
                "Tests Passed: {passed}, Failed: {failed}, Skipped: {skipped}{}",
                Tally,
            ),
        ]),
    },
    Table {
        tool: "behave",
        begins: "USING RUNNER: behave",
        headings: false,
        rules: &rules([
            ("Scenario: {name} # {}", Name),
            ("Scenario Outline: {name} # {}", Name),
            ("^ Scenario: {name}", Name),
            ("^ Scenario Outline: {name}", Name),
            ("ASSERT FAILED: {message}", NameFailed),
            ("exception: {message}", NameFailed),
            ("Traceback (most recent call last):", NameFailed),
            ("{} # None", End),
            ("Failing scenarios:", End),
            ("{}.feature:{line} {name}", FailLine),
            ("{n} scenarios passed, {}", FinalResult),
            ("{n} scenario passed, {}", FinalResult),
        ]),
    },
    Table {
        tool: "behave",
        begins: "Failing scenarios:",
        headings: true,
        rules: &rules([
            ("{place}.feature:{line} {name}", FailLine),
            ("{n} scenarios passed, {}", FinalResult),
            ("{n} scenario passed, {}", FinalResult),
        ]),
    },
    Table {
        tool: "perlcritic",
        begins: "(Severity: ",
        headings: false,
        rules: &rules([
            ("^{file}: {message}. {} (Severity: {n})", Problem(Error)),
            ("^{message}. {} (Severity: {n})", Problem(Error)),
        ]),
    },
    Table {
        tool: "bazel",
        begins: "//",
        headings: false,
        rules: &rules([
            ("^FAIL: {label} (see {}", FailLine),
            ("^FAIL: {label} (shard {}", FailLine),
            ("^TIMEOUT: {label} (see {}", FailLine),
            ("^TIMEOUT: {label} (Summary)", FailLine),
            ("^{label} FAILED in {}", FailLine),
            ("^{label} FAILED TO BUILD", FailLine),
            ("^{label} TIMEOUT in {}", FailLine),
            ("^{label} PASSED in {}", Pass),
            ("^{label} (cached) PASSED in {}", Pass),
            (
                "^Executed {} out of {total} tests: {passed} tests pass and {failed} fail{}",
                Tally,
            ),
            (
                "^Executed {} out of {total} tests: {passed} test passes and {failed} fail{}",
                Tally,
            ),
            (
                "^Executed {} out of {total} tests: {passed} test{}, {n} fail{} to build and {failed} fail{}",
                Tally,
            ),
            ("^Executed {} out of {} tests: {}", Show),
        ]),
    },
    Table {
        tool: "gocheck",
        begins: "",
        headings: false,
        rules: &rules([
            ("^FAIL: {at}: {id}", FailLine),
            ("^PANIC: {at}: {id}", FailLine),
            ("^OOPS: {}", Result),
        ]),
    },
    Table {
        tool: "ginkgo",
        begins: "Running Suite: ",
        headings: false,
        rules: &rules([
            ("[Fail] {name}", FailLine),
            ("[Panic!] {name}", FailLine),
            ("[Timeout...] {name}", FailLine),
            ("[FAIL] {name}", FailLine),
            ("[PANICKED!] {name}", FailLine),
            ("[TIMEDOUT] {name}", FailLine),
            (
                "^{} -- {passed} Passed | {failed} Failed | {pending} Pending | {skipped} Skipped",
                Final,
            ),
            ("^Ran {} of {} Specs in {}", End),
        ]),
    },
    Table {
        tool: "docker build",
        begins: "load build definition",
        headings: false,
        rules: &rules([
            ("^Dockerfile:{line}", Show),
            ("^ERROR: failed to solve: {}", Show),
        ]),
    },
    Table {
        tool: "luacheck",
        begins: "Total: ",
        headings: false,
        rules: &rules([(
            "^Total: {warnings} warning{} / {errors} error{} in {}",
            Final,
        )]),
    },
    Table {
        tool: "ant junit",
        begins: "Testsuite: ",
        headings: false,
        rules: &rules([
            ("Testsuite: {}", Start),
            (
                "Tests run: {total}, Failures: {failed}, Errors: {errors}, Skipped: {skipped}, Time elapsed: {}",
                Tally,
            ),
            ("Testcase: {name} took {} sec", Name),
            ("FAILED", NameFailed),
            ("Caused an ERROR", NameFailed),
        ]),
    },
    Table {
        tool: "testng",
        begins: "TestNG",
        headings: false,
        rules: &rules([
            ("^FAILED: {name}", FailIndented),
            ("^PASSED: {}", End),
            ("^SKIPPED: {}", End),
            (
                "Total tests run: {total}, Passes: {passed}, Failures: {failed}, Skips: {skipped}",
                Final,
            ),
            (
                "Total tests run: {total}, Failures: {failed}, Skips: {skipped}",
                Final,
            ),
        ]),
    },
    Table {
        tool: "fiveam",
        begins: " Did ",
        headings: false,
        rules: &rules([
            ("^ Did {n} checks.", End),
            ("Pass: {n} ({}", Part(Passed)),
            ("Skip: {n} ({}", Part(Skipped)),
            ("Fail: {n} ({}", Part(Failed)),
            ("{id} in {id} []:", Fail),
            ("Skip Details:", End),
        ]),
    },
    Table {
        tool: "RUnit",
        begins: "RUNIT TEST PROTOCOL",
        headings: false,
        rules: &rules([
            ("^Number of test functions: {n}", Part(Total)),
            ("^Number of errors: {n}", Part(Errors)),
            ("^Number of failures: {n}", Part(Failed)),
            ("^{id}: FAILURE !! {}", Fail),
            ("^{id}: ERROR !!", Fail),
            ("^{id}: ({n} checks) ... OK {}", End),
        ]),
    },
    Table {
        tool: "phpcs",
        begins: " FOUND ",
        headings: false,
        rules: &rules([
            (
                "^A TOTAL OF {errors} ERROR{} AND {warnings} WARNING{} {}",
                Final,
            ),
            ("^A TOTAL OF {errors} ERROR{} WERE FOUND {}", Final),
        ]),
    },
    Table {
        tool: "teamcity",
        begins: "##teamcity[",
        headings: false,
        rules: &rules([
            (
                "##teamcity[testFailed name='{name}' message='{message}' {}",
                FailLine,
            ),
            (
                "##teamcity[testFailed {} name='{name}' message='{message}' {}",
                FailLine,
            ),
            ("##teamcity[testFailed name='{name}' {}", FailLine),
            ("##teamcity[{}]", End),
        ]),
    },
];

#[cfg(test)]
mod tests {
    use super::super::super::{messages, sample};

    #[test]
    fn behave_bazel_and_teamcity() {
        let told = |text: &str| {
            let facts = sample(text);
            let names = facts.failures.iter().map(|failure| {
                let first = failure.block.first().unwrap_or("-");
                format!("{}: {first}", failure.name)
            });
            names.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            told(
                "USING RUNNER: behave.runner:Runner\n  Scenario: pays  # a.feature:3\n    Then it is 9  # steps/s.py:8\n      ASSERT FAILED: it was 8\n\nFailing scenarios:\n  a.feature:3  pays\n"
            ),
            "pays: it was 8"
        );
        assert_eq!(
            told("//a:ok_test  PASSED in 0.1s\n//net:soak_test  TIMEOUT in 60.0s\n"),
            "//net:soak_test: -"
        );
        assert_eq!(
            told(
                "##teamcity[testStarted name='a']\n##teamcity[testFailed name='a' message='no' details='x']\n##teamcity[testFinished name='a' duration='1']\n"
            ),
            "a: no"
        );
    }

    #[test]
    fn test_unit_says_why_on_the_line_of_the_name_or_below() {
        let facts = sample(
            "Loaded suite test_bank\n===============\nFailure: test_overdraft(TestAccount): <ArgumentError> expected\ntest_bank.rb:6:in `test_overdraft'\n===============\n\
             Error: test: cannot withdraw(TestAccount::frozen): IOError: ledger is locked\n===============\nFailure: test_table[big](TestAccount)\n<11> expected but was\n<10>\n===============\n",
        );
        assert_eq!(
            messages(&facts),
            [
                ("test_overdraft(TestAccount)", "<ArgumentError> expected"),
                (
                    "test: cannot withdraw(TestAccount::frozen)",
                    "IOError: ledger is locked"
                ),
                ("test_table[big](TestAccount)", "<11> expected but was"),
            ]
        );
    }

    #[test]
    fn behave_lists_what_failed_and_what_could_not_run() {
        let facts = sample(
            "USING RUNNER: behave.runner:Runner\nfeatures/brew.feature  ..F..F.EU\n\nERROR in step 'the machine is cold':\n  Feature:  Brewing\n  Scenario: Descale\nNone\n\n\
             Failing scenarios:\n  features/brew.feature:3  Espresso takes 25 seconds\n\nErrored scenarios:\n  features/brew.feature:15  Descale\n\n\
             0 features passed, 1 failed, 0 skipped\n0 scenarios passed, 1 failed, 1 error, 0 skipped\n",
        );
        let names: Vec<_> = facts
            .failures
            .iter()
            .map(|failure| failure.name.as_str())
            .collect();
        assert_eq!(names, ["Espresso takes 25 seconds", "Descale"]);
    }
}
