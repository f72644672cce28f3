//! The digest as a whole.

use std::fmt::Write;

use super::*;

mod cues;
mod fill;
mod long;

fn digest(text: &[u8], end: End) -> Digest {
    let mut digester = Digester::new(Options::default());
    digester.push(text);
    digester.finish(end, None)
}

#[test]
fn small_outputs_pass_unchanged() {
    let small = b"ok\n\x1b[31mred\x1b[0m\n";
    assert_eq!(digest(small, End::Exit(0)).passthrough(), Some(&small[..]));
    let long = "x\n".repeat(51);
    assert_eq!(digest(long.as_bytes(), End::Exit(0)).passthrough(), None);
    let limit = "x\n".repeat(50);
    assert!(
        digest(limit.as_bytes(), End::Exit(0))
            .passthrough()
            .is_some()
    );
    let open = format!("{limit}x");
    assert!(
        digest(open.as_bytes(), End::Exit(0))
            .passthrough()
            .is_none()
    );
}

#[test]
fn an_error_in_a_log_is_shown() {
    let mut log = "heartbeat ok\n".repeat(500);
    log.push_str("FATAL: out of memory\n");
    log.push_str(&"heartbeat ok\n".repeat(500));
    let text = digest(log.as_bytes(), End::Exit(0)).render(&Frame::default());
    assert!(text.contains("FATAL: out of memory"), "{text}");
    assert!(text.lines().count() <= LINES_MAX);
    assert!(
        text.contains("no test, build or lint result recognised"),
        "{text}"
    );
}

#[test]
fn a_crash_of_python_is_shown() {
    let mut log = "step\n".repeat(90);
    log.push_str("Fatal Python error: Aborted\n\n  File \"/srv/main.py\", line 5 in test_a\n");
    log.push_str(&"other step\n".repeat(90));
    let digest = digest(log.as_bytes(), End::Exit(134));
    let text = digest.render(&Frame::default());
    assert!(text.contains("Fatal Python error: Aborted"), "{text}");
    assert!(digest.failures.is_empty(), "{text}");
}

#[test]
fn a_log_with_a_traceback_shows_what_else_went_wrong() {
    let mut log = "2026-11-03 06:12:59 INFO app.http: GET /a 200\n".repeat(300);
    log.push_str("2026-11-03 06:15:36 ERROR app.billing: could not charge invoice 88213\n");
    log.push_str("Traceback (most recent call last):\n  File \"/srv/app/gateway.py\", line 61, in capture\n    raise X\n");
    log.push_str("app.gateway.GatewayTimeout: upstream answered 504\n");
    log.push_str("2026-11-03 06:20:05 CRITICAL app.core: disk quota exceeded\n");
    log.push_str(&"2026-11-03 06:20:59 INFO app.http: GET /a 200\n".repeat(300));
    let text = digest(log.as_bytes(), End::Exit(0)).render(&Frame::default());
    for said in [
        "invoice 88213",
        "upstream answered 504",
        "disk quota exceeded",
    ] {
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn what_is_known_while_it_runs() {
    let mut digester = Digester::new(Options::default());
    digester.push(b"test a ... ok\ntest b ... FAILED\ntest c");
    let live = digester.live();
    assert_eq!((live.lines, live.passed, live.failed), (2, 1, 1));
}

/// Lines of one kind by the ten thousand, then what is to be noticed among them.
#[test]
fn what_stands_among_a_flood_of_lines_is_not_lost() {
    let mut text = String::from("running 12002 tests\n");
    for number in 0..12_000 {
        let _ = writeln!(text, "test module_{}::case_{number} ... ok", number % 7);
        let _ = writeln!(
            text,
            "2026-11-21 09:00 ERROR [w-{number}] lost node {number}"
        );
        let _ = writeln!(
            text,
            "src/a{number}.c:{number}:3: warning: unused \"v{number}\""
        );
        let _ = writeln!(text, "src/a.c:{number}:3: warning: unused variable");
        if number % 8_000 == 7_000 {
            let _ = writeln!(text, "test module_1::broken ... FAILED");
            let _ = writeln!(text, "src/b.c:7:1: error: it is broken");
            let _ = writeln!(text, "FATAL: the last node is lost");
        }
    }
    text.push_str("test module_9::late ... FAILED\n");
    let digest = digest(text.as_bytes(), End::Exit(1));
    let tests = digest
        .results
        .iter()
        .find(|(tool, _)| *tool == "cargo test");
    let words = tests.map(|(_, counts)| counts.words());
    let all = "2 failed, 12000 passed, 0 skipped";
    assert_eq!(words.as_deref(), Some(all));
    assert_eq!(digest.counts.get(Category::Warnings), Some(24_000));
    assert_eq!(digest.counts.get(Category::Errors), Some(1));
    let names: Vec<&str> = digest
        .failures
        .iter()
        .map(|failure| failure.name.as_str())
        .collect();
    assert_eq!(names, ["module_1::broken", "module_9::late"]);
    let of = |text: &str| {
        digest
            .problems
            .iter()
            .find(|problem| problem.text.ends_with(text))
    };
    assert!(of("it is broken").is_some());
    assert!(of("unused variable").is_some_and(|problem| problem.count == 12_000));
}

#[test]
fn a_failed_command_never_reads_green() {
    let mut text = "test a ... ok\n".repeat(60);
    text.push_str("test result: ok. 60 passed; 0 failed; 0 ignored\n");
    let shown = digest(text.as_bytes(), End::Exit(1)).render(&Frame::default());
    assert!(
        shown.starts_with("FAILED (exit 1) · cargo test: 0 failed, 60 passed"),
        "{shown}"
    );
    let shown = digest(text.as_bytes(), End::Signal(9)).render(&Frame::default());
    assert!(shown.starts_with("FAILED (ended by signal 9)"), "{shown}");
    let mut failing = "test a ... ok\n".repeat(60);
    failing.push_str("test b ... FAILED\ntest result: FAILED. 60 passed; 1 failed; 0 ignored\n");
    let shown = digest(failing.as_bytes(), End::Exit(0)).render(&Frame::default());
    assert!(shown.starts_with("FAILED (exit 0)"), "{shown}");
}

#[test]
fn even_the_smallest_room_says_that_it_failed() {
    let text = format!("ok{}", "\n".repeat(75));
    let frame = Frame {
        log: Some("logs/output_20261120-162331_ab12cd.log"),
        ..Frame::default()
    };
    let shown = digest(text.as_bytes(), End::Exit(1)).render(&frame);
    assert!(shown.starts_with("FAILED (exit 1)"), "{shown}");
    assert!(shown.len() <= text.len(), "{shown}");
}

#[test]
fn words_of_a_log_are_no_failing_tests() {
    let mut text = "served /items in 3 ms\n".repeat(80);
    text.push_str("ERROR: timeout\nFAIL: retry\nError (ENOENT): no such file\n");
    let digest = digest(text.as_bytes(), End::Exit(0));
    assert!(digest.failures.is_empty(), "{:?}", digest.failures);
    assert!(digest.counts.is_empty(), "{:?}", digest.counts);
    let shown = digest.render(&Frame::default());
    for line in ["ERROR: timeout", "FAIL: retry", "Error (ENOENT)"] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn fewer_named_than_stated_is_unverified() {
    let mut text = "test ok ... ok\n".repeat(60);
    text.push_str("test a ... FAILED\ntest result: FAILED. 60 passed; 3 failed; 0 ignored\n");
    let shown = digest(text.as_bytes(), End::Exit(101)).render(&Frame::default());
    assert!(
        shown.contains("3 failed, 60 passed, 0 ignored · unverified: 1 failing test found by name"),
        "{shown}"
    );
}

#[test]
fn fewer_stated_than_seen_is_unverified() {
    let mut text = "test a ... ok\n".repeat(60);
    text.push_str("test b ... FAILED\ntest c ... FAILED\ntest result: FAILED. 60 passed; 1 failed; 0 ignored\n");
    let digest = digest(text.as_bytes(), End::Exit(101));
    let shown = digest.render(&Frame::default());
    assert!(
        shown.contains("unverified: the single tests add up to 2 failed, 60 passed"),
        "{shown}"
    );
}

#[test]
fn short_lines_leave_room_for_the_end_and_the_log() {
    let numbers: Vec<String> = (1..=60).map(|number| format!("{number}\n")).collect();
    let text = numbers.concat();
    let frame = Frame {
        log: Some("logs/a.log"),
        ..Frame::default()
    };
    let shown = digest(text.as_bytes(), End::Exit(0)).render(&frame);
    assert!(shown.len() <= text.len(), "{shown}");
    assert!(
        shown.contains("\n1\n") && shown.ends_with("\n60\nlog: logs/a.log\n"),
        "{shown}"
    );
}

#[test]
fn the_error_line_follows_its_format() {
    let text = "FAIL x\n".repeat(60);
    let frame = Frame {
        error_format: "{code} {name}: {reason}",
        ..Frame::default()
    };
    let shown = digest(text.as_bytes(), End::Exit(3)).render(&frame);
    let last = shown.lines().last().unwrap();
    assert_eq!(last, "E9020 command failed: FAIL x (exit 3)");
}

#[test]
fn names_come_before_details_when_there_are_many() {
    let mut text = String::from("running 200 tests\n");
    for at in 0..200 {
        writeln!(text, "test module::submodule::case_number_{at} ... FAILED").unwrap();
    }
    text.push_str("\nfailures:\n\n");
    for at in 0..200 {
        let name = format!("module::submodule::case_number_{at}");
        writeln!(
            text,
            "---- {name} stdout ----\nthread '{name}' panicked at src/a.rs:{at}:1:\nboom {}\n",
            at % 3
        )
        .unwrap();
    }
    text.push_str("\nfailures:\n\ntest result: FAILED. 0 passed; 200 failed; 0 ignored\n");
    let shown = digest(text.as_bytes(), End::Exit(101)).render(&Frame::default());
    for at in 0..30 {
        assert!(
            shown.contains(&format!("case_number_{at}")),
            "{at}: {shown}"
        );
    }
    assert!(
        shown.contains("boom 0") && shown.contains("boom 2"),
        "{shown}"
    );
    assert!(
        shown.lines().count() <= LINES_MAX && shown.len() <= BYTES_MAX,
        "{shown}"
    );
}

#[test]
fn in_little_room_all_are_named_before_reasons_are_given() {
    let mut text = String::new();
    for sku in 0..18 {
        let _ = write!(
            text,
            "=== FAIL: p TestSku{sku:03} (0.00s)\n    sku {sku} FAIL? no\n    p_test.go:7: sku {sku}: stock = -1, want {sku}\n\n"
        );
    }
    text.push_str("DONE 540 tests, 18 failures in 0.412s\n");
    let digest = digest(text.as_bytes(), End::Exit(1)).render(&Frame::default());
    assert!(digest.len() < text.len());
    for sku in 0..18 {
        assert!(digest.contains(&format!("TestSku{sku:03}")), "{digest}");
    }
}

#[test]
fn of_a_message_that_many_share_the_places_are_told() {
    let mut text = String::from("running 40 tests\n\nfailures:\n\n");
    for line in 100..140 {
        let _ = write!(
            text,
            "---- tests::case_{line} stdout ----\nthread 'tests::case_{line}' panicked at src/a.rs:{line}:9:\nassertion failed: ready\n\n"
        );
    }
    text.push_str("test result: FAILED. 0 passed; 40 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n");
    let text = digest(text.as_bytes(), End::Exit(101)).render(&Frame::default());
    assert!(text.contains("(×40): assertion failed: ready"), "{text}");
    assert!(
        text.contains("also at src/a.rs:101:9 src/a.rs:102:9"),
        "{text}"
    );
}

#[test]
fn names_of_many_classes_leave_room_for_reasons() {
    let mut text = String::from(
        "============================= test session starts ==============================\n",
    );
    let mut summary = String::from(
        "=========================== short test summary info ============================\n",
    );
    text.push_str(
        "=================================== FAILURES ===================================\n",
    );
    for at in 0..160 {
        let (class, name) = (at / 2, at % 2);
        writeln!(
            text,
            "______________________________ TestPart{class}.test_{name} ______________________________\n\nE   AssertionError: cause {}\n\ntest_m.py:{at}: AssertionError",
            at % 3
        )
        .unwrap();
        writeln!(
            summary,
            "FAILED test_m.py::TestPart{class}::test_{name} - AssertionError"
        )
        .unwrap();
    }
    text.push_str(&summary);
    text.push_str(
        "======================= 160 failed, 7 passed in 1.23s ========================\n",
    );
    let shown = digest(text.as_bytes(), End::Exit(1)).render(&Frame::default());
    for cause in 0..3 {
        assert!(shown.contains(&format!("cause {cause}")), "{shown}");
    }
    assert!(
        shown.contains("test_m.py::TestPart69::… test_0 test_1; test_m.py::TestPart70::… test_0"),
        "{shown}"
    );
}

#[test]
fn hostile_outputs_stay_small() {
    let outputs: Vec<Vec<u8>> = vec![
        b"\x1b[31m".repeat(50_000),
        vec![b'x'; 1_000_000],
        vec![0; 100_000],
        b"\r".repeat(100_000),
        b"\x1b]8;;".repeat(50_000),
        b"error: ".repeat(100_000),
        b"a:b: \n".repeat(10_000),
        b"<testsuite><testcase name=\"x\">".repeat(10_000),
        (0..=255).cycle().take(60_000).collect(),
        b"FAILED a.py::t - x\n".repeat(8_000),
    ];
    for output in outputs {
        let digest = digest(&output, End::Exit(1));
        let shown = digest.render(&Frame::default());
        assert!(shown.lines().count() <= LINES_MAX && shown.len() <= BYTES_MAX);
        assert!(!shown.contains('\x1b') && !shown.contains('\r') && !shown.contains('\0'));
    }
}

#[test]
fn a_persons_own_grammar_comes_first() {
    let custom = custom::parse("[[grammar]]\ntool='acme'\nfail='[BAD] {name} at {file}'\npass='[GOOD] {name}'\nproblem='{file}@{line}: {message}'").unwrap();
    let options = Options {
        custom,
        ..Options::default()
    };
    let mut digester = Digester::new(options);
    digester.push("[GOOD] a\n".repeat(60).as_bytes());
    digester.push(b"[BAD] b at x.acme\nx.acme@7: odd\n");
    let digest = digester.finish(End::Exit(1), None);
    assert_eq!(
        digest.counts.words(),
        "1 failed, 1 error, 60 passed, 0 skipped"
    );
    assert_eq!(digest.failures[0].name, "b");
    assert_eq!(digest.problems[0].places, ["x.acme:7"]);
}

mod properties {
    use proptest::prelude::*;

    use super::super::*;

    /// Pieces of real outputs, which together meet most states of the grammars.
    const PIECES: &[&str] = &[
        "running 2 tests\n",
        "test a ... FAILED\n",
        "failures:\n",
        "---- a stdout ----\n",
        "thread 'a' panicked at x.rs:1:2:\n",
        "test result: FAILED. 1 passed; 1 failed; 0 ignored\n",
        "==== FAILURES ====\n",
        "____ t ____\n",
        "E   ValueError: x\n",
        "FAILED a.py::t - x\n",
        "=== 1 failed, 2 passed in 0.10s ===\n",
        "FAIL a.test.js\n",
        "  ● A › b\n",
        "Test Suites: 1 failed, 1 total\n",
        "Tests:       1 failed, 1 total\n",
        " FAIL  a.test.js > b\n",
        " RUN  v3.0.0 /x\n",
        "  1) A\n",
        "       b:\n",
        "  1 failing\n",
        "Failures:\n",
        "not ok 1 - x\n",
        "  ---\n",
        "  ...\n",
        "# fail 1\n",
        "--- FAIL: T (0.00s)\n",
        "=== RUN   T\n",
        "panic: x\n",
        "FAIL\tp\t0.1s\n",
        "[ RUN      ] A.b\n",
        "[  FAILED  ] A.b\n",
        "1/2 Test #1: a ....***Failed 0.1 sec\n",
        "error[E0308]: x\n",
        " --> a.rs:1:2\n",
        "  |\n",
        "a.c:1:2: error: x\n",
        "/a/b.js\n",
        "  1:2  error  x  y\n",
        "\u{2716} 1 problem (1 error, 0 warnings)\n",
        "<testsuite>",
        "<testcase name=\"a\">",
        "<failure message=\"x\">",
        "core:test: ",
        "[api] ",
        "\x1b[31m",
        "\r",
        "\n",
        "\0",
        "\u{65e5}",
        " ",
        "\t",
        "{\"Action\":\"fail\",\"Test\":\"T\"}\n",
        "Traceback (most recent call last):\n",
        "  File \"a.py\", line 3\n",
        "Ran 1 test in 0.1s\n",
        "FAILED (errors=1)\n",
        "\u{2718} [fail]: a\n",
        "bun test v1\n",
        "(fail) a [1ms]\n",
        "[ERROR]   AT.b:4 x\n",
        "Results:\n",
        "Tests run: 1, Failures: 1\n",
        "A > b FAILED\n",
    ];

    fn output() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 0..40),
        ];
        prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
    }

    fn run(output: &[u8], cuts: &[usize]) -> (Digest, String) {
        let mut digester = Digester::new(Options {
            lines_max: 20,
            bytes_max: 1_500,
            ..Options::default()
        });
        let mut rest = output;
        for cut in cuts {
            let (part, after) = rest.split_at((*cut).min(rest.len()));
            digester.push(part);
            rest = after;
        }
        digester.push(rest);
        let digest = digester.finish(End::Exit(1), None);
        let frame = Frame {
            log: Some("logs/x.log"),
            ..Frame::default()
        };
        let text = digest.render(&frame);
        (digest, text)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn any_chunking_gives_the_same_small_digest(output in output(), cuts in prop::collection::vec(0_usize..90, 0..60)) {
            let (digest, text) = run(&output, &[]);
            let (_, parts) = run(&output, &cuts);
            prop_assert_eq!(&text, &parts);
            prop_assert!(text.lines().count() <= 20);
            prop_assert!(text.len() <= 1_500);
            prop_assert!(digest.passthrough().is_some() || text.len() <= output.len());
            prop_assert!(text.is_empty() || text.ends_with('\n'));
            prop_assert!(text.chars().all(|found| found == '\n' || found == '\t' || !found.is_control()));
            if let Some(raw) = digest.passthrough() {
                prop_assert_eq!(raw, output.as_slice());
            }
        }
    }
}
