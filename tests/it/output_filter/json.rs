//! `--json`: where each failing test failed and why, for several tools.

use super::{piped, project};
use serde_json::Value;
use std::path::Path;

/// The failing test of this name in a capture, as the binary prints it.
fn failure(capture: &str, name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/output-filter/captures");
    let input = std::fs::read(folder.join(capture)).unwrap();
    let output = piped(project().path(), &["--json"], &input);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let failures = value["failures"].as_array().unwrap();
    let found = failures.iter().find(|failure| failure["name"] == name);
    found
        .unwrap_or_else(|| panic!("{name}: {failures:?}"))
        .clone()
}

#[track_caller]
fn told(capture: &str, name: &str, file: &str, line: u64, message: &str) {
    let failure = failure(capture, name);
    assert_eq!(failure["file"], file);
    assert_eq!(failure["line"], line);
    assert_eq!(failure["message"], message);
}

#[test]
fn rust_failures_have_their_place_and_message() {
    told(
        "cargo-strsim-fail.txt",
        "tests::levenshtein_diff_longer",
        "src/lib.rs",
        1020,
        "assertion `left == right` failed",
    );
    told(
        "nextest-edge-dev.txt",
        "edgedev tests::noisy",
        "src/lib.rs",
        6,
        "boom at step 3",
    );
}

#[test]
fn python_failures_have_their_place_and_message() {
    told(
        "dv-pytest-cov-fail.txt",
        "tests/test_m.py::test_g",
        "tests/test_m.py",
        5,
        "AssertionError: wrong branch taken",
    );
    told(
        "pytest-inflection-fail-color.txt",
        "test_inflection.py::test_uncountability[money]",
        "test_inflection.py",
        292,
        "AssertionError: assert 'money' == 'moneys'",
    );
}

#[test]
fn javascript_failures_have_their_place_and_message() {
    told(
        "jest-cart-fail.txt",
        "Cart › rejects negative price",
        "src/cart.js",
        2,
        "expect(received).toThrow(expected)",
    );
    told(
        "dv-turbo-prefix.txt",
        "core:test: test/cart.test.js > Cart > rejects negative price",
        "test/cart.test.js",
        5,
        "AssertionError: expected error to be instance of TypeError",
    );
}

#[test]
fn go_failures_have_their_place_and_message() {
    told(
        "dv-gotest-fail.txt",
        "TestFreezing",
        "t_test.go",
        3,
        "C2F(0)=30, want 32",
    );
    told(
        "gotest-ring-fail.txt",
        "TestNew",
        "ring_test.go",
        30,
        "r.Len() == 1; expected 0",
    );
}

#[test]
fn ruby_failures_give_the_reason_and_not_the_source() {
    let failure = failure("rspec-dev-fail.txt", "String reverses");
    let message = failure["message"].as_str().unwrap();
    assert!(!message.starts_with("Failure/Error"), "{message}");
    assert_eq!(failure["line"], 3);
}
