use super::super::super::count::Counts;
use super::super::sample;

/// Tool, counts as stated or as seen, failing tests with their messages, problems.
fn read(text: &str) -> String {
    let facts = sample(text);
    let mut counts = Counts::default();
    for session in &facts.sessions {
        counts.merge(session.stated.as_ref().unwrap_or(&session.seen));
    }
    let mut said = vec![format!("{}: {}", facts.tools.join("+"), counts.words())];
    for failure in &facts.failures {
        let place = failure.block.place.as_ref().map(|place| &place.shown);
        let place = place.map_or("-", String::as_str);
        let first = failure.block.first().unwrap_or("-");
        said.push(format!("✗ {} {place} {first}", failure.name));
    }
    for problem in facts.problems.into_list(true) {
        let severity = problem.severity;
        said.push(format!(
            "{severity:?} {} {}",
            problem.places.join(" "),
            problem.text
        ));
    }
    said.join("\n")
}

/// The same document on one line.
fn joined(text: &str) -> String {
    text.lines().map(str::trim).collect()
}

const ESLINT: &str = r#"[
  {
    "filePath": "/p/a.js",
    "messages": [
      {"ruleId": "no-undef", "severity": 2, "message": "'x' is not defined.", "line": 3, "column": 5},
      {"ruleId": "semi", "severity": 1, "message": "Missing semicolon.", "line": 4, "column": 9}
    ],
    "suppressedMessages": [],
    "errorCount": 1,
    "fatalErrorCount": 0,
    "warningCount": 1,
    "source": "x"
  },
  {"filePath": "/p/b.js", "messages": [], "errorCount": 0, "warningCount": 0}
]
"#;

#[test]
fn eslint() {
    let expected = "eslint: 1 error, 1 warning, 2 problems\n\
        Error /p/a.js:3:5 'x' is not defined. (no-undef)\n\
        Warning /p/a.js:4:9 Missing semicolon. (semi)";
    assert_eq!(read(ESLINT), expected);
    assert_eq!(read(&joined(ESLINT)), expected);
    // A line that is longer than what is looked at of others.
    let padding = format!(
        "{{\"filePath\": \"/p/c.js\", \"messages\": [{}",
        " ".repeat(200_000)
    );
    let long = joined(ESLINT).replace("{\"filePath\": \"/p/b.js\", \"messages\": [", &padding);
    assert_eq!(read(&long), expected);
}

#[test]
fn rspec() {
    let text = r#"{"version":"3.13.0","examples":[{"id":"./spec/a_spec.rb[1:1]","description":"adds","full_description":"Calc adds","status":"failed","file_path":"./spec/a_spec.rb","line_number":4,"exception":{"class":"RSpec::Expectations::ExpectationNotMetError","message":"\nexpected: 4\n     got: 5\n\n(compared using ==)\n","backtrace":["./spec/a_spec.rb:5:in 'x'"]}},{"id":"2","description":"b","full_description":"Calc b","status":"passed","file_path":"./spec/a_spec.rb","line_number":8}],"summary":{"duration":0.01,"example_count":2,"failure_count":1,"pending_count":0,"errors_outside_of_examples_count":0},"summary_line":"2 examples, 1 failure"}"#;
    assert_eq!(
        read(text),
        "rspec: 1 failed, 1 passed, 0 pending, 2 total\n✗ Calc adds ./spec/a_spec.rb:4 expected: 4"
    );
}

#[test]
fn jest_and_vitest() {
    let text = r#"{"numFailedTestSuites":2,"numFailedTests":1,"numPassedTestSuites":0,"numPassedTests":1,"numPendingTests":0,"numRuntimeErrorTestSuites":1,"numTodoTests":0,"numTotalTestSuites":2,"numTotalTests":2,"success":false,"testResults":[{"assertionResults":[{"ancestorTitles":["cart"],"failureMessages":["Error: expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4\n    at Object.<anonymous> (/p/cart.test.js:5:17)"],"fullName":"cart adds","location":null,"status":"failed","title":"adds"},{"ancestorTitles":["cart"],"failureMessages":[],"fullName":"cart takes","status":"passed","title":"takes"}],"message":"x","name":"/p/cart.test.js","status":"failed"},{"assertionResults":[],"message":"Cannot find module 'y'","name":"/p/broken.test.js","status":"failed"}],"wasInterrupted":false}"#;
    assert_eq!(
        read(text),
        "jest: 1 failed, 1 passed, 0 skipped, 0 todo, 2 total, 2 suites failed, 0 suites passed\n\
         ✗ cart adds /p/cart.test.js:5:17 Error: expect(received).toBe(expected)\n\
         ✗ /p/broken.test.js - Cannot find module 'y'"
    );
}

#[test]
fn mocha() {
    let text = r#"{
  "stats": {
    "suites": 1,
    "tests": 2,
    "passes": 1,
    "pending": 0,
    "failures": 1
  },
  "tests": [
    {"title": "adds", "fullTitle": "cart adds", "file": "/p/t.js", "err": {"message": "no"}},
    {"title": "b", "fullTitle": "cart b", "file": "/p/t.js", "err": {}}
  ],
  "pending": [],
  "failures": [
    {
      "title": "adds",
      "fullTitle": "cart adds",
      "file": "/p/t.js",
      "err": {
        "stack": "AssertionError: 1 == 2\n    at Context.<anonymous> (t.js:4:5)",
        "message": "1 == 2"
      }
    }
  ],
  "passes": [
    {"title": "b", "fullTitle": "cart b", "file": "/p/t.js", "err": {}}
  ]
}
"#;
    let expected = "mocha: 1 failed, 1 passed, 0 pending, 2 total\n✗ cart adds /p/t.js 1 == 2";
    assert_eq!(read(text), expected);
    assert_eq!(read(&joined(text)), expected);
}

#[test]
fn playwright_and_cucumber() {
    let text = r#"{"config":{"version":"1.50"},"suites":[{"title":"a.spec.ts","file":"a.spec.ts","specs":[{"title":"logs in","ok":false,"tests":[{"results":[{"status":"failed","error":{"message":"Error: expect(page).toHaveTitle","location":{"file":"/p/a.spec.ts","column":3,"line":6}}}],"status":"unexpected"}],"file":"a.spec.ts","line":4},{"title":"logs out","ok":true,"tests":[{"results":[{"status":"passed"}],"status":"expected"}],"file":"a.spec.ts","line":9}]}],"errors":[],"stats":{"expected":1,"skipped":0,"unexpected":1,"flaky":0}}"#;
    assert_eq!(
        read(text),
        "playwright: 1 failed, 1 passed, 0 skipped, 0 flaky\n\
         ✗ logs in /p/a.spec.ts:6:3 Error: expect(page).toHaveTitle"
    );
    let text = r#"[{"uri":"features/a.feature","name":"A","elements":[{"keyword":"Scenario","line":3,"name":"pays","steps":[{"name":"I have","line":4,"result":{"status":"passed"}},{"name":"I pay","line":5,"result":{"status":"failed","error_message":"AssertionError: 1"}}]},{"keyword":"Scenario","line":9,"name":"waits","steps":[{"name":"I have","line":4,"result":{"status":"passed"}}]}]}]"#;
    assert_eq!(
        read(text),
        "cucumber: 1 failed, 1 passed\n✗ pays features/a.feature:3 AssertionError: 1"
    );
}

#[test]
fn cargo() {
    let text = r#"{ "type": "suite", "event": "started", "test_count": 2 }
{ "type": "test", "event": "started", "name": "a::b" }
{ "type": "test", "name": "a::b", "event": "failed", "stdout": "thread 'a::b' panicked at src/lib.rs:3:5:\nboom\n" }
{ "type": "test", "name": "a::c", "event": "ok" }
{ "type": "suite", "event": "failed", "passed": 1, "failed": 1, "ignored": 0, "measured": 0, "filtered_out": 0, "exec_time": 0.1 }
"#;
    assert_eq!(
        read(text),
        "cargo test: 1 failed, 1 passed, 0 ignored\n\
         ✗ a::b src/lib.rs:3:5 thread 'a::b' panicked at src/lib.rs:3:5:"
    );
    let text = r#"{"reason":"compiler-message","package_id":"p","manifest_path":"/p/Cargo.toml","target":{"kind":["lib"],"name":"p","src_path":"/p/src/lib.rs"},"message":{"rendered":"error[E0308]: mismatched types\n","children":[],"code":{"code":"E0308","explanation":"long\ntext"},"level":"error","message":"mismatched types","spans":[{"column_start":5,"file_name":"src/lib.rs","is_primary":true,"line_start":3}]}}"#;
    assert_eq!(
        read(text),
        "cargo build: \nError src/lib.rs:3:5 mismatched types (E0308)"
    );
}

#[test]
fn linters() {
    let pylint = "[\n    {\n        \"type\": \"error\",\n        \"module\": \"m\",\n        \"line\": 4,\n        \"column\": 0,\n        \"path\": \"m.py\",\n        \"symbol\": \"no-member\",\n        \"message\": \"Module 'x' has no 'y' member\",\n        \"message-id\": \"E1101\"\n    }\n]\n";
    assert_eq!(
        read(pylint),
        "pylint: \nError m.py:4:0 Module 'x' has no 'y' member (no-member)"
    );
    let ruff = "[\n  {\n    \"cell\": null,\n    \"code\": \"F401\",\n    \"end_location\": {\n      \"column\": 10,\n      \"row\": 9\n    },\n    \"filename\": \"/p/a.py\",\n    \"fix\": null,\n    \"location\": {\n      \"column\": 8,\n      \"row\": 1\n    },\n    \"message\": \"`os` imported but unused\",\n    \"noqa_row\": 1,\n    \"url\": \"https://x\"\n  }\n]\n";
    assert_eq!(
        read(ruff),
        "ruff: \nError /p/a.py:1:8 `os` imported but unused (F401)"
    );
    let rubocop = r#"{"metadata":{"rubocop_version":"1.60"},"files":[{"path":"a.rb","offenses":[{"severity":"convention","message":"Style/X: y","cop_name":"Style/X","location":{"start_line":1,"start_column":1,"line":1,"column":2}}]}],"summary":{"offense_count":1,"target_file_count":1,"inspected_file_count":1}}"#;
    assert_eq!(
        read(rubocop),
        "rubocop: 1 problem\nWarning a.rb:1:2 Style/X: y"
    );
    let phpstan = r#"{"totals":{"errors":0,"file_errors":1},"files":{"/p/a.php":{"errors":1,"messages":[{"message":"Undefined variable: $x","line":7,"ignorable":true,"identifier":"variable.undefined"}]}},"errors":[]}"#;
    assert_eq!(
        read(phpstan),
        "phpstan: 1 error\nError /p/a.php:7 Undefined variable: $x (variable.undefined)"
    );
    let golangci = r#"{"Issues":[{"FromLinter":"errcheck","Text":"Error return value is not checked","Severity":"","Pos":{"Filename":"main.go","Offset":9,"Line":8,"Column":3}}],"Report":{}}"#;
    assert_eq!(
        read(golangci),
        "golangci-lint: \nError main.go:8:3 Error return value is not checked (errcheck)"
    );
    let mypy = r#"{"file": "a.py", "line": 3, "column": 4, "message": "Incompatible types", "hint": null, "code": "assignment", "severity": "error"}"#;
    assert_eq!(
        read(mypy),
        "mypy: \nError a.py:3:4 Incompatible types (assignment)"
    );
    let pyright = "{\n    \"version\": \"1.1\",\n    \"generalDiagnostics\": [\n        {\n            \"file\": \"/p/a.py\",\n            \"severity\": \"error\",\n            \"message\": \"\\\"x\\\" is not defined\",\n            \"range\": {\n                \"start\": {\n                    \"line\": 2,\n                    \"character\": 4\n                },\n                \"end\": {\n                    \"line\": 2,\n                    \"character\": 5\n                }\n            },\n            \"rule\": \"reportUndefinedVariable\"\n        }\n    ],\n    \"summary\": {\n        \"filesAnalyzed\": 1,\n        \"errorCount\": 1,\n        \"warningCount\": 0\n    }\n}\n";
    assert_eq!(
        read(pyright),
        "pyright: 1 error, 0 warnings\nError /p/a.py:3:5 \"x\" is not defined (reportUndefinedVariable)"
    );
    let shellcheck = r#"[{"file":"a.sh","line":3,"endLine":3,"column":6,"endColumn":8,"level":"warning","code":2086,"message":"Double quote","fix":null}]"#;
    assert_eq!(
        read(shellcheck),
        "shellcheck: \nWarning a.sh:3:6 Double quote (2086)"
    );
}

#[test]
fn documents_of_nobody_are_none() {
    assert_eq!(read("{\"status\": \"failed\", \"name\": \"x\"}\n"), ": ");
    assert_eq!(
        read("{\n  \"a\": [1, 2],\n  \"error\": null\n}\n1 failed\n"),
        ": "
    );
    assert_eq!(read("[\n  {broken\n"), ": ");
}
