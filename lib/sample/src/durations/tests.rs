use super::*;

fn times(text: &str) -> Times {
    Times::new(&[parse(text).unwrap()])
}

const MS: u64 = 1_000_000;

#[test]
fn pytest_junit_is_found_by_node_id() {
    let text = r#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="0" failures="1" skipped="0" tests="2" time="0.250" timestamp="2026-01-01T00:00:00" hostname="h"><testcase classname="tests.test_a.TestX" name="test_y[a/b.c-&quot;1&quot;]" time="0.100" /><testcase classname="tests.test_a" name="test_z" time="0.050"><failure message="&lt;testcase name='no'&gt;">x</failure></testcase></testsuite></testsuites>"#;
    let report = parse(text).unwrap();
    assert_eq!(report.wall, Some(250 * MS));
    assert!(report.records[1].failed && !report.records[0].failed);
    let times = Times::new(&[report]);
    assert_eq!(
        times.of("tests/test_a.py::TestX::test_y[a/b.c-\"1\"]"),
        Some(100 * MS)
    );
    assert_eq!(times.of("tests/test_a.py::test_z"), Some(50 * MS));
    assert_eq!(times.of("tests/test_a.py"), Some(150 * MS));
    assert_eq!(times.of("tests/test_a.py::test_new"), None);
}

#[test]
fn nextest_junit_is_found_by_binary_and_by_unambiguous_name() {
    let text = r#"<testsuites name="nextest-run" tests="3" time="1.5"><testsuite name="demo::it"><testcase name="a::one" classname="demo::it" time="0.2"><system-out><![CDATA[<testcase classname="x" name="y" time="9"/>]]></system-out></testcase>
    <testcase name="two" classname="demo::it" time="0.3"/></testsuite><testsuite name="demo"><testcase name="two" classname="demo" time="0.4"/></testsuite></testsuites>"#;
    let times = times(text);
    assert_eq!(times.of("demo::it a::one"), Some(200 * MS));
    assert_eq!(times.of("a::one"), Some(200 * MS));
    assert_eq!(times.of("demo two"), Some(400 * MS));
    assert_eq!(times.of("two"), None);
    assert_eq!(times.of("x y"), None);
    assert_eq!(
        times.fixed(900 * u128::from(MS)),
        Some(600 * u128::from(MS))
    );
    assert_eq!(times.fixed(1501 * u128::from(MS)), None);
}

#[test]
fn go_and_jest_reports_are_found() {
    let go = r#"<testsuites><testsuite name="example.com/m/p" time="0.1"><testcase classname="example.com/m/p" name="TestA" time="0.1"></testcase></testsuite></testsuites>"#;
    assert_eq!(times(go).of("example.com/m/p.TestA"), Some(100 * MS));
    let jest = r#"<testsuites><testsuite name="sums"><testcase classname="sums adds" name="sums adds" time="0.1" file="src/a.test.ts"/><testcase classname="sums b" name="sums b" time="0.2" file="src/a.test.ts"/></testsuite></testsuites>"#;
    assert_eq!(times(jest).of("/home/me/p/src/a.test.ts"), Some(300 * MS));
}

#[test]
fn json_of_pytest_split_of_jest_and_of_our_own_runs() {
    let split = r#"{"tests/test_a.py::test_x": 0.5, "tests/test_a.py::test_y": 1e-3}"#;
    assert_eq!(times(split).of("tests/test_a.py::test_x"), Some(500 * MS));
    let old = r#"[["tests/test_a.py::test_x", 0.5]]"#;
    assert_eq!(times(old).of("tests/test_a.py::test_x"), Some(500 * MS));
    let own = r#"{"v":1,"fixed":2.0,"tests":{"tests/test_a.py::test_x":0.5}}"#;
    assert_eq!(times(own).of("tests/test_a.py::test_x"), Some(500 * MS));
    assert_eq!(times(own).fixed(1), Some(2000 * u128::from(MS)));
    let jest = r#"{"numFailedTests":1,"startTime":1000,"testResults":[{"name":"/p/src/a.test.js","startTime":1000,"endTime":1250,"status":"failed","assertionResults":[]}]}"#;
    let report = parse(jest).unwrap();
    assert!(report.records[0].failed);
    assert_eq!(Times::new(&[report]).of("/p/src/a.test.js"), Some(250 * MS));
}

#[test]
fn what_is_no_report_is_refused_and_broken_times_are_nothing() {
    for text in [
        "",
        "hello",
        "<a/>",
        "{",
        "[]",
        "{}",
        "[1]",
        "{\"a\":\"b\"}",
        "<testcase",
        "<testcase name='",
    ] {
        assert_eq!(
            parse(text).unwrap_err().code,
            Code::SampleDurations,
            "{text}"
        );
    }
    assert_eq!(
        [nanos(f64::NAN), nanos(-1.0), nanos(f64::INFINITY)],
        [0, 0, 0]
    );
    assert_eq!(nanos(1e300), NANOS_MAX);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_trouble(text in "[<>!\\[\\]CDAT\\-a-z=\"' /&;]{0,80}") {
        let _ = parse(&text);
        let _ = parse(&format!("<testcase{text}"));
    }
}

#[test]
fn what_cargo_test_and_go_test_print_is_read() {
    let cargo = "\nrunning 4 tests\ntest a::x ... ok\ntest a::slow - should panic ... ok\ntest a::y ... ignored, slow\ntest a::z ... FAILED\n\nfailures:\n\n---- a::z stdout ----\n\ntest result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.30s\n\n\nrunning 1 test\ntest src/lib.rs - f (line 3) ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n";
    let report = parse(cargo).unwrap();
    let failed: Vec<_> = report
        .records
        .iter()
        .filter(|record| record.failed)
        .collect();
    assert!(failed.len() == 1 && failed[0].name == "a::z");
    let times = Times::new(&[report]);
    assert_eq!(times.of("a::slow"), Some(100 * MS));
    assert_eq!(times.of("a::y"), None);
    assert_eq!(times.of("src/lib.rs - f (line 3)"), Some(2_500_000));
    let go = "=== RUN   TestA\n--- PASS: TestA (0.25s)\n=== RUN   TestB\n    --- PASS: TestB/sub (0.01s)\n--- FAIL: TestB (0.00s)\n--- PASS: TestC (0.00s)\n--- SKIP: TestD (0.00s)\nFAIL\nFAIL\texample.com/m\t0.270s\n=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \texample.com/m/p\t(cached)\n?   \texample.com/m/q\t[no test files]\nFAIL\n";
    let report = parse(go).unwrap();
    assert!(report.records[1].failed && report.records.len() == 4);
    let times = Times::new(&[report]);
    let of = |id: &str| times.of(id);
    assert_eq!(of("example.com/m.TestA"), Some(250 * MS));
    assert_eq!(of("example.com/m.TestB"), Some(10 * MS));
    assert_eq!(of("example.com/m.TestC"), Some(10 * MS));
    assert_eq!(of("example.com/m/p.TestA"), Some(2_500_000));
    assert_eq!(of("example.com/m.TestD"), None);
}

#[test]
fn what_is_written_comes_back_as_the_same_number() {
    for value in [
        500_431,
        4_512_568,
        13_036_464,
        1,
        999_999_999,
        86_400_000_000_001,
    ] {
        #[expect(clippy::cast_precision_loss, reason = "far below 2⁵³")]
        let seconds = value as f64 / 1e9;
        assert_eq!(nanos(seconds), value);
    }
}
