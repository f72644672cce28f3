//! What a page leaves free is filled, whatever the tool.

use std::fmt::Write;

use super::super::*;
use super::digest;

const LOG: Frame<'_> = Frame {
    log: Some("logs/a.log"),
    error_format: "",
    shown: (0, 0),
    redacted: 0,
    status_of: None,
};

fn page(text: &str, status: i32) -> String {
    digest(text.as_bytes(), End::Exit(status)).render(&LOG)
}

/// Sixty passing tests, then one that fails behind frames of its runner and with captured output.
fn pytest() -> String {
    let mut text =
        String::from("=========== test session starts ============\ncollected 61 items\n\n");
    for number in 0..60 {
        let _ = writeln!(text, "test_a.py::test_{number} PASSED [ 50%]");
    }
    text.push_str(
        "test_a.py::test_order FAILED [100%]\n\n================ FAILURES ================\n\
         ________________ test_order ________________\n\n    def test_order():\n>       assert r.status == 200\n\
         E       assert 500 == 200\n\ntest_a.py:17: AssertionError\n\
         ----------- Captured stdout call -----------\nrequest id 8a77f2\n\
         Traceback (most recent call last):\n  File \"/x/lib/python3.11/site-packages/flask/app.py\", line 8, in call\n\
         KeyError: 'lines'\n========= short test summary info ==========\n\
         FAILED test_a.py::test_order - assert 500 == 200\n========== 1 failed, 60 passed in 1.10s ==========\n",
    );
    text
}

#[test]
fn a_failing_test_says_what_it_printed_and_what_its_code_threw() {
    let shown = page(&pytest(), 1);
    for said in [
        "assert 500 == 200",
        "request id 8a77f2",
        "KeyError: 'lines'",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(
        !shown.contains("site-packages") && !shown.contains("PASSED"),
        "{shown}"
    );
}

#[test]
fn each_error_of_a_compiler_has_what_explains_it() {
    let mut text = "   Compiling a v0.1.0\n".repeat(50);
    for (line, found) in [(3, "future"), (9, "&str"), (14, "u64")] {
        let _ = write!(
            text,
            "error[E0308]: mismatched types\n  --> src/a.rs:{line}:5\n   |\n{line:2} |     f(x)\n   |       ^ expected `u32`, found `{found}`\n\n"
        );
    }
    text.push_str("error: could not compile `a` (lib) due to 3 previous errors\n");
    let shown = page(&text, 101);
    for found in ["found `future`", "found `&str`", "found `u64`"] {
        assert!(shown.contains(found), "{found}: {shown}");
    }
}

/// Rows of a table, two of which differ in a word.
fn table() -> String {
    let mut text = String::from("name status\n");
    for number in 0..2_000 {
        let status = if number % 700 == 400 {
            "CrashLoop"
        } else {
            "Running"
        };
        let _ = writeln!(text, "web-{number} 10.0.0.{number} {status}");
    }
    text
}

#[test]
fn rows_that_differ_from_the_mass_are_shown_and_the_page_keeps_to_its_budget() {
    let shown = page(&table(), 0);
    for said in [
        "402: web-400 10.0.0.400 CrashLoop",
        "web-1100",
        "web-0 ",
        "web-1999",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(
        shown.len() < 1_500 && shown.contains("OUTPUT_FILTER=raw"),
        "{shown}"
    );
    let words = (0..4_000).map(|number: u32| {
        let letter = |shift: u32| char::from_digit((number >> shift) % 16 + 10, 36).unwrap();
        format!(
            "{}{}{} says something of its own\n",
            letter(8),
            letter(4),
            letter(0)
        )
    });
    let shown = page(&words.collect::<String>(), 0);
    assert!(
        (3_000..=FILL_MAX).contains(&shown.len()) && shown.lines().count() <= LINES_MAX,
        "{shown}"
    );
}

#[test]
fn what_passed_stays_short() {
    let mut text = "a remark\nanother of two\n".to_owned() + &"test a::b ... ok\n".repeat(90);
    text.push_str("test result: ok. 90 passed; 0 failed; 0 ignored\n");
    let shown = page(&text, 0);
    assert_eq!(shown.lines().count(), 2, "{shown}");
}

#[test]
fn the_name_of_a_test_of_node_may_end_in_brackets() {
    let text = "✖ pops (\"\") (2.5ms)\n✖ drains (fast) (1ms)\n".to_owned()
        + &"  ✔ x (1ms)\n".repeat(60)
        + "ℹ tests 62\nℹ pass 60\nℹ fail 2\n";
    let shown = page(&text, 1);
    assert!(
        shown.contains("✗ pops (\"\")") && shown.contains("✗ drains (fast)"),
        "{shown}"
    );
}

#[test]
fn the_reason_is_the_first_error_whatever_was_recognised() {
    let crash =
        "ok 1 a\nok 2 b\n".repeat(40) + "TypeError: x is null\n    at f (/srv/a.js:3:1)\n1..80\n";
    for (text, reason) in [
        (
            "step\n".repeat(60) + "cp: cannot stat 'x': No such file or directory\n",
            "ERROR: cp: cannot stat 'x': No such file or directory (exit 1)\n",
        ),
        (
            "step\n".repeat(60) + "the upload failed\nagain: it failed\n",
            "ERROR: the upload failed (exit 1)\n",
        ),
        (
            "npm error code EUSAGE\n".to_owned() + &"npm error more\n".repeat(60),
            "ERROR: npm error code EUSAGE (exit 1)\n",
        ),
        (crash, "ERROR: TypeError: x is null (exit 1)\n"),
        (
            "step\n".repeat(60) + "sum.c:3:5: error: expected ';'\nmake: *** [all] Error 2\n",
            "ERROR: compiler: 1 error: sum.c:3:5: error: expected ';' (exit 1)\n",
        ),
        (
            "step\n".repeat(60)
                + "FAILED tests/test_a.py::test_x - assert 1 == 2\n=== 1 failed, 3 passed in 0.10s ===\n",
            "ERROR: pytest: 1 failed: tests/test_a.py::test_x: assert 1 == 2 (exit 1)\n",
        ),
        ("step\n".repeat(60), "ERROR: command failed (exit 1)\n"),
    ] {
        let shown = page(&text, 1);
        assert!(shown.ends_with(reason), "{reason}: {shown}");
    }
}

#[test]
fn places_of_a_log_are_no_problems_and_problems_leave_room_for_what_another_says() {
    let log = "ready.go:303: [debug] not ready: prod/api\n".repeat(60);
    let log = page(
        &format!("{log}Error: the job api-migrate failed\nclient.go:84: [debug] done\n"),
        1,
    );
    assert!(
        log.contains("api-migrate failed") && !log.contains("go build"),
        "{log}"
    );
    let mut many = String::new();
    for number in 0..70_u8 {
        let name = char::from(b'a' + number % 26)
            .to_string()
            .repeat(2 + usize::from(number / 26));
        let _ = writeln!(
            many,
            "src/a.c:{number}:1: error: unknown type name '{name}'"
        );
        if number == 50 {
            many.push_str("fatal: unable to access the registry of zones\n");
        }
    }
    let many = page(&many, 1);
    assert!(many.contains("registry of zones"), "{many}");
}

#[test]
fn of_a_run_that_passed_another_commands_error_fills_no_page() {
    let mut text = String::from("=== RUN   TestMany\n");
    for number in 0..60 {
        let _ = writeln!(
            text,
            "=== RUN   TestMany/case_{number}\n    a_test.go:3: checking {number}"
        );
    }
    for number in 0..60 {
        let _ = writeln!(text, "    --- PASS: TestMany/case_{number} (0.00s)");
    }
    text.push_str("--- PASS: TestMany (0.00s)\nPASS\nok  \tex/a\t0.010s\n");
    text.push_str("cat: /x/config: No such file or directory\nfinished\n");
    let shown = page(&text, 0);
    assert!(
        shown.contains("with errors") && shown.contains("/x/config"),
        "{shown}"
    );
    assert!(
        shown.contains("finished") && !shown.contains("TestMany"),
        "{shown}"
    );
}

#[test]
fn an_error_that_is_stated_stands_in_the_first_line_whoever_printed_it() {
    let text = format!("{}fatal: no such ref\ndone\n", "copied a file\n".repeat(60));
    assert!(
        page(&text, 0).starts_with("exit 0, with errors"),
        "{}",
        page(&text, 0)
    );
}

#[test]
fn frames_of_the_runner_are_left_out_whatever_they_look_like() {
    let mut text = String::from("TAP version 13\n");
    for number in 0..60 {
        let _ = writeln!(text, "ok {number} - works {number}");
    }
    text.push_str(
        "not ok 61 - deep\n  ---\n  location: '/a/a.test.js:62:1'\n  error: |-\n    Expected values to be equal:\n    \n      {\n    ...\n    \
         +       3\n    -       4\n      }\n  code: 'ERR_ASSERTION'\n  stack: |-\n    C.<anonymous> (/a/a.test.js:63:92)\n    \
         Test.run (node:internal/test_runner/test:796:25)\n  ...\n1..61\n# tests 61\n# pass 60\n# fail 1\n",
    );
    let shown = page(&text, 1);
    assert!(
        shown.contains("+       3") && shown.contains("-       4"),
        "{shown}"
    );
    assert!(!shown.contains("node:internal"), "{shown}");
}

#[test]
fn what_another_command_says_of_a_failure_is_shown_with_the_line_below_it_and_told_in_the_first() {
    for (said, why) in [
        ("  ✗ POST /orders\n      wanted 201, got 409\n", "got 409"),
        (
            "error during build:\nCould not resolve theme.css\n",
            "theme.css",
        ),
        ("[FAILED] migration 3\n  locked by pid 7\n", "pid 7"),
    ] {
        let mut text = String::from("=========== test session starts ============\n\n");
        for number in 0..60 {
            let _ = writeln!(text, "test_a.py::test_{number} PASSED [ 50%]");
        }
        let _ = write!(
            text,
            "\n========== 60 passed in 1.10s ==========\n{said}done\n"
        );
        let shown = page(&text, 0);
        assert!(
            shown.starts_with("exit 0, with errors") && shown.contains(why),
            "{shown}"
        );
    }
}

#[test]
fn a_package_of_go_that_was_not_built_is_no_run_that_passed() {
    let mut text = String::from("# ex/b\nb/b_test.go:4:7: undefined: f\n");
    for number in 0..60 {
        let _ = writeln!(
            text,
            "=== RUN   Test{number}\n--- PASS: Test{number} (0.00s)"
        );
    }
    text.push_str("PASS\nok  \tex/a\t0.010s\nFAIL\tex/b [build failed]\nFAIL\ndone\n");
    let shown = page(&text, 0);
    assert!(
        shown.starts_with("exit 0, with errors") && shown.contains("undefined: f"),
        "{shown}"
    );
}

#[test]
fn of_what_a_failing_test_logged_the_errors_come_first() {
    let log = |number: u32| format!("DEBUG    app.queue:queue.py:{number} picked job {number}\n");
    let (before, after): (String, String) =
        ((0..50).map(log).collect(), (50..90).map(log).collect());
    let error = "ERROR    app.smtp:smtp.py:142 STARTTLS refused: certificate expired\n";
    let text = pytest().replace("request id 8a77f2\n", &format!("{before}{error}{after}"));
    let shown = page(&text, 1);
    assert!(shown.contains("certificate expired"), "{shown}");
}

#[test]
fn a_test_without_a_place_shows_where_the_projects_code_stood() {
    let mut text = String::new();
    for number in 0..60 {
        let _ = writeln!(
            text,
            "=== RUN   Test{number}\n--- PASS: Test{number} (0.00s)"
        );
    }
    text.push_str(
        "=== RUN   TestDrain\npanic: test timed out after 2s\n\ngoroutine 9 [sync.Mutex.Lock]:\nsync.(*Mutex).Lock(...)\n\
         \t/usr/lib/go-1.19/src/sync/mutex.go:90\nex.com/p.(*Pool).Submit(0xc0)\n\t/work/p/pool.go:26 +0x3b\n\
         ex.com/p.TestDrain(0xc1)\n\t/work/p/pool_test.go:15 +0x25\nFAIL\tex.com/p\t2.008s\nFAIL\n",
    );
    let shown = page(&text, 1);
    assert!(
        shown.contains("/work/p/pool.go:26") && !shown.contains("mutex.go"),
        "{shown}"
    );
}
