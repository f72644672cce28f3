//! Commands that are chained: tests pass, then another step fails and says why, then an `echo` makes the status 0.
//! Whatever the runner and whatever the error, it is on the page, and the page is not green.

use std::fmt::Write;

use overnight_digest::{Digester, End, Frame, Options};

/// What runners print of sixty tests that pass: what stands before each, around its number, and at the end.
const RUNNERS: &[(&str, &str, &str, &str)] = &[
    (
        "============================= test session starts ==============================\nplatform linux -- Python 3.12.3, pytest-8.3.3\ncollected 60 items\n\n",
        "tests/test_a.py::test_",
        " PASSED                                             [ 50%]\n",
        "\n============================== 60 passed in 0.12s ==============================\n",
    ),
    (
        "",
        "test_case_",
        " (test_a.T) ... ok\n",
        "\n----------------------------------------------------------------------\nRan 60 tests in 0.001s\n\nOK\n",
    ),
    (
        "\nrunning 60 tests\n",
        "test tests::case_",
        " ... ok\n",
        "\ntest result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n",
    ),
    (
        "",
        "--- PASS: TestA",
        " (0.00s)\n",
        "PASS\nok  \texample.com/a\t0.003s\n",
    ),
    (
        "",
        "PASS test/a",
        ".test.js\n",
        "\nTest Suites: 60 passed, 60 total\nTests:       60 passed, 60 total\nSnapshots:   0 total\nTime:        1.1 s\nRan all test suites.\n",
    ),
    (
        "TAP version 13\n",
        "ok ",
        " - thing\n",
        "1..60\n# tests 60\n# pass 60\n# fail 0\n",
    ),
    (
        "",
        "[       OK ] Suite.Case",
        " (0 ms)\n",
        "[==========] 60 tests from 1 test suite ran. (3 ms total)\n[  PASSED  ] 60 tests.\n",
    ),
    (
        "",
        " ✓ src/a",
        ".test.ts (1 test) 2ms\n",
        "\n Test Files  60 passed (60)\n      Tests  60 passed (60)\n   Duration  300ms\n\n",
    ),
];

/// What steps print that fail, and what of it the page must show.
const ERRORS: &[(&str, &str)] = &[
    (
        "fatal: not a git repository (or any of the parent directories): .git",
        "not a git repository",
    ),
    (
        "Error: Cannot find module './dist/main.js'",
        "'./dist/main.js'",
    ),
    (
        "bash: line 1: frobnicate: command not found",
        "frobnicate: command not found",
    ),
    ("zsh: command not found: frobnicate", "frobnicate"),
    ("sh: 1: frobnicate: not found", "frobnicate: not found"),
    ("Segmentation fault (core dumped)", "Segmentation fault"),
    (
        "sh: line 1: 4711 Segmentation fault      (core dumped) ./app",
        "./app",
    ),
    ("Killed", "Killed"),
    ("sh: line 1:  4711 Killed                  ./app", "Killed"),
    (
        "terminate called after throwing an instance of 'x'\n  what():  no zone\nAborted (core dumped)",
        "what():  no zone",
    ),
    (
        "Traceback (most recent call last):\n  File \"/w/a.py\", line 3, in <module>\n    main()\nValueError: bad zone",
        "ValueError: bad zone",
    ),
    (
        "cp: cannot create regular file '/etc/zone': Permission denied",
        "'/etc/zone'",
    ),
    (
        "./deploy.sh: Permission denied",
        "./deploy.sh: Permission denied",
    ),
    (
        "git@example.com: Permission denied (publickey).",
        "publickey",
    ),
    (
        "thread 'main' panicked at src/main.rs:7:5:\nno such zone\nnote: run with `RUST_BACKTRACE=1`",
        "no such zone",
    ),
    (
        "panic: runtime error: index out of range [5]\n\ngoroutine 1 [running]:\nmain.main()\n\t/w/main.go:8 +0x1d\nexit status 2",
        "index out of range [5]",
    ),
    ("npm ERR! code ELIFECYCLE\nnpm ERR! errno 7", "ELIFECYCLE"),
    ("npm error code E404", "code E404"),
    (
        "cc -c zone.c\nmake: *** [Makefile:7: zone.o] Error 1",
        "[Makefile:7: zone.o]",
    ),
    (
        "Error response from daemon: No such container: zone",
        "No such container: zone",
    ),
    (
        "curl: (7) Failed to connect to localhost port 8080",
        "port 8080",
    ),
    (
        "Exception in thread \"main\" java.lang.IllegalStateException: zone\n\tat Main.main(Main.java:5)",
        "IllegalStateException: zone",
    ),
    (
        "psql: error: connection to server failed",
        "connection to server",
    ),
    ("E: Unable to locate package zone", "package zone"),
    (
        "ERROR: Could not find a version that satisfies zone",
        "satisfies zone",
    ),
    (
        "An error occurred (AccessDenied) when calling PutObject",
        "AccessDenied",
    ),
    (
        "./run.sh: line 3: syntax error near unexpected token `fi'",
        "unexpected token",
    ),
    (
        "/w/a.rb:3:in `foo': undefined method `bar' for nil (NoMethodError)",
        "undefined method `bar'",
    ),
    (
        "2026-11-03 06:15:36 ERROR app.billing: could not charge invoice",
        "charge invoice",
    ),
    (
        "CONFLICT (content): Merge conflict in zone.txt",
        "in zone.txt",
    ),
    (
        " ! [rejected]        main -> main (fetch first)",
        "[rejected]",
    ),
    (
        "CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find Zone",
        "CMakeLists.txt:3",
    ),
    ("sudo: a password is required", "password is required"),
    (
        "app: a.c:7: main: Assertion `zone > 0' failed.",
        "Assertion `zone",
    ),
    (
        "tar: zone.tar: Cannot write: No space left on device",
        "zone.tar",
    ),
    ("ENOSPC: no space left on device, write", "no space left"),
    ("cat: zone: Is a directory", "Is a directory"),
    ("chown: zone: Operation not permitted", "not permitted"),
    ("touch: zone: Read-only file system", "Read-only"),
    ("recv: Connection reset by peer", "Connection reset"),
    ("./zone: /bin/zone: bad interpreter: x", "bad interpreter"),
    (
        "./x.sh: line 4: unexpected EOF while looking for matching `\"'",
        "unexpected EOF",
    ),
];

/// What comes behind it, as agents chain.
const TAILS: &[&str] = &[
    "finished\n",
    "copied 1\ncopied 2\ncopied 3\ncopied 4\nfinished\n",
];

fn tests(runner: &(&str, &str, &str, &str)) -> String {
    let (head, before, behind, end) = runner;
    let mut text = (*head).to_owned();
    for number in 1..=60 {
        let _ = write!(text, "{before}{number}{behind}");
    }
    text + end
}

fn page(text: &str, status: i32) -> String {
    let mut digester = Digester::new(Options::default());
    digester.push(text.as_bytes());
    digester
        .finish(End::Exit(status), None)
        .render(&Frame::default())
}

#[test]
fn no_error_is_hidden_behind_the_result_of_tests() {
    let mut wrong = Vec::new();
    for runner in RUNNERS {
        let tests = tests(runner);
        for (error, key) in ERRORS {
            for tail in TAILS {
                let orders = [
                    format!("{tests}{error}\n{tail}"),
                    format!("{tests}{error}\n{tests}{tail}"),
                ];
                for text in orders {
                    let page = page(&text, 0);
                    if !page.contains(key) || page.starts_with("ok") {
                        wrong.push(format!("{key:?}:\n{page}"));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of them:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_only_speaks_of_errors_leaves_a_page_green() {
    const ORDINARY: &str = "0 errors, 0 warnings\nsrc/error_handling.rs ok\ncreate mode 100644 src/errors/fatal.rs\nno error found\n\
        copied dist/404-not-found.html\nlast error: none\nChecking error-codes.md\nuploaded failed.png\nerrors: 0\n";
    for runner in RUNNERS {
        let page = page(
            &format!("{}{ORDINARY}published\nfinished\n", tests(runner)),
            0,
        );
        assert!(page.starts_with("ok (exit 0)"), "{page}");
        assert!(
            page.contains("published\nfinished\n") && page.lines().count() <= 4,
            "{page}"
        );
    }
}

#[test]
fn errors_that_tests_print_themselves_leave_a_page_green() {
    for runner in RUNNERS {
        let text = tests(runner);
        let middle = text.match_indices('\n').nth(40).map_or(0, |(at, _)| at + 1);
        let text = format!(
            "{}expected: TypeError: x\nERROR: x\nError: y\n{}",
            &text[..middle],
            &text[middle..]
        );
        let page = page(&text, 0);
        assert!(page.starts_with("ok (exit 0)"), "{page}");
    }
}
