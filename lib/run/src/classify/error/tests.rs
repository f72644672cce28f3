use super::*;

#[test]
fn what_reports_an_error() {
    for text in [
        "[2025-12-31 10:30:05] ERROR: Unhandled exception in handler",
        "error[E0308]: mismatched types",
        "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
        "npm ERR! code ELIFECYCLE",
        "Segmentation fault (core dumped)",
        "エラー: コンパイルに失敗しました",
        "main.c:3:5: error: expected ';'",
        "main.c:3: error: expected",
        "a.py:3: error: Incompatible types",
        "  3:5  error  'x' is not defined  no-undef",
        "Traceback (most recent call last):",
        "E   ValueError: bad",
        "java.lang.NullPointerException: x",
        "thread 'main' panicked at src/main.rs:3:5:",
        "bash: foo: command not found",
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "FAIL src/a.test.ts",
        "--- FAIL: TestA (0.00s)",
        "not ok 3 - adds",
        "test result: FAILED. 3 passed; 1 failed; 0 ignored",
        "=== 1 failed, 3 passed in 0.1s ===",
        "Found 3 errors in 1 file",
        "make: *** [all] Error 2",
        "fatal: not a git repository",
        "{\"is_error\": true}",
        "{\"error\": \"boom\"}",
        "TypeError: x is not a function",
        "Error: Cannot find module './x'",
        "✗ adds numbers",
    ] {
        assert!(has_error(text), "{text}");
    }
}

#[test]
fn what_only_names_errors() {
    for text in [
        "",
        "Deployed without error.",
        "Documented the error codes E001-E020 and when an Exception is thrown.",
        "Created ErrorBoundary component and useErrorHandler hook.",
        "Build successful\nAll tests passed\nDeployment complete",
        "First run: error[E0308] mismatched types. Fixed it; cargo test now reports 0 failures.",
        "✓ throws \"Error: invalid token\" when the token is expired (3 ms)",
        "{\"is_error\": false, \"error_count\": 0}",
        "\"error\": null,",
        "0 errors, 2 warnings",
        "test parser::reports_error ... ok",
        "PASS src/error.test.ts",
        "src/a.rs:12:    return Err(Error::new(\"error: x\"));",
        "src/a.ts:3:console.error('failed to load')",
        "Improved error handling in the parser.",
        "test result: ok. 14 passed; 0 failed; 0 ignored",
        "Tests: 14 passed, 14 total",
        "errors: 0, failures: 0",
        "throw new Error('x');",
        "+    throw new Error('x')",
        "INFO error_count=0",
        "Fixed 3 errors in the build.",
        "✖ 0 problems (0 errors, 0 warnings)",
        "error.log",
        "Exit code 0",
        "No errors found.",
    ] {
        assert!(!has_error(text), "{text}");
    }
}

#[test]
fn several_lines_of_one_error_are_one() {
    let rustc = "error[E0308]: mismatched types\n --> src/main.rs:4:5\n  |\n4 |     x\n  |     ^ expected `u8`\n\nerror[E0277]: no\n";
    assert_eq!(errors(rustc).len(), 2);
    let python = "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    raise ValueError('x')\nValueError: x\n";
    assert_eq!(errors(python).len(), 2);
    let node = "TypeError: x is not a function\n    at f (/a.js:3:5)\n    at g (/a.js:9:5)\n";
    assert_eq!(errors(node).len(), 1);
}

#[test]
fn the_same_error_elsewhere_has_the_same_fingerprint() {
    let prints = |text: &str| fingerprint_of(text);
    assert_eq!(
        prints("error[E0308]: mismatched types\n --> src/main.rs:4:5"),
        prints("error[E0308]: mismatched types\n --> src/main.rs:19:7")
    );
    assert_eq!(prints("Error: A\nError: B"), prints("Error: B\nError: A"));
    assert_eq!(
        prints("Error: cannot compile foo at line 3\nFATAL: different error 3"),
        prints("Error: cannot compile foo at line 4\nFATAL: different error 4")
    );
    assert_ne!(prints("Error: A"), prints("Error: B"));
}
