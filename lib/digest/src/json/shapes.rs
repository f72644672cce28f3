//! Which reporters print JSON, by what their documents are told, and what their members mean.

use super::super::count::Category;
use Category::{Errors, Failed, Flaky, Ignored, Passed, Pending, Problems, Skipped, Todo, Total};
use Category::{SuitesFailed, SuitesPassed, Warnings};

/// A reporter.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) tool: &'static str,
    /// The members that tell it: each occurs, with this text if one is given.
    pub(super) signs: &'static [(&'static str, &'static str)],
    /// Its records are single tests, else problems.
    pub(super) tests: bool,
    /// Lines in it count from 0.
    pub(super) from_zero: bool,
    /// Members that are numbers of the result: below an object of this name (empty: anywhere).
    pub(super) totals: &'static [(&'static str, &'static str, Category)],
}

const fn tests(
    tool: &'static str,
    signs: &'static [(&'static str, &'static str)],
    totals: &'static [(&'static str, &'static str, Category)],
) -> Shape {
    Shape {
        tool,
        signs,
        tests: true,
        from_zero: false,
        totals,
    }
}

const fn lint(
    tool: &'static str,
    signs: &'static [(&'static str, &'static str)],
    totals: &'static [(&'static str, &'static str, Category)],
) -> Shape {
    Shape {
        tool,
        signs,
        tests: false,
        from_zero: false,
        totals,
    }
}

/// All reporters; the first that fits.
pub(super) const SHAPES: &[Shape] = &[
    tests("jest", &[("numTotalTests", ""), ("openHandles", "")], JEST),
    tests(
        "jest",
        &[("numTotalTests", ""), ("numRuntimeErrorTestSuites", "")],
        JEST,
    ),
    tests("vitest", &[("numTotalTests", "")], JEST),
    tests(
        "rspec",
        &[("full_description", "")],
        &[
            ("summary", "example_count", Total),
            ("summary", "failure_count", Failed),
            ("summary", "pending_count", Pending),
            ("summary", "errors_outside_of_examples_count", Errors),
        ],
    ),
    tests(
        "mocha",
        &[
            ("stats", ""),
            ("suites", ""),
            ("passes", ""),
            ("pending", ""),
        ],
        &[
            ("stats", "tests", Total),
            ("stats", "passes", Passed),
            ("stats", "pending", Pending),
            ("stats", "failures", Failed),
        ],
    ),
    tests(
        "playwright",
        &[("config", ""), ("suites", ""), ("specs", "")],
        &[
            ("stats", "expected", Passed),
            ("stats", "unexpected", Failed),
            ("stats", "skipped", Skipped),
            ("stats", "flaky", Flaky),
        ],
    ),
    tests("cucumber", &[("elements", ""), ("steps", "")], &[]),
    tests("cargo test", &[("type", "suite"), ("test_count", "")], &[]),
    tests("cargo test", &[("type", "test"), ("event", "")], &[]),
    tests(
        "cargo test",
        &[("type", "suite"), ("event", ""), ("filtered_out", "")],
        &[
            ("", "passed", Passed),
            ("", "failed", Failed),
            ("", "ignored", Ignored),
        ],
    ),
    lint(
        "eslint",
        &[("filePath", ""), ("messages", ""), ("errorCount", "")],
        &[("", "errorCount", Errors), ("", "warningCount", Warnings)],
    ),
    lint(
        "stylelint",
        &[("source", ""), ("invalidOptionWarnings", "")],
        &[],
    ),
    lint(
        "rubocop",
        &[("rubocop_version", "")],
        &[("summary", "offense_count", Problems)],
    ),
    lint("pylint", &[("message-id", "")], &[]),
    lint("pylint", &[("messageId", ""), ("absolutePath", "")], &[]),
    lint("ruff", &[("noqa_row", "")], &[]),
    Shape {
        tool: "pyright",
        signs: &[("generalDiagnostics", "")],
        tests: false,
        from_zero: true,
        totals: &[
            ("summary", "errorCount", Errors),
            ("summary", "warningCount", Warnings),
        ],
    },
    lint(
        "mypy",
        &[("hint", ""), ("severity", ""), ("file", ""), ("column", "")],
        &[],
    ),
    lint("shellcheck", &[("endColumn", ""), ("level", "")], &[]),
    lint(
        "hadolint",
        &[("code", ""), ("column", ""), ("level", ""), ("file", "")],
        &[],
    ),
    lint(
        "phpstan",
        &[("file_errors", ""), ("totals", "")],
        &[
            ("totals", "file_errors", Errors),
            ("totals", "errors", Errors),
        ],
    ),
    lint("psalm", &[("line_from", ""), ("file_name", "")], &[]),
    lint("golangci-lint", &[("FromLinter", "")], &[]),
    lint(
        "swiftlint",
        &[("rule_id", ""), ("character", ""), ("reason", "")],
        &[],
    ),
    lint("credo", &[("line_no", ""), ("category", "")], &[]),
    lint(
        "biome",
        &[("diagnostics", ""), ("command", ""), ("summary", "")],
        &[
            ("summary", "errors", Errors),
            ("summary", "warnings", Warnings),
        ],
    ),
    lint(
        "oxlint",
        &[("diagnostics", ""), ("labels", ""), ("causes", "")],
        &[],
    ),
    lint("tflint", &[("issues", ""), ("callers", "")], &[]),
    lint(
        "terraform",
        &[("format_version", ""), ("diagnostics", "")],
        &[("", "error_count", Errors), ("", "warning_count", Warnings)],
    ),
    lint("semgrep", &[("check_id", ""), ("extra", "")], &[]),
    lint("bandit", &[("issue_text", ""), ("test_id", "")], &[]),
    lint("checks", &[("check_name", ""), ("fingerprint", "")], &[]),
    lint("cargo build", &[("reason", "compiler-message")], &[]),
    lint("ktlint", &[("file", ""), ("errors", ""), ("rule", "")], &[]),
    lint(
        "markdownlint",
        &[("ruleNames", ""), ("lineNumber", "")],
        &[],
    ),
];

const JEST: &[(&str, &str, Category)] = &[
    ("", "numFailedTests", Failed),
    ("", "numPassedTests", Passed),
    ("", "numPendingTests", Skipped),
    ("", "numTodoTests", Todo),
    ("", "numTotalTests", Total),
    ("", "numFailedTestSuites", SuitesFailed),
    ("", "numPassedTestSuites", SuitesPassed),
];

/// A line of such documents holds one of these, or it is not read as one.
pub(in super::super) const WORDS: &[&str] = &[
    "\"numTotalTests\"",
    "\"full_description\"",
    "\"passes\"",
    "\"specs\"",
    "\"steps\"",
    "\"test_count\"",
    "\"type\":\"test\"",
    "\"type\": \"test\"",
    "\"filtered_out\"",
    "\"filePath\"",
    "\"invalidOptionWarnings\"",
    "\"rubocop_version\"",
    "\"message-id\"",
    "\"messageId\"",
    "\"noqa_row\"",
    "\"generalDiagnostics\"",
    "\"hint\"",
    "\"endColumn\"",
    "\"column\"",
    "\"file_errors\"",
    "\"line_from\"",
    "\"FromLinter\"",
    "\"rule_id\"",
    "\"line_no\"",
    "\"diagnostics\"",
    "\"callers\"",
    "\"check_id\"",
    "\"issue_text\"",
    "\"check_name\"",
    "\"compiler-message\"",
    "\"rule\"",
    "\"ruleNames\"",
];
