use super::*;

fn ids(text: &str) -> Vec<String> {
    let list = List::new(text.as_bytes(), b'\n').unwrap();
    let ids = parse(list, Format::Auto).unwrap();
    ids.list().ids().map(|(_, id)| id.to_owned()).collect()
}

fn fault(text: &str) -> Fault {
    let list = List::new(text.as_bytes(), b'\n').unwrap();
    parse(list, Format::Auto).unwrap_err()
}

#[test]
fn plain_lists_stay_as_they_are() {
    assert_eq!(ids("a::b\r\n\r\n  \nc d\ne"), ["a::b", "c d", "e"]);
    assert_eq!(
        ids("/p/a.test.js\n/p/b.test.js\n"),
        ["/p/a.test.js", "/p/b.test.js"]
    );
    assert_eq!(
        ids("demo::it a::b\ndemo two\n"),
        ["demo::it a::b", "demo two"]
    );
    assert_eq!(
        ids("[chromium] › a.spec.ts:1:1 › x\n"),
        ["[chromium] › a.spec.ts:1:1 › x"]
    );
    assert_eq!(
        ids("src/a.test.ts\nsrc/b.test.ts\n"),
        ["src/a.test.ts", "src/b.test.ts"]
    );
    assert_eq!(ids("a test in 3s\n"), ["a test in 3s"]);
}

#[test]
fn pytest_lists_lose_their_summary_and_warnings() {
    let expected = ["t/test_a.py::test_x", "t/test_a.py::T::test_y[a b]"];
    let body = "t/test_a.py::test_x\nt/test_a.py::T::test_y[a b]\n";
    for end in [
        "\n2 tests collected in 0.01s\n",
        "\n2/9 tests collected (7 deselected) in 61.00s (0:01:01)\n",
        "\n=============================== warnings summary ===============================\nt/test_a.py::test_x\n  x.py:1: W: b\n\n-- Docs: https://docs.pytest.org\n2 tests collected in 0.01s\n",
        "\n========================= 2 tests collected in 0.01s =========================\n",
    ] {
        assert_eq!(ids(&format!("{body}{end}")), expected, "{end}");
    }
    assert_eq!(ids("\nno tests collected in 0.00s\n"), [""; 0]);
}

#[test]
fn a_lister_that_failed_is_seen() {
    for text in [
        "t/test_a.py::test_x\n\n==== ERRORS ====\nE  x\n!!!! Interrupted: 1 error during collection !!!!\n1 test collected, 1 error in 0.10s\n",
        "no tests collected, 2 errors in 0.10s\n",
        "<Dir x>\n  <Module test_a.py>\n    <Function test_x>\n\n1 test collected in 0.1s\n",
        "t/test_a.py: 3\n\n3 tests collected in 0.1s\n",
        "TestA\nFAIL\texample.com/m [build failed]\nFAIL\n",
        "TestA\nok  \texample.com/m\t0.1s\nTestB\nFAIL\texample.com/n [build failed]\n",
        "{\"rust-suites\": {\"a\": {\"testcases\": ",
        "{\"other\": 1}",
        "{\"examples\":[],\"summary\":{\"errors_outside_of_examples_count\":1}}",
        "{\"suites\":[],\"errors\":[{\"message\":\"SyntaxError\"}]}",
    ] {
        assert_eq!(fault(text).code, Code::SampleLister, "{text}");
    }
}

#[test]
fn go_names_get_their_package() {
    let text = "TestA\nBenchmarkB\nExampleC\nok  \texample.com/m\t0.002s\n?   \texample.com/m/cmd\t[no test files]\nTestA\nok  \texample.com/m/p\t(cached)\n";
    assert_eq!(
        ids(text),
        [
            "example.com/m.TestA",
            "example.com/m.ExampleC",
            "example.com/m/p.TestA"
        ]
    );
}

#[test]
fn rust_listers_are_understood() {
    assert_eq!(
        ids("a::b: test\nc: benchmark\n\n1 test, 1 benchmark\n\nd: test\n\n1 test, 0 benchmarks\n"),
        ["a::b", "d"]
    );
    assert_eq!(ids("a::b: test\nc: test\n"), ["a::b", "c"]);
    assert_eq!(
        ids("demo:\n    a::b\n    c\ndemo::it:\n    d\n"),
        ["demo a::b", "demo c", "demo::it d"]
    );
    let json = r#"{"rust-build-meta":{},"test-count":3,"rust-suites":{"demo":{"testcases":{"a::b":{"ignored":false,"filter-match":{"status":"matches"}},"c":{"ignored":true,"filter-match":{"status":"mismatch","reason":"ignored"}}}},"demo::it":{"testcases":{"d":{"ignored":false}}}}}"#;
    assert_eq!(ids(json), ["demo a::b", "demo::it d"]);
}

#[test]
fn javascript_and_ruby_listers_are_understood() {
    assert_eq!(
        ids("[\"/p/a.test.js\",\"/p/b.test.js\"]\n"),
        ["/p/a.test.js", "/p/b.test.js"]
    );
    assert_eq!(
        ids("[\n  {\n \"file\": \"/p/a.test.ts\"\n }\n]"),
        ["/p/a.test.ts"]
    );
    assert_eq!(
        ids("[{\"name\":\"s > t\",\"file\":\"/p/a.test.ts\"}]"),
        ["/p/a.test.ts > s > t"]
    );
    assert_eq!(
        ids(
            "Listing tests:\n  [chromium] › a.spec.ts:3:5 › logs in\n  [firefox] › a.spec.ts:3:5 › logs in\nTotal: 2 tests in 1 file\n"
        ),
        [
            "[chromium] › a.spec.ts:3:5 › logs in",
            "[firefox] › a.spec.ts:3:5 › logs in"
        ]
    );
    let json = r#"{"suites":[{"title":"a.spec.ts","specs":[{"title":"x","file":"a.spec.ts","line":1,"column":5,"tests":[{"projectName":"chromium"}]}],"suites":[{"title":"s","specs":[{"title":"y","file":"a.spec.ts","line":3,"column":5,"tests":[{"projectName":""}]}]}]}],"errors":[]}"#;
    assert_eq!(
        ids(json),
        ["[chromium] › a.spec.ts:1:5 › x", "a.spec.ts:3:5 › s › y"]
    );
    assert_eq!(
        ids(
            r#"{"version":"3","examples":[{"id":"./spec/a_spec.rb[1:1]"},{"id":"./spec/a_spec.rb[1:2]"}],"summary":{}}"#
        ),
        ["./spec/a_spec.rb[1:1]", "./spec/a_spec.rb[1:2]"]
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_without_trouble(text in "[\\[{\"a:,}\\] =\tok\n0-9]{0,120}") {
        if let Ok(list) = List::new(text.as_bytes(), b'\n') {
            for format in [Format::Auto, Format::Pytest, Format::Go, Format::Cargo, Format::Nextest, Format::Playwright, Format::Vitest, Format::Jest, Format::Rspec] {
                let _ = parse(list, format);
            }
        }
    }
}
